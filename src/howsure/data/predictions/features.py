"""Columns by which the rows of a selection may be grouped: numbers, days or names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.selection import Selection, codes_sql
from howsure.data.tables.columns import Column
from howsure.data.tables.database import chunks, literal
from howsure.errors import InputError
from howsure.inputs.checks import Coded
from howsure.inputs.naming import natural_order

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
    query = selection.query([f"CASE WHEN {missing} THEN -1 ELSE coalesce({code}, {len(names)}) END"])
    codes = np.concatenate([part for (part,) in chunks(selection.table.connection, query, [np.int64])])
    others = (OTHERS,) if len(counts) > MOST_CODED else ()
    return Coded(codes, (*names, *others))
