"""What the labelling room may have written: each order answers only when the store holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError
from howsure.events.labels.answers import coder_named, record_answer, revision_of, settlements_of, undo_answer
from howsure.events.labels.answers import settle as settle_answer
from howsure.events.store.event_store import EventStore
from howsure.explorer.labelling.bodies import Rule, codes, text, truth, whole
from howsure.explorer.labelling.questions import plain, present, progress_of


@dataclass(frozen=True, slots=True)
class Order:
    """What is done, the fields of the body that say with what, and what the store holds where that conflicts."""

    act: Callable[..., dict[str, Any]]
    fields: Mapping[str, Rule]
    present: Callable[[EventStore, Mapping[str, Any]], dict[str, Any]]


def answer(
    store: EventStore, document: int, coder: str, acting: Sequence[str], unclear: bool, revision: int
) -> dict[str, Any]:
    """Store an answer; see `record_answer`."""
    revision = record_answer(store, document, coder, acting=acting, unclear=unclear, revision=revision)
    return {"revision": revision, "progress": progress_of(store, coder_named(coder))}


def undo(store: EventStore, coder: str) -> dict[str, Any]:
    """Take a coder's last answer back; see `undo_answer`.

    Raises InputError if there is none.
    """
    name = coder_named(coder)
    number = undo_answer(store, name)
    if number is None:
        raise InputError(f"{name} has no answer left to undo.")
    return {"document": number, **present(store, number, name), "progress": progress_of(store, name)}


def settle(
    store: EventStore, document: int, coder: str, acting: Sequence[str], unclear: bool, revision: int
) -> dict[str, Any]:
    """Settle what coders answered differently; see `howsure.events.labels.answers.settle`."""
    return {"revision": settle_answer(store, document, acting, unclear=unclear, coder=coder, revision=revision)}


def _answered(store: EventStore, ordered: Mapping[str, Any]) -> dict[str, Any]:
    return present(store, ordered["document"], coder_named(ordered["coder"]))


def _settled(store: EventStore, ordered: Mapping[str, Any]) -> dict[str, Any]:
    number = ordered["document"]
    found = settlements_of(store, document=number)
    revision = revision_of(store, number, "", settles=True)
    return {"answer": plain(found[0]) if found else None, "revision": revision}


SAID: Mapping[str, Rule] = {"document": whole, "coder": text, "acting": codes, "unclear": truth, "revision": whole}
ORDERS = {
    "answer": Order(answer, SAID, _answered),
    "undo": Order(undo, {"coder": text}, _answered),
    "settle": Order(settle, SAID, _settled),
}
