"""Any library's frame in, and a frame of an installed library out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dask.dataframe
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import howsure
from howsure import Pairs
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
def test_other_objects_are_not_frames(value: object) -> None:
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


# Pairs as they are handed in: in place of arrays, along with what they lack, and never anything twice.


RNG = np.random.default_rng(8)
PLAIN = howsure.simulate_pairs(400, 0.5, 0.5, transform=0.2, rng=8)
CODES = np.arange(400) // 8
FULL = replace(
    PLAIN, weights=RNG.random(400) + 0.5, groups=np.arange(400) % 2, group_names=("NN", "VB"), clusters=CODES
)
Y, Q, W = FULL.labels, FULL.probabilities, FULL.weights
Function = Callable[..., Any]


@pytest.mark.parametrize(
    ("function", "options", "weighted"),
    [
        (howsure.calibration_curve, {}, {"clusters": CODES}),
        (howsure.calibration_error, {}, {"clusters": CODES}),
        (howsure.calibration_error, {"estimator": "plugin", "interval": "bootstrap", "rng": 1}, {"clusters": CODES}),
        (howsure.calibration_test, {"rng": 1}, {"clusters": CODES}),
        (howsure.calibration_test, {"method": "cox", "rng": 1}, {"clusters": CODES}),
        (howsure.calibration_table, {}, {"clusters": CODES, "groups": FULL.groups}),
        (howsure.decompose_score, {"score": "log"}, {}),
    ],
)
def test_pairs_are_what_their_arrays_are(function: Function, options: dict[str, Any], weighted: dict[str, Any]) -> None:
    if function is not howsure.calibration_table:
        assert str(function(PLAIN, **options)) == str(function(Y, Q, **options))
    else:
        weighted = {**weighted, "groups": np.array(FULL.group_names)[weighted["groups"]]}
    from_pairs, from_arrays = function(FULL, **options), function(Y, Q, sample_weight=W, **weighted, **options)
    assert _numbers(from_pairs) == _numbers(from_arrays)
    without = {name: column for name, column in weighted.items() if name == "groups"}
    assert _numbers(from_pairs) != _numbers(function(Y, Q, **without, **options))  # weights and clusters count


def _numbers(result: Any) -> str:
    return "\n".join(line for line in str(result).splitlines() if "evaluated together" not in line).split(", recipe")[0]


def test_two_pairs_are_compared() -> None:
    other = replace(FULL, probabilities=Q**1.3)
    from_pairs = howsure.compare_calibration(FULL, against=other)
    assert str(from_pairs) == str(howsure.compare_calibration(Y, Q, against=Q**1.3, sample_weight=W, clusters=CODES))
    own_labels = replace(other, labels=1 - Y)
    comparison = howsure.compare_calibration(
        Y, Q, against=Q**1.3, y_true_against=1 - Y, sample_weight=W, clusters=CODES
    )
    assert str(howsure.compare_calibration(FULL, against=own_labels)) == str(comparison)


def test_what_pairs_lack_may_be_given_along_with_them() -> None:
    error = howsure.calibration_error(PLAIN, sample_weight=W, clusters=CODES)
    assert error == howsure.calibration_error(Y, Q, sample_weight=W, clusters=CODES)
    table = howsure.calibration_table(PLAIN, groups=np.array(["a", "b"])[np.arange(400) % 2])
    assert [row.name for row in table] == ["a", "b"]


def test_groups_judged_together_are_named() -> None:
    assert "2 groups are evaluated together; calibration_table evaluates each" in howsure.calibration_curve(FULL).notes
    assert "evaluated together" in howsure.calibration_test(FULL, rng=0).recipe["note"]
    assert not any("together" in note for note in howsure.calibration_curve(PLAIN).notes)


# Pairs in memory: a choice of rows.


def test_some_rows_keep_weights_and_clusters() -> None:
    pairs = Pairs(
        np.array([0, 1, 1], dtype=np.uint8),
        np.array([0.1, 0.5, 0.9]),
        np.array([1.0, 2.0, 3.0]),
        groups=np.array([0, 0, 1]),
        group_names=("a", "b"),
        clusters=np.array([4, 4, 5]),
    )
    for rows in (np.array([True, True, False]), np.array([0, 1])):
        some = pairs.select(rows)
        assert len(some) == 2
        assert some.labels.tolist() == [0, 1]
        assert some.probabilities.tolist() == [0.1, 0.5]
        assert some.weights.tolist() == [1.0, 2.0]
        assert some.clusters.tolist() == [4, 4]
        assert some.groups is None
    assert pairs.select(np.array([1, 2])).clusters is None  # every row is one by itself
    bare = Pairs(pairs.labels, pairs.probabilities).select(np.array([1]))
    assert (bare.weights, bare.clusters) == (None, None)
