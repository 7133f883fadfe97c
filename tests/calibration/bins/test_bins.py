"""Bins of pairs: not a bit depends on the order of the rows or on how they come in chunks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from howsure.calibration.bins import (
    Binned,
    automatic_bin_size,
    bin_pairs,
    choose_bin_size,
    width_edges,
)
from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.curve import calibration_curve, curve_of
from howsure.calibration.slots import EXACT_UP_TO, slots_of
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs
from tests.calibration import reference
from tests.calibration.samples import Small, language_pairs, pairs_of, small_pairs

SHUFFLES = 100


def bits(binned: Binned) -> list[bytes]:
    """Every number of the bins, to the last bit."""
    columns = [getattr(binned.sums, column.name) for column in fields(binned.sums)]
    scalars = np.array([binned.log_sum, binned.infinite_rows, binned.bin_size or 0])
    return [column.tobytes() for column in (*columns, binned.upper, binned.histogram, scalars)]


def figures(curve: Any) -> str:
    """All that a curve says, every float to the last bit."""
    held = curve.to_dict() | {"base_rate": curve.base_rate, "recipe": None}
    arrays = [getattr(curve.bins, column.name).tobytes() for column in fields(curve.bins)]
    return repr(held) + repr(arrays) + repr(curve.histogram.tobytes())


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
        return bits(bin_pairs(pairs if way == "sort" else slots_of(pairs), bin_size=200))

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
    + [pytest.param(EXACT_UP_TO + 2_000, "many bins", np.float64, marks=pytest.mark.long)]
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
        held = clusters[order] if clustered else None
        return calibration_error(
            y[order], q[order], clusters=held, estimator="plugin", interval="bootstrap", bin_size=50, rng=0
        )

    whole = estimate(np.arange(500))
    assert all(estimate(shuffled(seed, 500)) == whole for seed in range(3))


@settings(max_examples=50)
@given(small_pairs())
def test_bins_hold_every_row_and_say_where_it_is(small: Small) -> None:
    pairs = pairs_of(small)
    binned = bin_pairs(pairs, bin_size=small.bin_size)
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w), small.bin_size)
    assert binned.sums.count.sum() == len(small)
    assert np.bincount(binned.bins_of(pairs.probabilities)).tolist() == binned.sums.count.tolist()
    assert (binned.sums.y / binned.sums.w1).tolist() == pytest.approx([float(reference.frequency(b)) for b in bins])
    assert (binned.sums.q / binned.sums.w1).tolist() == pytest.approx([float(reference.mean_prob(b)) for b in bins])


@settings(max_examples=50)
@given(small_pairs())
def test_uniform_bins_are_the_loop(small: Small) -> None:
    edges = width_edges(small.bin_size)
    bins = reference.uniform_bins(reference.rows_of(small.y, small.q, small.w), edges.tolist())
    binned = bin_pairs(pairs_of(small), binning="uniform", n_bins=small.bin_size)
    assert binned.sums.count.tolist() == [len(held) for held in bins]
    assert binned.sums.u.tolist() == pytest.approx(
        [float(sum(row.w * row.u for row in held)) for held in bins], abs=1e-12
    )
    assert binned.bin_size is None


def test_fewer_rows_than_a_bin_are_one_bin() -> None:
    curve = calibration_curve([0, 1, 1], [0.2, 0.5, 0.9], bin_size=100)
    assert curve.bins.count.tolist() == [3]
    assert "one bin only: the error is that of the mean prediction" in curve.notes


@pytest.mark.parametrize(
    ("n", "size"), [(1, 2), (8, 2), (50, 6), (1_000, 50), (10**5, 1_077), (10**6, 5_000), (10**9, 500_000)]
)
def test_the_automatic_bin_size(n: int, size: int) -> None:
    assert automatic_bin_size(n) == size


@pytest.mark.parametrize("clustered", [False, True])
def test_only_pairs_in_clusters_end_bins_between_any_two_of_many_predictions(clustered: bool) -> None:
    n = EXACT_UP_TO + 1
    q = 0.3 + 1e-9 * np.random.default_rng(0).permutation(n)  # all within a few cells
    pairs = Pairs(np.zeros(n, np.uint8), q, clusters=np.arange(n) // 2 if clustered else None)
    binned = bin_pairs(pairs, bin_size=1000)
    assert (len(binned.sums) == n // 1000) == clustered
    assert curve_of(pairs, bin_size=1000).recipe.get("ties") == (None if clustered else "cells")


def test_the_number_of_bins_asked_for_is_what_one_gets_without_ties() -> None:
    q = np.random.default_rng(34).random(1_000)
    for n_bins in (1, 2, 10, 40, 1_000):
        assert len(calibration_curve(q > 0.5, q, n_bins=n_bins).bins) == n_bins


@pytest.mark.parametrize(
    "options",
    [
        {"bin_size": 0, "n_bins": None},
        {"bin_size": 2.5, "n_bins": None},
        {"bin_size": "automatic", "n_bins": None},
        {"bin_size": "auto", "n_bins": 0},
        {"bin_size": "auto", "n_bins": 1.5},
    ],
    ids=str,
)
def test_a_bad_size_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be"):
        choose_bin_size(100, **options)


def test_an_unknown_binning_is_refused() -> None:
    with pytest.raises(InputError, match="binning must be 'adaptive' or 'uniform', not 'equal'"):
        calibration_curve([0, 1], [0.1, 0.9], binning="equal")
