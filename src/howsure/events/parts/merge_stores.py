"""The stores of all parts of an input as one store: that of a run over the whole, row by row."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from howsure.data.tables.database import literal
from howsure.errors import InputError
from howsure.events.corpus.stories import stories_of
from howsure.events.parts.part import BATCH
from howsure.events.parts.parts_given import PartGiven, check_content, checked_parts, recipe_of_all
from howsure.events.store.arrow import types_of
from howsure.events.store.event_store import EventStore
from howsure.events.store.schema import EVENT_TABLES
from howsure.events.store.whole_store import whole_store

AT_ONCE = 128 * BATCH  # documents: sorted and written together
COPIED = tuple(table for table in EVENT_TABLES if table not in ("settings", "stories"))

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What was put together: parts, documents of all of them, and whether the store was there already."""

    parts: int
    documents: int
    was_there: bool


def merge_stores(
    parts: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str], *, advance: Advance | None = None
) -> MergeReport:
    """Write a store at `path` of the stores of all parts of an input, in any order (`extract_events(…, part=(3, 64))`).

    It holds, row by row, what a run over the whole input would have stored; stories are found across parts. It appears
    whole or not at all. A store of the same input and settings that is there already is left as it is, with its labels.
    `advance` is told of documents done.

    Raises InputError if a part is missing, there twice, unfinished, damaged or labelled, if parts differ in what made
    them, or share a document, or if the file at `path` is another; StoreError if the store cannot be written.
    """
    given = checked_parts(parts)
    total, settings = given[0].documents, recipe_of_all(given)
    target = Path(path)
    if target.exists():
        with EventStore.open(target) as store:
            store.check_settings(settings)
            if not store.settings["finished"]:
                raise InputError(f"{target} was begun by a run over the whole input; name another store, or remove it.")
        return MergeReport(len(given), total, was_there=True)
    for one in given:
        check_content(one)
    with whole_store(target, settings) as store:
        for one in given:
            store.connection.execute(f"ATTACH {literal(os.path.abspath(one.path))} AS part_{one.number} (READ_ONLY)")
        for low in range(0, total, AT_ONCE):
            _copy(store, given, low, low + AT_ONCE - 1)
            if advance is not None:
                advance(min(AT_ONCE, total - low))
        store.finish(stories_of(store))
    return MergeReport(len(given), total, was_there=False)


def _copy(store: EventStore, given: Sequence[PartGiven], low: int, high: int) -> None:
    """The rows of some documents, in the order of the input; those of one in the order of its part."""
    with store.transaction() as connection:
        for table in COPIED:
            columns = ", ".join(types_of(table))
            rows = " UNION ALL ".join(
                f"SELECT {columns}, rowid AS place FROM part_{one.number}.main.{table} "
                f"WHERE document BETWEEN {low} AND {high}"
                for one in given
            )
            try:
                connection.execute(
                    f"INSERT INTO {table} ({columns}) SELECT {columns} FROM ({rows}) ORDER BY document, place"
                )
            except duckdb.ConstraintException as error:
                raise _shared_id(store, given, error) from error


def _shared_id(store: EventStore, given: Sequence[PartGiven], error: Exception) -> InputError:
    """The error for documents of two parts that have one id."""
    rows = " UNION ALL ".join(f"SELECT id, {one.number} AS n FROM part_{one.number}.main.documents" for one in given)
    twice = f"SELECT id, list(n ORDER BY n) FROM ({rows}) GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 1"
    ((name, numbers),) = store.connection.cursor().execute(twice).fetchall() or [(str(error), [])]
    paths = {one.number: one.path for one in given}
    where = " and ".join(f"part {number} ({paths[number]})" for number in numbers)
    return InputError(
        f"parts must have no document in common; that with id {name!r} is in {where}. Were they made of the same files?"
    )
