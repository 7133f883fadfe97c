"""Rows that miss a value: counted under their first missing column and left out, never in silence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from tests.data.opened import opened
from tests.data.writers import write

NONE = None


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_row_counts_under_the_first_column_that_it_misses(suffix: str, tmp_path: Path) -> None:
    columns = {
        "y": [1, NONE, NONE, 0, 1, 0],
        "q": [0.1, 0.2, NONE, NONE, 0.5, 0.6],
        "g": ["a", "b", "a", NONE, NONE, "b"],
        "w": [1.5, 1.0, 1.0, 1.0, 1.0, 2.5],
    }
    path = write(tmp_path / f"x{suffix}", columns)
    with howsure.read(path, skip_missing=True).predictions("y", "q", groups="g", sample_weight="w") as predictions:
        pairs = predictions.pairs()
        assert predictions.skipped == {"y": 2, "q": 1, "g": 1}
        assert predictions.n == len(pairs) == 2
        assert predictions.describe()["skipped"] == {"y": 2, "q": 1, "g": 1}
    assert pairs.probabilities.tolist() == [0.1, 0.6]
    assert pairs.labels.tolist() == [1, 0]
    weights = pairs.weights
    assert weights is not None
    assert weights.tolist() == [1.5, 2.5]


def test_values_that_count_as_missing(tmp_path: Path) -> None:
    columns = {
        "y": ["right", "wrong", "refused", "-", "right"],
        "q": [0.1, 0.2, 0.3, 0.4, -1.0],
        "g": ["a", "b", "a", "b", "-"],
    }
    path = write(tmp_path / "x.csv", columns)
    with howsure.read(path, skip_missing=True, missing_values=["refused", "-", "-1"]).predictions(
        "y", "q", pos_label="right", groups="g"
    ) as predictions:
        assert predictions.skipped == {"y": 2, "g": 1}
        assert predictions.group_sizes == {"a": 1, "b": 1}
        assert predictions.pairs().labels.tolist() == [1, 0]
        assert predictions.describe()["missing_values"] == ["refused", "-", "-1"]


def test_numbers_that_count_as_missing_are_compared_by_value(tmp_path: Path) -> None:
    large = 2**53
    columns = {"y": [1, 0, -9], "q": [0.5, -1.0, 0.5], "doc": [large + 1, large, large]}
    path = write(tmp_path / "x.parquet", columns)
    options = {"skip_missing": True, "missing_values": ["-1", "-9", str(large)]}
    with opened(path, label="y", prob="q", cluster="doc", **options) as predictions:
        assert predictions.skipped == {"y": 1, "q": 1}
        assert predictions.pairs().probabilities.tolist() == [0.5]


def test_nan_in_parquet_whose_statistics_do_not_know_it(tmp_path: Path) -> None:
    table = pa.table({"q": [0.5, 0.25, float("nan"), 0.5], "y": [1, 0, 1, 1]})
    pa.parquet.write_table(table, tmp_path / "x.parquet")
    with howsure.read(tmp_path / "x.parquet", skip_missing=True).predictions("y", "q") as predictions:
        assert predictions.skipped == {"q": 1}
        assert predictions.pairs().probabilities.tolist() == [0.5, 0.25, 0.5]


@settings(max_examples=8)
@given(
    rows=st.lists(
        st.tuples(st.none() | st.just(float("nan")) | st.floats(0, 1), st.none() | st.integers(0, 1)),
        min_size=1,
        max_size=20,
    ),
    suffix=st.sampled_from((".csv", ".jsonl", ".parquet")),
    limit=st.sampled_from((0, 10**6)),
)
def test_used_and_skipped_rows_add_up(
    rows: list[tuple[float | None, int | None]], suffix: str, limit: int, tmp_path: Path
) -> None:
    rows = [*rows, (0.5, 1)]
    path = write(tmp_path / f"x{suffix}", {"q": [q for q, _ in rows], "y": [y for _, y in rows]})
    expected = [(q, y) for q, y in rows if y is not None and q is not None and not np.isnan(q)]
    with howsure.read(path, skip_missing=True).predictions("y", "q", exact_up_to=limit) as predictions:
        pairs = predictions.pairs()
        assert list(zip(pairs.probabilities.tolist(), pairs.labels.tolist(), strict=True)) == expected
        assert len(predictions.source()) == len(expected)
        assert predictions.n + sum(predictions.skipped.values()) == len(rows)
