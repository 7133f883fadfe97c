"""Select rows of open files: without missing values, with labels 0 and 1, in groups, and pooled over files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from howsure.data.tables.connections import Connection
from howsure.data.tables.database import Column, Database, chunks, literals, notes_on_numbers, reading
from howsure.data.tables.named_files import TABLES, File, may_be_export, named_files, paths_read
from howsure.data.tables.table import ALL, Table, column_names, open_table
from howsure.data.tables.where import Condition, condition
from howsure.errors import EMPTY, InputError, parameter
from howsure.inputs.checks import check_group_count, not_two_values
from howsure.inputs.label_spelling import check_positive, is_same_label
from howsure.inputs.numbers_and_names import natural_order, number_or_text, unknown_name
from howsure.inputs.pairs import Integers
from howsure.inputs.pooled_models import model_columns, note_on_models
from howsure.inputs.repeated_items import RepeatedItems, candidates, first_repeated

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

    Raises InputError for a file that cannot be read, and for an invalid expression.
    """
    filter_ = condition(source.where) if source.where is not None else None
    with Database(spool).opening() as database:
        texts = [*names, *(filter_.names if filter_ else ())]
        files, log = _open_files(source, database, texts, with_classes=with_classes)
        database.allow_only(paths_read(files))
        if log is not None:
            from howsure.data.logs.conversion import log_of_selected_rows

            log = log_of_selected_rows(
                log, files, filter_, by_file=source.by_file, missing_values=source.missing_values
            )
        yield Opened(source, database, files, log, filter_)


def _open_files(
    source: Files, database: Database, texts: Sequence[str], *, with_classes: bool
) -> tuple[tuple[File, ...], Log | None]:
    """Return the files, and a description of logs among them; no program writes its log as CSV or TSV."""
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
    how |= {"files": files, "form_name": form_name, "with_classes": with_classes, "tell": source.tell}
    return input_files(paths, format=source.format, spool=folder, names_needed=texts, **how)


@dataclass(frozen=True, slots=True)
class Opened:
    """Open files, the description of logs among them, and the user's condition."""

    asked: Files
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
        table = open_table(self.database, self.files, [*names, *more], by_file=self.asked.by_file)
        return table, self.condition.sql(table, self.asked.missing_values) if self.condition else ALL

    def selected(self, table: Table, only: str, kinds: Mapping[Column, str]) -> Selection:
        """Select the wanted rows without missing values. kinds: how each column is read (see `Column.missing`).

        Raises InputError for the first missing value, unless missing values are skipped, and if no row is left.
        """
        source = self.asked
        tests = {column: column.missing(source.missing_values, kind=kind) for column, kind in kinds.items()}
        return select_rows(table, tests, skip=source.skip_missing, values=source.missing_values, only=only)

    def notes(
        self, selection: Selection, *, pos_label: str | None = None, across_files: str = "error"
    ) -> dict[str, Any]:
        """How the rows were read, for the recipe of a result."""
        source, notes = self.asked, {} if self.log is None else self.log.describe()
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
        commas, percent = selection.table.with_commas, selection.table.with_percent
        return notes | ({"decimal_comma": commas} if commas else {}) | ({"percentages": percent} if percent else {})

    def input_notes(self, table: Table) -> list[str]:
        """Notes on how the input was read: those of logs, and on decimal commas and percentages."""
        return [*(self.log.notes if self.log else ()), *notes_on_numbers(table.with_commas, table.with_percent)]


def check_pooling(
    selection: Selection, columns: Mapping[str, Column | None], part: Column | None, across_files: str
) -> None:
    """Raise InputError for an id that is repeated in a file, and for equal ids or clusters in several files.

    Ids may be repeated in different parts. `across_files` declares what equal values in several files mean.
    """
    if id := columns.get("id"):
        check_different(selection, id, part)
    for role in ("id", "clusters"):
        if column := columns.get(role):
            check_across_files(selection, column, part, how=across_files)


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
        """The values of an expression for each used row, in the order of the files; NullFound if one is null."""
        return np.concatenate([part for (part,) in chunks(self.table.connection, self.query([sql]), [dtype])])

    def codes(self, text: str, names: Sequence[str] | str, dtype: Any = np.int64) -> npt.NDArray[Any]:
        """Return the index of each used row's string in `names`, or in the names that a query returns."""
        return self.column(codes_sql(self.table.connection, text, names), dtype)

    def values(self, sql: str) -> npt.NDArray[Any]:
        """The values of an expression for each used row, in the order of the files."""
        with reading(self.table.name):
            return np.asarray(self.table.connection.execute(self.query([f"{sql} AS value"])).fetchnumpy()["value"])

    def used_positions(self, rows: Sequence[int]) -> dict[int, int]:
        """The positions of some used rows."""
        if self.where == ALL or not len(rows):
            return {row: row for row in rows}
        used = f"SELECT {self.table.position}, row_number() OVER () - 1 AS used FROM {self.table.numbered}"
        condition = f"used IN ({', '.join(map(str, rows))})"
        query = f"SELECT used, {self.table.position} FROM ({used} WHERE {self.where}) WHERE {condition}"
        rows_found = self.table.fetch(query)
        return {int(row): int(position) for row, position in rows_found}

    def place_of(self, row: int) -> str:
        """The location of a used row in words, by its position among the used rows from 0."""
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
    """Select the rows without missing values. missing: SQL conditions for missing values. only: SQL for wanted rows.

    A row with several missing values is counted under the first.

    Raises InputError for the first missing value unless `skip`, and if no row is left.
    """
    cases = " ".join(f"WHEN {test} THEN {place}" for place, test in enumerate(missing.values()))
    first = f"CASE WHEN NOT coalesce({only}, FALSE) THEN -2 {cases} ELSE -1 END"
    counts_by_place = {
        int(str(place)): int(str(count)) for place, count in table.ask(f"{first}, count(*)", rest="GROUP BY 1")
    }
    counts, others = [counts_by_place.get(place, 0) for place in range(len(missing))], counts_by_place.get(-2, 0)
    n_wanted = sum(counts_by_place.values()) - others
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
    """Error for the first row with a missing value in a column."""
    place, value = table.place(test, column.text)
    shown_value = EMPTY if value is None or not str(value).strip() else value
    rule = "counts_as_missing" if value in values else "missing"
    remedy = "skip" if rows is None else "skip_rows"
    return InputError(rule, column.called, place=place, value=shown_value, rows=rows, remedy=remedy)


# Convert labels to 0 and 1: booleans, 0 and 1 in any notation, or any two values of which one is named as positive.

LISTED = 1000  # most distinct labels that are examined


def label_sql(selection: Selection, column: Column, pos_label: str | None) -> str:
    """Return SQL for the label: 1, 0, or null if it is neither.

    Raises InputError, listing the values with their counts, if there are not two or `pos_label` is not among them.
    """
    if pos_label is None and column.type == "BOOLEAN":
        return f"CAST({column.sql} AS UTINYINT)"
    if pos_label is None and column.is_integer:
        return f"TRY_CAST({column.sql} AS UTINYINT)"
    if pos_label is None and column.is_number:
        return f"CAST(CASE WHEN {column.sql} = 1 THEN 1 WHEN {column.sql} = 0 THEN 0 END AS UTINYINT)"
    return f"CAST({column.among(positive_values(column, label_counts(selection, column), pos_label))} AS UTINYINT)"


def label_counts(selection: Selection, column: Column, *, limit: int = LISTED) -> dict[str, int]:
    """The frequency of each label, as text, the most frequent first."""
    rows = selection.ask(f"{column.text}, count(*)", rest=f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {limit}")
    return {str(value): int(str(count)) for value, count in rows}


def positive_values(column: Column, counts: dict[str, int], pos_label: str | None) -> list[str]:
    """The label values that mean 1."""
    numbers = {value: _zero_or_one(value.replace(",", ".") if column.comma else value) for value in counts}
    target = 1.0 if pos_label is None else _zero_or_one(pos_label)
    if target is not None and None not in numbers.values():
        return [value for value, number in numbers.items() if number == target]
    if pos_label is None:
        raise labels_refused(column, counts)
    chosen = [value for value in counts if is_same_label(value, pos_label)]
    if not chosen or len(counts) - len(chosen) > 1:
        raise labels_refused(column, counts, pos_label)
    check_positive(counts, pos_label, name=column.name)
    return chosen


def labels_refused(column: Column, counts: dict[str, int], pos_label: str | None = None) -> InputError:
    """Error for a label that is neither 0 or 1 nor one of two values."""
    return not_two_values(counts, pos_label=pos_label, name=column.called, in_file=True)


def _zero_or_one(value: str) -> float | None:
    number = number_or_text(value.strip())
    return number if number in (0.0, 1.0) else None


# Groups by name: their numbers of rows, and SQL that turns a name into a code.

NUMBERS = count()  # of the types that this process creates, so that their names differ


def group_sizes(selection: Selection, column: Column) -> dict[str, int]:
    """The number of used rows in every group, by name, in natural order.

    Raises InputError for too many groups.
    """
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


# Pool several files. The user must say whether equal values of a column in two files are the same item.

SAME, SEPARATE = "same", "separate"
ACROSS_FILES = ("error", SAME, SEPARATE)


def check_option_value(how: str, *, of: str | None, named: str) -> None:
    """Raise InputError for an unknown value of `across_files`, or for one that needs a column of ids or clusters."""
    if how not in ACROSS_FILES:
        raise unknown_name("way", how, ACROSS_FILES, place="across_files")
    if how != "error" and of is None:
        raise InputError(
            f"`across_files={how!r}` is for ids or clusters that occur in several files, and no such column is named. "
            f"Name it with {named}, or leave `across_files` out."
        )


def check_across_files(selection: Selection, column: Column, group: Column | None, *, how: str) -> None:
    """Raise InputError for a value that occurs in several files (within a group), unless `how` says what this means.

    The message names the first such value, two of its rows, and the number of such values.
    """
    table = selection.table
    if how != "error" or len(table.files) == 1:
        return
    groups = _rows_by_value(selection, column, [] if group is None else [group.text])
    several = (
        f"SELECT *, count(*) OVER () AS number FROM ({groups}) "
        f"WHERE {file_number(table, 'first')} <> {file_number(table, 'last')}"
    )
    first_shared = table.fetch(f"{several} ORDER BY first LIMIT 1")
    if not first_shared:
        return
    ((total,),) = table.fetch(f"SELECT count(*) FROM ({groups})")
    value, first, last, _, number = first_shared[0]
    here, there = table.place_of(int(first), origin=False), table.place_of(int(last))
    raise InputError(
        f"equal values of {column.name} occur in several files, and it is unclear what that means: {str(value)!r} is "
        f"in {here} and in {there}; so are {int(number) - 1:,} of {int(total) - 1:,} others. Are they the same item, "
        f"evaluated twice (for example with two seeds)? `across_files={SAME!r}` counts them as one cluster. Does each "
        f"file have its own numbering? `across_files={SEPARATE!r}` keeps them apart."
    )


def file_number(table: Table, position: str) -> str:
    """The number of the file that contains a position, in SQL."""
    return " + ".join(f"CAST({position} >= {start} AS BIGINT)" for start in table.starts)


def check_different(selection: Selection, column: Column, group: Column | None) -> None:
    """Raise InputError, which names both rows, for an id that occurs twice in one file (within a group)."""
    table = selection.table
    parts = [file_number(table, table.position), *([] if group is None else [group.text])]
    query = f"SELECT * FROM ({_rows_by_value(selection, column, parts)}) WHERE times > 1 ORDER BY first LIMIT 1"
    if repeated := table.fetch(query):
        value, first, last, _ = repeated[0]
        here, there = table.place_of(int(first), origin=False), table.place_of(int(last))
        raise InputError(
            f"{column.name} must be different in every row; {value!r} is in {here} and in {there}. Several rows per "
            f"item? Name them with {parameter('clusters', column.name)}."
        )


def _rows_by_value(selection: Selection, column: Column, parts: Sequence[str]) -> str:
    """Return SQL for the first and last row index and the number of rows of each value of a column within the parts."""
    table, position = selection.table, selection.table.position
    ends = f"{column.text} AS value, min({position}) AS first, max({position}) AS last, count(*) AS times"
    keys = ", ".join([column.text, *parts])
    return f"SELECT {ends} FROM {table.numbered} WHERE {selection.where} GROUP BY {keys}"


def file_of(selection: Selection, positions: Integers) -> Integers:
    """The file of each row, by the row's position over all files."""
    file_numbers: Integers = np.searchsorted(np.asarray(selection.table.starts), positions, side="right") - 1
    return file_numbers


def apart_by_file(selection: Selection, codes: Integers) -> Integers:
    """Change codes of the used rows so that they differ between files; unchanged for a single file."""
    if len(selection.table.files) == 1:
        return codes
    both = codes * len(selection.table.files) + file_of(selection, selection.positions())
    apart: Integers = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return apart


# The column that identifies the item of a row, and items that repeat.

MAX_COUNTED = 1_000_000  # rows; with more, a random part of the items is examined first


def item_columns(opened: Opened, with_role: Sequence[str]) -> dict[str, bool]:
    """Return the columns of tables that may identify the item of a row, as in `candidates`.

    The result is empty for logs, which name their items, and if the user declares rows independent. with_role: the
    columns that have a role.
    """
    if opened.log is not None or opened.asked.independent_rows:
        return {}
    columns = dict(candidates(opened.column_names(opened.files[0]), with_role))
    others = [set(opened.column_names(file)) for file in opened.files[1:]] if columns else []
    return {name: is_item for name, is_item in columns.items() if all(name in other for other in others)}


def repeated_rows(
    opened: Opened, table: Table, only: str, columns: Mapping[str, bool], cells: Sequence[str]
) -> RepeatedItems | None:
    """The first of `item_columns` whose values repeat within the cells of other columns; None if none repeats."""
    return first_repeated(columns, lambda name: _repeated(opened, table, only, name, cells)) if columns else None


def note_on_items(repeated: RepeatedItems | None, *, as_clusters: bool = True) -> tuple[str, ...]:
    """Return a note that repeated items are clusters, or with advice if they are not; () if no item repeats."""
    if repeated is None:
        return ()
    return (repeated.note() if as_clusters and repeated.are_clusters else repeated.warning(),)


def columns_of_models(opened: Opened, with_role: Collection[str]) -> list[str]:
    """The columns of tables that name models and have no role, as in `model_columns`; none for logs."""
    if opened.log is not None:
        return []
    names = model_columns(opened.column_names(opened.files[0]), with_role)
    others = [set(opened.column_names(file)) for file in opened.files[1:]] if names else []
    return [name for name in names if all(name in other for other in others)]


def note_on_pooled(opened: Opened, table: Table, only: str, names: Sequence[str], role: str) -> tuple[str, ...]:
    """Return a note that rows of several models are evaluated together; () if files with one model each are kept apart.

    role: the parameter that would separate the models.
    """
    by_file = opened.asked.by_file and len(opened.files) > 1
    file = file_number(table, table.position) if by_file else "0"
    for name in names:
        text = table.columns[name].text
        counts = f"SELECT {file} AS file, count(DISTINCT {text}) AS models, max(length({text})) AS longest"
        counts += f" FROM {table.numbered} WHERE {only} GROUP BY 1"
        models, longest = table.fetch(f"SELECT max(models), max(longest) FROM ({counts})")[0]
        if note := note_on_models(name, int(models or 0), int(longest or 0), role):
            return note
    return ()


def _repeated(opened: Opened, table: Table, only: str, name: str, cells: Sequence[str]) -> RepeatedItems | None:
    column, parts = table.columns[name], [table.columns[cell].text for cell in cells]
    missing = column.missing(opened.asked.missing_values)
    used = f"{only} AND NOT {missing}"
    share = 1 + int(str(table.ask("count(*)", rest=f"WHERE {only}")[0][0])) // MAX_COUNTED
    if share > 1 and _counts(table, f"{used} AND hash({column.text}) % {share} = 0", column.text, parts).times <= 1:
        return None
    file_parts = [file_number(table, table.position)] if len(opened.files) > 1 else []
    counts = _counts(table, used, column.text, [*parts, *file_parts])
    across_files = False
    if counts.times <= 1 and file_parts:
        counts = _counts(table, used, column.text, parts)
        across_files = counts.times > 1
    if counts.times <= 1:
        return None
    has_missing = bool(table.ask("1", rest=f"WHERE {only} AND {missing} LIMIT 1"))
    return replace(counts, column=name, has_missing=has_missing, across_files=across_files)


def _counts(table: Table, used: str, item: str, cells: Sequence[str]) -> RepeatedItems:
    """Count the rows, items and cells; find the most rows of an item in a cell, and the fewest items in a cell.

    A cell consists of the rows with equal values in the columns `cells`.
    """
    keys = [f"k{at}" for at in range(len(cells))]
    columns = ", ".join([*(f"{sql} AS {key}" for key, sql in zip(keys, cells, strict=True)), f"{item} AS item"])
    by_item = f"SELECT * FROM (SELECT {columns} FROM {table.numbered} WHERE {used})"
    grouped = ", ".join([*keys, "item"])
    counts = f"SELECT {grouped}, count(*) AS times FROM ({by_item}) GROUP BY {grouped}"
    per_cell = "SELECT sum(times) AS n, count(*) AS items, max(times) AS most FROM counts"
    per_cell += f" GROUP BY {', '.join(keys)}" if keys else ""
    distinct = "(SELECT count(DISTINCT item) FROM counts)"
    query = (
        f"WITH counts AS MATERIALIZED ({counts}) "
        f"SELECT sum(n), {distinct}, max(most), min(items), count(*) FROM ({per_cell})"
    )
    rows, items, times, fewest, groups = (int(number or 0) for number in table.fetch(query)[0])
    return RepeatedItems(item, rows, items, times, fewest, groups)
