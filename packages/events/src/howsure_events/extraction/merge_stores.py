"""Merging the stores of all parts of an input into the store that one run over the whole input would give."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from howsure import __version__
from howsure.data.tables.database import literal
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, shortened
from howsure_events.corpus import BATCH, Part
from howsure_events.store.event_store import OWN_SETTINGS, EventStore, settings_that_differ, write_store_atomically
from howsure_events.store.integrity import check_everything
from howsure_events.store.store_queries import Store, query_rows
from howsure_events.store.tables import EVENT_TABLES, column_types
from howsure_events.stories import find_stories

FOUND = """
    SELECT count(*), count(*) FILTER (document // $batch % $of <> $number - 1 OR document >= $documents)
    FROM (SELECT document FROM documents UNION ALL SELECT document FROM left_out)"""


@dataclass(frozen=True, slots=True)
class PartStore:
    """The store of a part of an input. documents: number of documents of the whole input."""

    path: Path
    part: Part
    documents: int
    settings: dict[str, Any]

    @property
    def number(self) -> int:
        return self.part.number


def checked_parts(paths: Sequence[str | os.PathLike[str]]) -> list[PartStore]:
    """Return the stores of all parts of an input in the order of the parts; their contents are not checked yet."""
    if not paths:
        raise InputError("parts must name the stores of all parts; none is named.")
    parts_given = [_read_part(Path(path)) for path in paths]
    first = parts_given[0]
    by_number: dict[int, PartStore] = {}
    for part_given in parts_given:
        differences = [
            f"{name} is {here} in {first.path} and {there} in {part_given.path}"
            for name, here, there in settings_that_differ(_common_settings(first), _common_settings(part_given))
        ]
        if differences:
            raise InputError(
                f"parts must be extracted with the same settings; {'; '.join(differences)}. Extract one of them again."
            )
        if part_given.number in by_number:
            raise InputError(
                f"parts must be given once each; {part_given.part} is both {by_number[part_given.number].path} and "
                f"{part_given.path}."
            )
        by_number[part_given.number] = part_given
    missing = [number for number in range(1, first.part.of + 1) if number not in by_number]
    if missing:
        raise InputError(
            f"parts must all be given; of {first.part.of}, {counted(len(missing), 'part is', 'parts are')} missing: "
            f"{shortened(missing)}. Extract part {missing[0]}/{first.part.of} too."
        )
    return sorted(parts_given, key=lambda part_given: part_given.number)


def input_document_count(path: str | os.PathLike[str]) -> int:
    """Return the number of documents of the whole input, as recorded in the store of one of its parts."""
    return _read_part(Path(path)).documents


def input_recipe(parts_given: Sequence[PartStore]) -> dict[str, Any]:
    its_own = ("part", "version", "howsure", "finished")
    return {name: value for name, value in parts_given[0].settings.items() if name not in its_own}


def _common_settings(part_given: PartStore) -> dict[str, Any]:
    """Return the settings of a part that must be equal in all parts."""
    settings = {name: value for name, value in part_given.settings.items() if name not in {*OWN_SETTINGS, "part"}}
    return settings | {"part": {"of": part_given.part.of, "documents": part_given.documents}}


def _read_part(path: Path) -> PartStore:
    with EventStore.open(path, checked=False, part=True) as store:
        settings = dict(store.settings)
        part_settings = settings.get("part")
        if part_settings is None:
            raise InputError(f"{path} is not a part of an input: it was extracted as a whole.")
        part = Part(part_settings["number"], part_settings["of"])
        if not settings.get("finished", True):
            raise InputError(f"{path}, {part}, is not finished: run its extract command again.")
        if settings.get("howsure") != __version__:
            made = settings.get("howsure")
            raise InputError(f"{path} was made by howsure {made}, and this is {__version__}; merge with that version.")
    return PartStore(path, part, part_settings["documents"], settings)


def check_content(part_given: PartStore) -> None:
    """Raise InputError if a store has missing or additional documents, is damaged, or has labels."""
    with EventStore.open(part_given.path, part=True) as store:
        check_open_part(store, part_given)


def check_open_part(store: Store, part_given: PartStore) -> None:
    """Do the checks of `check_content` on an open store."""
    path, part = part_given.path, part_given.part
    check_everything(store)
    number, of = part.number, part.of
    n, elsewhere = query_rows(store, FOUND, batch=BATCH, of=of, number=number, documents=part_given.documents)[0]
    expected = part.size(part_given.documents)
    if elsewhere or n != expected:
        problem = f"{elsewhere:,} of another part" if elsewhere else f"{n:,} documents instead of {expected:,}"
        raise InputError(f"{path}, {part}, is damaged: it contains {problem}. Extract it again.")
    if query_rows(store, "SELECT 1 FROM label_draw LIMIT 1"):
        raise InputError(f"{path}, {part}, has labels, which belong to the whole: draw documents after merging.")


AT_ONCE = 128 * BATCH  # documents that are sorted and written together
COPIED = tuple(table for table in EVENT_TABLES if table not in ("settings", "stories"))
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The result of a merge: the numbers of parts and of their documents, and whether the store already existed."""

    parts: int
    documents: int
    was_there: bool


def merge_stores(
    parts: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str], *, advance: Advance | None = None
) -> MergeReport:
    """Merge the stores of all parts of an input (`extract_events(…, part=(3, 64))`) into a store at `path`.

    The store has the same rows as after one run over the whole input, in the same order; stories are found across
    parts. The file appears complete or not at all. An existing store of the same input and settings is left unchanged,
    with its labels. parts: paths, in any order. advance: called with the number of documents done.

    Raises InputError if a part is missing, duplicate, unfinished, damaged or labelled, if parts have different settings
    or a document in common, or if `path` is another file; StoreError if the store cannot be written.
    """
    parts_given = checked_parts(parts)
    total, settings = parts_given[0].documents, input_recipe(parts_given)
    target = Path(path)
    if target.exists():
        with EventStore.open(target) as store:
            store.check_settings(settings)
            if not store.settings["finished"]:
                raise InputError(
                    f"{target} was written by a run over the whole input; name another store, or remove it."
                )
        return MergeReport(len(parts_given), total, was_there=True)
    for part_given in parts_given:
        check_content(part_given)
    with write_store_atomically(target, settings) as store:
        for part_given in parts_given:
            store.connection.execute(
                f"ATTACH {literal(os.path.abspath(part_given.path))} AS part_{part_given.number} (READ_ONLY)"
            )
        for low in range(0, total, AT_ONCE):
            _copy(store, parts_given, low, low + AT_ONCE - 1)
            if advance is not None:
                advance(min(AT_ONCE, total - low))
        store.finish(find_stories(store))
    return MergeReport(len(parts_given), total, was_there=False)


def _copy(store: EventStore, parts_given: Sequence[PartStore], low: int, high: int) -> None:
    """Copy the rows of documents `low` to `high`, ordered by document, and then as in the store of the part."""
    with store.transaction() as connection:
        for table in COPIED:
            columns = ", ".join(column_types(table))
            rows = " UNION ALL ".join(
                f"SELECT {columns}, rowid AS place FROM part_{part_given.number}.main.{table} "
                f"WHERE document BETWEEN {low} AND {high}"
                for part_given in parts_given
            )
            try:
                connection.execute(
                    f"INSERT INTO {table} ({columns}) SELECT {columns} FROM ({rows}) ORDER BY document, place"
                )
            except duckdb.ConstraintException as error:
                raise _shared_id(store, parts_given, error) from error


def _shared_id(store: EventStore, parts_given: Sequence[PartStore], error: Exception) -> InputError:
    """Return the error for documents of two parts with the same id."""
    rows = " UNION ALL ".join(
        f"SELECT id, {part_given.number} AS n FROM part_{part_given.number}.main.documents"
        for part_given in parts_given
    )
    twice = f"SELECT id, list(n ORDER BY n) FROM ({rows}) GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT 1"
    ((name, numbers),) = store.connection.cursor().execute(twice).fetchall() or [(str(error), [])]
    paths = {part_given.number: part_given.path for part_given in parts_given}
    where = " and ".join(f"part {number} ({paths[number]})" for number in numbers)
    return InputError(
        f"parts must have no document in common; that with id {name!r} is in {where}. Were they extracted from the "
        "same files?"
    )
