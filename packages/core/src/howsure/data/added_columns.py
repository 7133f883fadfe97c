"""Add columns to a file of predictions: read its scores in chunks, in order, and write the extended file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from howsure.data.logs.conversion import input_files
from howsure.data.predictions.predictions import Scores, check_given, read_scores
from howsure.data.predictions.selection import Selection, codes_sql, group_sizes, not_a_number_in, select_rows
from howsure.data.tables.database import (
    Column,
    Database,
    NullFound,
    chunks,
    copy_to_file,
    identifier,
    literal,
    notes_on_numbers,
    reading,
)
from howsure.data.tables.named_files import (
    File,
    equal_names,
    equal_names_message,
    parquet_source,
    separator_option,
    text_source,
)
from howsure.data.tables.table import ALL, column_names, open_table
from howsure.errors import ColumnName, InputError, renumbered_rows
from howsure.files.atomic_write import copy_atomically
from howsure.inputs.classes import check_scores
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Floats, Integers, Probabilities
from howsure.inputs.pairs_from import check_one_probability

ADDED = "added_columns"
EXTENDED = "extended"  # the temporary file that is written first
ROWS = 1 << 17  # in a chunk of one column
WRITTEN = {
    "csv": "FORMAT csv, HEADER true",
    "tsv": "FORMAT csv, HEADER true, DELIMITER '\t'",
    "jsonl": "FORMAT json",
    "json": "FORMAT json, ARRAY true",
    "parquet": "FORMAT parquet, COMPRESSION zstd",
}
SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "json", ".parquet": "parquet"}


@dataclass(frozen=True, slots=True)
class ScoreChunk:
    """Consecutive rows, `length` in number, of which m have a score.

    rows (m,): indices of the rows with a score among all rows. scores: (m,) or (m, K). groups (m,): indices of the
    rows' groups in `FileToExtend.groups`, or None.
    """

    length: int
    rows: Integers
    scores: Floats
    groups: Integers | None


@dataclass
class FileToExtend:
    """A file whose rows get further columns, from `open_to_extend`; a context manager that removes temporary files.

    classes: the names of the classes in the order of the score columns; () for a single score. groups: the names of the
    groups.
    """

    file: File
    database: Database = field(repr=False)
    selection: Selection = field(repr=False)
    columns: Scores = field(repr=False)
    numbers: list[str] = field(repr=False)
    classes: tuple[str, ...]
    group: Column | None
    groups: tuple[str, ...]
    added: int = 0
    summary: str = ""  # a note on decimal commas and percentages
    comma: bool = False  # whether numbers are written with decimal commas

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.database.close()

    @property
    def scale(self) -> str | None:
        """The scale of the scores: None for probabilities, "logits" or "logprobs"."""
        return self.columns.specification.scale

    @property
    def n(self) -> int:
        return self.selection.total

    @property
    def skipped(self) -> int:
        """The number of rows without a score."""
        return sum(self.selection.skipped.values())

    def place(self, row: int) -> str:
        """Return the location of a row in words, given its index from 0."""
        return self.selection.table.place_of(row)

    def chunks(self) -> Iterator[ScoreChunk]:
        """Yield the rows in order, in chunks, and check that their scores are on the stated scale."""
        connection, used = self.database.connection, self.selection.where
        codes = [] if self.group is None else [codes_sql(connection, self.group.text, self.groups)]
        expressions = [f"CASE WHEN {used} THEN {number} ELSE CAST('NaN' AS DOUBLE) END" for number in self.numbers]
        expressions += [f"CASE WHEN {used} THEN {code} ELSE -1 END" for code in codes]
        query = f"SELECT CAST({used} AS BIGINT), {', '.join(expressions)} FROM {self.selection.table.relation}"
        dtypes: list[Any] = [np.int64, *[np.float64] * len(self.numbers), *[np.int64] * len(codes)]
        start = 0
        try:
            for there, *columns in chunks(connection, query, dtypes, rows=max(1, ROWS // len(self.numbers))):
                rows_here = np.flatnonzero(there)
                columns = [column[rows_here] for column in columns]
                groups = columns.pop() if codes else None
                scores = np.column_stack(columns) if self.classes else columns[0]
                if len(rows_here):
                    self._check(scores, start + rows_here)
                yield ScoreChunk(len(there), start + rows_here, scores, groups)
                start += len(there)
        except NullFound as null:
            first, *others = self.columns.columns
            column = next((other for other in others if other.number == self.numbers[null.column - 1]), first)
            every_row = replace(self.selection, where=ALL)
            raise not_a_number_in(every_row, column, null.row, lists=self.columns.lists) from None

    def add(self, chunk: ScoreChunk, columns: Mapping[str, Floats]) -> None:
        """Add columns for the rows of a chunk; rows without a score stay empty. Add chunks in order, before `write`."""
        connection = self.database.connection
        whole = {f"c{place}": np.full(chunk.length, np.nan) for place in range(len(columns))}
        for array, column in zip(whole.values(), columns.values(), strict=True):
            array[chunk.rows - (self.added if len(chunk.rows) else 0)] = column
        self.added += chunk.length
        connection.register("more", whole)
        named = ", ".join(f"nullif(c{i}, 'NaN'::DOUBLE) AS {identifier(name)}" for i, name in enumerate(columns))
        is_added = connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = ?", [ADDED]).fetchall()
        connection.execute(
            f"INSERT INTO {ADDED} SELECT {named} FROM more"
            if is_added
            else f"CREATE TABLE {ADDED} AS SELECT {named} FROM more"
        )
        connection.unregister("more")

    def check_new(self, names: Sequence[str]) -> None:
        """Raise InputError if the file already has a column of one of these names."""
        own_names = {name.casefold() for name in column_names(self.database, self.file)}
        repeated = [name for name in names if name.casefold() in own_names]
        if repeated:
            raise InputError(
                f"{self.file.name} has a column {repeated[0]!r} already, which would be overwritten. Name the new "
                "column: `new_name=...`."
            )

    def check_output(self, path: str | os.PathLike[str]) -> None:
        """Raise InputError if the suffix of the output file implies another format than that of the input."""
        if SUFFIXES.get(Path(path).suffix.lower()) != self.file.format:
            raise InputError(
                f"`output` must have the format of {self.file.name}, {self.file.format}, but {path} has another suffix."
            )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file's columns and then the added columns, in the input's format, separator and decimal mark."""
        target, connection = self.database.folder / EXTENDED, self.database.connection
        added = f"(SELECT replace(CAST(COLUMNS(*) AS VARCHAR), '.', ',') FROM {ADDED})" if self.comma else ADDED
        query = f"SELECT * FROM {self._rows_sql} POSITIONAL JOIN {added}"
        with reading(self.file.name, self.file.path):
            options = f"{WRITTEN[self.file.format]}{separator_option(self.file, connection)}, USE_TMP_FILE false"
            copy_to_file(connection, query, target, options=options)
        copy_atomically(Path(target), path)

    @property
    def _rows_sql(self) -> str:
        """SQL for the rows of the file with all columns, as they will be written."""
        if self.file.format == "parquet":
            return f"(SELECT * FROM {parquet_source([self.file])})"
        if self.file.format in ("csv", "tsv"):
            return f"(SELECT * FROM {text_source(self.file)})"
        names = column_names(self.database, self.file)
        listed = ", ".join(f"{literal(name)}: 'JSON'" for name in names)
        return f"(SELECT * FROM {text_source(self.file, f'columns={{{listed}}}')})"

    def _check(self, scores: Floats, rows: Integers) -> None:
        name = ColumnName(self.columns.shown, "y_prob")
        with self.locating_errors(rows):
            if self.classes:
                check_scores(scores, self.classes, self.scale, name=name)
            else:
                check_one_probability(scores, self.scale, name=name)

    def locating_errors(self, rows: Integers) -> AbstractContextManager[None]:
        """Return a context in which errors report the location of these rows in the file."""
        return renumbered_rows(lambda row: self.place(int(rows[row])))


def open_to_extend(
    path: str | os.PathLike[str],
    y_prob: Probabilities | None,
    *,
    classes_wanted: Sequence[str] = (),
    groups: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
    skip_missing: bool = False,
    missing_values: Sequence[str] = (),
    check_groups: Callable[[Sequence[str]], None] = lambda names: None,
) -> FileToExtend:
    """Open a file to which columns will be added that are computed from its scores, `y_prob`.

    classes_wanted: the classes of a recalibration map; () if the map needs one number per row. The columns of several
    classes are named after the classes, or `y_prob.classes` names the class of each column. groups: the column of
    groups. check_groups: a function that is called with the names of all groups. With `skip_missing`, rows without a
    score or a group stay empty and are counted.
    """
    with Database().opening() as database:
        files, log = input_files([path], format=format, encoding=encoding, spool=database.folder)
        if log is not None or len(files) > 1 or files[0].format not in WRITTEN:
            raise InputError(
                f"{os.fspath(path)} must be a single CSV, TSV, JSON lines or Parquet file. Columns cannot be added to "
                "logs, archives or several files."
            )
        database.allow_only([files[0].path, *(str(database.folder / f"{before}{EXTENDED}") for before in ("", "tmp_"))])
        for alike in equal_names(column_names(database, files[0])):
            raise InputError(
                f"{files[0].name} has {equal_names_message(alike)} One of them would be lost. Rename them."
            )
        spec = check_given(y_prob)
        table = open_table(database, files, [*spec.columns, *([groups] if groups is not None else [])])
        absent = list(missing_values)
        table, columns = read_scores(table, spec, skip_missing=skip_missing, missing_values=absent)
        order, numbers = _in_order(columns, classes_wanted)
        kind = "numbers" if columns.lists else "number"
        missing = {column: column.missing(absent, kind=kind) for column in columns.columns}
        group_column = None if groups is None else table.columns[groups]
        if group_column is not None:
            missing[group_column] = group_column.missing(absent)
        selection = select_rows(table, missing, skip=skip_missing)
        names = () if group_column is None else tuple(group_sizes(selection, group_column))
        check_groups(names)
    notes = notes_on_numbers(
        *([column.name for column in columns.columns if getattr(column, mark)] for mark in ("comma", "percent"))
    )
    comma = files[0].format in ("csv", "tsv") and any(
        column.comma or (column.percent and selection.has(f"contains({column.sql}, ',')")) for column in columns.columns
    )
    note = "\n".join(notes)
    return FileToExtend(files[0], database, selection, columns, numbers, order, group_column, names, 0, note, comma)


def _in_order(scores: Scores, classes_wanted: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return the classes of the scores in the order `classes_wanted`, and SQL for their values."""
    first, several, classes = scores.columns[0], len(scores.columns) > 1, scores.specification.classes
    if scores.is_one:
        if classes_wanted:
            raise InputError(
                f"the map needs {len(classes_wanted)} classes, {shortened(classes_wanted)}, but {first.name} has one "
                "number per row."
            )
        return (), [first.number]
    if not classes_wanted:
        raise InputError(
            f"the map needs one probability per row, but {scores.shown} contain several. Name one column: "
            "`Probabilities.prob='COL'`."
        )
    keys = scores.specification.columns if several else first.keys
    if classes is not None and keys and scores.lists:
        raise InputError(f"{first.name} already names its classes, {shortened(keys)}. Leave out `classes=...`.")
    names = keys if classes is None else tuple(classes)
    if not names:  # lists without names of classes
        if tuple(classes_wanted) != tuple(map(str, range(len(classes_wanted)))):
            raise InputError(
                f"{first.name} contains lists without names, but the map has the classes {shortened(classes_wanted)}. "
                "Name the classes of the lists in order: `classes=['A', 'B', 'C']`."
            )
        names = tuple(classes_wanted)
    if sorted(names) != sorted(classes_wanted) or (several and len(names) != len(scores.columns)):
        raise InputError(
            f"the map has the classes {shortened(classes_wanted)}, but the columns are {shortened(names)}. If these "
            "are the same classes, name the class of each column in order: `classes=['A', 'B', 'C']`."
        )
    places = [names.index(name) for name in classes_wanted]
    if several:
        return tuple(classes_wanted), [scores.columns[place].number for place in places]
    whole = f"len({first.numbers}) = {len(names)}"
    return tuple(classes_wanted), [f"CASE WHEN {whole} THEN ({first.numbers})[{place + 1}] END" for place in places]
