"""Groups, clusters, streams: the same pairs from memory and from the files, as often as asked."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from howsure.data import Predictions, open_predictions
from howsure.errors import InputError
from howsure.inputs.pairs import CHUNK_ROWS, PairSource
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


def everything(source: PairSource) -> tuple[list[float], list[int]]:
    parts = list(source.chunks())
    return [q for part, _ in parts for q in part.tolist()], [y for _, part in parts for y in part.tolist()]


@pytest.fixture(params=[(0, ".parquet"), (0, ".csv"), (10**6, ".parquet"), (10**6, ".jsonl")], ids=str)
def predictions(request: pytest.FixtureRequest, tmp_path: Path) -> Predictions:
    limit, suffix = request.param
    path = write(tmp_path / f"x{suffix}", columns_of(2000))
    return open_predictions([path], label="y", prob="q", group="tag", cluster="year", in_memory_rows=limit)


def test_all_pairs_as_often_as_asked(predictions: Predictions) -> None:
    columns = columns_of(2000)
    source = predictions.source()
    assert everything(source) == (columns["q"], columns["y"])
    assert everything(source) == (columns["q"], columns["y"])
    pairs = predictions.pairs()
    assert (pairs.probabilities.tolist(), pairs.labels.tolist()) == (columns["q"], columns["y"])


def test_two_streams_side_by_side(predictions: Predictions) -> None:
    one, other = predictions.source().chunks(), predictions.source("m2").chunks()
    first, second = next(one), next(other)
    assert len(first[0]) == 2000
    assert len(second[0]) == predictions.group_sizes["m2"]


def test_groups_in_natural_order_with_their_sizes(predictions: Predictions) -> None:
    counts = Counter(columns_of(2000)["tag"])
    assert predictions.group_names == ("it's", "m1", "m2", "m10", "ü b")
    assert predictions.group_sizes == counts


def test_the_pairs_of_every_group(predictions: Predictions) -> None:
    columns = columns_of(2000)
    for name in predictions.group_names:
        rows = [row for row, tag in enumerate(columns["tag"]) if tag == name]
        assert everything(predictions.source(name)) == (
            [columns["q"][row] for row in rows],
            [columns["y"][row] for row in rows],
        )


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
    with open_predictions([path], label="y", prob="q", group="year", in_memory_rows=0) as predictions:
        assert predictions.group_names == ("1998", "1999", "2000", "2001", "2002")
        years = columns_of(100)["year"]
        assert len(everything(predictions.source("2001"))[0]) == years.count(2001)


def test_streamed_groups_of_several_chunks_keep_their_order(tmp_path: Path) -> None:
    rows = 3 * CHUNK_ROWS + 17
    random = np.random.default_rng(8)
    group = np.where(np.arange(rows) < CHUNK_ROWS, 0, random.choice([0, 7, 500], rows, p=[0.9, 0.099, 0.001]))
    columns = {"q": random.random(rows), "y": random.integers(0, 2, rows), "g": group}
    np.savez(tmp_path / "x.npz", **columns)
    with open_predictions([tmp_path / "x.npz"], label="y", prob="q", group="g", in_memory_rows=0) as predictions:
        for name in ("500", "0", "7", "0"):
            held = list(predictions.source(name).chunks())
            assert [len(q) for q, _ in held[:-1]] == [CHUNK_ROWS] * ((group == int(name)).sum() // CHUNK_ROWS)
            for position, key in enumerate("qy"):
                found = np.concatenate([chunk[position] for chunk in held])
                np.testing.assert_array_equal(found, columns[key][group == int(name)])


def test_a_streamed_group_outlives_its_predictions(tmp_path: Path) -> None:
    path, spool = write(tmp_path / "x.parquet", columns_of(1000)), tmp_path / "spool"
    spool.mkdir()
    source = open_predictions([path], label="y", prob="q", group="tag", in_memory_rows=0, spool=spool).source("m1")
    gc.collect()
    assert len(everything(source)[0]) == columns_of(1000)["tag"].count("m1")
    del source
    gc.collect()
    assert list(spool.iterdir()) == []


def test_a_bad_row_among_streamed_groups_is_named(tmp_path: Path) -> None:
    columns = columns_of(1000)
    columns["q"][700] = float("inf")
    path = write(tmp_path / "x.parquet", columns)
    with open_predictions([path], label="y", prob="q", group="tag", in_memory_rows=0) as predictions:
        for name in predictions.group_names[:2]:
            with pytest.raises(InputError, match=r"row 701 of .*x\.parquet"):
                predictions.source(name)


def test_chunks_are_long_and_their_arrays_last(tmp_path: Path) -> None:
    rows = CHUNK_ROWS + 1000
    columns = {"q": (np.arange(rows) / rows), "y": np.arange(rows) % 2}
    np.savez(tmp_path / "x.npz", **columns)
    with open_predictions([tmp_path / "x.npz"], label="y", prob="q", in_memory_rows=0) as predictions:
        held = list(predictions.source().chunks())
    gc.collect()
    assert [len(q) for q, _ in held] == [CHUNK_ROWS, 1000]
    np.testing.assert_array_equal(np.concatenate([q for q, _ in held]), columns["q"])
    np.testing.assert_array_equal(np.concatenate([y for _, y in held]), columns["y"])


def test_an_abandoned_stream_and_an_early_end(tmp_path: Path) -> None:
    path = write(tmp_path / "x.parquet", columns_of(1000))
    predictions = open_predictions([path], label="y", prob="q", in_memory_rows=0)
    stream = predictions.source().chunks()
    next(stream)
    del stream
    source = predictions.source()
    del predictions
    gc.collect()
    assert len(everything(source)[0]) == 1000


def test_a_bad_row_far_down_a_stream(tmp_path: Path) -> None:
    columns = {"q": np.full(600_000, 0.5), "y": np.ones(600_000)}
    columns["q"][599_998] = 1.25
    np.savez(tmp_path / "x.npz", **columns)
    with open_predictions([tmp_path / "x.npz"], label="y", prob="q", in_memory_rows=0) as predictions:
        chunks = predictions.source().chunks()
        next(chunks)
        with pytest.raises(InputError, match=r"row 599,999 of .*x\.npz \(counted from 1\) holds 1\.25"):
            next(chunks)


@pytest.mark.parametrize("skip", [False, True])
def test_columns_that_are_loaded_one_by_one_stay_in_step(skip: bool, tmp_path: Path) -> None:
    rows = 60_000
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
        pa.parquet.write_table(table, tmp_path / f"{part}.parquet", row_group_size=700)
    columns = {"weight": "w", "group": "g", "cluster": "c", "across_files": "same"}
    with open_predictions([tmp_path / "*.parquet"], label="y", prob="q", skip_missing=skip, **columns) as predictions:
        pairs = predictions.pairs()
    assert len(pairs) == predictions.n == 3 * (rows - len(range(3, rows, 7)) * skip)
    assert pairs.groups is not None
    assert pairs.clusters is not None
    np.testing.assert_array_equal(pairs.weights, pairs.probabilities)
    np.testing.assert_array_equal(pairs.labels, pairs.probabilities > 0.5)
    np.testing.assert_array_equal(pairs.groups, np.floor(pairs.probabilities * 10))
    np.testing.assert_array_equal(pairs.clusters, np.tile(np.arange(len(pairs) // 3), 3))
    with open_predictions(
        [tmp_path / "0.parquet"], label="y", probs=["r", "w"], reduce="w", cluster="c"
    ) as predictions:
        pairs = predictions.pairs()
    np.testing.assert_array_equal(pairs.probabilities, values)
    np.testing.assert_array_equal(pairs.labels, values > 0.5)
