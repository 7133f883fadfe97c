"""A table of a DuckDB database as a file to read: a copy in a scratch folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb

from howsure.data.tables.database import identifier, literal
from howsure.errors import InputError
from howsure.files.opened import missing_file
from howsure.files.whole import Scratch
from howsure.inputs.naming import unknown_name

MAGIC, MAGIC_AT = b"DUCK", 8  # how a DuckDB file begins, after a checksum
CLOSED: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "memory_limit": "512MB",
}


@contextmanager
def as_files(files: tuple[str, ...], *, database: str | None, table: str | None) -> Iterator[tuple[str, ...]]:
    """The files to read: those named, or a copy of a table, which is removed at the end.

    Raises InputError unless there is one or the other, and for a database or a table that there is not.
    """
    if database is None and table is None:
        if not files:
            raise InputError("no file is named; name a file, a glob in quotes, - for standard input, or a --database.")
        yield files
        return
    if database is None or table is None or files:
        raise InputError("a table is named by --database FILE.duckdb --table NAME together, without other files.")
    with Scratch() as scratch:
        copy = os.path.join(scratch.folder, f"{''.join(c if c.isalnum() else '_' for c in table)[:60]}.parquet")
        _copy_table(database, table, copy, str(scratch.folder))
        yield (copy,)


def _copy_table(database: str, table: str, copy: str, folder: str) -> None:
    if not os.path.isfile(database):
        raise missing_file(database)
    with open(database, "rb") as file:
        if file.read(MAGIC_AT + len(MAGIC))[MAGIC_AT:] != MAGIC:
            raise InputError(f"{database} is not a DuckDB database.")
    try:
        with duckdb.connect(database, read_only=True, config=CLOSED) as connection:
            for setting in (
                f"temp_directory = {literal(os.path.join(folder, 'spilled'))}",
                f"allowed_directories = [{literal(folder)}]",
                "enable_external_access = false",  # a view reads the database and nothing else
            ):
                connection.execute(f"SET {setting}")
            known = [
                row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
            ]
            if table not in known:
                raise unknown_name("table", table, known, place=database)
            connection.execute(f"COPY (SELECT * FROM {identifier(table)}) TO {literal(copy)} (FORMAT parquet)")
    except duckdb.Error as error:
        said = str(error).partition("\n")[0][:200]
        raise InputError(f"{database} cannot be read: {said.rstrip('.')}.") from error
