"""The grid: exact sums at any order, chunking and merging; and what it knows agrees with the rows themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.calibration.bins.bins import Binned, bin_pairs
from howsure.calibration.bins.streamed.grid import CELLS, FLOOR, LOWER, UNIT, Grid, cells_of, first_of_cells
from howsure.calibration.bins.sums import Sums, sums_of_cells, sums_of_rows
from howsure.inputs.pairs import Floats, Labels, Pairs
from tests.calibration.samples import TIED, Source, language_pairs

EDGE_CASES = [*TIED, 2.0**-21, 2.0**-20, 2.0**-1074, 2.0**-1022, 2.0**-53, 0.5 - 2.0**-54, 0.5 + 2.0**-53, 1 - 2.0**-20]


def grid_of(q: Floats, y: Labels) -> Grid:
    grid = Grid.empty()
    grid.add(q, y)
    return grid


def assert_same(one: Grid, other: Grid) -> None:
    for column in ("count", "offset_high", "square_high", "offset_low", "square_low"):
        shift = column.endswith("high")
        if not shift:
            continue
        low = column.replace("high", "low")
        totals = [
            getattr(grid, column).astype(object) * 2**30 + getattr(grid, low).astype(object) for grid in (one, other)
        ]
        assert (totals[0] == totals[1]).all()
    assert (one.count == other.count).all()
    assert one.steep_log == other.steep_log
    for mine, others in zip(one.sums_of_r(), other.sums_of_r(), strict=True):
        np.testing.assert_array_equal(mine, others)


@given(st.lists(st.one_of(st.sampled_from(EDGE_CASES), st.floats(0, 1)), min_size=2, max_size=50))
def test_cells_rise_with_the_prediction(values: list[float]) -> None:
    q = np.sort(np.abs(values))
    cells = cells_of(q)
    assert (np.diff(cells) >= 0).all()
    assert cells.min() >= 0
    assert cells.max() < 2 * CELLS


@settings(max_examples=50)
@given(st.lists(st.one_of(st.sampled_from(EDGE_CASES), st.floats(0, 1)), min_size=1, max_size=4))
def test_a_cell_holds_its_predictions_to_a_hair(values: list[float]) -> None:
    """Half a step of the offset: 2⁻⁴⁸ of r + 2⁻²⁰; a little more for the rounding of that sum."""
    for value in np.abs(values):
        q = np.array([value])
        r = min(Fraction(float(value)), 1 - Fraction(float(value)))
        sums, squares = grid_of(q, np.zeros(1, dtype=np.uint8)).sums_of_r()
        found = float(sums.sum())
        assert abs(Fraction(found) - r) <= Fraction(1.05) * Fraction(2) ** -48 * (r + Fraction(FLOOR))
        assert squares.sum() == pytest.approx(found**2, rel=1e-12, abs=2.0**-60)


def test_the_lower_edges_are_those_of_the_cells() -> None:
    assert LOWER[0] == 0.0
    assert (np.diff(LOWER) > 0).all()
    assert (np.diff(LOWER) / (LOWER[:-1] + FLOOR) <= 2.0**-11).all()
    inner = LOWER[1:-1] + UNIT[1:-1]  # one step above an edge
    np.testing.assert_array_equal(cells_of(inner), np.arange(1, CELLS - 1))


def test_the_first_prediction_of_every_cell() -> None:
    first = first_of_cells()
    np.testing.assert_array_equal(cells_of(first[:-1]), np.arange(2 * CELLS))
    np.testing.assert_array_equal(cells_of(np.nextafter(first[1:], 0.0)), np.arange(2 * CELLS))


def test_order_chunks_and_merging_change_no_bit() -> None:
    rng = np.random.default_rng(20)
    y, q = language_pairs(50_000, rng)
    whole = grid_of(q, y)
    order = rng.permutation(len(q))
    assert_same(whole, grid_of(q[order], y[order]))
    merged = Grid.empty()
    for part in np.array_split(order, [1, 8, 9, 12_345, 40_000]):
        merged = merged + grid_of(q[part], y[part])
    assert_same(whole, merged)


@pytest.mark.parametrize("position", [0, 1_000, CELLS - 2])
def test_more_rows_of_one_value_than_a_float_can_sum(position: int) -> None:
    """The last offset of a cell, 2¹⁸ times in one chunk: the sum passes 2⁵³."""
    value = LOWER[position + 1] - UNIT[position]
    n = (1 << 18) + 3
    grid = grid_of(np.full(n, value), np.ones(n, dtype=np.uint8))
    single = grid_of(np.full(1, value), np.ones(1, dtype=np.uint8))
    for high, low in (("offset_high", "offset_low"), ("square_high", "square_low")):
        one, many = (
            sum(int(v) << 30 for v in getattr(held, high)) + sum(map(int, getattr(held, low)))
            for held in (single, grid)
        )
        assert one > 0
        assert many == n * one
    assert int(grid.count.sum()) == n


def compare(q: Floats, y: Labels, chunks: Sequence[int], **options: object) -> tuple[Binned, Binned]:
    """The same pairs over the grid and over the sort; every figure relative to the number of rows."""
    by_grid = bin_pairs(Source(y, q, chunks), **options)  # type: ignore[arg-type]
    by_sort = sorted_bins(q, y, **options)
    n = len(q)
    np.testing.assert_array_equal(by_grid.sums.count, by_sort.sums.count)
    if by_grid.bin_size is not None:
        np.testing.assert_array_equal(by_grid.upper[:-1], by_sort.upper[:-1])
    for name in ("y", "q", "qq", "qy", "u", "uu"):
        np.testing.assert_allclose(getattr(by_grid.sums, name), getattr(by_sort.sums, name), rtol=0, atol=1e-12 * n)
    for name in ("u3", "u4"):  # these only variances need
        np.testing.assert_allclose(getattr(by_grid.sums, name), getattr(by_sort.sums, name), rtol=0, atol=1e-10 * n)
    assert by_grid.infinite_rows == by_sort.infinite_rows
    assert by_grid.log_sum == pytest.approx(by_sort.log_sum, abs=1e-10 * n)
    return by_grid, by_sort


def sorted_bins(q: Floats, y: Labels, **options: object) -> Binned:
    """Weights of one make any number of rows go through the sort."""
    return bin_pairs(Pairs(y, q, np.ones(len(q))), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [
    {"bin_size": 1}, {"bin_size": 20}, {"bin_size": 1_000}, {"bin_size": "auto"}, {"bin_size": 200_000}, {"n_bins": 7},
    {"binning": "uniform"}, {"binning": "uniform", "n_bins": 1}, {"binning": "uniform", "n_bins": 997},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_grid_agrees_with_the_sort_on_language_like_pairs(options: dict[str, object], dtype: type) -> None:
    y, q = language_pairs(100_000, np.random.default_rng(21), dtype=dtype)
    compare(q.astype(np.float64), y, [30_001], **options)


@pytest.mark.parametrize("kind", ["few values", "tiny", "near one", "hundredths", "clumped", "dense", "dense and high"])
def test_the_grid_agrees_with_the_sort_on_odd_predictions(kind: str) -> None:
    rng = np.random.default_rng(22)
    n = 70_000
    q = {
        "few values": lambda: rng.choice(EDGE_CASES, n),
        "tiny": lambda: 10.0 ** rng.uniform(-320, 0, n),
        "near one": lambda: 1 - 10.0 ** rng.uniform(-16, 0, n),
        "hundredths": lambda: rng.integers(0, 101, n) / 100,
        "clumped": lambda: 0.3 + rng.integers(0, 50, n) * 2.0**-54,
        "dense": lambda: 0.3 + 0.002 * rng.random(n),
        "dense and high": lambda: 0.7 + 0.002 * rng.random(n),
    }[kind]()
    y = (rng.random(n) < np.where(rng.random(n) < 0.9, q, 0.5)).astype(np.uint8)
    for options in ({"bin_size": 100}, {"bin_size": 7_000}, {"binning": "uniform", "n_bins": 10}):
        compare(q, y, [1 << 19], **options)


def test_uniform_bins_with_edges_on_values() -> None:
    rng = np.random.default_rng(23)
    edges = np.linspace(0, 1, 11)
    q = rng.choice(np.concatenate([edges, np.nextafter(edges[1:-1], 0), np.nextafter(edges[1:-1], 1)]), 70_000)
    by_grid, _ = compare(q, (rng.random(70_000) < q).astype(np.uint8), [9_999], binning="uniform", n_bins=10)
    np.testing.assert_array_equal(by_grid.sums.count, np.histogram(-q, bins=-edges[::-1])[0][::-1])


def test_rows_and_cells_add_up_to_the_same_sums() -> None:
    y, q = language_pairs(3_000, np.random.default_rng(24))
    all_in_one = np.zeros(3_000, dtype=np.int64), 1
    of_rows = sums_of_rows(q, y).into(*all_in_one)
    cells = sums_of_cells(grid_of(q, y))
    of_cells = cells.into(np.zeros(len(cells), dtype=np.int64), 1)
    for column in fields(Sums):
        assert getattr(of_cells, column.name)[0] == pytest.approx(getattr(of_rows, column.name)[0], abs=1e-9), (
            column.name
        )


def test_the_histogram_counts_every_row_once() -> None:
    y, q = language_pairs(100_000, np.random.default_rng(25))
    q = np.where(rng_mask(len(q)), np.round(q * 64) / 64, q)  # many on the edges of bars
    by_grid, by_sort = bin_pairs(Source(y, q, [50_000])), sorted_bins(q, y)
    assert by_grid.histogram.sum() == by_sort.histogram.sum() == len(q)
    np.testing.assert_array_equal(by_grid.histogram.sum(axis=1), np.bincount(y))
    moved = np.abs(np.cumsum(by_grid.histogram - by_sort.histogram, axis=1)).max()
    near = np.abs((np.minimum(q, 1 - q) + FLOOR / 2) * 64 % 1 * 64) < FLOOR * 64 * 64
    assert moved <= np.count_nonzero(near)


def rng_mask(n: int) -> np.ndarray:
    return np.random.default_rng(26).random(n) < 0.3


def test_wrong_at_the_extremes_is_counted_one_by_one() -> None:
    values = np.array([0.0, 0.0, 5e-324, 1e-9, 1.0, 1 - 2.0**-53, 0.5])
    labels = np.array([1, 1, 1, 1, 0, 0, 1], dtype=np.uint8)
    repeated = 20_000
    binned = bin_pairs(Source(np.tile(labels, repeated), np.tile(values, repeated), [12_345]), bin_size=10)
    assert binned.infinite_rows == 3 * repeated
    exact = -math.log(5e-324) - math.log(1e-9) - math.log(2.0**-53) - math.log(0.5)
    assert binned.log_sum == pytest.approx(repeated * exact, rel=1e-12)
