"""Read columns of the used rows of files as arrays, each as its kind; pool files; find items that repeat."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.selection import Opened, Selection, class_matrix, codes_sql, missing_value, opened_files
from howsure.data.tables.database import Column, chunks, literal
from howsure.data.tables.table import ALL, Table, find_percentages, has_lists, with_keys
from howsure.data.tables.where import condition
from howsure.errors import ColumnName, InputError, parameter, renumbered_rows
from howsure.inputs.checks import Coded, check_clusters, check_weights, not_a_number
from howsure.inputs.date_formats import ISO_DATE
from howsure.inputs.frames import AS_READ, ITEM, Dated, Kind, Rows
from howsure.inputs.numbers_and_names import natural_order, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.periods import as_days
from howsure.inputs.repeated_items import RepeatedItems, candidates, first_repeated, model_columns, note_on_models

if TYPE_CHECKING:
    from howsure.data.logs.conversion import Log
    from howsure.data.sources import Files

FILE = "file"  # the column that names a file


def load_weights(selection: Selection, column: Column) -> Floats:
    values = class_matrix(selection, [column], lists=False)[:, 0]
    with renumbered_rows(selection.place_of):
        return check_weights(values, n=selection.n, name=column.called)


def load_clusters(selection: Selection, column: Column, *, separate: bool = False) -> Integers:
    """Read the cluster of each row as a code from 0, in the order of numbers or strings, as for arrays.

    separate: whether equal values in different files are different clusters.
    """
    sql = column.sql if column.is_integer else column.text
    is_text = column.parts or column.is_text
    if is_text and not column.parts and _are_integers(selection, column):
        sql, is_text = f"CAST({column.text} AS BIGINT)", False
    codes = _text_codes(selection, column) if is_text else None
    if codes is None:
        values = selection.values(sql)
        codes = check_clusters(values, n=selection.n, name=column.name)
    return apart_by_file(selection, codes) if separate else codes


def _are_integers(selection: Selection, column: Column) -> bool:
    integer = f"CAST(TRY_CAST({column.text} AS BIGINT) AS VARCHAR)"
    return bool(selection.ask(f"bool_and(coalesce({integer} = {column.text}, false))")[0][0])


def _text_codes(selection: Selection, column: Column) -> Integers | None:
    """Return the rank of each row's string among all distinct strings; None if two strings have the same hash.

    Only hashes leave the database, because as Python objects, long keys of many rows would take seconds and gigabytes.
    """
    table, hashed = selection.table, f"CAST(hash({column.text}) >> 1 AS BIGINT)"
    texts = f"SELECT DISTINCT {column.text} AS text, {hashed} AS hashed FROM {table.relation} WHERE {selection.where}"
    query = f"SELECT hashed FROM ({texts}) ORDER BY text"
    hashes = np.concatenate([part for (part,) in chunks(table.connection, query, [np.int64])])
    order = np.argsort(hashes)
    if (np.diff(hashes[order]) == 0).any():
        return None
    return order[np.searchsorted(hashes, selection.column(hashed), sorter=order)]


# Pool several files. The user must say whether equal values of a column in two files are the same item.

SAME, SEPARATE = "same", "separate"
ACROSS_FILES = ("error", SAME, SEPARATE)


def check_option_value(how: str, *, of: str | None, named: str) -> None:
    """Raise InputError if `across_files` is unknown, or needs a column of ids or clusters that does not exist."""
    if how not in ACROSS_FILES:
        raise unknown_name("way", how, ACROSS_FILES, place="across_files")
    if how != "error" and of is None:
        raise InputError(
            f"`across_files={how!r}` is for ids or clusters that occur in several files, and no such column is named. "
            f"Name it with {named}, or leave `across_files` out."
        )


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


def check_across_files(selection: Selection, column: Column, group: Column | None, *, how: str) -> None:
    """Raise InputError if a value occurs in several files (within a group) and `how` does not say whether it is the
    same item.

    The message contains the first such value, two of its rows, and the number of such values.
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
    """Raise InputError, which names both rows, if an id occurs twice in one file (within a group)."""
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
    """Change codes of the used rows so that equal values in different files get different codes."""
    if len(selection.table.files) == 1:
        return codes
    both = codes * len(selection.table.files) + file_of(selection, selection.positions())
    apart: Integers = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return apart


# The column that identifies the item of a row, and items that repeat.

MAX_COUNTED = 1_000_000  # rows; with more, a random part of the items is examined first


def item_columns(opened: Opened, with_role: Sequence[str], id: str | None = None) -> dict[str, bool]:
    """Return the columns of tables that may identify the item of a row, as in `candidates`.

    The result is empty for logs, which name their items, and if the user declares rows independent. with_role: the
    columns that have a role.
    """
    if opened.log is not None or opened.source.independent_rows:
        return {}
    columns = dict(candidates(opened.column_names(opened.files[0]), with_role, id=id))
    others = [set(opened.column_names(file)) for file in opened.files[1:]] if columns else []
    return {name: is_item for name, is_item in columns.items() if all(name in other for other in others)}


def repeated_rows(
    opened: Opened, table: Table, only: str, columns: Mapping[str, bool], cells: Sequence[str], id: str | None = None
) -> RepeatedItems | None:
    """The first of `item_columns` whose values repeat within the cells of other columns; None if none repeats.

    id: a column, in each of whose values the item must be the same.
    """

    def find_repeated(name: str) -> RepeatedItems | None:
        if id is not None:
            items = f"SELECT 1 FROM {table.numbered} WHERE {only} GROUP BY {table.columns[id].text}"
            if table.fetch(f"{items} HAVING count(DISTINCT {table.columns[name].text}) > 1 LIMIT 1"):
                return None
        return _repeated(opened, table, only, name, cells)

    return first_repeated(columns, find_repeated) if columns else None


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
    by_file = opened.source.by_file and len(opened.files) > 1
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
    missing = column.missing(opened.source.missing_values)
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
    """Return the numbers of rows, items and cells, the largest number of rows of an item in a cell, and the smallest
    number of items in a cell.

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


# Features: numbers, days or names.

LENGTH = re.compile(r"length\((.+)\)")
OTHERS = "another of very many values"
MAX_NAMED = 1000  # names of a feature; features with more names are not coded
MAX_CODED = 100_000  # names of a column that become a type of the database; with more, they are read as text
ROWS_PER_NAME = 8  # with fewer, looking up each name is faster than a type of the database


def feature_columns(selection: Selection, names: Sequence[str], missing_values: Sequence[str] = ()) -> dict[str, Any]:
    """Read columns of a selection by which its rows may be grouped, in the order of the files.

    Numbers are (n,), NaN if missing; days are datetime64; other values are `Coded`, with the code -1 if missing. A
    column of strings that contains only numbers or only dates is converted. `length(COL)` is the number of characters
    in a column's string.
    """
    return {name: _feature(selection, name, missing_values) for name in names}


def column_of_feature(name: str) -> str:
    """Return the column from which a feature is computed.

    >>> column_of_feature("length(prompt)"), column_of_feature("prompt")
    ('prompt', 'prompt')
    """
    match = LENGTH.fullmatch(name)
    return name if match is None else match[1]


def _feature(selection: Selection, name: str, missing_values: Sequence[str]) -> Any:
    column = selection.table.columns[column_of_feature(name)]
    if column.type.endswith("]") or column.type.startswith(("STRUCT", "MAP")):
        raise InputError(f"{column.name} must contain numbers, dates or names; its type is {column.type}.")
    missing = column.missing(missing_values)
    if name != column.name:
        return _floats(selection, missing, f"length({column.text})")
    plain = f"{column.text} IS NOT NULL AND NOT {missing}"
    if not column.parts and (column.is_number or not selection.has(f"{plain} AND {column.number} IS NULL")):
        return _floats(selection, missing, column.number)
    if not selection.has(f"{plain} AND {column.day} IS NULL"):
        days = _floats(selection, missing, f"CAST(date_diff('day', DATE '1970-01-01', {column.day}) AS DOUBLE)")
        days_ = np.full(len(days), np.datetime64("NaT", "D"))
        days_[~np.isnan(days)] = days[~np.isnan(days)].astype(np.int64).astype("datetime64[D]")
        return days_
    return _code_names(selection, column, missing)


def _floats(selection: Selection, missing: str, number: str) -> npt.NDArray[np.float64]:
    sql = f"CASE WHEN {missing} THEN CAST('NaN' AS DOUBLE) ELSE CAST({number} AS DOUBLE) END"
    return selection.column(sql, np.float64)


def _code_names(selection: Selection, column: Column, missing: str) -> Coded:
    """Code the strings of a column; if very many are distinct, the most frequent, and one name for the others."""
    counts = selection.ask(
        f"{column.text}, count(*)", rest=f"AND NOT {missing} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MAX_CODED + 1}"
    )
    names = [str(text) for text, _ in counts]
    if len(names) > MAX_CODED:
        names = names[:MAX_NAMED]
    names = sorted(names, key=natural_order)
    code = codes_sql(selection.table.connection, column.text, names)
    codes = selection.column(f"CASE WHEN {missing} THEN -1 ELSE coalesce({code}, {len(names)}) END")
    others = (OTHERS,) if len(counts) > MAX_CODED else ()
    return Coded(codes, (*names, *others))


MAY_MISS = (Kind.OPTIONAL, Kind.GRADE, Kind.VERBATIM)
CONTENT = (*MAY_MISS, Kind.SCORE, Kind.NUMBER, Kind.NUMBERS)  # not keys
READ_AS = {Kind.NUMBER: "number", Kind.SCORE: "number", Kind.NUMBERS: "numbers"}


def rows_of_files(
    source: Files,
    kinds: Mapping[str, Kind],
    *,
    clusters: str | None = None,
    run: str | None = None,
    id: str | None = None,
    choose: Callable[[Log], Mapping[str, str]] | None = None,
    cells: Sequence[str] | None = None,
    may_be_items: Collection[str] = (),
    pooled: str | None = None,
    chosen_as: Callable[[str], Kind] = lambda role: Kind.NAMES,
    later: Sequence[str] = (),
) -> tuple[Rows, list[str]]:
    """Read columns of files by name, each as its kind, with a description of the rows read and notes.

    VALUES and MEASURES are returned unchanged (n,). NAMES, and DAYS without the time of day, are `Coded`, which needs
    little memory. NUMBER and SCORE are float64 (n,); in a SCORE, true is 1 and false 0. NUMBERS are lists, float64 (n,
    K); so are VALUES, MEASURE and NUMBER if the column contains lists of numbers, or numbers by name, {"0": 0.7, "1":
    0.3}, in the natural order of the names. A missing value is an error, or its row is left out. REQUIRED and OPTIONAL
    columns are unchanged; in OPTIONAL and GRADE columns, a missing value is None. VERBATIM columns also keep decimal
    commas. LATER columns, and the columns named in `later`, are read by `at` of the result.

    clusters: one of the columns. Equal values in several files (of one `run`, if that is a column) are an error, unless
    `across_files` declares them the same item, or separate items, which are then renumbered. choose: a function that
    returns the default columns of a log by role; chosen_as: the kind of each role. cells: for tables without clusters,
    the columns that separate the rows of an item (models, groups); items that repeat within a cell become clusters. id:
    the column that identifies a row within a cell. may_be_items: columns with a role that may identify the item
    nevertheless. pooled: the parameter that would separate models, for a note on tables with a column of several models
    without a role.
    """
    check_option_value(source.across_files, of=clusters, named="`clusters=...`")
    with opened_files(source, [*kinds, *later], with_classes=False) as opened:
        if opened.log is not None and any(map(_is_item_key, kinds)):
            opened.log.check_items()
        chosen = {} if opened.log is None or choose is None else dict(choose(opened.log))
        kinds = {**kinds, **{column: chosen_as(role) for role, column in chosen.items()}}
        items = {} if cells is None else item_columns(opened, with_role=[*set(kinds) - set(may_be_items)], id=id)
        models = [] if pooled is None else columns_of_models(opened, [*kinds])
        table, only = opened.table([*kinds, *later, *items, *models])
        pooled_note = note_on_pooled(opened, table, only, models, pooled or "")
        repeated = repeated_rows(opened, table, only, items, cells or (), id)
        if repeated is not None and repeated.are_clusters:
            chosen, kinds = chosen | {"clusters": repeated.column}, {repeated.column: Kind.NAMES, **kinds}
        for name, kind in kinds.items():
            if kind in CONTENT and (parts := table.columns[name].parts):
                listed = shortened(part.name for part in parts)
                remedy = "" if opened.log is not None else f", or make them rows of one column: `explode={name!r}`"
                remedy += " with `score='value'` and `model='column'`" if remedy and kind == Kind.SCORE else ""
                raise InputError(
                    f"{name} names {len(parts)} columns ({listed}), but scores and answers are read from one column. "
                    f"Name one of them{remedy}."
                )
            if kind == Kind.VERBATIM:
                table.columns[name] = replace(table.columns[name], comma=False)
            if kind == Kind.SCORE:
                table.columns[name] = replace(table.columns[name], truths=True)
            if kind in (Kind.MEASURE, Kind.GRADE, Kind.NUMBER, Kind.SCORE):
                find_percentages(table, name, only, source.missing_values)
            if kind in (Kind.VALUES, Kind.MEASURE, Kind.NUMBER, Kind.NUMBERS):
                table.columns[name] = with_keys(table, table.columns[name], only)
        columns = {name: table.columns[name] for name, kind in kinds.items() if kind != Kind.LATER}
        read_as = {
            name: "text"
            if kinds[name] in (Kind.REQUIRED, *MAY_MISS)
            else "numbers"
            if has_lists(table, column, only)
            else READ_AS.get(kinds[name], "text")
            for name, column in columns.items()
        }
        checked = {columns[name]: way for name, way in read_as.items() if kinds[name] not in MAY_MISS}
        selection = opened.selected(table, only, checked)
        columns_read: dict[str, Any] = {}
        for name, column in columns.items():
            if kinds[name] in (Kind.MEASURE, Kind.GRADE):
                check_thousands(selection, column, source.missing_values)
            columns_read[name] = _values(selection, column, kinds[name], read_as[name], source.missing_values)
        if clusters is not None:
            models_are_files = pooled == "model" and FILE in table.columns  # equal clusters of models are the same
            parts_by = run or chosen.get("model") or (FILE if models_are_files else None)
            part = None if parts_by is None else table.columns[parts_by]
            check_pooling(selection, {"clusters": table.columns[clusters]}, part, source.across_files)
            if source.across_files == SEPARATE:
                codes = check_clusters(columns_read[clusters], n=selection.n, name=clusters)
                columns_read[clusters] = apart_by_file(selection, codes)
        positions = None if selection.where == ALL else selection.positions()
    later = [*later, *(name for name, kind in kinds.items() if kind == Kind.LATER)]
    if not later:
        opened.database.close()
    provenance = {"files": [file.name for file in opened.files], "rows": selection.n, "skipped": selection.skipped}
    provenance |= opened.notes(selection, across_files=source.across_files)
    keys = {name: list(column.keys) for name, column in table.columns.items() if column.keys}

    def position_of(row: int) -> int:
        return row if positions is None else int(positions[row])

    def at(some: Sequence[int]) -> dict[str, list[Any]]:
        return values_at(table, later, [position_of(row) for row in some])

    def location(row: int) -> tuple[str, int]:
        return table.location(position_of(row))

    measures = {} if opened.log is None else {name: opened.log.measure(name) for name in kinds}
    notes = (*note_on_items(repeated), *pooled_note)
    result = Rows(
        columns_read,
        provenance,
        lambda row: table.place_of(position_of(row)),
        keys,
        chosen,
        at,
        location,
        measures,
        notes,
    )
    return result, opened.input_notes(table)


def _is_item_key(name: str) -> bool:
    """Whether a column, or several columns joined to a key, identifies the item of a log."""
    key = name.split(",")
    return ITEM in key and FILE not in key


def _values(selection: Selection, column: Column, kind: Kind, way: str, missing_values: Sequence[str]) -> Any:
    """Read a column as its kind. way: as texts, as one number a row, or as a list of numbers a row."""
    if way != "text":
        matrix = class_matrix(selection, [column], lists=way == "numbers")
        return matrix if way == "numbers" else matrix[:, 0]
    if kind == Kind.NAMES:
        return _coded(selection, column, column.text)
    if kind == Kind.DAYS:  # values that are not dates, or have an impossible time zone, stay unchanged
        is_dated = f"regexp_full_match({column.text}, {literal(ISO_DATE)})"
        return _coded(selection, column, f"CASE WHEN {is_dated} THEN left({column.text}, 10) ELSE {column.text} END")
    value = column.spelled if column.comma or column.percent else column.sql  # with a decimal point
    if kind != Kind.REQUIRED and kind not in MAY_MISS:
        return selection.values(value)
    present = f"CASE WHEN NOT {column.missing(missing_values if kind in MAY_MISS else ())} THEN {value} END"
    rows = selection.table.fetch(selection.query([present]))
    objects = np.empty(len(rows), dtype=object)
    objects[:] = [value for (value,) in rows]
    return objects


def check_thousands(selection: Selection, column: Column, missing_values: Sequence[str]) -> None:
    """Raise InputError if a column of numbers contains 1.035 or the like, whose point may separate thousands."""
    is_text = f"NOT {column.is_numeric_text} AND NOT {column.missing(missing_values)}"
    if column.thousands and not selection.has(is_text):
        place, value = selection.place(f"{column.number} IS NULL", column.text)
        raise not_a_number(column.called, value, place=place)


def _coded(selection: Selection, column: Column, text: str) -> Coded | npt.NDArray[Any]:
    """Code the texts of a column in natural order; return the column unchanged if it has very many names."""
    distinct_texts = selection.ask(text, rest=f"GROUP BY 1 LIMIT {MAX_CODED + 1}")
    if len(distinct_texts) > MAX_CODED:
        return selection.values(column.spelled if column.comma or column.percent else column.sql)
    names = tuple(sorted((str(text) for (text,) in distinct_texts), key=natural_order))
    dtype = np.min_scalar_type(-len(names))
    if len(names) * ROWS_PER_NAME < selection.n:
        return Coded(selection.codes(text, names, dtype), names)
    code_by_name = {name: code for code, name in enumerate(names)}
    return Coded(np.array([code_by_name[name] for name in selection.values(text).tolist()], dtype=dtype), names)


def values_at(table: Table, names: Sequence[str], positions: Sequence[int]) -> dict[str, list[Any]]:
    """Read columns at some row indices, given in ascending order."""
    position, listed = table.position, [table.columns[name].sql for name in names]
    positions_ = f"(SELECT unnest([{', '.join(map(str, positions))}]::BIGINT[]) AS {position})"
    query = f"SELECT {', '.join(listed)} FROM {table.numbered} JOIN {positions_} USING ({position}) ORDER BY {position}"
    rows = table.fetch(query) if names and len(positions) else []
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


# Predictions with dates: labelled pairs, and the dates of rows whose labels are not yet known.

ONE_ROW = "`reduce` must leave one pair a row: top-label, or the name of one class."


def read_dated(
    source: Files,
    dates: str,
    y_true: Any,
    y_prob: Any,
    *,
    date_format: str | None = None,
    fingerprint: Callable[[str], int],
    **roles: Any,
) -> Dated:
    """Read dated rows of files. A missing label is not yet known; other missing values are errors or skipped.

    date_format: see `read_periods`.
    fingerprint: a function that hashes a cluster's name, for files that number their clusters separately.
    """
    every = replace(source, skip_missing=True)
    how = {"find_items": True, "items_are_clusters": False}
    with every.predictions(y_true, y_prob, features=(dates,), **how, **roles) as predictions_read:
        predictions: Any = predictions_read
        pairs = predictions.pairs()  # sums have none
        selection, missing = predictions.selection, list(source.missing_values)
        table = selection.table
        rows = condition(source.where)
        only = ALL if rows is None else rows.sql(table, missing)
        label = table.columns[predictions.columns[AS_READ["y_true"]]]
        unlabelled = f"{only} AND {label.missing(missing)}"
        others = [name for name in predictions.skipped if name != label.name]
        if others and not source.skip_missing:
            column = table.columns[others[0]]
            test = f"{only} AND NOT {label.missing(missing)} AND {column.missing(missing, kind='number')}"
            raise missing_value(table, column, test, values=missing)
        column = table.columns[dates]
        if not column.type.startswith(("DATE", "TIMESTAMP")) and (not column.is_text or column.parts):
            raise InputError(f"`dates` must be a column of dates; {column.name} is {column.type}.")
        notes: tuple[str, ...] = ()
        other = f"(({selection.where}) OR ({unlabelled})) AND {column.day} IS NULL"
        if date_format is None and not table.ask("1", rest=f"WHERE {other} LIMIT 1"):
            days = selection.values(column.day).astype("datetime64[D]")
            waiting = table.ask(f"{column.day}, count(*)", rest=f"WHERE {unlabelled} GROUP BY 1 ORDER BY 1")
            when = np.array([date for date, _ in waiting], dtype="datetime64[D]")
            days_unlabelled = np.repeat(when, [int(str(count)) for _, count in waiting])
        else:
            all_days, is_labelled, notes = _other_days(selection, column, unlabelled, date_format)
            days, days_unlabelled = all_days[is_labelled], all_days[~is_labelled]
        cluster, clusters = predictions.columns.get(AS_READ["clusters"]), None
        if cluster is not None:
            clusters = selection.values(f"md5_number_lower({table.columns[cluster].text})")
            clusters = clusters.astype(np.uint64).view(np.int64)
            if source.across_files == SEPARATE:
                files = [fingerprint(os.path.realpath(file.name)) for file in table.files]
                clusters = clusters ^ np.array(files, dtype=np.int64)[file_of(selection, selection.positions())]
    if len(pairs) != len(days):
        raise InputError(ONE_ROW)
    return Dated(pairs, days, clusters, days_unlabelled, notes)


def _other_days(
    selection: Selection, column: Column, unlabelled: str, date_format: str | None
) -> tuple[Any, Any, tuple[str, ...]]:
    """Return the days of the selected and the unlabelled rows, which of these rows are selected, and notes."""
    rows = replace(selection, where=f"(({selection.where}) OR ({unlabelled}))")
    connection, text = rows.table.connection, f"coalesce({column.text}, '')"
    distinct = f"{rows.query([f'DISTINCT {text} AS text'])} ORDER BY 1"
    names = tuple(str(text) for (text,) in rows.table.fetch(distinct))
    is_selected = f"CASE WHEN {selection.where} THEN 1 ELSE 0 END::UTINYINT"
    query, dtypes = rows.query([codes_sql(connection, text, distinct), is_selected]), [np.int32, np.uint8]
    codes, selected = map(np.concatenate, zip(*chunks(connection, query, dtypes), strict=True))
    with renumbered_rows(rows.place_of):
        days, notes = as_days(Coded(codes, names), ColumnName(column.name, "dates"), date_format=date_format)
    return days, selected.astype(np.bool_), notes
