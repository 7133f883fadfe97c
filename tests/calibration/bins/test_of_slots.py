"""Bins of whole cells, against bins of the same cells made by plain numpy from the pairs themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from howsure.calibration.bins import HISTOGRAM_BARS, Binned, Sums, bin_pairs, sums_of_rows, width_edges
from howsure.calibration.slots import cells_of, slots_of
from howsure.inputs.pairs import Floats, Labels, Pairs
from tests.calibration.samples import TIED, language_pairs

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
    cells, of_row = np.unique(cells_of(q), return_inverse=True)
    count = np.bincount(of_row)
    if "n_bins" in options:
        weight = np.ones(len(q)) if w is None else w
        mean = np.bincount(of_row, weight * q) / np.bincount(of_row, weight)
        bin_of_cell = np.searchsorted(width_edges(options["n_bins"]), mean - 1e-12)
    else:
        size, bin_of_cell, bin_, held, left = options["bin_size"], np.zeros(len(cells), int), 0, 0, len(q)
        for cell, pairs in enumerate(count):
            if held >= size and left >= size:
                bin_, held = bin_ + 1, 0
            bin_of_cell[cell] = bin_
            held, left = held + pairs, left - pairs
    bins = np.unique(bin_of_cell, return_inverse=True)[1][of_row]
    return sums_of_rows(q, y, w).into(bins, int(bins.max()) + 1)


def assert_alike(found: Binned, expected: Sums) -> None:
    np.testing.assert_array_equal(found.sums.count, expected.count)
    for name in ("w1", "y", "q", "qq", "qy", "u", "uu"):
        one, other = getattr(found.sums, name), getattr(expected, name)
        np.testing.assert_allclose(one / expected.w1, other / expected.w1, rtol=0, atol=1e-12, err_msg=name)
    for name in ("wwu", "u2", "u3", "u4"):  # which only variances need
        np.testing.assert_allclose(getattr(found.sums, name), getattr(expected, name), rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_bins_are_those_made_by_hand(kind: str, weighted: bool) -> None:
    rng = np.random.default_rng(22)
    q = KINDS[kind](rng)
    y = (rng.random(N) < np.where(rng.random(N) < 0.9, q, 0.5)).astype(np.uint8)
    pairs = Pairs(y, q, rng.exponential(size=N) if weighted else None)
    slots = slots_of(pairs)
    for options in ({"bin_size": 1}, {"bin_size": 100}, {"bin_size": 7_000}, {"bin_size": N}, {"n_bins": 10}):
        binned = bin_pairs(slots, **options, binning="uniform" if "n_bins" in options else "adaptive")
        assert_alike(binned, by_hand(q, y, pairs.weights, options))
        counts = np.bincount(binned.bins_of(q), minlength=len(binned.sums))
        np.testing.assert_array_equal(counts, binned.sums.count)


def test_bins_of_cells_are_the_exact_ones_where_no_two_predictions_share_a_cell() -> None:
    rng = np.random.default_rng(23)
    y, q = language_pairs(50_000, rng)
    q = np.round(q, 3)
    pairs = Pairs(y, q)
    for options in ({"bin_size": 30}, {"bin_size": 900}, {"binning": "uniform", "n_bins": 20}):
        exact, cells = bin_pairs(pairs, **options), bin_pairs(slots_of(pairs), **options)
        np.testing.assert_array_equal(cells.sums.count, exact.sums.count)
        np.testing.assert_array_equal(cells.histogram, exact.histogram)
        assert cells.log_sum == pytest.approx(exact.log_sum, rel=1e-12)
        assert cells.infinite_rows == exact.infinite_rows


def test_many_pairs_are_binned_by_cells_and_parts_of_them_too() -> None:
    y, q = language_pairs(140_000, np.random.default_rng(24))
    assert bin_pairs(Pairs(y, q)).upper.tolist() == bin_pairs(slots_of(Pairs(y, q))).upper.tolist()
    part = Pairs(y[:3_000], q[:3_000])
    assert bin_pairs(part, whole=140_000).upper.tolist() == bin_pairs(slots_of(part)).upper.tolist()
    assert bin_pairs(part).upper.tolist() != bin_pairs(slots_of(part)).upper.tolist()


def test_uniform_bins_with_edges_on_values() -> None:
    rng = np.random.default_rng(23)
    q = rng.choice(np.linspace(0, 1, 11), 7_000)
    pairs = Pairs((rng.random(7_000) < q).astype(np.uint8), q)
    binned = bin_pairs(slots_of(pairs), binning="uniform", n_bins=10)
    np.testing.assert_array_equal(binned.sums.count, bin_pairs(pairs, binning="uniform", n_bins=10).sums.count)
    assert binned.upper.tolist() == [*width_edges(10), 1.0]


def test_the_histogram_counts_every_row_once() -> None:
    y, q = language_pairs(50_000, np.random.default_rng(25))
    q = np.where(np.random.default_rng(26).random(len(q)) < 0.3, np.round(q * 64) / 64, q)  # many on the edges of bars
    cells, rows = bin_pairs(slots_of(Pairs(y, q))), bin_pairs(Pairs(y, q))
    np.testing.assert_array_equal(cells.histogram.sum(axis=1), np.bincount(y))
    moved = np.abs(np.cumsum(cells.histogram - rows.histogram, axis=1)).max()
    near = np.abs(np.minimum(q, 1 - q) * HISTOGRAM_BARS % 1 - 0.5) > 0.49
    assert moved <= np.count_nonzero(near & (q * HISTOGRAM_BARS % 1 != 0))


def test_wrong_at_the_extremes_is_counted_one_by_one() -> None:
    values = np.array([0.0, 0.0, 5e-324, 1e-9, 1.0, 1 - 2.0**-53, 0.5])
    labels = np.array([1, 1, 1, 1, 0, 0, 1], dtype=np.uint8)
    binned = bin_pairs(slots_of(Pairs(np.tile(labels, 20_000), np.tile(values, 20_000))), bin_size=10)
    assert binned.infinite_rows == 3 * 20_000
    exact = -np.log([5e-324, 1e-9, 2.0**-53, 0.5]).sum()
    assert binned.log_sum == pytest.approx(20_000 * exact, abs=20_000 * 4 * 2.0**-25)
