"""Groups, clusters, streams: the same pairs from memory and from the files, as often as asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import howsure
from howsure.calibration.slots import Slots, slots_of
from howsure.data import Predictions
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs
from tests.data.opened import opened
from tests.data.writers import Columns, write

GROUPS = ["m2", "m10", "m1", "it's", "ü b"]


def columns_of(rows: int, seed: int = 5) -> Columns:
    random = np.random.default_rng(seed)
    return {
        "q": random.random(rows).tolist(),
        "y": random.integers(0, 2, rows).tolist(),
        "tag": random.choice(GROUPS, rows).tolist(),
        "year": random.integers(1998, 2003, rows).tolist(),
    }


def rows_of(columns: Columns, wanted: list[bool] | None = None) -> Slots:
    """The sums of some rows."""
    rows = np.array(wanted or [True] * len(columns["q"]))
    return slots_of(Pairs(np.array(columns["y"], dtype=np.uint8)[rows], np.array(columns["q"])[rows]))


def summed(source: Pairs | Slots) -> Slots:
    """The sums of pairs, or of what stands for them."""
    return source if isinstance(source, Slots) else slots_of(Pairs(source.labels, source.probabilities))


@pytest.fixture(params=[(0, ".parquet"), (0, ".csv"), (10**6, ".parquet"), (10**6, ".jsonl")], ids=str)
def predictions(request: pytest.FixtureRequest, tmp_path: Path) -> Predictions:
    limit, suffix = request.param
    path = write(tmp_path / f"x{suffix}", columns_of(2000))
    return howsure.read(path).predictions("y", "q", groups="tag", clusters="year", exact_up_to=limit)


def test_all_pairs_as_often_as_asked(predictions: Predictions) -> None:
    columns = columns_of(2000)
    for _ in range(2):
        source = predictions.source()
        assert isinstance(source, Slots) == (predictions.stream is not None)
        assert summed(source) == rows_of(columns)
    pairs = predictions.pairs()
    assert (pairs.probabilities.tolist(), pairs.labels.tolist()) == (columns["q"], columns["y"])


def test_groups_in_natural_order_with_their_sizes(predictions: Predictions) -> None:
    counts = Counter(columns_of(2000)["tag"])
    assert predictions.group_names == ("it's", "m1", "m2", "m10", "ü b")
    assert predictions.group_sizes == counts


def test_the_pairs_of_every_group(predictions: Predictions) -> None:
    columns = columns_of(2000)
    for name in predictions.group_names:
        assert summed(predictions.source(name)) == rows_of(columns, [tag == name for tag in columns["tag"]])


def test_group_and_cluster_codes_in_memory(predictions: Predictions) -> None:
    columns, pairs = columns_of(2000), predictions.pairs()
    assert pairs.groups is not None
    assert pairs.clusters is not None
    assert [pairs.group_names[code] for code in pairs.groups] == columns["tag"]
    assert len(set(zip(pairs.clusters.tolist(), columns["year"], strict=True))) == len(set(columns["year"]))


def test_a_group_that_does_not_exist(predictions: Predictions) -> None:
    with pytest.raises(InputError, match=r"no group 'm3' in .*; it has it's, m1, m2, m10, ü b\. Did you mean m"):
        predictions.source("m3")


def test_groups_that_are_numbers(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", columns_of(100))
    with howsure.read(path).predictions("y", "q", groups="year", exact_up_to=0) as predictions:
        assert predictions.group_names == ("1998", "1999", "2000", "2001", "2002")
        years = columns_of(100)["year"]
        assert len(predictions.source("2001")) == years.count(2001)


@pytest.mark.parametrize("skip", [False, True])
def test_columns_that_are_loaded_one_by_one_stay_in_step(skip: bool, tmp_path: Path) -> None:
    rows = 20_000
    values = np.random.default_rng(2).random(rows)
    table = pa.table(
        {
            "q": pa.array(values, mask=np.arange(rows) % 7 == 3 if skip else None),
            "y": (values > 0.5).astype(int),
            "w": values,
            "g": [f"tenth {value}" for value in np.floor(values * 10).astype(int)],
            "c": np.arange(rows),
            "r": 1 - values,
        }
    )
    for part in range(3):
        pa.parquet.write_table(table, tmp_path / f"{part}.parquet", row_group_size=300)
    columns = {"weight": "w", "group": "g", "cluster": "c", "across_files": "same"}
    with opened(tmp_path / "*.parquet", label="y", prob="q", skip_missing=skip, **columns) as predictions:
        pairs = predictions.pairs()
    assert len(pairs) == predictions.n == 3 * (rows - len(range(3, rows, 7)) * skip)
    assert pairs.groups is not None
    assert pairs.clusters is not None
    np.testing.assert_array_equal(pairs.weights, pairs.probabilities)
    np.testing.assert_array_equal(pairs.labels, pairs.probabilities > 0.5)
    np.testing.assert_array_equal(pairs.groups, np.floor(pairs.probabilities * 10))
    np.testing.assert_array_equal(pairs.clusters, np.tile(np.arange(len(pairs) // 3), 3))
    with howsure.read(tmp_path / "0.parquet").predictions(
        "y", howsure.Given("probs", ["r", "w"], reduce="w"), clusters="c"
    ) as predictions:
        pairs = predictions.pairs()
    np.testing.assert_array_equal(pairs.probabilities, values)
    np.testing.assert_array_equal(pairs.labels, values > 0.5)
