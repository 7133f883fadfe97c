"""Bins of pairs: not a bit depends on the order of the rows or on how they come in chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.calibration import reference
from tests.calibration.samples import TIED, Small, language_pairs, pairs_of, small_pairs

from howsure.calibration.bins import (
    HISTOGRAM_BARS,
    Binned,
    Sums,
    automatic_bin_size,
    bin_pairs,
    boundaries,
    boundaries_of_sorted,
    sums_of_rows,
    width_edges,
)
from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.curve import binned_curve, calibration_curve
from howsure.calibration.slots import EXACT_UP_TO, assign_cells, sum_by_slot
from howsure.inputs.pairs import Floats, Labels, Pairs

SHUFFLES = 100


def bits(binned: Binned) -> list[bytes]:
    """Every number of the bins, to the last bit."""
    columns = [getattr(binned.sums, column.name) for column in fields(binned.sums)]
    scalars = np.array([binned.log_sum, binned.infinite_rows, binned.bin_size or 0])
    return [column.tobytes() for column in (*columns, binned.upper, binned.histogram, scalars)]


def figures(curve: Any) -> str:
    """All that a curve says, every float to the last bit."""
    content = curve.to_dict() | {"base_rate": curve.base_rate, "recipe": None}
    arrays = [getattr(curve.bins, column.name).tobytes() for column in fields(curve.bins)]
    return repr(content) + repr(arrays) + repr(curve.histogram.tobytes())


def shuffled(seed: int, n: int) -> np.ndarray:
    return np.random.default_rng([27, seed]).permutation(n)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("way", ["sort", "cells"])
def test_shuffles_change_no_bit(way: str, dtype: type) -> None:
    n = 3_000
    y, q = language_pairs(n, np.random.default_rng(28), dtype=dtype)
    q = q.astype(np.float64)

    def binned(order: np.ndarray) -> list[bytes]:
        pairs = Pairs(y[order], q[order])
        return bits(bin_pairs(pairs if way == "sort" else sum_by_slot(pairs), bin_size=200))

    assert {*map(tuple, map(binned, (shuffled(seed, n) for seed in range(SHUFFLES))))} == {tuple(binned(np.arange(n)))}


SETTINGS: dict[str, dict[str, Any]] = {
    "auto": {},
    "many bins": {"bin_size": 3},
    "one bin": {"n_bins": 1},
    "uniform": {"binning": "uniform", "n_bins": 20},
}


@pytest.mark.parametrize(
    ("n", "setting", "dtype"),
    [(2_000, setting, dtype) for setting in SETTINGS for dtype in (np.float32, np.float64)]
    + [(EXACT_UP_TO + 2_000, setting, np.float64) for setting in SETTINGS if setting != "many bins"]
    + [pytest.param(EXACT_UP_TO + 2_000, "many bins", np.float64, marks=pytest.mark.slow)]
    + [(EXACT_UP_TO + 2_000, "auto", np.float32)],
)
def test_shuffles_change_no_bit_of_a_curve(n: int, setting: str, dtype: type) -> None:
    options = SETTINGS[setting]
    y, q = language_pairs(n, np.random.default_rng(29), dtype=dtype)
    whole = figures(calibration_curve(y, q, **options))
    for seed in range(3 if n < EXACT_UP_TO else 1):
        order = shuffled(seed, n)
        assert figures(calibration_curve(y[order], q[order], **options)) == whole


@pytest.mark.parametrize("interval", ["debiased", "nguyen-oconnor"])
def test_shuffles_change_no_bit_with_weights(interval: str) -> None:
    rng = np.random.default_rng(31)
    y, q = language_pairs(2_000, rng)
    w = rng.exponential(size=2_000).round(1)
    whole = figures(calibration_curve(y, q, sample_weight=w, interval=interval, rng=0))
    for seed in range(8):
        order = shuffled(seed, 2_000)
        again = calibration_curve(y[order], q[order], sample_weight=w[order], interval=interval, rng=0)
        assert figures(again) == whole


def as_text(codes: np.ndarray) -> list[str]:
    return [f"sentence {code}" for code in codes]


@pytest.mark.parametrize("named", [np.asarray, as_text], ids=["numbers", "texts"])
@pytest.mark.parametrize(("n", "size"), [(2_000, 10), (2_000, 400), (EXACT_UP_TO + 2_000, 50)])
def test_shuffles_change_no_bit_with_clusters(n: int, size: int, named: Callable[[np.ndarray], Any]) -> None:
    y, q = language_pairs(n, np.random.default_rng(32))
    clusters = np.arange(n) // size
    whole = figures(calibration_curve(y, q, clusters=named(clusters)))
    for seed in range(3 if n < EXACT_UP_TO else 1):
        order = shuffled(seed, n)
        assert figures(calibration_curve(y[order], q[order], clusters=named(clusters[order]))) == whole


@pytest.mark.parametrize("clustered", [False, True])
def test_shuffles_change_no_bit_of_a_bootstrap(clustered: bool) -> None:
    y, q = language_pairs(500, np.random.default_rng(33))
    clusters = np.arange(500) // 5

    def estimate(order: np.ndarray) -> Any:
        shuffled_clusters = clusters[order] if clustered else None
        return calibration_error(
            y[order], q[order], clusters=shuffled_clusters, estimator="plugin", interval="bootstrap", bin_size=50, rng=0
        )

    whole = estimate(np.arange(500))
    assert all(estimate(shuffled(seed, 500)) == whole for seed in range(3))


@given(small_pairs())
def test_bins_hold_every_row_and_say_where_it_is(small: Small) -> None:
    pairs = pairs_of(small)
    binned = bin_pairs(pairs, bin_size=small.bin_size)
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w), small.bin_size)
    assert binned.sums.count.sum() == len(small)
    assert np.bincount(binned.assign_bins(pairs.probabilities)).tolist() == binned.sums.count.tolist()
    assert (binned.sums.y / binned.sums.w1).tolist() == pytest.approx([float(reference.frequency(b)) for b in bins])
    assert (binned.sums.q / binned.sums.w1).tolist() == pytest.approx([float(reference.mean_prob(b)) for b in bins])


@given(small_pairs())
def test_uniform_bins_are_the_loop(small: Small) -> None:
    edges = width_edges(small.bin_size)
    bins = reference.uniform_bins(reference.rows_of(small.y, small.q, small.w), edges.tolist())
    binned = bin_pairs(pairs_of(small), binning="uniform", n_bins=small.bin_size)
    assert binned.sums.count.tolist() == [len(rows) for rows in bins]
    assert binned.sums.u.tolist() == pytest.approx(
        [float(sum(row.w * row.u for row in rows)) for rows in bins], abs=1e-12
    )
    assert binned.bin_size is None


def test_fewer_rows_than_a_bin_are_one_bin() -> None:
    curve = calibration_curve([0, 1, 1], [0.2, 0.5, 0.9], bin_size=100)
    assert curve.bins.count.tolist() == [3]
    assert "there is only one bin, so the error is that of the mean prediction" in curve.notes


@pytest.mark.parametrize(
    ("n", "size"), [(1, 2), (8, 2), (50, 6), (1_000, 50), (10**5, 1_077), (10**6, 5_000), (10**9, 500_000)]
)
def test_the_automatic_bin_size(n: int, size: int) -> None:
    assert automatic_bin_size(n) == size


@pytest.mark.long
@pytest.mark.parametrize("clustered", [False, True])
def test_only_pairs_in_clusters_end_bins_between_any_two_of_many_predictions(clustered: bool) -> None:
    n = EXACT_UP_TO + 1
    q = 0.3 + 1e-9 * np.random.default_rng(0).permutation(n)  # all within a few cells
    pairs = Pairs(np.zeros(n, np.uint8), q, clusters=np.arange(n) // 2 if clustered else None)
    binned = bin_pairs(pairs, bin_size=1000)
    assert (len(binned.sums) == n // 1000) == clustered
    assert binned_curve(pairs, bin_size=1000).recipe.get("ties") == (None if clustered else "cells")


def test_without_ties_the_number_of_bins_is_as_requested() -> None:
    q = np.random.default_rng(34).random(1_000)
    for n_bins in (1, 2, 10, 40, 1_000):
        assert len(calibration_curve(q > 0.5, q, n_bins=n_bins).bins) == n_bins


def ends_of(bins: reference.Bins) -> list[float]:
    return [float(rows[-1].q) for rows in bins]


@given(small_pairs())
def test_bins_match_the_loop(small: Small) -> None:
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q), small.bin_size)
    assert boundaries_of_sorted(np.sort(small.q), bin_size=small.bin_size).tolist() == ends_of(bins)[:-1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("howsure.calibration.bins.SORT_UP_TO", 2)
        assert boundaries(np.array(small.q), bin_size=small.bin_size).tolist() == ends_of(bins)[:-1]
    binned = bin_pairs(pairs_of(small), bin_size=small.bin_size)
    assert binned.sums.count.tolist() == [len(rows) for rows in bins]
    assert binned.upper.tolist() == ends_of(bins)


@given(small_pairs(ties=False))
def test_without_ties_it_is_the_algorithm_as_printed(small: Small) -> None:
    rows = reference.rows_of(small.y, small.q)
    assert reference.adaptive_bins(rows, small.bin_size) == reference.paper_bins(rows, small.bin_size)


@given(st.lists(st.sampled_from(TIED), min_size=1, max_size=60), st.integers(1, 70))
def test_a_bin_never_splits_a_tie_and_holds_enough(q: list[float], bin_size: int) -> None:
    bins = bin_pairs(Pairs(np.zeros(len(q), dtype=np.uint8), np.array(q)), bin_size=bin_size)
    upper = bins.upper
    assert (np.diff(upper[:-1]) > 0).all()
    assert set(upper[:-1].tolist()) <= set(q)
    assert bins.sums.count.sum() == len(q)
    assert bins.sums.count.min() >= min(bin_size, len(q))


N = 40_000
EXTREMES = [*TIED, 2.0**-60, 2.0**-16, 2.0**-1022, 0.5 - 2.0**-54, 0.5 + 2.0**-53, 1 - 2.0**-16]
KINDS = {
    "language": lambda rng: language_pairs(N, rng)[1],
    "float32": lambda rng: rng.beta(0.3, 0.7, N).astype(np.float32).astype(np.float64),
    "extremes": lambda rng: rng.choice(EXTREMES, N),
    "tiny": lambda rng: 10.0 ** rng.uniform(-320, 0, N),
    "near one": lambda rng: 1 - 10.0 ** rng.uniform(-16, 0, N),
    "hundredths": lambda rng: rng.integers(0, 101, N) / 100,
    "near a half": lambda rng: 0.5 + rng.integers(-50, 50, N) * 2.0**-53,
    "one cell": lambda rng: 0.3 + rng.random(N) * 1e-7,
    "dense": lambda rng: 0.7 + 0.002 * rng.random(N),
}


def by_hand(q: Floats, y: Labels, w: Floats | None, options: dict[str, Any]) -> Sums:
    """Whole cells, ascending, into bins until they hold enough; or by the mean of a cell into bins of equal width."""
    cells, of_row = np.unique(assign_cells(q), return_inverse=True)
    count = np.bincount(of_row)
    if "n_bins" in options:
        weight = np.ones(len(q)) if w is None else w
        mean = np.bincount(of_row, weight * q) / np.bincount(of_row, weight)
        bin_of_cell = np.searchsorted(width_edges(options["n_bins"]), mean - 1e-12)
    else:
        size, bin_of_cell, bin_, n_in_bin, left = options["bin_size"], np.zeros(len(cells), int), 0, 0, len(q)
        for cell, pairs in enumerate(count):
            if n_in_bin >= size and left >= size:
                bin_, n_in_bin = bin_ + 1, 0
            bin_of_cell[cell] = bin_
            n_in_bin, left = n_in_bin + pairs, left - pairs
    bins = np.unique(bin_of_cell, return_inverse=True)[1][of_row]
    return sums_of_rows(q, y, w).into(bins, int(bins.max()) + 1)


def assert_alike(binned: Binned, expected: Sums) -> None:
    np.testing.assert_array_equal(binned.sums.count, expected.count)
    for name in ("w1", "y", "q", "qq", "qy", "u", "uu"):
        actual, other = getattr(binned.sums, name), getattr(expected, name)
        np.testing.assert_allclose(actual / expected.w1, other / expected.w1, rtol=0, atol=1e-12, err_msg=name)
    for name in ("wwu", "u2", "u3", "u4"):  # which only variances need
        np.testing.assert_allclose(getattr(binned.sums, name), getattr(expected, name), rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_bins_are_those_made_by_hand(kind: str, weighted: bool) -> None:
    rng = np.random.default_rng(22)
    q = KINDS[kind](rng)
    y = (rng.random(N) < np.where(rng.random(N) < 0.9, q, 0.5)).astype(np.uint8)
    pairs = Pairs(y, q, rng.exponential(size=N) if weighted else None)
    slots = sum_by_slot(pairs)
    for options in ({"bin_size": 1}, {"bin_size": 100}, {"bin_size": 7_000}, {"bin_size": N}, {"n_bins": 10}):
        binned = bin_pairs(slots, **options, binning="uniform" if "n_bins" in options else "adaptive")
        assert_alike(binned, by_hand(q, y, pairs.weights, options))
        counts = np.bincount(binned.assign_bins(q), minlength=len(binned.sums))
        np.testing.assert_array_equal(counts, binned.sums.count)


def test_bins_of_cells_are_the_exact_ones_where_no_two_predictions_share_a_cell() -> None:
    rng = np.random.default_rng(23)
    y, q = language_pairs(50_000, rng)
    q = np.round(q, 3)
    pairs = Pairs(y, q)
    for options in ({"bin_size": 30}, {"bin_size": 900}, {"binning": "uniform", "n_bins": 20}):
        exact, cells = bin_pairs(pairs, **options), bin_pairs(sum_by_slot(pairs), **options)
        np.testing.assert_array_equal(cells.sums.count, exact.sums.count)
        np.testing.assert_array_equal(cells.histogram, exact.histogram)
        assert cells.log_sum == pytest.approx(exact.log_sum, rel=1e-12)
        assert cells.infinite_rows == exact.infinite_rows


def test_many_pairs_are_binned_by_cells_and_parts_of_them_too() -> None:
    y, q = language_pairs(140_000, np.random.default_rng(24))
    assert bin_pairs(Pairs(y, q)).upper.tolist() == bin_pairs(sum_by_slot(Pairs(y, q))).upper.tolist()
    part = Pairs(y[:3_000], q[:3_000])
    assert bin_pairs(part, whole=140_000).upper.tolist() == bin_pairs(sum_by_slot(part)).upper.tolist()
    assert bin_pairs(part).upper.tolist() != bin_pairs(sum_by_slot(part)).upper.tolist()


def test_uniform_bins_with_edges_on_values() -> None:
    rng = np.random.default_rng(23)
    q = rng.choice(np.linspace(0, 1, 11), 7_000)
    pairs = Pairs((rng.random(7_000) < q).astype(np.uint8), q)
    binned = bin_pairs(sum_by_slot(pairs), binning="uniform", n_bins=10)
    np.testing.assert_array_equal(binned.sums.count, bin_pairs(pairs, binning="uniform", n_bins=10).sums.count)
    assert binned.upper.tolist() == [*width_edges(10), 1.0]


def test_the_histogram_counts_every_row_once() -> None:
    y, q = language_pairs(50_000, np.random.default_rng(25))
    q = np.where(np.random.default_rng(26).random(len(q)) < 0.3, np.round(q * 64) / 64, q)  # many on the edges of bars
    cells, rows = bin_pairs(sum_by_slot(Pairs(y, q))), bin_pairs(Pairs(y, q))
    np.testing.assert_array_equal(cells.histogram.sum(axis=1), np.bincount(y))
    moved = np.abs(np.cumsum(cells.histogram - rows.histogram, axis=1)).max()
    near = np.abs(np.minimum(q, 1 - q) * HISTOGRAM_BARS % 1 - 0.5) > 0.49
    assert moved <= np.count_nonzero(near & (q * HISTOGRAM_BARS % 1 != 0))


def test_wrong_at_the_extremes_is_counted_one_by_one() -> None:
    values = np.array([0.0, 0.0, 5e-324, 1e-9, 1.0, 1 - 2.0**-53, 0.5])
    labels = np.array([1, 1, 1, 1, 0, 0, 1], dtype=np.uint8)
    binned = bin_pairs(sum_by_slot(Pairs(np.tile(labels, 20_000), np.tile(values, 20_000))), bin_size=10)
    assert binned.infinite_rows == 3 * 20_000
    exact = -np.log([5e-324, 1e-9, 2.0**-53, 0.5]).sum()
    assert binned.log_sum == pytest.approx(20_000 * exact, abs=20_000 * 4 * 2.0**-25)
