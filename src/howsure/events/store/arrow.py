"""Columns of the store's tables as Arrow arrays, which DuckDB reads without inspecting every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import nanoarrow
import numpy as np

from howsure.events.store.schema import TABLES

ARROW = {
    "BIGINT": nanoarrow.int64(),
    "INTEGER": nanoarrow.int32(),
    "DOUBLE": nanoarrow.float64(),
    "BOOLEAN": nanoarrow.bool_(),
    "VARCHAR": nanoarrow.string(),
    "DATE": nanoarrow.string(),
    "TIMESTAMP": nanoarrow.string(),
    "BLOB": nanoarrow.large_binary(),
}
NUMBERS = {"BIGINT": np.int64, "INTEGER": np.int32, "DOUBLE": np.float64}
LIST = "[]"


def types_of(table: str) -> dict[str, str]:
    """The types of a table's columns, by name.

    >>> types_of("left_out")
    {'document': 'BIGINT', 'id': 'VARCHAR', 'date': 'DATE', 'reason': 'VARCHAR'}
    """
    lines = (line.replace(",", " ").split() for line in TABLES[table].strip().splitlines())
    return {name: kind for name, kind, *_ in lines}


def arrow_table(table: str, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Rows for a table of the store as an Arrow stream, from the values of its columns."""
    types = types_of(table)
    arrays = {name: _array(values, types[name]) for name, values in columns.items()}
    schema = nanoarrow.struct({name: array.schema for name, array in arrays.items()})
    n = len(next(iter(columns.values())))
    return nanoarrow.ArrayStream(nanoarrow.c_array_from_buffers(schema, n, [None], children=arrays.values()))


def _array(values: Sequence[Any], kind: str) -> Any:
    if kind.endswith(LIST):
        inner, held = kind.removesuffix(LIST), [value or () for value in values]
        ends = np.cumsum([0, *map(len, held)], dtype=np.int32)
        known = np.packbits([value is not None for value in values], bitorder="little")
        items = _array(list(chain.from_iterable(held)), inner)
        return nanoarrow.c_array_from_buffers(
            nanoarrow.list_(ARROW[inner]), len(values), [known, ends], children=[items]
        )
    if isinstance(values, np.ndarray) and kind in NUMBERS:
        return nanoarrow.c_array(np.ascontiguousarray(values, NUMBERS[kind]))
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    dates = kind in ("DATE", "TIMESTAMP")
    return nanoarrow.c_array([_iso(day) for day in plain] if dates else plain, ARROW[kind])


def _iso(day: object) -> str | None:
    return None if day is None else str(day)
