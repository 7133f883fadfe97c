"""DuckDB as the file reader: restricted to the named files, and streamed in chunks."""

from __future__ import annotations

import codecs
import errno
import os
import re
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import Any, Self

import duckdb
import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.files.opened import checked_text
from howsure.files.whole import Scratch
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import CHUNK_ROWS

THREADS = 2  # each holds a row group
CONFIG = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "threads": str(THREADS),
    "memory_limit": "512MB",  # beyond it, DuckDB writes to the scratch folder
    # Parquet's statistics know no NaN; DuckDB trusts them in filters and loses such rows (its issue 25521).
    # As a join, IN (…) could change the order of rows, on which columns that are loaded one by one rely.
    "disabled_optimizers": "filter_pushdown,statistics_propagation,in_clause",
}
NOT_UTF_8 = re.compile(r"not utf-8 encoded|invalid UTF-8")
LINE = re.compile(r"CSV Error on Line: (\d+)")  # of JSON it counts wrongly
UNEVEN = re.compile(r"CSV Error on Line: (\d+).*Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL)
NO_COLUMNS = "Error when sniffing file"  # where no separator gives all rows as many values
INTERRUPTED = "Query interrupted"  # what DuckDB makes of Ctrl-C

Connection = duckdb.DuckDBPyConnection


class Database:
    """A database in memory with a scratch folder; both are removed when it is closed or no longer referenced."""

    def __init__(self, spool: str | os.PathLike[str] | None = None) -> None:
        self._ending = ExitStack()
        self.folder = self._ending.enter_context(Scratch(spool)).folder
        self._allowed: list[str] | None = None
        self._end = weakref.finalize(self, self._ending.close)

    @cached_property
    def connection(self) -> Connection:
        """DuckDB, which takes longer to start than most faults of a file take to be found; so it starts when asked."""
        connection = duckdb.connect(config={**CONFIG, "temp_directory": str(self.folder / "spilled")})
        self._ending.callback(connection.close)  # before the scratch folder goes
        connection.execute("SET enable_progress_bar = false")  # in a notebook it would go to standard output
        if self._allowed is not None:
            _allow(connection, self._allowed)
        return connection

    @contextmanager
    def opening(self) -> Iterator[Self]:
        """The database, closed if what is done with it fails, so that no scratch file outlives an error."""
        try:
            yield self
        except BaseException:
            self.close()
            raise

    def allow_only(self, paths: Sequence[str]) -> None:
        """From now on, read only these files, and write only in the scratch folder."""
        self._allowed = [form for path in paths for form in (os.path.abspath(path), _pattern(path))]
        if "connection" in self.__dict__:
            _allow(self.connection, self._allowed)

    def close(self) -> None:
        """Free the memory and remove the scratch folder."""
        self._end()


def _allow(connection: Connection, paths: Sequence[str]) -> None:
    for path in paths:
        checked_text(path, "the name of a file of a table")
    connection.execute(f"SET allowed_paths = [{literals(paths)}]")
    connection.execute("SET enable_external_access = false")


def identifier(name: str) -> str:
    """A column's name in SQL. Raises InputError if it is not UTF-8."""
    return '"' + checked_text(name, "the name of a column").replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL. Raises InputError if it is not UTF-8."""
    return "'" + checked_text(text, "what is asked of a table").replace("'", "''") + "'"


def literals(texts: Sequence[str]) -> str:
    """Texts in SQL, as they stand between the parentheses of IN."""
    return ", ".join(literal(text) for text in texts)


def file_literal(path: str) -> str:
    """A file's path in SQL, its own stars and brackets not read as a glob."""
    return literal(_pattern(path))


def _pattern(path: str) -> str:
    """The glob that matches one file alone."""
    return re.sub(r"([*?\[])", r"[\1]", os.path.abspath(path))


def copy_to_file(connection: Connection, query: str, path: str | os.PathLike[str], *, options: str) -> None:
    """Write the rows of a query to a scratch file, by DuckDB's COPY.

    Raises OSError if there is no room for it.
    """
    try:
        connection.execute(f"COPY ({query}) TO {literal(os.fspath(path))} ({options})")
    except duckdb.IOException as error:
        said = str(error).partition("\n")[0]
        raise OSError(errno.ENOSPC, f"the scratch file cannot be written ({said})", os.fspath(path)) from error


@contextmanager
def reading(name: str, path: str = "") -> Iterator[None]:
    """DuckDB's error about a file, as an InputError of one line that names the file.

    `path` is the file's location, if different from its name.
    """
    try:
        yield
    except (duckdb.Error, RuntimeError) as error:  # nanoarrow passes on DuckDB's errors as RuntimeError
        if INTERRUPTED in str(error):
            raise KeyboardInterrupt from error
        if _is_utf_16(path or name):
            raise InputError(f"{name} is UTF-16 text. Save it as UTF-8 (in a spreadsheet: CSV UTF-8).") from error
        if NOT_UTF_8.search(str(error)):
            line = LINE.search(str(error))
            place = f"line {int(line[1]):,} of {name}" if line else name
            raise InputError(f"{place} is not UTF-8 text. Save it as UTF-8 (in a spreadsheet: CSV UTF-8).") from error
        uneven = UNEVEN.search(str(error))
        if uneven:
            number, wanted, found = map(int, uneven.groups())
            raise InputError(
                f"line {number:,} of {name} has {counted(found, 'value')}, not {wanted} as the header. Was the file "
                "cut off, or is a separator in a value not quoted?"
            ) from error
        if NO_COLUMNS in str(error):
            raise InputError(
                f"{name} cannot be read: some rows have more or fewer values than the header. Was it cut off?"
            ) from error
        told = str(error).partition("LINE 1:")[0].replace(os.path.abspath(path or name), name)  # then our own SQL
        lines = [line.strip() for line in told.splitlines() if line.strip()]
        reason = " ".join(lines[:3])[:300] if lines else type(error).__name__
        raise InputError(f"{name} cannot be read: {reason.rstrip('.')}.") from error


def _is_utf_16(path: str) -> bool:
    """Whether a file begins with the mark of UTF-16."""
    try:
        with open(path, "rb") as file:
            return file.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    except OSError:
        return False


def batches(connection: Connection, query: str) -> Iterator[Any]:
    """The record batches of a query as nanoarrow views; each lives until the next is asked for."""
    with reading("the input"):
        cursor = connection.cursor()  # of its own, so that several streams can run side by side
        import nanoarrow

        stream = nanoarrow.c_array_stream(cursor.sql(query))
        while True:
            try:
                batch = stream.get_next()  # kept here: a view does not keep its batch alive
            except StopIteration:
                return
            yield batch.view()


class NullFound(Exception):
    """A column of a stream that must have no nulls has one."""


class BadValue(Exception):
    """A chunk of a stream holds something that is no probability, label or weight."""


def chunks(
    connection: Connection, query: str, dtypes: Sequence[npt.DTypeLike], *, rows: int = CHUNK_ROWS
) -> Iterator[list[npt.NDArray[Any]]]:
    """The columns of a query, `rows` at a time, as arrays of their own; a negative zero becomes 0.

    Raises NullFound if a column holds a null.
    """
    filled, held = 0, [np.empty(rows, dtype) for dtype in dtypes]
    for batch in batches(connection, query):
        columns = [batch.child(column) for column in range(batch.n_children)]
        if any(column.null_count for column in columns):
            raise NullFound
        arrays = [np.asarray(column.buffer(1)) for column in columns]
        start, length = 0, batch.length
        while start < length:
            stop = min(length, start + rows - filled)
            for array, target in zip(arrays, held, strict=True):
                np.add(array[start:stop], 0, out=target[filled : filled + stop - start])
            filled += stop - start
            start = stop
            if filled == rows:
                yield held
                filled, held = 0, [np.empty(rows, dtype) for dtype in dtypes]
    if filled:
        yield [target[:filled] for target in held]
