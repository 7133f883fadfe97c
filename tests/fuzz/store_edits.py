"""Edit a store of events as bytes say: four bytes for an edit, which select its table, column, row and value.

Random changes of the bytes of a DuckDB file only break its checksums. A store that was edited by SQL has valid
checksums.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import duckdb
from tests.events.made_up_store import store_file

from howsure.errors import HowsureError
from howsure_events import (
    EventStore,
    agreement,
    check_store,
    compare_actors,
    corrected_series,
    event_series,
    settled_labels,
)
from howsure_events.explorer.queries import document_view
from howsure_events.labels.agreement import disagreements
from howsure_events.labels.answers import reading_order, record_answer, settle, undo_answer
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.labels.import_labels import label_table
from howsure_events.series.files import doubtful_documents
from howsure_events.store.tables import TABLES

VALUES = (
    "NULL",
    "-1",
    "0",
    "1",
    "3",
    "255",
    "65536",
    "2147483648",
    "9223372036854775807",
    "0.5",
    "-0.5",
    "'nan'",
    "'inf'",
    "''",
    "'IRQ'",
    "'{}'",
    "'[]'",
    "'null'",
    "'1e400'",
    "'\"x\"'",
    "'[[1]]'",
    "''::BLOB",
    r"'\x01'::BLOB",
    r"'\xFF\xFF\xFF\xFF\xFF\xFF'::BLOB",
    "'infinity'",
    "'0001-01-01'",
    "'9999-12-31'",
    "[]",
    "[NULL]",
    "['x']",
    "[true]",
    "[-2]",
    "[99999]",
    "repeat('x', 70000)",
    "chr(65279)",
    "true",
    "false",
    "'2026-01-01 10:00:00'",
    "'infinity'::TIMESTAMP",
    "['IRQ']",
    "['IRQ', 'IRQ']",
    """'{"question": "", "actors": ["IRQ"], "design": "", "period": ""}'""",
)
CHANGE = 4  # bytes


@cache
def whole_store() -> Path:
    """Return an intact small store, which exists as long as this process."""
    folder = Path(tempfile.mkdtemp(prefix="howsure-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    store_file(folder / "whole.duckdb", documents=12, samples=8)
    with EventStore.open(folder / "whole.duckdb", read_only=False) as store:
        draw_documents(store, 9, period="none")
        for place, number in enumerate(reading_order(store)):
            for coder, every in (("anna", 2), ("bob", 3)):
                record_answer(store, number, coder, acting=["IRQ"] if place % every == 0 else [], revision=0)
        settle(store, reading_order(store)[2], [], coder="carla")
        undo_answer(store, "bob")
    return folder / "whole.duckdb"


@cache
def columns() -> dict[str, list[str]]:
    """Return the columns of each table."""
    with duckdb.connect(whole_store(), read_only=True) as connection:
        return {table: [row[0] for row in connection.execute(f"DESCRIBE {table}").fetchall()] for table in TABLES}


def statements(edits: bytes) -> list[str]:
    """Return the edits that bytes encode, as SQL."""
    updates = []
    for at in range(0, len(edits) - CHANGE + 1, CHANGE):
        table, column, row, value = edits[at : at + CHANGE]
        name = list(columns())[table % len(columns())]
        field = columns()[name][column % len(columns()[name])]
        where = f"rowid = (SELECT rowid FROM {name} ORDER BY rowid LIMIT 1 OFFSET {row})" if row < 128 else "true"
        updates.append(f"UPDATE {name} SET {field} = {VALUES[value % len(VALUES)]} WHERE {where}")
    return updates


def edited_store(path: Path) -> None:
    """Edit a store as the bytes of a file say, and use it."""
    target = path.with_name(f"{path.name}.duckdb")
    shutil.copyfile(whole_store(), target)
    try:
        with duckdb.connect(target) as connection:
            for statement in statements(path.read_bytes()):
                with suppress(duckdb.Error):  # what the table itself refuses
                    connection.execute(statement)
        use_store(target)
    finally:
        target.unlink()


def use_store(path: Path) -> None:
    """Call every function that reads a store, each separately, because an error of one must not hide a crash of
    another.

    Raises HowsureError if the store cannot be opened.
    """
    with suppress(HowsureError):
        check_store(path)
    with EventStore.open(path) as store:
        for question in QUESTIONS:
            with suppress(HowsureError):
                question(store)


QUESTIONS = (
    lambda store: event_series(store, period="year").to_dict(),
    lambda store: event_series(store, period="month", unit="entities", interval="samples"),
    lambda store: compare_actors(store, "IRQ", "NATO", period="year"),
    doubtful_documents,
    lambda store: document_view(store, 0),
    lambda store: document_view(store, 1, sample=3),
    settled_labels,
    disagreements,
    agreement,
    lambda store: label_table(store).csv(),
    lambda store: corrected_series(store, period="year"),
)
