"""The rows of all files as one table that SQL can ask: Parquet is read in place, all else is copied in, once.

What is copied in (CSV, JSON lines: as text; .npz: as it is) is only the columns in use; beyond DuckDB's memory limit
it lies in the scratch folder. Every answer about a row can be led back to the file and the row in it.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from howsure.data.tables.columns import Column
from howsure.data.tables.database import Connection, Database, file_literal, identifier, reading
from howsure.data.tables.headers import check_alike
from howsure.data.tables.named_files import File
from howsure.data.tables.npz import archive_columns, copy_archives
from howsure.data.tables.sources import as_texts, folders_are_columns, parquet_source, text_source
from howsure.errors import InputError
from howsure.inputs.naming import shortened, unknown_name

COPIED = "copied_rows"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of some files: what to write after FROM, the columns in use, and where each file's rows start."""

    database: Database
    relation: str
    columns: dict[str, Column]
    files: tuple[File, ...]
    starts: tuple[int, ...]

    @property
    def connection(self) -> Connection:
        """The connection to the database."""
        return self.database.connection

    @property
    def is_copied(self) -> bool:
        """Whether the rows were copied into the database, so that every question is cheap."""
        return self.relation == COPIED

    def ask(self, select: str, *, rest: str = "") -> list[tuple[object, ...]]:
        """The rows of SELECT `select` FROM the table and the `rest` of the query."""
        with reading(self.name, self.files[0].path):
            return self.connection.execute(f"SELECT {select} FROM {self.relation} {rest}").fetchall()

    @property
    def numbered(self) -> str:
        """The columns in use and the position of every row, from 0 over all files, to be asked like a table."""
        listed = [identifier(name) for name in self.columns]
        return f"(SELECT {', '.join(listed)}, row_number() OVER () - 1 AS {self.position} FROM {self.relation})"

    @property
    def position(self) -> str:
        """What the position is called in `numbered`: no column in use is."""
        taken, name = {name.casefold() for name in self.columns}, "position"
        while name in taken:
            name += "_"
        return name

    def place(self, condition: str, shown: str = "NULL", *, skip: int = 0) -> tuple[str, object]:
        """Where the first row is for which a condition holds (after skipping some), and a value of that row."""
        found = f"{self.position}, {shown} FROM {self.numbered} WHERE {condition} ORDER BY {self.position}"
        with reading(self.name, self.files[0].path):
            position, value = self.connection.execute(f"SELECT {found} LIMIT 1 OFFSET {skip}").fetchall()[0]
        return self.place_of(int(position)), value

    def place_of(self, position: int) -> str:
        """Where a row is, by its position from 0 over all files: the row of its file, and which file."""
        file = bisect_right(self.starts, position) - 1
        return _place(self.files[file], position - self.starts[file])

    @property
    def name(self) -> str:
        """What to call all files together."""
        first = self.files[0].name
        return first if len(self.files) == 1 else f"{first} and {len(self.files) - 1:,} more"


def open_table(database: Database, files: tuple[File, ...], names: Sequence[str]) -> Table:
    """The table of the columns `names` of all files.

    Raises InputError if a file lacks a column or cannot be read, if there are no rows, or if formats cannot be mixed.
    """
    openers = {OPENERS.get(file.format, _open_texts) for file in files}
    if len(openers) > 1:
        formats = sorted({file.format for file in files})
        raise InputError(f"all files must be text, or all Parquet, or all npz; they are {', '.join(formats)}.")
    table = openers.pop()(database, files, list(dict.fromkeys(names)))
    if table.ask("1", rest="LIMIT 1") == []:
        raise InputError(f"{table.name} has no rows.")
    return table


def column_names(database: Database, file: File) -> list[str]:
    """The names of the columns of a file, in its order.

    Raises InputError if it cannot be read.
    """
    with reading(file.name, file.path):
        if file.format == "npz":
            return list(archive_columns(file))
        if file.format == "parquet":
            return list(_described(database.connection, parquet_source([file])))
        return list(_described(database.connection, text_source(file, *WHOLE.get(file.format, ()))))


def _open_parquet(database: Database, files: tuple[File, ...], names: list[str]) -> Table:
    connection = database.connection
    folders = False
    for file in files:
        with reading(file.name, file.path):
            known = _described(connection, parquet_source([file]))
            if folders_are_columns(file, names, known):
                folders, known = True, _described(connection, parquet_source([file], folders=True))
            _require(connection, file, names, known)
    relation = parquet_source(files, folders=folders)
    with reading(files[0].name, files[0].path):
        types = _described(connection, relation)
        starts = _parquet_starts(connection, files)
    return Table(database, relation, {name: Column(name, types[name]) for name in names}, files, starts)


def _parquet_starts(connection: Connection, files: tuple[File, ...]) -> tuple[int, ...]:
    """The position at which the rows of each file start."""
    if len(files) == 1:
        return (0,)
    listed = ", ".join(file_literal(file.path) for file in files)
    found = connection.execute(f"SELECT file_name, num_rows FROM parquet_file_metadata([{listed}])").fetchall()
    rows = {os.path.realpath(name): int(number) for name, number in found}
    return (0, *accumulate(rows[os.path.realpath(file.path)] for file in files[:-1]))


def _open_texts(database: Database, files: tuple[File, ...], names: list[str]) -> Table:
    connection = database.connection
    starts: list[int] = []
    listed = ", ".join(f"{identifier(name)} VARCHAR" for name in names)
    for file in files:
        with reading(file.name, file.path):
            known = _described(connection, text_source(file))
            if file.format in ("json", "jsonl") and not set(names) <= set(known):
                known = _described(connection, text_source(file, "sample_size=-1"))
            folders = folders_are_columns(file, names, known)
            if folders:
                known = _described(connection, text_source(file, folders=True))
            _require(connection, file, names, known)
            connection.execute(f"CREATE TABLE IF NOT EXISTS {COPIED} ({listed})")
            starts.append(_count(connection))
            asked = as_texts(names) if file.format in ("json", "jsonl") else ""
            source = text_source(file, asked, folders=folders)
            connection.execute(f"INSERT INTO {COPIED} SELECT {_list(names)} FROM {source}")
    return Table(database, COPIED, {name: Column(name, "VARCHAR") for name in names}, files, tuple(starts))


def _open_archives(database: Database, files: tuple[File, ...], names: list[str]) -> Table:
    connection = database.connection
    for file in files:
        _require(connection, file, names, archive_columns(file))
    starts = copy_archives(connection, files, names, into=COPIED)
    types = _described(connection, COPIED)
    return Table(database, COPIED, {name: Column(name, types[name]) for name in names}, files, starts)


def _described(connection: Connection, source: str) -> dict[str, str]:
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}


def _count(connection: Connection) -> int:
    found = connection.execute(f"SELECT count(*) FROM {COPIED}").fetchall()
    return int(found[0][0])


def _list(names: Sequence[str]) -> str:
    return ", ".join(map(identifier, names))


def _require(connection: Connection, file: File, names: Sequence[str], known: dict[str, str]) -> None:
    if not known:
        raise InputError(f"{file.name} holds no column; {shortened(names)} must be in it.")
    check_alike(connection, file, names, list(known))
    for name in names:
        if name not in known:
            header = next(iter(known))
            if file.format == "csv" and len(known) == 1 and "," in header:  # DuckDB found rows of different lengths
                raise InputError(f"{file.name} cannot be read: some rows have more or fewer values than {header!r}.")
            raise unknown_name("column", name, list(known), place=file.name)


def _place(file: File, row: int) -> str:
    header = ", without the header" if file.format in ("csv", "tsv") else ""
    return f"row {row + 1:,} of {file.name} (counted from 1{header})"


WHOLE = dict.fromkeys(("json", "jsonl"), ("sample_size=-1",))  # names may first come in a late row
OPENERS = {"parquet": _open_parquet, "npz": _open_archives}
