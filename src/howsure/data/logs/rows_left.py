"""What a log holds in the rows that an expression lets through: by these, not by all, its columns are chosen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import compress

import numpy as np

from howsure.data.logs.conversion import Log
from howsure.data.tables.database import Database, chunks
from howsure.data.tables.named_files import File
from howsure.data.tables.table import open_table
from howsure.data.tables.where import Condition


def in_rows_left(
    log: Log,
    files: Sequence[File],
    rows: Condition | None,
    *,
    by_file: bool = False,
    missing_values: Sequence[str] = (),
) -> Log:
    """What was found in the rows of a log, rewritten in `files`, that satisfy a condition; in all, if there is none.

    Raises InputError if none does, or a value cannot be compared.
    """
    if rows is None:
        return log
    found = Log(log.format, log.normalise, log.notes)
    database = Database()
    try:
        database.allow_only([file.path for file in files])
        table = open_table(database, tuple(files), rows.names, by_file=by_file)
        kept = f"CAST({rows.sql(table, missing_values)} AS BIGINT)"
        query = f"SELECT {kept} FROM {table.numbered} ORDER BY {table.position}"
        marks = (mark for (part,) in chunks(table.connection, query, [np.int64]) for mark in part.tolist())
        for line in compress(_lines(files), marks):
            found.note(json.loads(line))
    finally:
        database.close()
    return found


def _lines(files: Sequence[File]) -> Iterator[str]:
    for file in files:
        with open(file.path, encoding="utf-8") as lines:
            yield from lines
