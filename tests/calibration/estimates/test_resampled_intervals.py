"""Algorithm 2 of the paper, given its normals, and the bootstrap, given its draws."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import (
    RESAMPLES,
    SAMPLES,
    calibration_error,
    expected_error,
    frequency_errors,
    nguyen_oconnor_intervals,
)
from howsure.calibration.curve import calibration_curve
from howsure.calibration.error import mean_gaps
from howsure.stats.proportions import normal_quantile
from tests.calibration import reference
from tests.calibration.samples import Small, pairs_of, small_pairs


@pytest.mark.parametrize(("weighted", "level"), [(False, 0.95), (True, 0.8)])
def test_algorithm_2_from_the_same_normals(weighted: bool, level: float) -> None:
    rng = np.random.default_rng(13)
    q, y = rng.beta(0.3, 0.7, 30), rng.random(30) < 0.5
    w = rng.exponential(size=30) if weighted else None
    bins = reference.adaptive_bins(reference.rows_of(y, q, w), 10)
    normals = np.random.default_rng(5).standard_normal((SAMPLES, len(bins)))
    of_error, of_mse = reference.algorithm_2(bins, normals, normal_quantile(level))
    curve = calibration_curve(y, q, bin_size=10, sample_weight=w, interval="nguyen-oconnor", level=level, rng=5)
    assert (curve.algorithm1_error.low, curve.algorithm1_error.high) == pytest.approx(of_error, abs=1e-12)
    assert (curve.mse.low, curve.mse.high) == pytest.approx(of_mse, abs=1e-12)
    assert curve.algorithm1_error.value**2 == pytest.approx(float(reference.plugin_mse(bins)), abs=1e-14)


def test_drawing_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(14)
    q = rng.random(500)
    y = (rng.random(500) < q).astype(int)
    whole = calibration_error(y, q, estimator="plugin", bin_size=20, interval="nguyen-oconnor", rng=1)
    monkeypatch.setattr("howsure.calibration.calibration_errors.NUMBERS_AT_ONCE", 1_000)
    parts = calibration_error(y, q, estimator="plugin", bin_size=20, interval="nguyen-oconnor", rng=1)
    assert (parts.low, parts.high) == pytest.approx((whole.low, whole.high), abs=1e-14)


def test_where_every_frequency_is_0_or_1_algorithm_2_has_no_width() -> None:
    binned = bin_pairs(pairs_of(Small([0, 0, 1, 1], [0.2, 0.2, 0.9, 0.9], None, [], 2)), bin_size=2)
    of_error, of_mse = nguyen_oconnor_intervals(binned.sums, level=0.95, rng=np.random.default_rng(0))
    error = math.sqrt(0.5 * 0.2**2 + 0.5 * 0.1**2)
    assert of_error == pytest.approx((error, error), abs=1e-12)
    assert of_mse == pytest.approx((error**2, error**2), abs=1e-12)


@given(small_pairs())
@settings(max_examples=50)
def test_frequency_errors_and_gaps_are_the_loops(small: Small) -> None:
    binned = bin_pairs(pairs_of(small), bin_size=small.bin_size)
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w), small.bin_size)
    spread = [reference.frequency(held) * (1 - reference.frequency(held)) for held in bins]
    expected = [math.sqrt(part * reference.concentration(held)) for part, held in zip(spread, bins, strict=True)]
    assert frequency_errors(binned.sums).tolist() == pytest.approx(expected, abs=1e-7)
    exact = np.array(spread) > Fraction(1, 10**6)
    assert frequency_errors(binned.sums)[exact].tolist() == pytest.approx(np.array(expected)[exact].tolist(), abs=1e-12)
    gap = np.abs(mean_gaps(binned.sums))
    ece, largest = expected_error(binned.sums, None, level=0.95).value, float(gap.max())
    assert ece == pytest.approx(float(reference.ece(bins)), abs=1e-12)
    assert largest == pytest.approx(float(max(abs(reference.gap(held)) for held in bins)), abs=1e-12)


def bootstrapped_mse(bins: reference.Bins, units: list[object], rng: np.random.Generator) -> float:
    """Algorithm 1's squared error of units drawn with replacement; the bins stay."""
    times = Counter(units[i] for i in rng.integers(len(units), size=len(units)))
    held = [[replace(row, w=Fraction(times[row.cluster])) for row in rows if row.cluster in times] for rows in bins]
    return float(reference.plugin_mse([rows for rows in held if rows]))


@pytest.mark.parametrize("clustered", [pytest.param(False, marks=pytest.mark.long), True])
def test_the_bootstrap_is_the_reflected_one(clustered: bool) -> None:
    """Against drawing rows (or clusters) by a loop: the same distribution, so the same ends up to Monte Carlo error."""
    rng = np.random.default_rng(15)
    q = rng.random(60)
    y = (rng.random(60) < q**3).astype(int)
    clusters = np.arange(60) // 3 if clustered else None
    rows = reference.rows_of(y, q.round(6), clusters=None if clusters is None else clusters.tolist())
    bins = reference.adaptive_bins(rows, 20)
    units = sorted({row.cluster for row in rows})  # type: ignore[type-var]
    squares = np.array([bootstrapped_mse(bins, list(units), rng) for _ in range(700)])
    value = float(reference.plugin_mse(bins))
    curve = calibration_curve(y, q.round(6), clusters=clusters, bin_size=20, interval="bootstrap", rng=0)
    low, high = 2 * value - np.quantile(squares, [0.975, 0.025])
    assert curve.mse.value == pytest.approx(value, abs=1e-12)
    assert curve.mse.low == pytest.approx(max(low, 0.0), abs=0.3 * squares.std())
    assert curve.mse.high == pytest.approx(high, abs=0.3 * squares.std())
    assert curve.algorithm1_error.high == pytest.approx(math.sqrt(curve.mse.high), abs=1e-12)  # type: ignore[arg-type]
    assert curve.recipe["samples"] == RESAMPLES


def test_the_same_seed_gives_the_same_interval() -> None:
    y, q = [0, 1, 1, 0, 1, 0, 0, 1], [0.1, 0.2, 0.7, 0.3, 0.9, 0.8, 0.2, 0.8]
    for interval in ("nguyen-oconnor", "bootstrap"):
        first, again, other = (
            calibration_error(y, q, estimator="plugin", bin_size=4, interval=interval, rng=seed) for seed in (1, 1, 2)
        )
        assert first == again
        assert first != other
