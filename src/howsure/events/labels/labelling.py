"""What readers of a store are asked: the question, the actors, and the draws of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError
from howsure.events.store.reading import Store, rows_of
from howsure.events.store.refusals import DamagedStoreError
from howsure.events.store.schema import tables_of
from howsure.events.store.settings import REMEDY
from howsure.files.json_text import parsed_json

FIRST_DRAW = "draw documents first: howsure events label"
LISTS, TEXTS = ("actors",), ("question", "design", "by")


@dataclass(frozen=True, slots=True)
class Labelling:
    """The question, the codes of the actors asked, in the order of their keys, and the settings of each draw.

    design: "stratified", "simple" (drawn at random from all), "chances" (with the given chances) or "census" (all).
    """

    question: str
    actors: tuple[str, ...]
    design: str
    by: str
    draws: tuple[Mapping[str, Any], ...]


def labelling_of(store: Store) -> Labelling | None:
    """What is asked of a store's documents; None if none was drawn.

    Raises DamagedStoreError if the settings of a draw are not those that a draw writes.
    """
    if "label_draw" not in tables_of(store.settings.get("version")):
        return None
    rows = rows_of(store, "SELECT settings FROM label_draw ORDER BY draw")
    draws = [_read(text, store) for (text,) in rows]
    if not draws:
        return None
    first = draws[0]
    return Labelling(first["question"], tuple(first["actors"]), first["design"], first["by"], tuple(draws))


def asked_of(store: Store) -> Labelling:
    """What is asked of a store's documents.

    Raises InputError if none was drawn.
    """
    found = labelling_of(store)
    if found is None:
        raise InputError(f"{store.path} holds no labels; {FIRST_DRAW} {store.path}.")
    return found


def _read(text: str, store: Store) -> dict[str, Any]:
    try:
        held = parsed_json(text)
        lists = all(isinstance(one, str) for name in LISTS for one in [*held[name]])
        if lists and held["actors"] and all(isinstance(held[name], str) for name in TEXTS):
            return dict(held)
    except (KeyError, TypeError, ValueError):
        pass
    raise DamagedStoreError(f"{store.path} is damaged: the settings of a draw in the table label_draw. {REMEDY}.")
