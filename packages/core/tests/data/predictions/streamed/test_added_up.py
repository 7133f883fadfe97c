"""Pairs of files added up in one reading: the sums of the same pairs as arrays, to the last bit, whatever the file."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.data.files import opened, write
from tests.data.predictions.streamed.summing import slots_of_arrays

import howsure
from howsure.calibration.slots import Slots
from howsure.data.predictions.stream import AHEAD, CHUNK, process_in_turns
from howsure.errors import InputError

ROWS = 2 * CHUNK + 777


@pytest.fixture(scope="module")
def columns() -> dict[str, Any]:
    """Masses at both ends and at one half, tiny and rounded predictions, one number of float32, a negative zero."""
    random = np.random.default_rng(8)
    q = random.beta(0.3, 0.7, ROWS)
    kind = random.integers(0, 10, ROWS)
    for number, value in enumerate((0.0, 1.0, 0.5, 1e-300, np.float32(0.1), -0.0)):
        q[kind == number] = value
    q[kind == 6] = q[kind == 6].round(3)
    return {"q": q, "y": (random.random(ROWS) < q).astype(np.uint8), "w": random.integers(0, 3, ROWS) / 3}


@pytest.fixture(scope="module")
def parquet(columns: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Row groups of very different lengths."""
    path = tmp_path_factory.mktemp("pairs") / "x.parquet"
    table = pa.table(columns)
    with pa.parquet.ParquetWriter(path, table.schema) as writer:
        for start, stop, rows in ((0, 5000, 700), (5000, 200_000, 150_000), (200_000, ROWS, 30_000)):
            writer.write_table(table.slice(start, stop - start), row_group_size=rows)
    return path


def summed(path: Path, **options: Any) -> tuple[Slots, list[int]]:
    advances: list[int] = []
    with opened(path, y_true="y", prob="q", **options) as predictions:
        slots = predictions.source(advance=advances.append)
    assert isinstance(slots, Slots)
    return slots, advances


@pytest.mark.long
def test_the_sums_match_the_arrays_to_the_last_bit(parquet: Path, columns: dict[str, Any]) -> None:
    slots, advances = summed(parquet)
    assert slots == slots_of_arrays(columns["q"], columns["y"])
    assert advances == [CHUNK, CHUNK, 777]


def test_filtered_rows_and_those_with_missing_values(parquet: Path, columns: dict[str, Any]) -> None:
    slots, _ = summed(parquet, where="w > 0.5 and q < 0.999", exact_up_to=0)
    rows = (columns["w"] > 0.5) & (columns["q"] < 0.999)
    assert slots == slots_of_arrays(columns["q"][rows], columns["y"][rows])


@pytest.mark.long
def test_weights_need_no_memory_and_give_the_same_twice(parquet: Path, columns: dict[str, Any]) -> None:
    (slots, _), (again, _) = summed(parquet, sample_weight="w"), summed(parquet, sample_weight="w")
    assert slots == again
    expected = slots_of_arrays(columns["q"], columns["y"], columns["w"])
    assert slots.weightless == expected.weightless == (columns["w"] == 0).sum()
    np.testing.assert_array_equal(slots.slot, expected.slot)
    np.testing.assert_array_equal(slots.count, expected.count)
    assert slots.weights is not None
    assert expected.weights is not None
    np.testing.assert_allclose(slots.weights, expected.weights, rtol=1e-10)  # sums of 10⁵ rounded numbers


@pytest.mark.parametrize("suffix", [".csv", ".jsonl.gz", ".npz"])
def test_few_rows_of_any_format(suffix: str, tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    q, y = random.random(500).tolist(), random.integers(0, 2, 500).tolist()
    slots, _ = summed(write(tmp_path / f"x{suffix}", {"q": q, "y": y}), exact_up_to=0)
    assert slots == slots_of_arrays(np.array(q), np.array(y, dtype=np.uint8))


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("q", 1.25, r"q must be between 0 and 1; row 524,300 of .*x\.npz \(counted from 1\) is 1\.25"),
        pytest.param(
            "q",
            np.nan,
            r"q must not be missing; row 524,300 of .*x\.npz \(counted from 1\) is empty",
            marks=pytest.mark.long,
        ),
        ("w", -1.0, r"w must be finite and not negative; row 524,300 of .*x\.npz .* is -1"),
        pytest.param(
            "w", np.inf, r"w must be finite and not negative; row 524,300 of .*x\.npz .* is inf", marks=pytest.mark.long
        ),
        ("y", 2.0, r"y must have two different values; it contains "),
    ],
)
def test_a_bad_value_far_down_is_named(column: str, value: float, message: str, tmp_path: Path) -> None:
    rows = 524_305
    columns = {"q": np.full(rows, 0.5), "y": np.arange(rows) % 2.0, "w": np.ones(rows)}
    columns[column][524_299] = value
    np.savez(tmp_path / "x.npz", **columns)
    with (
        pytest.raises(InputError, match=message),
        howsure.read(tmp_path / "x.npz").predictions("y", "q", sample_weight="w") as predictions,
    ):
        predictions.source()


# Work by several threads: results in order, an error in its place, and no more read ahead than is worked on.


def squared(handled: list[int], item: int) -> int:
    handled.append(item)
    if item == 13:
        raise ValueError("thirteen")
    return item * item


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("items", [0, 1, 12])
def test_results_are_in_order_and_each_worker_gets_every_kth_item(items: int, workers: int) -> None:
    handled: list[list[int]] = [[] for _ in range(workers)]
    assert list(process_in_turns(range(items), [partial(squared, items_of_worker) for items_of_worker in handled])) == [
        i * i for i in range(items)
    ]
    assert handled == [list(range(first, items, workers)) for first in range(workers)]


def test_an_error_takes_the_place_of_its_result_and_ends_the_work() -> None:
    handled: list[int] = []
    results = process_in_turns(range(1000), [partial(squared, handled)] * 2)
    assert list(islice(results, 13)) == [i * i for i in range(13)]
    with pytest.raises(ValueError, match="thirteen"):
        next(results)
    assert len(handled) < 13 + 2 * (AHEAD + 1) * 2


def test_no_more_is_read_ahead_than_can_soon_be_worked_on() -> None:
    consumed: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1000):
            consumed.append(item)
            yield item

    results = process_in_turns(items(), [partial(squared, [])] * 2)
    next(results)
    assert len(consumed) <= 2 * AHEAD + 2
    before = threading.active_count()
    results.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before - 2
