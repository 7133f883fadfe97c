"""Columns as Arrow arrays: what DuckDB reads is what was given, whatever holds it."""

from __future__ import annotations

import datetime
from typing import Any

import duckdb
import numpy as np
import pytest

from howsure.events.store.tables import TABLES, arrow_table, types_of

VALUES: dict[str, list[Any]] = {
    "BIGINT": [2**40, 0, -1],
    "INTEGER": [7, 0, -1],
    "DOUBLE": [0.5, 0.0, 1.0],
    "BOOLEAN": [True, False, True],
    "VARCHAR": ["a", "ü", ""],
    "DATE": [datetime.date(1987, 1, 31), datetime.date(2025, 12, 1), datetime.date(1, 1, 1)],
    "TIMESTAMP": [datetime.datetime(2026, 1, 31, 7, 5, 0, 25), datetime.datetime(1, 1, 1), datetime.datetime.max],
    "BLOB": [b"\x00\xff", b"", b"x"],
}
VALUES |= {f"{kind}[]": [values, [], values[:1]] for kind, values in VALUES.items()}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("as_array", [False, True])
def test_what_is_read_is_what_was_given(table: str, as_array: bool) -> None:
    types = types_of(table)
    given = {name: VALUES[kind] for name, kind in types.items()}
    columns: dict[str, Any] = dict(given)
    if as_array:  # a column of a matrix, whose values do not lie side by side
        for name in given:
            if types[name] in ("BIGINT", "INTEGER", "DOUBLE", "BOOLEAN"):
                columns[name] = np.column_stack([given[name], given[name]])[:, 0]
    connection = duckdb.connect()
    connection.register("added", arrow_table(table, columns))
    listed = ", ".join(f"{name}::{kind}" for name, kind in types.items())
    assert connection.execute(f"SELECT {listed} FROM added").fetchall() == list(zip(*given.values(), strict=True))
