"""Any library's frame in, and a frame of an installed library out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import dask.dataframe
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from howsure.errors import InputError
from howsure.inputs.frames import all_columns, columns_from, is_frame, is_lazy, to_frame

DATA: dict[str, list[Any]] = {"y": [1, 0, 1], "q": [0.5, 0.25, 1.0], "tag": ["N", "V", "N"]}
SQL = "SELECT * FROM (VALUES (1, 0.5::DOUBLE, 'N'), (0, 0.25, 'V'), (1, 1.0, 'N')) AS t(y, q, tag)"
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(DATA),
    "polars": lambda: pl.DataFrame(DATA),
    "lazy polars": lambda: pl.LazyFrame(DATA),
    "pyarrow": lambda: pa.table(DATA),
    "duckdb": lambda: duckdb.connect().sql(SQL),
    "dask": lambda: dask.dataframe.from_pandas(pd.DataFrame(DATA), npartitions=2),
}
LAZY = {"lazy polars", "duckdb", "dask"}


@pytest.mark.parametrize("library", FRAMES)
def test_columns_of_every_frame(library: str) -> None:
    frame = FRAMES[library]()
    assert is_frame(frame)
    assert is_lazy(frame) is (library in LAZY)
    tag, y, q, again = columns_from(frame, ["tag", "y", "q", "y"])
    assert tag.tolist() == DATA["tag"]
    assert y.tolist() == again.tolist() == DATA["y"]
    assert q.tolist() == DATA["q"]
    with pytest.raises(InputError, match=r"no column 'tags' in the data frame; it has y, q, tag\. Did you mean tag\?"):
        columns_from(frame, ["tags"])


@pytest.mark.parametrize("library", FRAMES)
def test_all_columns_of_every_frame(library: str) -> None:
    names, columns = all_columns(FRAMES[library]())
    assert names == tuple(DATA)
    assert [column.tolist() for column in columns] == list(DATA.values())


def test_names_that_are_numbers_are_found_as_text() -> None:
    frame = pd.DataFrame([[0.1, 0.9], [0.2, 0.8]])
    assert [column.tolist() for column in columns_from(frame, ["1", "0"])] == [[0.9, 0.8], [0.1, 0.2]]


@pytest.mark.parametrize(
    "value", [None, [1], (1,), "a", {"a": 1}, np.ones(2), pd.Series([1]), pl.Series([1]), object()]
)
def test_what_is_no_frame(value: object) -> None:
    assert not is_frame(value)


@pytest.mark.parametrize(
    ("backend", "expected"),
    [(None, pd.DataFrame), ("pandas", pd.DataFrame), ("polars", pl.DataFrame), ("pyarrow", pa.Table)],
)
def test_a_frame_of_a_library(backend: str | None, expected: type) -> None:
    frame = to_frame({"n": np.arange(2), "group": ("a", "b"), "error": [0.5, None]}, backend)
    assert isinstance(frame, expected)
    n, group = columns_from(frame, ["n", "group"])
    assert (n.tolist(), group.tolist()) == ([0, 1], ["a", "b"])


PROGRAM = """
import sys
from howsure.errors import MissingExtraError
import howsure.inputs.frames as frames
import howsure.inputs.checks

assert not {"narwhals", "pandas", "polars", "pyarrow"} & set(sys.modules)

for name in ("pandas", "polars", "pyarrow"):
    sys.modules[name] = None
try:
    frames.to_frame({"n": [1]}, sys.argv[1] or None)
except MissingExtraError as error:
    print(error)
"""


@pytest.mark.parametrize("backend", ["", "pandas", "polars"])
def test_without_any_library_the_message_says_what_to_install(backend: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, backend], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert 'pip install "howsure[pandas]"' in done.stdout


def test_days_of_duckdb_are_days() -> None:
    """So that groups by day have the names that other engines give them."""
    (day,) = columns_from(duckdb.sql("SELECT DATE '2020-03-01' AS day UNION ALL SELECT NULL"), ["day"])
    assert str(day[0]) == "2020-03-01"
    assert np.ma.getmaskarray(day).tolist() == [False, True]
