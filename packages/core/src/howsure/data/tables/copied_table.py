"""A table of a DuckDB database as a file to read: a copy in a scratch folder."""

from __future__ import annotations

import os

import duckdb

from howsure.data.tables.connections import connect
from howsure.data.tables.database import identifier, literal
from howsure.errors import InputError
from howsure.files.input_files import Scratch, missing_file
from howsure.inputs.numbers_and_names import unknown_name

MAGIC, MAGIC_AT = b"DUCK", 8  # how a DuckDB file begins, after a checksum


def copy_of_table(database: str, table: str) -> tuple[str, Scratch]:
    """The file of a copy of a table or view, and the scratch folder that contains it."""
    scratch = Scratch()
    copy = os.path.join(scratch.folder, f"{''.join(c if c.isalnum() else '_' for c in table)[:60]}.parquet")
    _copy_table(database, table, copy, str(scratch.folder))
    return copy, scratch


def _copy_table(database: str, table: str, copy: str, folder: str) -> None:
    if not os.path.isfile(database):
        raise missing_file(database)
    with open(database, "rb") as file:
        if file.read(MAGIC_AT + len(MAGIC))[MAGIC_AT:] != MAGIC:
            raise InputError(f"{database} is not a DuckDB database.")
    try:
        with connect(database, read_only=True) as connection:
            for setting in (
                f"temp_directory = {literal(os.path.join(folder, 'spilled'))}",
                f"allowed_directories = [{literal(folder)}]",
                "enable_external_access = false",  # a view reads the database and nothing else
            ):
                connection.execute(f"SET {setting}")
            tables = [
                row[0] for row in connection.execute("SELECT table_name FROM information_schema.tables").fetchall()
            ]
            if table not in tables:
                raise unknown_name("table", table, tables, place=database)
            connection.execute(f"COPY (SELECT * FROM {identifier(table)}) TO {literal(copy)} (FORMAT parquet)")
    except duckdb.Error as error:
        reason = str(error).partition("\n")[0][:200]
        raise InputError(f"{database} cannot be read: {reason.rstrip('.')}.") from error
