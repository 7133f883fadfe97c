"""Open files, select their rows, and read columns of numbers, lists and names of these rows as arrays."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from howsure.data.tables.connections import Connection
from howsure.data.tables.database import (
    Column,
    Database,
    NullFound,
    batches,
    chunks,
    first_null,
    literal,
    literals,
    notes_on_numbers,
    reading,
)
from howsure.data.tables.named_files import TABLES, File, may_be_export, named_files, paths_read
from howsure.data.tables.table import ALL, Table, column_names, open_table
from howsure.data.tables.where import Condition, condition
from howsure.errors import EMPTY, InputError
from howsure.inputs.checks import check_group_count, not_a_number, unequal_signs
from howsure.inputs.numbers_and_names import COMMA, PERCENT, POINT, natural_order, parse_number
from howsure.inputs.pairs import Floats, Integers

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log
    from howsure.data.sources import Files

# Opened files: the rows that are used, a description of logs, and notes on both.


@contextmanager
def opened_files(
    source: Files, names: Sequence[str], *, spool: str | os.PathLike[str] | None = None, with_classes: bool = True
) -> Iterator[Opened]:
    """Open files for queries of these columns; they are closed if an error occurs in the block.

    with_classes: also keep the lists of classes and their probabilities in logs.
    """
    filter_ = condition(source.where) if source.where is not None else None
    with Database(spool).opening() as database:
        texts = [*names, *(filter_.names if filter_ else ())]
        lists = () if not with_classes else ("probabilities",) if filter_ is None else ("probabilities", "classes")
        files, log = _open_files(source, database, texts, lists=lists)
        database.allow_only(paths_read(files))
        if log is not None:
            from howsure.data.logs.conversion import log_of_selected_rows

            log = log_of_selected_rows(
                log, files, filter_, by_file=source.by_file, missing_values=source.missing_values
            )
        yield Opened(source, database, files, log, filter_)


def _open_files(
    source: Files, database: Database, texts: Sequence[str], *, lists: Sequence[str]
) -> tuple[tuple[File, ...], Log | None]:
    """Return the files, and a description of the logs among them.

    CSV and TSV files are never logs, because no program writes a log in these formats.
    """
    files, form_name, paths = None, None, list[str | File](source.paths)
    if any(map(os.path.isdir, paths)):
        from howsure.data.logs.log_detection import unfolded

        paths, form_name = unfolded(paths, source.format, source.tell)
    how: dict[str, Any] = {"normalise": source.normalise, "labels_from": source.labels_from, "explode": source.explode}
    how |= {"model_version": source.model_version, "pivot": source.pivot, "encoding": source.encoding}
    plain = not any(value for name, value in how.items() if name != "encoding")
    how |= {"grades_are_labels": source.grades_are_labels, "keep_empty": source.keep_empty}
    if plain and source.format in (None, *TABLES):
        files = named_files(paths, format=source.format, spool=database.folder, encoding=source.encoding)
        if all(file.format in ("csv", "tsv") and not (source.format is None and may_be_export(file)) for file in files):
            return files, None
    from howsure.data.logs.conversion import input_files

    folder = database.folder
    how |= {"files": files, "form_name": form_name, "lists": lists, "tell": source.tell}
    return input_files(paths, format=source.format, spool=folder, names_needed=texts, **how)


@dataclass(frozen=True, slots=True)
class Opened:
    """Open files, the description of logs among them, and the user's condition."""

    source: Files
    database: Database
    files: tuple[File, ...]
    log: Log | None
    condition: Condition | None

    def column_names(self, file: File) -> list[str]:
        """The names of the columns of a file; for JSON, of a sample of its rows, so that it is read only once."""
        return column_names(self.database, file, whole=False)

    def table(self, names: Sequence[str]) -> tuple[Table, str]:
        """The table of these columns, and the condition for wanted rows in SQL."""
        more = self.condition.names if self.condition else ()
        with self.condition.advising_quotes() if self.condition else nullcontext():
            table = open_table(self.database, self.files, [*names, *more], by_file=self.source.by_file)
        return table, self.condition.sql(table, self.source.missing_values) if self.condition else ALL

    def selected(self, table: Table, only: str, kinds: Mapping[Column, str]) -> Selection:
        """Select the wanted rows without missing values. kinds: how each column is read (see `Column.missing`)."""
        source = self.source
        tests = {column: column.missing(source.missing_values, kind=kind) for column, kind in kinds.items()}
        return select_rows(table, tests, skip=source.skip_missing, values=source.missing_values, only=only)

    def notes(
        self, selection: Selection, *, pos_label: str | None = None, across_files: str = "error"
    ) -> dict[str, Any]:
        """How the rows were read, for the recipe of a result."""
        source, notes = self.source, {} if self.log is None else self.log.describe()
        options: dict[str, Any] = {
            "positive": pos_label,
            "missing_values": list(source.missing_values) or None,
            "by_file": source.by_file or None,
            "labels_from": source.labels_from,
            "explode": source.explode,
            "pivot": source.pivot,
            "across_files": across_files if len(self.files) > 1 and across_files != "error" else None,
        }
        notes |= {name: value for name, value in options.items() if value is not None}
        notes |= {} if source.where is None else {"where": source.where, "left_out": selection.others}
        below = {file.name: file.skipped + 1 for file in self.files if file.note}
        notes |= {"names_in_line": below} if below else {}
        commas, percent = selection.table.with_commas, selection.table.with_percent
        return notes | ({"decimal_comma": commas} if commas else {}) | ({"percentages": percent} if percent else {})

    def input_notes(self, table: Table) -> list[str]:
        """Notes on how the input was read: those of logs, on lines above the names, decimal commas and percentages."""
        notes = [file.note for file in self.files if file.note]
        return [*notes, *(self.log.notes if self.log else ()), *notes_on_numbers(table.with_commas, table.with_percent)]


# Only rows without missing values are used. Other rows are an error, or are counted and left out.


@dataclass(frozen=True, slots=True)
class Selection:
    """The used rows of a table, as the end of an SQL query, with the numbers of rows used and left out.

    skipped: the numbers of rows left out because of missing values. others: the number of rows that do not satisfy the
    user's condition.
    """

    table: Table
    where: str
    n: int
    skipped: dict[str, int]
    others: int = 0

    def ask(self, select: str, *, rest: str = "") -> list[tuple[object, ...]]:
        """The rows of SELECT `select` over the used rows."""
        return self.table.ask(select, rest=f"WHERE {self.where} {rest}")

    def query(self, select: Sequence[str]) -> str:
        """The query for some expressions over the used rows."""
        limit = "" if self.where == ALL else f" WHERE {self.where}"
        return f"SELECT {', '.join(select)} FROM {self.table.relation}{limit}"

    @property
    def total(self) -> int:
        """The number of rows, used or not."""
        return self.n + sum(self.skipped.values()) + self.others

    def positions(self) -> Integers:
        """Return the index of each used row among all rows of all files, from 0."""
        if self.where == ALL:
            return np.arange(self.n, dtype=np.int64)
        position = self.table.position
        query = f"SELECT {position} FROM {self.table.numbered} WHERE {self.where} ORDER BY {position}"
        return np.concatenate([part for (part,) in chunks(self.table.connection, query, [np.int64])])

    def column(self, sql: str, dtype: Any = np.int64) -> npt.NDArray[Any]:
        """The values of an expression for each used row, in the order of the files.

        Raises NullFound at the first null.
        """
        return np.concatenate([part for (part,) in chunks(self.table.connection, self.query([sql]), [dtype])])

    def codes(self, text: str, names: Sequence[str] | str, dtype: Any = np.int64) -> npt.NDArray[Any]:
        """Return the index of each used row's string in `names`, or in the names that a query returns."""
        return self.column(codes_sql(self.table.connection, text, names), dtype)

    def values(self, sql: str) -> npt.NDArray[Any]:
        """The values of an expression for each used row, in the order of the files."""
        with reading(self.table.name):
            return np.asarray(self.table.connection.execute(self.query([f"{sql} AS value"])).fetchnumpy()["value"])

    def used_positions(self, rows: Sequence[int]) -> dict[int, int]:
        if self.where == ALL or not len(rows):
            return {row: row for row in rows}
        used = f"SELECT {self.table.position}, row_number() OVER () - 1 AS used FROM {self.table.numbered}"
        condition = f"used IN ({', '.join(map(str, rows))})"
        query = f"SELECT used, {self.table.position} FROM ({used} WHERE {self.where}) WHERE {condition}"
        rows_found = self.table.fetch(query)
        return {int(row): int(position) for row, position in rows_found}

    def place_of(self, row: int) -> str:
        """The location in words of a used row, which is given by its index among the used rows, from 0."""
        return self.table.place(self.where, skip=row)[0]

    def place(self, condition: str, shown: str) -> tuple[str, object]:
        """The location of the first used row that satisfies a condition, and a value of it."""
        return self.table.place(f"{self.where} AND {condition}", shown)

    def has(self, condition: str) -> bool:
        """Whether a condition holds for any used row."""
        return bool(self.ask("1", rest=f"AND {condition} LIMIT 1"))


def select_rows(
    table: Table, missing: Mapping[Column, str], *, skip: bool, values: Sequence[str] = (), only: str = ALL
) -> Selection:
    """Select the rows without missing values. missing: SQL conditions for missing values. only: an SQL condition that
    selects rows.

    A row with several missing values is counted under the first of them.
    """
    cases = " ".join(f"WHEN {test} THEN {index}" for index, test in enumerate(missing.values()))
    first = f"CASE WHEN NOT coalesce({only}, FALSE) THEN -2 {cases} ELSE -1 END"
    count_by_index = {
        int(str(index)): int(str(count)) for index, count in table.ask(f"{first}, count(*)", rest="GROUP BY 1")
    }
    counts, others = [count_by_index.get(index, 0) for index in range(len(missing))], count_by_index.get(-2, 0)
    n_wanted = sum(count_by_index.values()) - others
    skipped = {column.name: count for column, count in zip(missing, counts, strict=True) if count}
    if not skipped:
        return Selection(table, only, n_wanted, {}, others)
    column = next(column for column in missing if column.name in skipped)
    rows = sum(skipped.values())
    if not skip:
        raise missing_value(table, column, f"{only} AND {missing[column]}", values=values, rows=rows)
    if rows == n_wanted:
        kept = "" if only == ALL else " that satisfies `where=...`"
        raise InputError(f"every row of {table.name}{kept} has a missing value ({_counted(skipped)}); nothing is left.")
    where = f"({only} AND NOT ({' OR '.join(missing.values())}))"
    return Selection(table, where, n_wanted - rows, skipped, others)


def _counted(skipped: dict[str, int]) -> str:
    return ", ".join(f"{name}: {count:,}" for name, count in skipped.items())


def missing_value(
    table: Table, column: Column, test: str, *, values: Sequence[str] = (), rows: int | None = None
) -> InputError:
    place, value = table.place(test, column.text)
    shown_value = EMPTY if value is None or not str(value).strip() else value
    rule = "counts_as_missing" if value in values else "missing"
    remedy = "skip" if rows is None else "skip_rows"
    return InputError(rule, column.called, place=place, value=shown_value, rows=rows, remedy=remedy)


# Groups by name: their numbers of rows, and SQL that turns a name into a code.

NUMBERS = count()  # of the types that this process creates, so that their names differ


def group_sizes(selection: Selection, column: Column) -> dict[str, int]:
    """The number of used rows in every group, by name, in natural order."""
    sizes = {name: int(str(rows)) for name, rows in selection.ask(f"{column.text}, count(*)", rest="GROUP BY 1")}
    check_group_count(len(sizes), sum(sizes.values()), name=column.name)
    return {name: sizes[name] for name in sorted(map(str, sizes), key=natural_order)}


def enum_sql(connection: Connection, text: str, names: Sequence[str] | str) -> str:
    """A text as a value of an enumeration, so that Arrow streams contain codes; null for other texts.

    names: its values, or a query for them; they become a type of the database.
    """
    type_ = f"names_{next(NUMBERS)}"
    connection.execute(f"CREATE TYPE {type_} AS ENUM ({names if isinstance(names, str) else literals(names)})")
    return f"TRY_CAST({text} AS {type_})"


def codes_sql(connection: Connection, text: str, names: Sequence[str] | str) -> str:
    """The position of a text among `names` in SQL, null for other texts."""
    return f"CAST(enum_code({enum_sql(connection, text, names)}) AS BIGINT)"


# Numbers and lists of numbers.


def class_matrix(selection: Selection, columns: Sequence[Column], *, lists: bool, ragged: bool = False) -> Floats:
    """Return the probabilities (n, K) of the used rows, from K columns of numbers or from one column of lists.

    ragged: whether lists may have different lengths; missing classes get probability 0.
    """
    connection, n = selection.table.connection, selection.n
    try:
        if lists:
            return _from_lists(connection, selection, columns[0], n, ragged=ragged)
        return _from_columns(connection, selection, columns, n)
    except NullFound as null:
        raise not_a_number_in(selection, columns[null.column], null.row, lists=lists) from None


def _from_columns(connection: Connection, selection: Selection, columns: Sequence[Column], n: int) -> Floats:
    matrix, start = np.empty((n, len(columns))), 0
    query = selection.query([column.number for column in columns])
    rows = max(1, (1 << 22) // len(columns))
    for arrays in chunks(connection, query, [np.float64] * len(columns), rows=rows):
        stop = start + len(arrays[0])
        for position, array in enumerate(arrays):
            matrix[start:stop, position] = array
        start = stop
    return matrix


def _from_lists(connection: Connection, selection: Selection, column: Column, n: int, *, ragged: bool) -> Floats:
    matrix, start = np.zeros((n, 0)), 0
    for lengths, values in _list_batches(connection, selection.query([column.numbers])):
        k = matrix.shape[1]
        if start == 0 or (ragged and lengths.max() > k):
            k = int(lengths.max() if ragged else lengths[0])
            wider = np.zeros((n, k))
            wider[:start, : matrix.shape[1]] = matrix[:start]
            matrix = wider
        if not ragged and not bool((lengths == k).all()):
            row = int((lengths != k).argmax())
            raise InputError(
                f"{column.name} must contain lists of the same length; the first has {k}, "
                f"{selection.place_of(start + row)} has {lengths[row]}."
            )
        matrix[start : start + len(lengths)][np.arange(k) < lengths[:, None]] = values
        start += len(lengths)
    if matrix.shape[1] < 2:
        raise InputError(
            f"{column.name} must contain lists of two numbers or more; they have length {matrix.shape[1]}."
        )
    return matrix


def _list_batches(connection: Connection, query: str) -> Iterator[tuple[Any, Any]]:
    """Yield the lengths of lists and their concatenated values; a batch is valid until the next batch is read."""
    n_before = 0
    for batch in batches(connection, query):
        lists = batch.child(0)
        values = lists.child(0)
        offsets = np.asarray(lists.buffer(1))[: batch.length + 1]
        rows = [first_null(lists)] if lists.null_count else []
        rows += [int(np.searchsorted(offsets, first_null(values), side="right")) - 1] if values.null_count else []
        if rows:
            raise NullFound(n_before + min(rows))
        n_before += batch.length
        yield np.diff(offsets), np.asarray(values.buffer(1))[offsets[0] : offsets[-1]]


def not_a_number_in(selection: Selection, column: Column, row: int, *, lists: bool) -> InputError:
    """Build the error for a used row whose value is not a number or, if `lists`, not a list of numbers.

    row: the index of the row among the used rows, from 0.
    """
    place, value = selection.table.place(selection.where, column.text, skip=row)
    unsigned = f"NOT {column.is_percentage} AND NOT {column.missing()}"
    if PERCENT.fullmatch(str(value)) and selection.has(unsigned):
        unsigned_place, unsigned_value = selection.place(unsigned, column.text)
        if parse_number(str(unsigned_value).strip().replace(",", ".")) is None:
            return not_a_number(column.called, unsigned_value, place=unsigned_place)
        is_rare = f"2 * count(*) FILTER ({unsigned}) < count(*) FILTER (NOT {column.missing()})"
        if selection.ask(is_rare) == [(True,)]:
            return unequal_signs(column.called, unsigned_value, value, place=unsigned_place)
        return unequal_signs(column.called, value, unsigned_value, place=place)
    if not lists:
        return _point_among_commas(selection, column) or not_a_number(column.called, value, place=place)
    return InputError("not_a_list_of_numbers", column.called, value=value, place=place, remedy="leave_out_rows")


def _point_among_commas(selection: Selection, column: Column) -> InputError | None:
    """Build the error for a column in which most numbers have a decimal comma and some a point; None otherwise."""
    if not column.is_text or column.percent or selection.has(f"NOT {column.is_numeric_text}"):
        return None
    comma, point = (f"regexp_full_match({column.sql}, {literal(mark.pattern)})" for mark in (COMMA, POINT))
    if selection.ask(f"count(*) FILTER ({comma}) > count(*) FILTER ({point}) AND bool_or({point})") != [(True,)]:
        return None
    place, value = selection.place(point, column.text)
    rule = "{parameter} must have one decimal mark in all rows; {row} is {value!r}, but more rows are like {other!r}."
    return InputError(rule, column.called, place=place, value=value, other=selection.place(comma, column.text)[1])
