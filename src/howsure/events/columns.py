"""Columns of the store's tables as Arrow arrays, which DuckDB takes in without a look at every value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import nanoarrow
import numpy as np

from howsure.events.schema import TABLES

ARROW = {
    "BIGINT": nanoarrow.int64(),
    "INTEGER": nanoarrow.int32(),
    "DOUBLE": nanoarrow.float64(),
    "BOOLEAN": nanoarrow.bool_(),
    "VARCHAR": nanoarrow.string(),
    "DATE": nanoarrow.string(),
    "BLOB": nanoarrow.large_binary(),
}
NUMBERS = {"BIGINT": np.int64, "INTEGER": np.int32, "DOUBLE": np.float64}
LIST = "[]"


def types_of(table: str) -> dict[str, str]:
    """The types of a table's columns, by name.

    >>> types_of("left_out")
    {'document': 'BIGINT', 'id': 'VARCHAR', 'reason': 'VARCHAR'}
    """
    lines = (line.replace(",", " ").split() for line in TABLES[table].strip().splitlines())
    return {name: kind for name, kind, *_ in lines}


def arrow_table(table: str, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Rows for a table of the store as an Arrow stream, from the values of its columns, one below the other."""
    types = types_of(table)
    arrays = {name: _array(values, types[name]) for name, values in columns.items()}
    schema = nanoarrow.struct({name: array.schema for name, array in arrays.items()})
    n = len(next(iter(columns.values())))
    return nanoarrow.ArrayStream(nanoarrow.c_array_from_buffers(schema, n, [None], children=arrays.values()))


def _array(values: Sequence[Any], kind: str) -> Any:
    if kind.endswith(LIST):
        inner = kind.removesuffix(LIST)
        ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
        items = _array(list(chain.from_iterable(values)), inner)
        return nanoarrow.c_array_from_buffers(
            nanoarrow.list_(ARROW[inner]), len(values), [None, ends], children=[items]
        )
    if isinstance(values, np.ndarray) and kind in NUMBERS:
        return nanoarrow.c_array(np.ascontiguousarray(values, NUMBERS[kind]))
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    return nanoarrow.c_array(list(map(str, plain)) if kind == "DATE" else plain, ARROW[kind])
