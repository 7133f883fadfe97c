"""The rows of all files as one table for SQL queries."""

from __future__ import annotations

import json
import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from howsure.data.tables.connections import Connection
from howsure.data.tables.database import (
    FILE,
    Column,
    Database,
    Place,
    Step,
    columns_with_commas,
    columns_with_thousands,
    file_literal,
    find_place,
    identifier,
    in_json_text,
    leading_column,
    literal,
    path_text,
    reading,
    split_names,
    types_by_column,
)
from howsure.data.tables.named_files import (
    File,
    as_texts,
    check_unique_names,
    copies_path,
    folders_are_columns,
    header_source,
    keys_in,
    objects_source,
    parquet_source,
    ragged_line,
    separator_option,
    text_source,
    unique_names,
    written_names,
)
from howsure.data.tables.title_rows import why_one_column
from howsure.errors import InputError, quote
from howsure.files.archive import NUMBERS, TEXTS, Archive, unpacking
from howsure.inputs.numbers_and_names import (
    Marks,
    may_separate_thousands,
    natural_order,
    nearest,
    quoted_if_needed,
    shortened,
    unknown_name,
)
from howsure.inputs.source_names import source_names

# A place inside a column that has a type of its own (in Parquet a STRUCT, MAP or list, in .npz a matrix).

ALL = "TRUE"  # of the rows, in SQL
TEXT_TYPES = ("VARCHAR", "JSON")


def in_typed(connection: Connection, relation: str, place: Place, type: str) -> str:
    """Return SQL for a value inside a column, with its own type; null if a list is too short or a key missing."""
    sql = identifier(place.column)
    for at, step in enumerate(place.steps):
        if type in TEXT_TYPES:
            return in_json_text(f"CAST({sql} AS VARCHAR)", place.steps[at:])
        type_taken = _taken(sql, type, step)
        described = None if type_taken is None else _type(connection, relation, type_taken)
        if type_taken is None or described is None:
            raise _missing_step(connection, relation, sql, type, place, at)
        sql, type = type_taken, described
    return sql


def _taken(sql: str, type: str, step: Step) -> str | None:
    if type.endswith("]"):
        return f"{sql}[{step + 1}]" if isinstance(step, int) else None
    if type.startswith("STRUCT"):
        return f"struct_extract({sql}, {literal(str(step))})"
    if type.startswith("MAP"):
        return f"{sql}[{literal(str(step))}]"
    return None


def _type(connection: Connection, relation: str, sql: str) -> str | None:
    try:
        return str(connection.execute(f"DESCRIBE SELECT {sql} FROM {relation}").fetchall()[0][1])
    except (duckdb.BinderException, duckdb.ConversionException):
        return None


def _missing_step(connection: Connection, relation: str, sql: str, type: str, place: Place, at: int) -> InputError:
    before, step = path_text(place.column, place.steps[:at]), place.steps[at]
    if type.startswith("STRUCT"):
        fields = [row[0] for row in connection.execute(f"DESCRIBE SELECT unnest({sql}) FROM {relation}").fetchall()]
        return unknown_name("field", str(step), fields, place=before)
    part = path_text(place.column, place.steps)
    if type.endswith("]"):
        return InputError(
            f"there is no {part}: {before} is a list ({type}). Name an element by its position: {before}[0]."
        )
    return InputError(f"there is no {part}: {before} has no parts, its type is {type}.")


# Archives of numpy arrays (.npz): every array is a column, every two-dimensional one a column of lists.

Array = npt.NDArray[Any]
KINDS = f"{NUMBERS}{TEXTS}M"
CLOCK_UNITS = ("s", "ms", "us", "ns")  # the units of datetime64 that DuckDB reads


def archive_columns(file: File) -> dict[str, str]:
    """The names of the arrays in an archive."""
    with _opened(file) as archive:
        return dict.fromkeys(archive.arrays, "array")


def copy_archives(
    connection: Connection,
    files: Sequence[File],
    names: Sequence[str],
    *,
    into: str,
    shown: Sequence[str] | None = None,
) -> tuple[int, ...]:
    """Copy arrays of archives into a table, file by file; returns the first row of each file.

    Columns are stored under their `unique_names`. If files are `shown` by names, these are one more column.
    """
    parts = [_arrays(file, names) for file in files]
    lengths = [len(part[names[0]]) for part in parts]
    if shown is not None:
        names = [*names, FILE]
        for part, name, length in zip(parts, shown, lengths, strict=True):
            part[FILE] = np.full(length, name)
    flat: dict[str, Array] = {}
    selected = []
    for name, stored in unique_names(names).items():
        column = _joined([part[name] for part in parts], name, files)
        fields = [column] if column.ndim == 1 else list(column.T)
        keys = [f"{len(flat) + position}" for position in range(len(fields))]
        flat.update(zip(keys, map(np.ascontiguousarray, fields), strict=True))
        as_text = column.dtype.kind == "U"  # of which DuckDB would make an ENUM
        listed = ", ".join(f"CAST({identifier(key)} AS VARCHAR)" if as_text else identifier(key) for key in keys)
        selected.append(f"{listed if column.ndim == 1 else f'[{listed}]'} AS {identifier(stored)}")
    with reading(files[0].name):
        connection.register("arrays", flat)
        connection.execute(f"CREATE TABLE {into} AS SELECT {', '.join(selected)} FROM arrays")
        connection.unregister("arrays")
    return tuple(int(start) for start in np.cumsum([0, *lengths[:-1]]))


def _arrays(file: File, names: Sequence[str]) -> dict[str, Array]:
    with _opened(file) as archive:
        arrays = {name: archive.array(name, kinds=KINDS) for name in names}
    for name, array in arrays.items():
        if array.ndim not in (1, 2):
            description = f"shape {array.shape} and type {array.dtype}"
            raise InputError(
                f"{name} in {file.name} must be one row per case, of numbers or text; it has {description}."
            )
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise InputError(f"the arrays of {file.name} must have the same length; they have {sizes}.")
    return {name: _readable(array) for name, array in arrays.items()}


def _joined(parts: list[Array], name: str, files: Sequence[File]) -> Array:
    if len({part.shape[1:] for part in parts}) > 1 or len({part.dtype.kind in "US" for part in parts}) > 1:
        shapes = ", ".join(f"{file.name} {part.shape}" for file, part in zip(files, parts, strict=True))
        raise InputError(f"{name} must have the same shape in all files; it is {shapes}.")
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _readable(array: Array) -> Array:
    """The array in a type that DuckDB knows: native byte order, no half precision, no bytes; dates as texts."""
    if array.dtype.kind == "M" and np.datetime_data(array.dtype)[0] not in CLOCK_UNITS:
        return np.where(np.isnat(array), "", np.datetime_as_string(array))
    if array.dtype.kind == "S":
        return array.astype(np.str_)
    if array.dtype == np.float16:
        return array.astype(np.float32)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        return array.astype(np.float64)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@contextmanager
def _opened(file: File) -> Iterator[Archive]:
    """The archive; errors in it, or in an array read from it, become an InputError that names the file."""
    try:
        with open(file.path, "rb") as stream, unpacking(file.name):
            yield Archive(stream)
    except OSError as error:
        raise InputError(f"{file.name} cannot be read: {error.strerror}.") from error


# The rows of all files as one table for SQL: Parquet is read directly, other formats are copied into it once.
# Only the columns in use are copied (from CSV and JSON lines as strings, from .npz unchanged). Beyond DuckDB's memory
# limit, they are in the temporary folder. Each row can be traced back to its file and its number in the file.

COPIED = "copied_rows"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of some files: the FROM clause, the columns in use, and the first row of each file."""

    database: Database
    relation: str
    columns: dict[str, Column]
    files: tuple[File, ...]
    starts: tuple[int, ...]

    @property
    def connection(self) -> Connection:
        return self.database.connection

    @property
    def is_copied(self) -> bool:
        """Whether the rows were copied into the database, so that every query is cheap."""
        return self.relation == COPIED

    def ask(self, select: str, *, rest: str = "") -> list[tuple[object, ...]]:
        """The rows of SELECT `select` FROM the table and the `rest` of the query."""
        return self.fetch(f"SELECT {select} FROM {self.relation} {rest}")

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query; an error of DuckDB names the files."""
        with reading(self.name, self.files[0].path):
            return self.connection.execute(query).fetchall()

    @property
    def with_commas(self) -> list[str]:
        """The names of the columns whose numbers have a decimal comma."""
        return [name for name, column in self.columns.items() if column.comma]

    @property
    def with_percent(self) -> list[str]:
        """The names of the columns whose numbers have a percent sign."""
        return [name for name, column in self.columns.items() if column.percent]

    @property
    def numbered(self) -> str:
        """The columns in use with the position of every row, from 0 over all files, as a relation for queries."""
        listed = [identifier(name) for name in self._sources]
        return f"(SELECT {', '.join(listed)}, row_number() OVER () - 1 AS {self.position} FROM {self.relation})"

    @property
    def position(self) -> str:
        """The name of the position column in `numbered`, different from all columns in use."""
        names_in_use, name = {name.casefold() for name in self._sources}, "position"
        while name in names_in_use:
            name += "_"
        return name

    @property
    def _sources(self) -> list[str]:
        return list(dict.fromkeys(name for column in self.columns.values() for name in column.sources))

    def place(self, condition: str, shown: str = "NULL", *, skip: int = 0) -> tuple[str, object]:
        """The location of the first row that satisfies a condition (after skipping some), and a value of that row."""
        listing = f"{self.position}, {shown} FROM {self.numbered} WHERE {condition} ORDER BY {self.position}"
        position, value = self.fetch(f"SELECT {listing} LIMIT 1 OFFSET {skip}")[0]
        return self.place_of(int(position)), value

    def place_of(self, position: int, *, origin: bool = True) -> str:
        """The location of row `position` over all files: row and file. origin: say how rows are counted."""
        file, row = self._file_and_row(position)
        return _place(file, row, with_counting=origin)

    def location(self, position: int) -> tuple[str, int]:
        """The file of a row, and its number there, from 1."""
        file, row = self._file_and_row(position)
        original, row, _ = _origin(file, row)
        return original.name, row + 1

    def _file_and_row(self, position: int) -> tuple[File, int]:
        file = bisect_right(self.starts, position) - 1
        return self.files[file], position - self.starts[file]

    @property
    def name(self) -> str:
        first = self.files[0].name
        return first if len(self.files) == 1 else f"{first} and {len(self.files) - 1:,} more"


def open_table(database: Database, files: tuple[File, ...], names: Sequence[str], *, by_file: bool = False) -> Table:
    """Return the table of the columns `names` in all files. A name is a column, a value inside a column (`doc.key`), or
    several of these as one key (`a,b`).

    With `by_file`, `file` is also a column: the name of each file (`source_names`).
    """
    openers = {OPENERS.get(file.format, _open_texts) for file in files}
    if len(openers) > 1:
        formats = sorted({file.format for file in files})
        raise InputError(f"all files must be text, or all Parquet, or all npz; they are {', '.join(formats)}.")
    joined = {
        name: (name,) if "," not in name else split_names(name, _known_columns(database, files[0])) for name in names
    }
    shown = dict(zip(files, source_names([file.name for file in files]), strict=True)) if by_file else {}
    parts = dict.fromkeys(part for several in joined.values() for part in several)
    table = openers.pop()(database, files, list(parts), shown)
    if shown and FILE in table.columns:
        table.columns[FILE] = replace(table.columns[FILE], names_files=True)
    if table.ask("1", rest="LIMIT 1") == []:
        raise InputError(f"{table.name} has no rows.")
    for name in parts:
        _check_path(table, table.columns[name])
    if not any(file.columns for file in files):  # programs write their logs with decimal points
        _find_commas(table)
    columns = {
        name: table.columns[name]
        if several == (name,)
        else Column(name, "VARCHAR", parts=tuple(table.columns[part] for part in several))
        for name, several in joined.items()
    }
    return replace(table, columns=columns)


def _known_columns(database: Database, file: File) -> list[str]:
    with reading(file.name, file.path):
        return column_names(database, file)


def _find_commas(table: Table) -> None:
    """Find the columns of texts whose numbers have decimal commas, or points that may separate thousands."""
    connection, columns = table.connection, _without_long_texts(table)
    json_files = [file for file in table.files if file.format in ("json", "jsonl")]  # whose numbers are texts here
    if json_files:  # columns without texts in the first rows are not searched, because that takes time
        rows = connection.execute(f"SELECT json FROM {objects_source(json_files[0])} LIMIT {SAMPLE}").fetchall()
        objects = [row for row in map(json.loads, chain.from_iterable(rows)) if isinstance(row, dict)]
        with_texts = {name for row in objects for name, value in row.items() if isinstance(value, str)}
        columns = [column for column in columns if column.name in with_texts]
    commas = columns_with_commas(columns, table.ask)
    thousands = columns_with_thousands(columns, table.ask)
    texts = {*commas, *thousands}
    for file in json_files if texts else ():
        texts.intersection_update(_text_columns(connection, file)[0])
    for name in texts.intersection(commas):
        table.columns[name] = replace(table.columns[name], comma=True)
    thousands = [name for name in thousands if name in texts]
    if thousands and _points_may_separate(table):
        for name in thousands:
            table.columns[name] = replace(table.columns[name], thousands=True)


def _without_long_texts(table: Table) -> list[Column]:
    """The columns of a table without those whose first rows contain texts that are too long to be numbers."""
    columns = list(table.columns.values())
    texts = [column for column in columns if column.is_text]
    if not texts:
        return columns
    lengths = ", ".join(f"max(strlen({column.sql}))" for column in texts)
    longest = table.fetch(f"SELECT {lengths} FROM (SELECT * FROM {table.relation} LIMIT {SAMPLE})")[0]
    long = {column.name for column, length in zip(texts, longest, strict=True) if (length or 0) > MAX_NUMBER_LENGTH}
    return [column for column in columns if column.name not in long]


def find_percentages(table: Table, name: str, only: str = ALL, missing_values: Sequence[str] = ()) -> None:
    """Find out whether all values of a column that contains numbers have a percent sign. Only the rows `only` count."""
    table.columns[name] = with_percentages(table, table.columns[name], only, missing_values)


def with_percentages(table: Table, column: Column, only: str = ALL, missing_values: Sequence[str] = ()) -> Column:
    """The column, with `percent` if all its values have a percent sign."""
    present = f"WHERE {only} AND NOT {column.missing(missing_values)}"
    if not column.is_text or column.parts or table.ask(column.is_percentage, rest=f"{present} LIMIT 1") != [(True,)]:
        return column
    if table.ask("1", rest=f"{present} AND NOT {column.is_percentage} LIMIT 1"):
        return column
    column = replace(column, comma=False, percent=True)
    counts = (
        f"count(*) FILTER (contains({column.sql}, '{mark}') AND {negation} {column.has_thousands})"
        for mark in ",."
        for negation in ("", "NOT")
    )
    marks = [bool(count) for count in table.ask(", ".join(counts), rest=present)[0]]
    unclear = may_separate_thousands(Marks(*marks[:2]), Marks(*marks[2:]), lambda: _points_may_separate(table))
    return replace(column, thousands=unclear)


def _points_may_separate(table: Table) -> bool:
    """Whether points may separate thousands: other columns have decimal commas, or semicolons separate values."""
    if any(file.columns for file in table.files):  # programs write their logs with decimal points
        return False
    return bool(table.with_commas) or any(_has_commas(table.connection, file) for file in table.files)


def _has_commas(connection: Connection, file: File) -> bool:
    """Whether a file has semicolons between values or decimal commas, so that points may separate thousands."""
    if separator_option(file, connection).endswith("';'"):
        return True
    columns, source = _text_columns(connection, file)
    return bool(
        columns_with_commas(
            [Column(name, "VARCHAR") for name in columns],
            lambda select: connection.execute(f"SELECT {select} FROM {source}").fetchall(),
        )
    )


def _text_columns(connection: Connection, file: File) -> tuple[list[str], str]:
    """The names of the columns that contain texts (of CSV, all columns), and an SQL relation that has them."""
    source = parquet_source([file]) if file.format == "parquet" else header_source(file)
    described = types_by_column(connection, source)
    if file.format not in ("json", "jsonl"):
        return [name for name, type_name in described.items() if type_name == "VARCHAR"], source
    columns = [identifier(name) for name in described]
    tests = (f"bool_and(json_type({column}) IN ('VARCHAR', 'NULL'))" for column in columns)
    are_texts = connection.execute(f"SELECT {', '.join(tests)} FROM {source}").fetchall()[0]
    texts = ", ".join(f"{column} ->> '$' AS {column}" for column in columns)
    names = [name for name, is_text in zip(described, are_texts, strict=True) if is_text]
    return names, f"(SELECT {texts} FROM {source})"


def _check_path(table: Table, column: Column) -> None:
    """Raise InputError if no row has a value at this place inside a column."""
    own_column = leading_column(column.name, ())
    if own_column == column.name or table.ask("1", rest=f"WHERE {column.sql} IS NOT NULL LIMIT 1"):
        return
    if column.name in _known_columns(table.database, table.files[0]):
        return
    keys = [f"{own_column}.{key}" for key in keys_in(table.connection, table.files[0], own_column)]
    near = nearest(column.name, keys)
    content = (
        f" {own_column} contains {shortened(keys)}." if keys else f" Is {own_column} a column of mappings or lists?"
    )
    suggestion = "" if near is None else f" Did you mean {quoted_if_needed(near)}?"
    raise InputError(f"{column.name} does not exist in any row of {table.name}.{content}{suggestion}")


def column_names(database: Database, file: File, *, whole: bool = True) -> list[str]:
    """The names of the columns of a file, in its order; for JSON, of the `whole` file or a sample of its rows."""
    if file.columns:
        return list(file.columns)
    with reading(file.name, file.path):
        if file.format == "npz":
            return list(archive_columns(file))
        source = parquet_source([file]) if file.format == "parquet" else header_source(file, whole=whole)
        return written_names(database.connection, file, list(database.described(source)))


def _open_parquet(database: Database, files: tuple[File, ...], names: list[str], shown: Mapping[File, str]) -> Table:
    connection = database.connection
    folders = False
    for file in files:
        with reading(file.name, file.path):
            described = database.described(parquet_source([file]))
            if folders_are_columns(file, [leading_column(name, described) for name in names], described):
                folders, described = True, database.described(parquet_source([file], folders=True))
            _places(connection, file, names, described, shown)
    relation = parquet_source(files, folders=folders, with_names=FILE if shown else None)
    with reading(files[0].name, files[0].path):
        types = types_by_column(connection, relation)
        if shown:
            cases = " ".join(
                f"WHEN {literal(os.path.abspath(file.path))} THEN {literal(shown[file])}" for file in files
            )
            relation = f"(SELECT * REPLACE (CASE {FILE} {cases} END AS {FILE}) FROM {relation})"
        places = {name: find_place(name, list(types), file=files[0].name) for name in names}
        relation, columns = _with_places(connection, relation, names, places, types)
        starts = _parquet_starts(connection, files)
    return Table(database, relation, columns, files, starts)


def _with_places(
    connection: Connection, relation: str, names: Sequence[str], places: Mapping[str, Place], types: dict[str, str]
) -> tuple[str, dict[str, Column]]:
    """Return a relation (in SQL) with values inside columns as separate columns, and the columns with these names."""
    inside = {name: place for name, place in places.items() if place.steps}
    stored = unique_names([*types, *inside])
    if inside:
        added = [
            f"{in_typed(connection, relation, place, types[place.column])} AS {identifier(stored[name])}"
            for name, place in inside.items()
        ]
        relation = f"(SELECT *, {', '.join(added)} FROM {relation})"
        types = types_by_column(connection, relation)
    return relation, {name: Column(name, types[stored[name]], stored=stored[name]) for name in names}


def _parquet_starts(connection: Connection, files: tuple[File, ...]) -> tuple[int, ...]:
    """The position at which the rows of each file start."""
    if len(files) == 1:
        return (0,)
    listed = ", ".join(file_literal(file.path) for file in files)
    rows_of_files = connection.execute(f"SELECT file_name, num_rows FROM parquet_file_metadata([{listed}])").fetchall()
    rows = {os.path.realpath(name): int(number) for name, number in rows_of_files}
    return (0, *accumulate(rows[os.path.realpath(file.path)] for file in files[:-1]))


def _open_texts(database: Database, files: tuple[File, ...], names: list[str], shown: Mapping[File, str]) -> Table:
    connection = database.connection
    starts, stored = [0], unique_names(names)
    listed = ", ".join(f"{identifier(name)} VARCHAR" for name in stored.values())
    own_names = [name for name in names if not (shown and name == FILE)]
    if len(files) > 1 and files[0].columns:
        return _open_logs(database, files, names, shown)
    for file in files:
        with reading(file.name, file.path):
            described = dict.fromkeys(file.columns, "JSON") or database.described(header_source(file))
            columns_needed = [leading_column(name, described) for name in own_names]
            if not file.columns and file.format in ("json", "jsonl") and not set(columns_needed) <= set(described):
                described = database.described(header_source(file, whole=True))
                columns_needed = [leading_column(name, described) for name in own_names]
            folders = folders_are_columns(file, columns_needed, described)
            if folders:
                described = database.described(header_source(file, folders=True))
            places = _places(connection, file, names, described, shown)
            connection.execute(f"CREATE TABLE IF NOT EXISTS {COPIED} ({listed})")
            own_columns = list(dict.fromkeys(place.column for place in places.values())) or [next(iter(described))]
            as_text_option = as_texts(own_columns) if file.format in ("json", "jsonl") else ""
            source = text_source(file, as_text_option, folders=folders)
            values = [places[name].in_text() if name in places else literal(shown[file]) for name in names]
            copied = connection.execute(f"INSERT INTO {COPIED} SELECT {', '.join(values)} FROM {source}").fetchall()
            starts.append(starts[-1] + int(copied[0][0]))
    columns = {name: Column(name, "VARCHAR", stored=stored[name]) for name in names}
    return Table(database, COPIED, columns, files, tuple(starts[:-1]))


def _open_logs(database: Database, files: tuple[File, ...], names: list[str], shown: Mapping[File, str]) -> Table:
    """Read the rows of rewritten logs together, because there may be thousands of logs with one row each."""
    connection, stored = database.connection, unique_names(names)
    texts: dict[str, dict[str, None]] = {name: {} for name in names}  # values in SQL, in which logs may differ
    own_columns, first_files = dict[str, None](), dict[tuple[str, ...], File]()
    for file in files:
        first_files.setdefault(file.columns, file)
    for file in first_files.values():
        places = _places(connection, file, names, dict.fromkeys(file.columns, "JSON"), shown)
        own_columns |= {place.column: None for place in places.values()}
        for name, place in places.items():
            texts[name][place.in_text()] = None
    rows = [file.rows for file in files]
    source = text_source(
        File(copies_path(files), files[0].name, "jsonl"), as_texts(list(own_columns) or [*files[0].columns[:1]])
    )
    if shown:
        numbers = np.arange(1, len(files) + 1, dtype=np.min_scalar_type(len(files)))
        connection.register("files_of_rows", {COPIED: np.repeat(numbers, rows)})
        source += " POSITIONAL JOIN files_of_rows"
        texts[FILE] = {f"CAST($1 AS VARCHAR[])[{COPIED}]": None}
    listed = ", ".join(f"coalesce({', '.join(texts[name])}) AS {identifier(stored[name])}" for name in names)
    with reading(files[0].name):
        file_names = [list(shown.values())] if shown and FILE in names else []  # faster than thousands of literals
        connection.execute(f"CREATE TABLE {COPIED} AS SELECT {listed} FROM {source}", file_names)
    connection.unregister("files_of_rows")
    columns = {name: Column(name, "VARCHAR", stored=stored[name]) for name in names}
    return Table(database, COPIED, columns, files, (0, *accumulate(rows[:-1])))


def _open_archives(database: Database, files: tuple[File, ...], names: list[str], shown: Mapping[File, str]) -> Table:
    connection = database.connection
    for file in files:
        places = _places(connection, file, names, archive_columns(file), shown)
    own_columns = list(dict.fromkeys(place.column for place in places.values()))
    starts = copy_archives(
        connection, files, own_columns, into=COPIED, shown=[shown[file] for file in files] if shown else None
    )
    types = types_by_column(connection, COPIED)
    relation, columns = _with_places(connection, COPIED, names, places, types)
    if relation != COPIED:
        connection.execute(f"CREATE OR REPLACE TABLE {COPIED} AS SELECT * FROM {relation}")
    return Table(database, COPIED, columns, files, starts)


def _places(
    connection: Connection, file: File, names: Sequence[str], described: dict[str, str], shown: Mapping[File, str]
) -> dict[str, Place]:
    """Return the place in the file that each name refers to, except the column of file names."""
    if not described:
        raise InputError(f"{file.name} has no column, but needs {shortened(names)}.")
    if shown and FILE in described:
        raise InputError(
            f"{file.name} already has a column {FILE!r}, which `by_file=True` would add. Rename the column."
        )
    names_asked = [name for name in names if not (shown and name == FILE)]
    check_unique_names(connection, file, [leading_column(name, described) for name in names_asked], list(described))
    if any(leading_column(name, described) not in described for name in names_asked):
        header = next(iter(described))
        if file.format == "csv" and len(described) == 1 and "," in header:  # DuckDB found rows of different lengths
            raise InputError(
                f"{file.name} cannot be read: some rows have more or fewer values than {header!r}"
                f"{ragged_line(file)}. Quote values that contain a separator."
            )
        if file.format == "csv" and len(described) == 1 and (reason := why_one_column(header)) is not None:
            raise InputError(f"{file.name} has only one column: {reason}")
    return {name: find_place(name, list(described), file=file.name) for name in names_asked}


def _origin(file: File, row: int) -> tuple[File, int, str]:
    return (file, row, "") if file.origin is None else file.origin(row)


def _place(file: File, row: int, *, with_counting: bool) -> str:
    original, row, element = _origin(file, row)
    header = ", without the header" if original.format in ("csv", "tsv") else ""
    counting = f" (counted from 1{header})" if with_counting else ""
    return f"{element and f'{element} in '}row {row + 1:,} of {original.name}{counting}"


SAMPLE = 100  # rows that show which columns of JSON are texts, and which texts are too long to be numbers
MAX_NUMBER_LENGTH = 30  # characters
OPENERS = {"parquet": _open_parquet, "npz": _open_archives}


# Find out whether the values of a column are lists of numbers, or numbers by class name, as {"0": 0.7, "1": 0.3}.


def with_keys(table: Table, column: Column, only: str = ALL) -> Column:
    """Return the column with the sorted keys of its first value, if this is a JSON object (in Parquet a STRUCT or MAP).

    only: an SQL condition that selects the rows.
    """
    if not (column.is_text or column.type.startswith(("STRUCT", "MAP"))):
        return column
    json = column.json
    first_keys = table.ask(f"json_keys({json})", rest=f"WHERE {only} AND {column.sql} IS NOT NULL LIMIT 1")
    names = first_keys[0][0] if first_keys else None
    if not isinstance(names, list) or not names:
        return column
    keyed = replace(column, keys=tuple(sorted(set(map(str, names)), key=natural_order)))
    other = f"{only} AND {column.sql} IS NOT NULL AND NOT coalesce({keyed.has_keys}, FALSE)"
    if table.ask("1", rest=f"WHERE {other} LIMIT 1"):
        place, value = table.place(other, column.text)
        listed = ", ".join(map(repr, keyed.keys))
        raise InputError(
            f"{column.name} must be an object with the names {listed} in every row, as in the first row; {place} is "
            f"{quote(value)}. If it lacks a name, write this name with the probability 0."
        )
    return keyed


def has_lists(table: Table, column: Column, only: str = ALL) -> bool:
    """Whether the first non-missing value is a list with numbers or a text that spells one; [invalid] is a text."""
    there = f"WHERE {only} AND {column.sql} IS NOT NULL LIMIT 1"
    first_rows = table.ask(f"coalesce(list_count({column.numbers}), 0) > 0", rest=there)
    return bool(first_rows and first_rows[0][0]) and not column.is_number
