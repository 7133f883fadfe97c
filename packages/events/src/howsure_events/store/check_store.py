"""Check of a store's integrity: its contents must follow the rules that every extraction follows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure import __version__
from howsure.inputs.numbers_and_names import counted
from howsure.result import Result, plain
from howsure.show.table import COUNT, WORDS, Column
from howsure_events.labels.answers import find_labelling
from howsure_events.store.event_store import EventStore
from howsure_events.store.integrity import (
    AT_OPENING,
    DOCUMENT_TABLES,
    Damage,
    DamagedStoreError,
    are_clusterings,
    schema_damage,
    table_damage,
)
from howsure_events.store.store_queries import REMEDY, Store, is_imported, iterate_rows, number_of_samples, query_rows
from howsure_events.store.tables import TABLES, as_bits, as_counts, as_labels

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class StoreCheck(Result):
    """The result of a check: the violated rules (`damage`, empty if the store is intact), and the recipe."""

    damage: tuple[Damage, ...]
    recipe: Mapping[str, Any]

    @property
    def is_whole(self) -> bool:
        """Whether no damage was found."""
        return not self.damage

    def to_dict(self) -> dict[str, Any]:
        """The recipe and the violated rules as plain values."""
        return {"recipe": dict(self.recipe), "whole": self.is_whole, "damage": plain(self.damage)}

    def table_rows(self) -> Sequence[object]:
        """The violated rules."""
        return self.damage

    def columns(self) -> Sequence[Column]:
        """One row per violated rule."""
        return [
            Column("table", WORDS),
            Column("rule", WORDS, "violated rule"),
            Column("rows", COUNT),
            Column("document", COUNT, "first document"),
        ]

    @property
    def description(self) -> str:
        """The verdict if the store is intact; empty otherwise."""
        return self.verdict() if self.is_whole else ""

    def footnotes(self) -> Sequence[str]:
        """The verdict."""
        return [self.verdict()]

    def verdict(self) -> str:
        """Whether the store is intact, and what to do if it is not."""
        path = self.recipe["store"]
        if self.is_whole:
            contents = f"{counted(self.recipe['documents'], 'document')}, {self.recipe['tables']} tables"
            part = self.recipe.get("part")
            which = "is intact" if part is None else f"is undamaged, part {part['number']} of {part['of']} of its input"
            return f"{path} {which}: {contents}."
        return f"{path} is damaged: it violates {counted(len(self.damage), 'rule')}. {REMEDY}."


def check_store(path: str | os.PathLike[str]) -> StoreCheck:
    """Check the whole store: the types of columns, references between tables, ranges, lengths, and samples.

    In a clustering, the number of a mention must be the first mention of its entity. A probability must be the
    proportion of samples whose bits are set.

    >>> from howsure_events import example_store
    >>> with example_store() as store:
    ...     path = store.path
    ...     store.close()
    ...     print(check_store(path).is_whole)
    True

    Raises InputError if the store does not exist, its settings are damaged, or its file cannot be read.
    """
    with EventStore.open(path, checked=False, part=True) as store:
        damage = list(_damage(store))
        readable = not any(item.rows is None for item in damage)
        documents = query_rows(store, "SELECT count(*) FROM documents")[0][0] if readable else None
        tables = len(TABLES)
        part = store.settings.get("part")
    recipe = {"howsure": __version__, "store": str(path), "documents": documents, "tables": tables}
    if part is not None:
        recipe["part"] = part
    return StoreCheck(tuple(damage), recipe)


def _damage(store: Store) -> Iterator[Damage]:
    broken = list(schema_damage(store))
    if "samples" not in store.settings:
        broken.append(Damage("settings", "the number of samples must be given"))
    if not broken:  # otherwise further queries would fail
        broken = list(table_damage(store, (*AT_OPENING, *DOCUMENT_TABLES)))
    yield from broken
    if not broken:  # the blobs have their lengths
        yield from _drawn_damage(store, number_of_samples(store))
        yield from _label_damage(store)


def _label_damage(store: Store) -> Iterator[Damage]:
    """Yield errors in the settings of label draws, and in answers that name other actors than the question."""
    try:
        labelling = find_labelling(store)
    except DamagedStoreError:
        yield Damage("label_draw", "settings must be those of a draw")
        return
    if labelling is not None:
        others = (
            "SELECT count(*), min(document) FROM answers WHERE len(list_filter(acting, lambda a: a NOT IN $known)) > 0"
        )
        ((n, first),) = query_rows(store, others, known=list(labelling.actors))
        if n:
            yield Damage("answers", "acting must be actors that coders were asked about", n, first)


def _drawn_damage(store: Store, samples: int) -> Iterator[Damage]:
    """Yield errors in the samples: in clusterings, and in the bits of events and evidence."""
    wrong = {table: [0, 0] for table in ("clusterings", "events", "evidence")}

    def note(table: str, document: int) -> None:
        wrong[table][1] = wrong[table][1] if wrong[table][0] else document
        wrong[table][0] += 1

    query = "SELECT document, samples, best, d.mentions FROM clusterings JOIN documents d USING (document)"
    for document, drawn, best, mentions in iterate_rows(store, query):
        if not all(are_clusterings(as_labels(blob, mentions)) for blob in (drawn, best)):
            note("clusterings", document)
    reach = ROUNDING + is_imported(store.settings) / samples  # allowed difference of the probability from the samples
    for document, drawn, entities, p in iterate_rows(
        store, "SELECT document, samples, entities, probability FROM events"
    ):
        bits = as_bits([drawn], samples)[0]
        if abs(bits.mean() - p) > reach or ((as_counts([entities], samples)[0] > 0) != bits).any():
            note("events", document)
    for document, drawn, p in iterate_rows(store, "SELECT document, samples, probability FROM evidence"):
        if abs(as_bits([drawn], samples)[0].mean() - p) > ROUNDING:
            note("evidence", document)
    rules = {
        "clusterings": "each mention must have the number of the first mention of its entity",
        "events": "probability and entities must be those of the samples",
        "evidence": "probability must be that of the samples",
    }
    for table, (n, first) in wrong.items():
        if n:
            yield Damage(table, rules[table], n, first)
