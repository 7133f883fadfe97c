"""DuckDB as the file reader: restricted to the named files; columns of files in SQL; rows streamed in chunks."""

from __future__ import annotations

import codecs
import errno
import json
import math
import os
import re
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

import duckdb
import numpy as np
import numpy.typing as npt

from howsure.data.tables.connections import OUT_OF_MEMORY, Connection, PatientConnection, connect, lift_memory_limit
from howsure.errors import ColumnName, InputError
from howsure.files.input_files import Scratch, checked_text, detect_compression, encoding_error, open_unpacked
from howsure.inputs.date_formats import ISO_DATE
from howsure.inputs.numbers_and_names import (
    COMMA,
    MISSING_TEXT,
    PERCENT,
    PERCENT_THOUSANDS,
    POINT,
    POINTED_THOUSANDS,
    THOUSANDS,
    WHOLE_OR_NAN,
    NumberKinds,
    counted,
    nearest,
    parse_number,
    unknown_name,
    with_decimal_commas,
)
from howsure.inputs.numbers_and_names import notes_on_numbers as notes_on_numbers
from howsure.inputs.pairs import CHUNK_ROWS

# Parquet's statistics ignore NaN. DuckDB relies on them in filters, and loses rows with NaN (DuckDB's issue 25521).
# IN (…) as a join could change the order of rows, but columns that are loaded one by one must have the same order.
DISABLED_OPTIMIZERS = "filter_pushdown,statistics_propagation,in_clause"
# for rows of files; more rows are kept in the scratch folder. The limit is raised for a query that needs more memory.
MEMORY = "128MB"
NOT_UTF_8 = re.compile(r"not utf-8 encoded|invalid UTF-8")
LINE = re.compile(r"CSV Error on Line: (\d+)")  # incorrect for JSON
UNEVEN = re.compile(r"CSV Error on Line: (\d+).*Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL)
SNIFFED = 1 << 16  # bytes
LONG_LINE = re.compile(r"Maximum line size of (\d+) bytes exceeded")
KIND = re.compile(r"^[A-Z]\w*(?: \w+)* Error: ")  # of an error, such as "Invalid Input Error: "
NO_COLUMNS = "Error when sniffing file"  # if no separator gives all rows the same number of values
KEY_TWICE = re.compile(r"JSON transform error.*: Object .* has duplicate key \"(.*)\"", re.DOTALL)
BAD_JSON = "Malformed JSON in file"
INTERRUPTED = "Query interrupted"  # DuckDB's error after Ctrl-C


class Database:
    """A database in memory with a scratch folder; both are removed when it is closed or no longer referenced."""

    def __init__(self, spool: str | os.PathLike[str] | None = None) -> None:
        self._ending = ExitStack()
        self.folder = self._ending.enter_context(Scratch(spool)).folder
        self._allowed: list[str] | None = None
        self._described = dict[str, dict[str, str]]()
        self._end = weakref.finalize(self, self._ending.close)

    @cached_property
    def connection(self) -> Connection:
        """The connection to DuckDB, started on first use: most errors in files are found without it."""
        spilled = str(self.folder / "spilled")
        connection = connect(temp_directory=spilled, disabled_optimizers=DISABLED_OPTIMIZERS, memory_limit=MEMORY)
        self._ending.callback(connection.close)  # before the scratch folder goes
        if self._allowed is not None:
            _allow(connection, self._allowed, self.folder)
        return cast("Connection", PatientConnection(connection))

    @contextmanager
    def opening(self) -> Iterator[Self]:
        """A context that closes the database if an error occurs in it, so that no scratch file remains."""
        try:
            yield self
        except BaseException:
            self.close()
            raise

    def described(self, source: str) -> dict[str, str]:
        """The types of a file's columns by name; a file is examined once."""
        if source not in self._described:
            self._described[source] = types_by_column(self.connection, source)
        return dict(self._described[source])

    def allow_only(self, paths: Sequence[str]) -> None:
        """From now on, read only these files and those in the scratch folder, and write only there."""
        others = [path for path in paths if os.path.dirname(path) != str(self.folder)]
        self._allowed = [form for path in others for form in (os.path.abspath(path), _pattern(path))]
        if "connection" in self.__dict__:
            _allow(self.connection, self._allowed, self.folder)

    def close(self) -> None:
        """Free the memory and remove the scratch folder."""
        self._end()


def _allow(connection: Connection, paths: Sequence[str], folder: Path) -> None:
    for path in paths:
        checked_text(path, "the name of a file of a table")
    connection.execute(f"SET allowed_paths = [{literals(paths)}]")
    connection.execute(f"SET allowed_directories = [{literal(str(folder))}]")
    connection.execute("SET enable_external_access = false")


def types_by_column(connection: Connection, source: str) -> dict[str, str]:
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}


def identifier(name: str) -> str:
    """A column's name in SQL. Raises InputError if it is not UTF-8."""
    return '"' + checked_text(name, "the name of a column").replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL. Raises InputError if it is not UTF-8."""
    return "'" + checked_text(text, "a string in a query of a table").replace("'", "''") + "'"


def literals(texts: Sequence[str]) -> str:
    """Texts in SQL, for the parentheses of IN."""
    return ", ".join(literal(text) for text in texts)


def file_literal(path: str) -> str:
    """A file's path in SQL; stars and brackets in it are not read as a glob."""
    return literal(_pattern(path))


def _pattern(path: str) -> str:
    """A glob that matches only one file."""
    return re.sub(r"([*?\[])", r"[\1]", os.path.abspath(path))


def copy_to_file(connection: Connection, query: str, path: str | os.PathLike[str], *, options: str) -> None:
    """Write the rows of a query to a scratch file, by DuckDB's COPY.

    Raises OSError if the disk is full.
    """
    try:
        connection.execute(f"COPY ({query}) TO {literal(os.fspath(path))} ({options})")
    except duckdb.IOException as error:
        reason = str(error).partition("\n")[0]
        raise OSError(errno.ENOSPC, f"the scratch file cannot be written ({reason})", os.fspath(path)) from error


@contextmanager
def reading(name: str, path: str = "") -> Iterator[None]:
    """A context that converts DuckDB's error about a file to an InputError of one line, which names the file.

    `path` is the file's location, if different from its name.
    """
    try:
        yield
    except (duckdb.Error, RuntimeError) as error:  # nanoarrow passes on DuckDB's errors as RuntimeError
        if INTERRUPTED in str(error):
            raise KeyboardInterrupt from error
        if OUT_OF_MEMORY in str(error):
            raise InputError(
                f"{name} needs more memory than is available. Read fewer rows or columns, or use a machine with more "
                "memory."
            ) from error
        if _first_bytes(path or name, 2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            raise encoding_error(path or name, name) from error
        if NOT_UTF_8.search(str(error)):
            line = LINE.search(str(error))
            place = f"line {int(line[1]):,} of {name}" if line else name
            raise encoding_error(path or name, place) from error
        if long := LONG_LINE.search(str(error)):
            raise InputError(
                f"{name} has a line of more than {int(long[1]):,} bytes. Is it a table? Shorten the value, or save the "
                "table as Parquet."
            ) from error
        uneven = UNEVEN.search(str(error))
        if (uneven or NO_COLUMNS in str(error)) and (reason := _why_uneven(path or name)):
            raise InputError(f"{name} cannot be read: {reason}") from error
        if uneven:
            number, expected, n_values = map(int, uneven.groups())
            raise InputError(
                f"line {number:,} of {name} has {counted(n_values, 'value')}, not {expected} as the header. Was the "
                "file cut off, or is a separator in a value not quoted?"
            ) from error
        if NO_COLUMNS in str(error):
            raise InputError(
                f"{name} cannot be read: some rows have more or fewer values than the header. Was it cut off, or is a "
                "separator in a value not quoted?"
            ) from error
        if twice := KEY_TWICE.search(str(error)):
            raise InputError(
                f"a row of {name} has the key {twice[1]!r} twice, and it is unclear which is meant. Remove one."
            ) from error
        if BAD_JSON in str(error) and (reason := _first_bad_line(path or name, name)):
            raise InputError(reason) from error
        message = str(error).partition("LINE 1:")[0].replace(os.path.abspath(path or name), name)  # then our own SQL
        lines = [line.strip() for line in message.splitlines() if line.strip()]
        reason = KIND.sub("", " ".join(lines[:3]))[:300] if lines else type(error).__name__
        raise InputError(f"{name} cannot be read: {reason.rstrip('.')}.") from error


def _why_uneven(path: str) -> str | None:
    """Return the reason, with advice, why rows and header differ in length; None if the first bytes do not show it."""
    with open_unpacked(path, detect_compression(_first_bytes(path, 4)), path) as file:
        beginning = file.read(SNIFFED)
    first_line = beginning.removeprefix(codecs.BOM_UTF8).partition(b"\n")[0]
    if first_line.startswith(b"#"):
        return "its first line is a comment (#), where the names of the columns must be. Remove this line."
    if 0 < beginning.count(b"\r\n") < beginning.count(b"\n"):
        return "some of its lines end in CRLF, others in LF. Save it with one kind of line end."
    if b"\r" in first_line.removesuffix(b"\r"):
        return "some of its lines end in CR, others in LF. Save it with one kind of line end."
    lines = beginning.splitlines()[: None if len(beginning) < SNIFFED else -1]
    for separator in b"\t", b";", b",":
        opened = [number for number, line in enumerate(lines, start=1) if _opens_quote(line.split(separator))]
        if opened and len({line.count(separator) for line in lines if line}) == 1:
            return (
                f"a value in line {opened[0]:,} begins with a quotation mark and does not end with one, so it contains "
                'the following lines. Quote the value and double its mark: """" is one quotation mark.'
            )
    return None


def _opens_quote(values: Sequence[bytes]) -> bool:
    """Whether a value begins with a quotation mark and contains no other."""
    return any(value.startswith(b'"') and value.count(b'"') == 1 for value in values)


def _first_bad_line(path: str, name: str) -> str | None:
    """Describe the first line that is not JSON, with advice; None if all lines are JSON."""
    with open_unpacked(path, detect_compression(_first_bytes(path, 4)), name) as file:
        for number, line in enumerate(file, start=1):
            try:
                json.loads(line) if line.strip() else None
            except (ValueError, RecursionError):
                is_last = not file.read(1)
                advice = "Was the file cut off? Complete or remove it." if is_last else "Correct or remove it."
                return f"line {number:,} of {name} is not complete, valid JSON. {advice}"
    return None


def _first_bytes(path: str, size: int) -> bytes:
    """The beginning of a file; nothing if it cannot be opened."""
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def batches(connection: Connection, query: str) -> Iterator[Any]:
    """The record batches of a query as nanoarrow views; each is valid until the next is requested."""
    with reading("the input"):
        import nanoarrow

        cursor = connection.cursor()  # of its own, so that several streams can run side by side
        stream, n_rows = None, 0
        while True:
            try:
                if stream is None:
                    rest = f"SELECT * FROM ({query}) OFFSET {n_rows}" if n_rows else query
                    stream = nanoarrow.c_array_stream(cursor.sql(rest))
                batch = stream.get_next()  # kept here: a view does not keep its batch alive
            except StopIteration:
                return
            except (duckdb.Error, RuntimeError) as error:
                if not lift_memory_limit(connection, error):
                    raise
                stream = None
                continue
            n_rows += batch.length
            yield batch.view()


class NullFound(Exception):
    """A null in a stream that must have none: the index of its row and of its column."""

    def __init__(self, row: int, column: int = 0) -> None:
        super().__init__(row, column)
        self.row, self.column = row, column


def first_null(array: Any) -> int:
    """The index of the first null of an Arrow array that has one."""
    valid = np.unpackbits(np.asarray(array.buffer(0)), bitorder="little")
    return int(valid[array.offset : array.offset + array.length].argmin())


def chunks(
    connection: Connection, query: str, dtypes: Sequence[npt.DTypeLike], *, rows: int = CHUNK_ROWS
) -> Iterator[list[npt.NDArray[Any]]]:
    """The columns of a query in chunks of `rows`, as separate arrays; a negative zero becomes 0.

    Raises NullFound, with the row and the column, for the first null.
    """
    filled, buffers, n_before = 0, [np.empty(rows, dtype) for dtype in dtypes], 0
    for batch in batches(connection, query):
        columns = [batch.child(column) for column in range(batch.n_children)]
        if nulls := [(first_null(column), index) for index, column in enumerate(columns) if column.null_count]:
            row, index = min(nulls)
            raise NullFound(n_before + row, index)
        n_before += batch.length
        arrays = [np.asarray(column.buffer(1)) for column in columns]
        start, length = 0, batch.length
        while start < length:
            stop = min(length, start + rows - filled)
            for array, target in zip(arrays, buffers, strict=True):
                np.add(array[start:stop], 0, out=target[filled : filled + stop - start])
            filled += stop - start
            start = stop
            if filled == rows:
                yield buffers
                filled, buffers = 0, [np.empty(rows, dtype) for dtype in dtypes]
    if filled:
        yield [target[:filled] for target in buffers]


# Names in files: a column, a value inside a column (`doc.answerKey`, `scores[0].value`), or several columns at once.
# A column with exactly this name takes precedence, whatever characters the name contains.

Step = str | int  # a key of a mapping, or a position from 0 in a list
STEP = re.compile(r"""\.([^.\[\]]+)|\[([0-9]+)\]|\[(?:'([^']*)'|"([^"]*)")\]""")
PLAIN = re.compile(r"[^.\[\]]+")
FILE = "file"  # what the name of a file is called as a column


@dataclass(frozen=True, slots=True)
class Place:
    """A column of a file, and the path to a value inside it."""

    column: str
    steps: tuple[Step, ...] = ()

    def in_text(self) -> str:
        """The value as text, in SQL, if the column contains JSON as text; null if the path does not exist."""
        return in_json_text(identifier(self.column), self.steps) if self.steps else identifier(self.column)


def in_json_text(sql: str, steps: Sequence[Step]) -> str:
    """A value inside a JSON text, as text; null if the text is not JSON or the path does not exist."""
    pointer = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    return f"CASE WHEN json_valid({sql}) THEN json_extract_string({sql}, {literal(pointer)}) END"


def leading_column(name: str, all_columns: Collection[str]) -> str:
    """The column at the beginning of a name: the longest known one, otherwise everything up to the first step."""
    if name in all_columns:
        return name
    ends = [match.start() for match in re.finditer(r"[.\[]", name)]
    prefixes = [name[:end] for end in reversed(ends) if name[:end] in all_columns]
    return prefixes[0] if prefixes else name[: ends[0]] if ends and ends[0] else name


def find_place(name: str, all_columns: Sequence[str], *, file: str) -> Place:
    """Return the place in a file (a column, or a value inside a column) to which a name refers."""
    column = leading_column(name, all_columns)
    if column in all_columns:
        return Place(column, _steps(name, column))
    if column == FILE and nearest(FILE, all_columns) is None:
        raise InputError(
            f"{unknown_name('column', name, all_columns, place=file)} For the file's own name, set `by_file=True`."
        )
    missing_name = name if nearest(name, all_columns) is not None else column
    raise unknown_name("column", missing_name, all_columns, place=file)


def split_names(name: str, all_columns: Collection[str]) -> tuple[str, ...]:
    """The columns that a name joins by commas; the name itself if it is a column or has no comma."""
    if "," not in name or name in all_columns:
        return (name,)
    parts = tuple(part.strip() for part in name.split(","))
    if not all(parts) or len(set(parts)) < len(parts):
        raise InputError(
            f"several columns that form a key must be different and separated by commas, such as 'a,b'; it is {name!r}."
        )
    return parts


def path_text(column: str, steps: Sequence[Step]) -> str:
    """The name of a place in the user's notation.

    >>> path_text("scores", [0, "value", "an odd.key"])
    "scores[0].value['an odd.key']"
    """
    return column + "".join(
        f"[{step}]"
        if isinstance(step, int)
        else f".{step}"
        if PLAIN.fullmatch(step) and " " not in step
        else f'["{step}"]'
        if "'" in step
        else f"['{step}']"
        for step in steps
    )


def _steps(name: str, column: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    at = len(column)
    while at < len(name):
        match = STEP.match(name, at)
        if match is None:
            raise InputError(
                f"{name!r} is not a path in the column {column!r}: write {column}.key, {column}[0] or {column}['a "
                "key']."
            )
        key, position, *quoted = match.groups()
        steps.append(
            int(position)
            if position is not None
            else next(key_text for key_text in (key, *quoted) if key_text is not None)
        )
        at = match.end()
    return tuple(steps)


# A column of a file in SQL: its text, its number, and whether it is missing.

FLOATS = ("FLOAT", "DOUBLE")
JOINT = " / "  # between the parts of a key
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name and DuckDB type; `keys` are the keys of its values if these are mappings.

    parts: the columns that form a key; its value is one string. comma: whether numbers have a decimal comma, so that
    0,5 is one half. thousands: whether points may separate thousands, so that 1.035 is not read as a number. percent:
    whether all numbers have a percent sign, so that 65% is 0.65; `thousands` then holds for commas too. truths: whether
    true is 1 and false 0, as in a column of truth values. stored: the column's name in the database, if it is
    different. names_files: whether the column contains the name of each file, which is never missing.
    """

    name: str
    type: str
    keys: tuple[str, ...] = ()
    parts: tuple[Column, ...] = ()
    comma: bool = False
    thousands: bool = False
    percent: bool = False
    truths: bool = False
    role: str = ""  # the parameter that names it
    stored: str = ""
    names_files: bool = False

    @property
    def called(self) -> ColumnName:
        """The column's name in a message."""
        return ColumnName(self.name, self.role or self.name)

    @property
    def sql(self) -> str:
        if self.parts:
            return f"({f' || {literal(JOINT)} || '.join(map(_unambiguous, self.parts))})"
        return identifier(self.stored or self.name)

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(part.stored or part.name for part in self.parts) or (self.stored or self.name,)

    @property
    def is_text(self) -> bool:
        """Whether values are read as text, like all values of CSV and JSON lines."""
        return self.type == "VARCHAR"

    @property
    def is_integer(self) -> bool:
        return self.type.removeprefix("U") in INTEGERS

    @property
    def is_number(self) -> bool:
        """Whether the column is of a numeric type."""
        return self.is_integer or self.type in FLOATS or self.type.startswith("DECIMAL")

    @property
    def text(self) -> str:
        return self.sql if self.is_text else f"CAST({self.sql} AS VARCHAR)"

    @property
    def spelled(self) -> str:
        """The value as text, with a decimal point in numbers."""
        if self.percent:
            return f"CASE WHEN {self.number} IS NULL THEN {self.text} ELSE CAST({self.number} AS VARCHAR) END"
        return f"CASE WHEN {self.number} IS NULL THEN {self.text} ELSE {self._pointed} END" if self.comma else self.text

    @property
    def _pointed(self) -> str:
        return f"replace({self.sql}, ',', '.')" if self.comma else self.sql

    @property
    def number(self) -> str:
        """The value as a DOUBLE; null if a text is not a number; unlike DuckDB, 1_000 is not accepted."""
        if self.type == "DOUBLE":
            return self.sql
        if self.percent:
            digits = f"replace(regexp_replace({self.sql}, {literal('[^0-9,.+-]')}, '', 'g'), ',', '.')"
            is_clear = f"{self.is_percentage} AND NOT {self.has_thousands}" if self.thousands else self.is_percentage
            return f"CASE WHEN {is_clear} THEN TRY_CAST({digits} || 'e-2' AS DOUBLE) END"  # exact, unlike / 100
        number = f"TRY_CAST({self._pointed} AS DOUBLE)"
        if self.is_text and self.truths:
            number = f"CASE lower(trim({self.sql})) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE {number} END"
        if self.thousands:
            number = f"CASE WHEN NOT {self.has_thousands} THEN {number} END"
        return f"CASE WHEN NOT contains({self.sql}, '_') THEN {number} END" if self.is_text else number

    @property
    def has_thousands(self) -> str:
        """Whether points or commas of the value may separate thousands, as in 1.035, 1.234.567 or 1,250%."""
        pattern = PERCENT_THOUSANDS if self.percent else POINTED_THOUSANDS
        return f"regexp_full_match({self.sql}, {literal(pattern.pattern)})"

    @property
    def is_percentage(self) -> str:
        """Whether the value is a number with a percent sign."""
        return f"regexp_full_match({self.text}, {literal(PERCENT.pattern)})"

    @property
    def is_numeric_text(self) -> str:
        """Whether a text is a number with or without a comma, points or separators of thousands."""
        if self.percent:
            return self.is_percentage
        tests = (f"regexp_full_match({self.sql}, {literal(kind.pattern)})" for kind in (COMMA, POINT, WHOLE_OR_NAN))
        return f"({' OR '.join(tests)} OR {self.has_thousands})"

    @property
    def day(self) -> str:
        """Return an SQL expression of the day of a date as written, or of a time in UTC; null if there is none."""
        if self.type == "TIMESTAMP WITH TIME ZONE":
            return f"CAST(make_timestamp(epoch_us({self.sql})) AS DATE)"
        text = f"trim({self.text})"
        return (
            f"CASE WHEN regexp_full_match({text}, {literal(ISO_DATE)}) THEN TRY_CAST(substr({text}, 1, 10) AS DATE) END"
        )

    @property
    def numbers(self) -> str:
        """The value as a list of DOUBLE, for a mapping in the order of its keys; null if it is not a list of
        numbers."""
        if self.keys:
            listed = ", ".join(f"TRY_CAST({value} AS DOUBLE)" for value in self._values)
            return f"CASE WHEN {self.has_keys} THEN [{listed}] END"
        numbers = f"TRY_CAST({self.sql} AS DOUBLE[])"
        return f"CASE WHEN NOT contains({self.sql}, '_') THEN {numbers} END" if self.is_text else numbers

    @property
    def json(self) -> str:
        """The value as JSON; null if a text is not JSON."""
        return f"CASE WHEN json_valid({self.sql}) THEN {self.sql} END" if self.is_text else f"to_json({self.sql})"

    @property
    def has_keys(self) -> str:
        """Whether the value is a mapping with exactly these keys."""
        return f"list_sort(json_keys({self.json})) = list_sort([{literals(self.keys)}])"

    @property
    def _values(self) -> list[str]:
        """The values of a mapping as texts, in the order of its keys."""
        pointers = ("/" + key.replace("~", "~0").replace("/", "~1") for key in self.keys)
        return [f"json_extract_string({self.json}, {literal(pointer)})" for pointer in pointers]

    def missing(self, values: Sequence[str] = (), *, kind: str = "text") -> str:
        """Whether the value is missing, as in `is_missing`, or one of `values`; for a list, whether any element is.

        The kind is "text", "number" or "numbers" (a list).
        """
        if self.names_files:
            return "FALSE"
        if self.parts:
            return f"({' OR '.join(part.missing(values) for part in self.parts)})"
        tests = [f"{self.sql} IS NULL"]
        if self.type in FLOATS:
            tests.append(f"isnan({self.sql})")
        if self.is_text:
            is_missing = f"regexp_full_match({self.sql}, {literal(MISSING)})"
            tests.append(f"CASE WHEN {_may_be_missing(self.sql)} THEN {is_missing} ELSE FALSE END")
        if kind == "numbers":
            nan = "CAST('NaN' AS DOUBLE)"
            texts = f"[{', '.join(self._values)}]" if self.keys else f"TRY_CAST({self.sql} AS VARCHAR[])"
            gaps = f"coalesce(list_count({texts}) < len({texts}), FALSE)"
            gaps += f" OR coalesce(list_contains({self.numbers}, {nan}), FALSE)"
            if self.is_text and not self.keys:  # parsing lists is slow, and null and NaN have an N
                gaps = f"CASE WHEN contains({self.sql}, 'n') OR contains({self.sql}, 'N') THEN {gaps} ELSE FALSE END"
            tests.append(gaps)
        elif values:
            tests.append(self.among(values))
            if numbers := [number for number in map(as_number, values) if number is not None and kind == "number"]:
                listed = ", ".join(f"CAST({number!r} AS DOUBLE)" for number in numbers)
                tests.append(f"coalesce({self.number} IN ({listed}), FALSE)")
        return f"({' OR '.join(tests)})"

    def among(self, values: Sequence[str]) -> str:
        """Return an SQL condition: whether the value is one of `values`. Numbers are compared by value."""
        if not self.is_number:
            return f"({self.text} IN ({literals(values)}))" if values else "FALSE"
        numbers = [number for number in map(as_number, values) if number is not None]
        if self.is_integer:
            whole = ", ".join(str(int(number)) for number in numbers if number.is_integer())
            return f"({self.sql} IN ({whole}))" if whole else "FALSE"
        exact = ", ".join(f"CAST({number!r} AS DOUBLE)" for number in numbers)
        return f"({self.number} IN ({exact}))" if exact else "FALSE"


BLANK = r"[\s\v\x1c-\x1f\x{85}\p{Z}]*"  # what Python's `strip` removes
MISSING = "(?i)" + MISSING_TEXT.pattern.replace(r"\s*", BLANK)  # of `is_missing`


def _may_be_missing(text: str) -> str:
    """Whether a text may be blank or spell NaN, judged by its first letters, which is ten times as fast."""
    return f"{text} < '!' OR {text} > '~' OR {text}[1] IN ('n', 'N', '+', '-')"


def _unambiguous(part: Column) -> str:
    """A part of a key as text, quoted if it could be read as two parts, so that different parts give different keys."""
    unclear = " OR ".join(f"contains({part.text}, {literal(mark)})" for mark in (JOINT[:-1], JOINT[1:], '"'))
    quoted = f"""'"' || replace({part.text}, '"', '""') || '"'"""
    return f"CASE WHEN {unclear} THEN {quoted} ELSE {part.text} END"


def as_number(text: str) -> float | None:
    """The finite number that a text spells, or None."""
    number = parse_number(text)
    return number if number is not None and math.isfinite(number) else None


# Decimal commas and separators of thousands, by the rules in `numbers_and_names.py`. They hold for the texts of
# all files; a number in JSON or Parquet always has a decimal point.
#
# Where decimals have commas, points separate thousands: 1.035. In a table with decimal commas, or with semicolons
# between its values, such values are not read as numbers, unless another value of the column has a decimal point (0.5).


def columns_with_commas(columns: Iterable[Column], ask: Callable[[str], list[tuple[object, ...]]]) -> list[str]:
    """Return the names of string columns whose numbers have a decimal comma. ask: runs a query on their table."""
    texts = [column for column in columns if column.is_text]
    if not texts or not any(ask(", ".join(f"bool_or(contains({text.sql}, ','))" for text in texts))[0]):
        return []
    return with_decimal_commas({text.name: NumberKinds(*map(bool, ask(_counts(text))[0])) for text in texts})


def _counts(column: Column) -> str:
    """The numbers of values of each of the `NumberKinds`."""
    comma, point = (f"regexp_full_match({column.sql}, {literal(mark.pattern)})" for mark in (COMMA, POINT))
    tests = (
        comma,
        f"{comma} AND NOT regexp_full_match({column.sql}, {literal(THOUSANDS.pattern)})",
        point,
        f"{point} AND NOT {column.has_thousands}",
        f"NOT {column.is_numeric_text}",
    )
    return ", ".join(f"count(*) FILTER ({test})" for test in tests)


def columns_with_thousands(columns: Iterable[Column], ask: Callable[..., list[tuple[object, ...]]]) -> list[str]:
    """The names of text columns with numbers such as 1.035 and no decimal point, as in 0.5; `ask` queries their table.

    A comma before the point, as in 1,035.5, makes it a decimal point too.
    """

    def has(test: str) -> bool:  # ends at the first such row, unlike a count
        return bool(ask("1", rest=f"WHERE {test} LIMIT 1"))

    return [
        column.name
        for column in columns
        if column.is_text
        and has(f"contains({column.sql}, '.')")
        and not has(f"regexp_full_match({column.sql}, {literal(POINT.pattern)}) AND NOT {column.has_thousands}")
        and has(column.has_thousands)
    ]
