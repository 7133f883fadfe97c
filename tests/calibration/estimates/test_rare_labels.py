"""Labels that hardly vary: the interval against exact enumerations, binomial laws and searches by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import binom, binomtest

from howsure import calibration_curve, calibration_error
from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import squared_error
from howsure.calibration.error import RareLabels, debiased_mse, exact_interval
from howsure.inputs.pairs import Pairs
from tests.calibration.samples import Small, language_pairs, pairs_of, small_pairs


def ends(y: object, q: object, **how: object) -> tuple[float, float]:
    found = calibration_error(y, q, **how)  # type: ignore[arg-type]
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_a_thousand_right_answers_at_999_are_no_certainty() -> None:
    """Nothing says that the model is not calibrated, and up to 3.69 of a thousand may be wrong as well as none."""
    low, high = ends(np.ones(1_000, dtype=int), np.full(1_000, 0.999))
    assert low == 0.0
    assert high == pytest.approx(0.999 - 0.025 ** (1 / 1_000), abs=1e-9)


def test_none_of_fifty_is_the_rule_of_three() -> None:
    low, high = ends(np.zeros(50, dtype=int), np.zeros(50))
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025 ** (1 / 50), abs=1e-9)


def test_predictions_that_are_too_high_for_no_event() -> None:
    """20 of 1,000 are expected and none comes: at most 2.99 were, by a one-sided test; the error lies beyond."""
    low, high = ends(np.zeros(1_000, dtype=int), np.full(1_000, 0.02))
    assert 0.015 < low <= 0.02 - (1 - 0.05 ** (1 / 1_000)) + 1e-9
    assert high == pytest.approx(0.02, abs=1e-9)


@pytest.mark.parametrize("n", [50, 400])
def test_every_binomial_law_is_covered(n: int) -> None:
    """One prediction for all: coverage over all numbers of events, added up exactly, never below 0.93."""
    expected, happening = (0.0, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0), (0.0, 0.3, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 15.0)
    for predicted in expected:
        events = np.arange(41)
        found = np.array([ends(np.arange(n) < k, np.full(n, predicted / n)) for k in events])
        for happens in happening:
            truth = abs(predicted - happens) / n
            held = (found[:, 0] <= truth + 1e-12) & (found[:, 1] >= truth - 1e-12)
            missed = float(binom.pmf(events, n, happens / n)[~held].sum()) + float(binom.sf(40, n, happens / n))
            assert missed <= 0.07, (predicted, happens, missed)


@pytest.mark.parametrize(("shape", "n"), [(1.0, 100), (0.1, 300)])
def test_rare_calibrated_scores_are_held(shape: float, n: int) -> None:
    """Scores of Beta(1, 499) and Beta(0.1, 49.9): one label in 500."""
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(150):
        q = rng.beta(shape, 499 * shape, n)
        held += ends(rng.random(n) < q, q)[0] == 0.0
    assert held >= 150 * 0.93


@settings(max_examples=40)
@given(small_pairs(max_size=12))
def test_no_interval_is_without_width(small: Small) -> None:
    for clusters in (False, True):
        pairs = pairs_of(small, clusters=clusters).that_weigh()
        low, high = squared_error(pairs, bin_pairs(pairs, bin_size=small.bin_size)).interval(0.95)
        assert math.isnan(low) or low < high


def test_ordinary_labels_keep_their_interval() -> None:
    y, q = language_pairs(5_000, np.random.default_rng(5))
    for bin_size in (20, 200, 1_000):
        found = debiased_mse(bin_pairs(Pairs(y, q), bin_size=bin_size).sums)
        assert found.interval(0.95) == replace(found, rare=None).interval(0.95)


def test_the_exact_interval_is_that_of_clopper_and_pearson() -> None:
    for k, n in product((0, 1, 3, 20), (20, 57)):
        wanted = binomtest(k, n).proportion_ci(0.95, method="exact")
        low, high = exact_interval(np.array([k / n]), np.array([float(n)]), tail=0.025)
        assert (low[0], high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


@given(small_pairs(max_size=15))
@settings(max_examples=40)
def test_the_ends_are_found_by_searching(small: Small) -> None:
    found = debiased_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums)
    if found.rare is None:
        return
    rare = found.rare
    z, level = 1.6448536269514722, 0.95

    def seen(squared: float) -> float:
        return max(found.variance - found.slope_below * (found.value - squared), found.least)

    low = rare.lower_end(found.value, level, z, seen)

    def held(way: float) -> bool:
        here = way**2 * found.value
        supposed = max(way**2 * rare.product, 0.0) + rare.noise
        return (found.value - here) ** 2 <= z * z * ((1 - way) * supposed + way * seen(here))

    along = [way for way in np.linspace(0, 1, 2_001) if held(way)]
    wanted = [found.value if found.value <= 0 else along[0] ** 2 * found.value]
    wanted.append(found.value - max(_by_bin(rare, nearest=True)))
    assert low == pytest.approx(min(wanted), abs=2e-3 * max(abs(found.value), 1e-9))
    high = rare.upper_end(found.value, level)
    assert high == pytest.approx(max(found.value, 0) + max(_by_bin(rare, nearest=False)), abs=1e-9)


def _by_bin(rare: RareLabels, *, nearest: bool) -> list[float]:
    """By how much each bin alone may lower, or raise, the squared error; 0 is among them."""
    changes = [0.0]
    for share, theta, gap, f, n in zip(
        rare.share, rare.squared_gap, rare.gap, rare.frequency, rare.effective, strict=True
    ):
        (low,), (high,) = exact_interval(np.array([f]), np.array([n]), tail=0.05 if nearest else 0.025)
        possible = [abs(f + gap - low), abs(f + gap - high)]
        if nearest:
            inside = low <= f + gap <= high
            changes.append(share * (theta - (0.0 if inside else min(possible)) ** 2))
        else:
            changes.append(share * (max(possible) ** 2 - theta))
    return changes


@pytest.mark.parametrize("unit", [1e-300, 1e-80, 1e80, 1e200])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_unit_of_weights_means_nothing(unit: float, clustered: bool) -> None:
    rng = np.random.default_rng(8)
    y, q = language_pairs(500, rng)
    w, clusters = rng.exponential(size=500), np.arange(500) // 5 if clustered else None
    one, other = (calibration_curve(y, q, sample_weight=w * u, clusters=clusters) for u in (1.0, unit))
    for name in ("value", "low", "high"):
        assert getattr(other.error, name) == pytest.approx(getattr(one.error, name), rel=1e-9), name
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
    np.testing.assert_allclose(other.bins.weight / unit, one.bins.weight, rtol=1e-9)
    np.testing.assert_allclose(other.histogram / unit, one.histogram, rtol=1e-9)


def test_a_bin_that_one_pair_outweighs_is_left_out_and_said() -> None:
    rng = np.random.default_rng(9)
    y, q = language_pairs(500, rng)
    w = np.ones(500)
    w[np.argmin(np.abs(q - 0.5))] = 19 * 499  # 95 % of the total
    curve = calibration_curve(y, q, sample_weight=w)
    (note,) = [note for note in curve.notes if "left out of the debiased error" in note]
    assert note.startswith(f"{int(curve.bins.count[np.argmax(curve.bins.weight)])} pairs")
    rest = w < 2
    alone = calibration_error(y[rest], q[rest])
    assert curve.error.value == pytest.approx(alone.value, abs=0.02)
