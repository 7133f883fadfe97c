"""Columns of the used rows as arrays: weights, groups and clusters beside pairs, and features to group rows by."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.faults import bad_weight
from howsure.data.predictions.selection import Selection, apart_by_file, codes_sql, enumerated_sql
from howsure.data.tables.columns import Column
from howsure.data.tables.database import NullFound, chunks, literal, reading
from howsure.errors import InputError
from howsure.inputs.checks import Coded, check_clusters, check_weights
from howsure.inputs.naming import natural_order
from howsure.inputs.pairs import Floats, Integers

MOST_ENUMERATED = 1_000_000  # names of clusters that become a type of the database


def load_weights(selection: Selection, column: Column) -> Floats:
    """The weights; InputError naming file and row if one is no number, negative or infinite."""
    query = selection.query([column.number])
    try:
        weights: Floats = np.concatenate([part for (part,) in chunks(selection.table.connection, query, [np.float64])])
    except NullFound:
        weights = np.array([math.nan])
    if not (weights.min() >= 0 and weights.max() < math.inf) and (fault := bad_weight(selection, column)):
        raise fault
    return check_weights(weights, n=selection.n, name=column.name)


def load_groups(selection: Selection, column: Column, names: tuple[str, ...]) -> Integers:
    """The position of each row's group among `names`."""
    return _whole_numbers(selection, codes_sql(selection.table.connection, column.text, names))


def load_clusters(selection: Selection, column: Column, *, separate: bool = False) -> Integers:
    """The cluster of each row as a code from 0; if `separate`, equal values of different files are two clusters."""
    codes = _text_codes(selection, column) if column.parts or column.is_text else None
    if codes is None:
        values = load_values(selection, f"{column.sql if column.is_integer else column.text}")
        codes = check_clusters(values, n=selection.n, name=column.name)
    return apart_by_file(selection, codes) if separate else codes


def _text_codes(selection: Selection, column: Column) -> Integers | None:
    """The position of each row's text among all of them, in order; None where they are too many for a type of names.

    The database codes them: as objects of Python, long keys of many rows take seconds.
    """
    (count,) = selection.ask(f"approx_count_distinct({column.text})")[0]
    return None if int(str(count)) > MOST_ENUMERATED else _whole_numbers(selection, enumerated_sql(selection, column))


def _whole_numbers(selection: Selection, sql: str) -> Integers:
    parts = chunks(selection.table.connection, selection.query([sql]), [np.int64])
    return np.concatenate([part for (part,) in parts])


def load_values(selection: Selection, sql: str) -> npt.NDArray[Any]:
    """An expression of each used row, in the order of the files."""
    with reading(selection.table.name):
        return np.asarray(selection.table.connection.sql(selection.query([f"{sql} AS value"])).fetchnumpy()["value"])


# Features: numbers, days or names.

DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]|$)"
LENGTH = re.compile(r"length\((.+)\)")
OTHERS = "another of very many values"
MOST_NAMED = 1000  # of so many names of a feature that they have no codes
MOST_CODED = 100_000  # names of a column that become a type of the database; more are read as they stand


def feature_columns(selection: Selection, names: Sequence[str]) -> dict[str, Any]:
    """Columns of a selection by which its rows may be grouped, in the order of the files: numbers (n,), NaN where one
    is missing; days as datetime64; all else as `Coded`, with the code -1 where one is missing. A text column whose
    values all spell numbers, or days, holds these. `length(COL)` is the number of characters of a column's text.

    Raises InputError for a column of lists or mappings.
    """
    return {name: _feature(selection, name) for name in names}


def column_of_feature(name: str) -> str:
    """The column that a feature is made of.

    >>> column_of_feature("length(prompt)"), column_of_feature("prompt")
    ('prompt', 'prompt')
    """
    found = LENGTH.fullmatch(name)
    return name if found is None else found[1]


def _feature(selection: Selection, name: str) -> Any:
    column = selection.table.columns[column_of_feature(name)]
    if column.type.endswith("]") or column.type.startswith(("STRUCT", "MAP")):
        raise InputError(f"{column.name} must hold numbers, dates or names; its type is {column.type}.")
    missing = column.missing()
    if name != column.name:
        return _floats(selection, missing, f"length({column.text})")
    plain = f"{column.text} IS NOT NULL AND NOT {missing}"
    if not column.parts and (column.is_number or not selection.has(f"{plain} AND {column.number} IS NULL")):
        return _floats(selection, missing, column.number)
    day = f"TRY_CAST(left({column.text}, 10) AS DATE)"
    if not selection.has(f"{plain} AND (NOT regexp_matches({column.text}, {literal(DAY)}) OR {day} IS NULL)"):
        days = _floats(selection, missing, f"CAST(date_diff('day', DATE '1970-01-01', {day}) AS DOUBLE)")
        found = np.full(len(days), np.datetime64("NaT", "D"))
        found[~np.isnan(days)] = days[~np.isnan(days)].astype(np.int64).astype("datetime64[D]")
        return found
    return _names_of(selection, column, missing)


def _floats(selection: Selection, missing: str, number: str) -> npt.NDArray[np.float64]:
    query = selection.query([f"CASE WHEN {missing} THEN CAST('NaN' AS DOUBLE) ELSE CAST({number} AS DOUBLE) END"])
    parts = [part for (part,) in chunks(selection.table.connection, query, [np.float64])]
    return np.concatenate(parts)


def _names_of(selection: Selection, column: Column, missing: str) -> Coded:
    """The texts of a column as codes; of very many the most frequent, and one name for the others."""
    counts = selection.ask(
        f"{column.text}, count(*)", rest=f"AND NOT {missing} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {MOST_CODED + 1}"
    )
    names = [str(text) for text, _ in counts]
    if len(names) > MOST_CODED:
        names = names[:MOST_NAMED]
    names = sorted(names, key=natural_order)
    code = codes_sql(selection.table.connection, column.text, names)
    codes = _whole_numbers(selection, f"CASE WHEN {missing} THEN -1 ELSE coalesce({code}, {len(names)}) END")
    others = (OTHERS,) if len(counts) > MOST_CODED else ()
    return Coded(codes, (*names, *others))
