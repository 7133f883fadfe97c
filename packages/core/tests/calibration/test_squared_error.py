"""Estimates of the error with their intervals, the ECE, rare labels, resampling: against loops and exact laws."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from scipy.special import ndtr
from scipy.stats import binom, binomtest
from tests.calibration import reference
from tests.calibration.samples import Small, language_pairs, pairs_of, small_pairs

from benchmarks.coverage import AMPLITUDES, DESIGNS
from benchmarks.ece_coverage import BINNINGS, ece_coverage
from howsure import calibration_curve, calibration_error
from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import (
    FAR,
    LARGEST_FACTOR,
    RESAMPLES,
    SAMPLES,
    cautious_gaps,
    expected_error,
    frequency_errors,
    nguyen_oconnor_intervals,
    squared_error,
)
from howsure.calibration.curve import binned_curve
from howsure.calibration.slots import sum_by_slot
from howsure.calibration.squared_error import (
    RareLabels,
    SquaredError,
    debiased_mse,
    exact_interval,
    mean_gaps,
    plugin_mse,
    root,
)
from howsure.inputs.pairs import Pairs
from howsure.stats.proportions import normal_quantile

PARTS = ("value", "variance", "slope_above", "slope_below", "least", "left_out")


def bins_of(small: Small) -> reference.Bins:
    return reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w, small.clusters), small.bin_size)


@given(small_pairs())
def test_algorithm_1_is_the_loop(small: Small) -> None:
    assert plugin_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums) == pytest.approx(
        float(reference.plugin_mse(bins_of(small))), abs=1e-14, rel=1e-12
    )


@given(small_pairs(max_size=7))
def test_debiased_error_and_its_variance_are_the_loops(small: Small) -> None:
    estimate = debiased_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums)
    bins = bins_of(small)
    if not any(len(rows) > 1 and reference.worth_two(rows) for rows in bins):
        assert math.isnan(estimate.value)
        assert estimate.left_out == len(small)
        return
    if math.isnan(estimate.value):
        assert estimate.unknown > 0.5
        return
    expected = reference.debiased(bins)
    for part in PARTS:
        assert getattr(estimate, part) == pytest.approx(float(getattr(expected, part)), abs=1e-12, rel=1e-12), part


@pytest.mark.parametrize("weighted", [False, True])
def test_bins_of_five_to_seven_rows(weighted: bool) -> None:
    rng = np.random.default_rng(6)
    for _ in range(3):
        n = int(rng.integers(15, 22))
        q, y = rng.random(n).round(2), (rng.random(n) < 0.4).astype(np.uint8)
        w = rng.exponential(size=n) + 0.1 if weighted else None
        expected = reference.debiased(reference.adaptive_bins(reference.rows_of(y, q, w), 5))
        estimate = debiased_mse(bin_pairs(Pairs(y, q, w), bin_size=5).sums)
        for part in PARTS:
            assert getattr(estimate, part) == pytest.approx(float(getattr(expected, part)), abs=1e-13), part


@given(small_pairs(max_size=8))
@example(Small([0, 0, 1, 0, 1], [0.25, 0.0, 0.0, 0.25, 0.1], [4.0, 1.0, 0.5, 4.0, 1.0], [0] * 5, 3))  # variance < 0
@settings(max_examples=20)
def test_the_interval_is_what_a_test_does_not_reject(small: Small) -> None:
    """Without what rare labels and large weights add, which have tests of their own."""
    made = debiased_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums)
    estimate = replace(made, rare=None, unknown=0.0)
    if math.isnan(estimate.value):
        assert all(math.isnan(end) for end in estimate.interval(0.95))
        return
    expected = reference.debiased(bins_of(small))
    for level in (0.5, 0.95):
        low, high = estimate.interval(level)
        searched = reference.interval_by_search(expected, normal_quantile(level))
        assert (low, high) == pytest.approx(searched, abs=1e-6)  # roots of rounding errors
        assert low <= estimate.value <= high


def test_intervals_of_a_higher_level_hold_those_of_a_lower() -> None:
    rng = np.random.default_rng(7)
    q = rng.random(300)
    estimate = debiased_mse(bin_pairs(Pairs((rng.random(300) < q**2).astype(np.uint8), q), bin_size=20).sums)
    lows, highs = zip(*(estimate.interval(level) for level in (0.1, 0.5, 0.9, 0.95, 0.99)), strict=True)
    assert (np.diff(lows) < 0).all()
    assert (np.diff(highs) > 0).all()


def test_few_degrees_of_freedom_make_it_longer() -> None:
    parts = (0.01, 1e-6, 0.0, 0.0, 1e-7, 0)
    normal, student = SquaredError(*parts).interval(0.95), SquaredError(*parts, 5).interval(0.95)
    assert student[0] < normal[0] < normal[1] < student[1]
    assert (student[1] - 0.01) / 1e-3 == pytest.approx(2.5706, abs=1e-4)  # Student's t, 5 degrees of freedom


@pytest.mark.long
def test_the_debiased_error_has_no_bias_and_its_variance_is_right() -> None:
    """Fixed predictions in fixed bins, labels drawn 2,000 times: mean and variance of the value over the draws."""
    rng = np.random.default_rng(8)
    q = np.sort(rng.random(120))
    p = np.clip(q + 0.15 * np.sin(2 * np.pi * q), 0, 1)
    draws = rng.random((2_000, 120)) < p
    estimates = [debiased_mse(bin_pairs(Pairs(y.view(np.uint8), q), bin_size=10).sums) for y in draws]
    values = np.array([squared.value for squared in estimates])
    gaps = (q - p).reshape(12, 10).mean(axis=1)
    # With q fixed, u of a bin's rows differ in their means: the products of different rows estimate this.
    deviations = (q - p).reshape(12, 10)
    truth = (10 * gaps**2 - (deviations**2).mean(axis=1)).mean() / 9
    assert values.mean() == pytest.approx(truth, abs=4 * values.std() / math.sqrt(2_000))
    assert np.mean([squared.variance for squared in estimates]) >= 0.96 * values.var()


def test_a_calibrated_model_is_above_zero_as_often_as_below() -> None:
    rng = np.random.default_rng(9)
    values = []
    for _ in range(500):
        q = rng.beta(0.3, 0.7, 400)
        values.append(debiased_mse(bin_pairs(Pairs((rng.random(400) < q).astype(np.uint8), q), bin_size=20).sums).value)
    assert abs(np.mean(values)) < 4 * np.std(values) / math.sqrt(500)


@given(small_pairs(ties=False, weighted=False, max_size=40))
def test_doubling_nested_bins_never_increases_the_plugin_error(small: Small) -> None:
    """Jensen: merging bins two by two averages their gaps."""
    base = small.bin_size
    n = len(small) // base * base
    pairs = pairs_of(Small(small.y[:n], small.q[:n], None, [], base))
    errors = []
    size = base
    while n and n % size == 0:
        errors.append(plugin_mse(bin_pairs(pairs, bin_size=size).sums))
        size *= 2
    assert all(later <= earlier + 1e-15 for earlier, later in pairwise(errors))


@given(small_pairs(max_size=12))
def test_equal_weights_change_nothing(small: Small) -> None:
    plain = pairs_of(Small(small.y, small.q, None, [], small.bin_size))
    weighted = Pairs(plain.labels, plain.probabilities, np.full(len(small), 0.25))
    unweighted, other = (debiased_mse(bin_pairs(pairs, bin_size=small.bin_size).sums) for pairs in (plain, weighted))
    for part in PARTS:
        assert getattr(unweighted, part) == pytest.approx(getattr(other, part), abs=1e-12, nan_ok=True), part


def test_root() -> None:
    assert root(-0.5) == 0.0
    assert root(0.25) == 0.5
    assert math.isnan(root(math.nan))


def ends(y: object, q: object, **how: object) -> tuple[float, float]:
    error = calibration_error(y, q, **how)  # type: ignore[arg-type]
    assert error.low is not None
    assert error.high is not None
    return error.low, error.high


def test_a_thousand_right_answers_at_999_leave_uncertainty() -> None:
    """The data do not contradict calibration, and up to 3.69 of a thousand may be wrong as well as none."""
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
        intervals = np.array([ends(np.arange(n) < k, np.full(n, predicted / n)) for k in events])
        for happens in happening:
            truth = abs(predicted - happens) / n
            covers = (intervals[:, 0] <= truth + 1e-12) & (intervals[:, 1] >= truth - 1e-12)
            missed = float(binom.pmf(events, n, happens / n)[~covers].sum()) + float(binom.sf(40, n, happens / n))
            assert missed <= 0.07, (predicted, happens, missed)


@pytest.mark.parametrize(("shape", "n"), [(1.0, 100), (0.1, 300)])
def test_rare_calibrated_scores_are_held(shape: float, n: int) -> None:
    """Scores of Beta(1, 499) and Beta(0.1, 49.9): one label in 500."""
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(150):
        q = rng.beta(shape, 499 * shape, n)
        covered += ends(rng.random(n) < q, q)[0] == 0.0
    assert covered >= 150 * 0.93


@given(small_pairs(max_size=12))
def test_no_interval_is_without_width(small: Small) -> None:
    for clusters in (False, True):
        pairs = pairs_of(small, clusters=clusters).with_positive_weight()
        low, high = squared_error(pairs, bin_pairs(pairs, bin_size=small.bin_size)).interval(0.95)
        assert math.isnan(low) or low < high


def test_ordinary_labels_keep_their_interval() -> None:
    y, q = language_pairs(5_000, np.random.default_rng(5))
    for bin_size in (20, 200, 1_000):
        estimate = debiased_mse(bin_pairs(Pairs(y, q), bin_size=bin_size).sums)
        assert estimate.interval(0.95) == replace(estimate, rare=None).interval(0.95)


def test_the_exact_interval_matches_clopper_and_pearson() -> None:
    for k, n in product((0, 1, 3, 20), (20, 57)):
        exact = binomtest(k, n).proportion_ci(0.95, method="exact")
        low, high = exact_interval(np.array([k / n]), np.array([float(n)]), tail=0.025)
        assert (low[0], high[0]) == pytest.approx((exact.low, exact.high), abs=1e-12)


@given(small_pairs(max_size=15))
def test_the_ends_are_found_by_searching(small: Small) -> None:
    estimate = debiased_mse(bin_pairs(pairs_of(small), bin_size=small.bin_size).sums)
    if estimate.rare is None:
        return
    rare = estimate.rare
    z, level = 1.6448536269514722, 0.95

    def estimated_variance(squared: float) -> float:
        return max(estimate.variance - estimate.slope_below * (estimate.value - squared), estimate.least)

    low = rare.lower_end(estimate.value, level, z, estimated_variance)

    def is_inside(way: float) -> bool:
        here = way**2 * estimate.value
        supposed = max(way**2 * rare.product, 0.0) + rare.noise
        return (estimate.value - here) ** 2 <= z * z * ((1 - way) * supposed + way * estimated_variance(here))

    along = [way for way in np.linspace(0, 1, 2_001) if is_inside(way)]
    candidates = [estimate.value if estimate.value <= 0 else along[0] ** 2 * estimate.value]
    candidates.append(estimate.value - max(_by_bin(rare, nearest=True)))
    candidates.append(_with_further_hits(rare, estimate.value))
    assert low == pytest.approx(min(candidates), abs=2e-3 * max(abs(estimate.value), 1e-9))
    high = rare.upper_end(estimate.value, level)
    assert high == pytest.approx(max(estimate.value, 0) + max(_by_bin(rare, nearest=False)), abs=1e-9)


def _with_further_hits(rare: RareLabels, value: float) -> float:
    """The squared error if labels nearer to predictions are as frequent as an exact interval allows."""
    if value <= 0 or not rare.gap.any():
        return value
    weights = [share * gap**2 for share, gap in zip(rare.share, rare.gap, strict=True)]
    columns = list(zip(rare.share, rare.gap, rare.frequency, rare.effective, strict=True))
    hits = np.average([f if gap > 0 else 1 - f for _, gap, f, _ in columns], weights=weights)
    spread = np.average([max(f * (1 - f), (f + gap) * (1 - f - gap)) for _, gap, f, _ in columns], weights=weights)
    n = 1 / np.average([share / number for share, *_, number in columns], weights=weights)
    if spread > 0:
        n *= min(max(hits * (1 - hits) / spread, 1), max(n * hits * (1 - hits) / 4, 1))
    (high,) = exact_interval(np.array([hits]), np.array([n]), tail=0.025)[1]
    enough = n * min(hits, 1 - hits) >= 20
    return value if enough else float(max(math.sqrt(value) - (high - hits), 0) ** 2)


@pytest.mark.parametrize("predicted", [0.7, 0.9])
def test_the_error_of_a_few_pairs_is_covered(predicted: float) -> None:
    """Bins of two or three pairs, P(y = 1) 0.4 below predictions: coverage, added up over all numbers of events."""
    from scipy.stats import binom

    rng = np.random.default_rng(8)
    for n in (4, 8, 16):
        misses = 0.0
        q = predicted + 1e-6 * np.arange(n)
        for events in range(n + 1):
            orders = [rng.permutation(np.arange(n) < events) for _ in range(10)]
            outside = [not low <= 0.4 <= high for low, high in (ends(y, q) for y in orders)]
            misses += binom.pmf(events, n, predicted - 0.4) * float(np.mean(outside))
        assert misses <= 0.07, n


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
    unscaled, other = (calibration_curve(y, q, sample_weight=w * u, clusters=clusters) for u in (1.0, unit))
    for name in ("value", "low", "high"):
        assert getattr(other.error, name) == pytest.approx(getattr(unscaled.error, name), rel=1e-9), name
    assert other.p_value == pytest.approx(unscaled.p_value, rel=1e-9)
    np.testing.assert_allclose(other.bins.weight / unit, unscaled.bins.weight, rtol=1e-9)
    np.testing.assert_allclose(other.histogram / unit, unscaled.histogram, rtol=1e-9)


def test_a_bin_dominated_by_one_pair_is_left_out_with_a_note() -> None:
    rng = np.random.default_rng(9)
    y, q = language_pairs(500, rng)
    w = np.ones(500)
    w[np.argmin(np.abs(q - 0.5))] = 200  # 29 % of the total
    curve = calibration_curve(y, q, sample_weight=w)
    assert any("so the interval allows for any error in them" in note for note in curve.notes)
    rest = w < 2
    alone = calibration_error(y[rest], q[rest])
    assert curve.error.value == pytest.approx(alone.value, abs=0.02)
    assert curve.error.high > alone.high + 0.1


def moments(gap: float, s: float) -> tuple[float, float]:
    """Mean and variance of the cautious gap of an estimate that is Normal(gap, s²), by numerical integration."""
    grid = np.linspace(-9, 9, 20_001)
    density = np.exp(-(grid**2) / 2)
    gaps = cautious_gaps(gap + s * grid, np.full_like(grid, s))
    mean = float(np.average(gaps, weights=density))
    return mean, float(np.average((gaps - mean) ** 2, weights=density))


def test_a_cautious_gap_is_the_mean_over_halves() -> None:
    rng = np.random.default_rng(1)
    for gap, s in ((0.0, 0.1), (0.05, 0.1), (-0.2, 0.1)):
        shift = rng.normal(0, s, 2_000_000)
        expected = (np.sign(gap + shift) * (gap - shift)).mean()
        assert cautious_gaps(np.array([gap]), np.array([s]))[0] == pytest.approx(expected, abs=5e-4)
    assert cautious_gaps(np.array([0.3, 0.0]), np.array([0.0, 0.0])).tolist() == [0.3, 0.0]


@pytest.mark.parametrize("gap", np.linspace(0, 0.6, 25).tolist())
def test_on_average_it_is_not_above_the_gap(gap: float) -> None:
    mean, variance = moments(gap, 0.1)
    assert mean == pytest.approx(gap * (2 * ndtr(gap / (0.1 * np.sqrt(2))) - 1), abs=1e-6)
    assert mean <= gap + 1e-9
    assert variance <= LARGEST_FACTOR * 0.01 * (1 + 1e-3)
    if gap > (FAR + 1.0) * 0.1:
        assert variance == pytest.approx(0.01, rel=0.02)


def test_the_value_lies_inside_and_is_the_mean_absolute_gap() -> None:
    y, q = language_pairs(500, np.random.default_rng(2))
    curve = calibration_curve(y, q)
    bins = curve.bins
    assert curve.ece.value == pytest.approx(np.average(np.abs(bins.mean_prob - bins.frequency), weights=bins.count))
    assert 0 <= curve.ece.low <= curve.ece.value <= curve.ece.high <= 1
    assert curve.to_dict()["ece"] == curve.ece.to_dict()


def test_sums_have_the_same_interval() -> None:
    y, q = language_pairs(3000, np.random.default_rng(3))
    pairs = Pairs(y.astype(np.uint8), q.round(3))
    whole, sums = binned_curve(pairs, bin_size=100), binned_curve(sum_by_slot(pairs), bin_size=100)
    assert (sums.ece.low, sums.ece.high) == pytest.approx((whole.ece.low, whole.ece.high), rel=1e-9)


def test_copies_in_a_cluster_say_nothing_new() -> None:
    y, q = language_pairs(400, np.random.default_rng(4))
    alone = calibration_curve(y, q, n_bins=10)
    copied = calibration_curve(np.repeat(y, 5), np.repeat(q, 5), clusters=np.repeat(np.arange(400), 5), n_bins=10)
    assert copied.ece.value == pytest.approx(alone.ece.value)
    assert copied.ece.high == pytest.approx(alone.ece.high, abs=0.01)
    assert copied.ece.low <= alone.ece.low + 0.005


def test_no_event_leaves_uncertainty() -> None:
    """1,000 answers that are each wrong with probability .001, and none is: .0037 may be, by the rule of three."""
    ece = calibration_curve(np.ones(1000), np.full(1000, 0.999)).ece
    assert ece.value == pytest.approx(0.001)
    assert (ece.low, round(ece.high, 4)) == (0.0, 0.0027)


def test_one_cluster_has_no_interval() -> None:
    ece = calibration_curve([0, 1, 1, 0], [0.1, 0.6, 0.7, 0.4], clusters=[1, 1, 1, 1], bin_size=2).ece
    assert (ece.low, ece.high) == (None, None)


def test_a_calibrated_model_is_covered_in_a_small_simulation() -> None:
    """The plug-in value ± z · sd, which others report, holds it in hardly any run."""
    coverage = ece_coverage("plain", "calibrated", 1000, runs=40, binning="15 uniform")
    assert coverage.covered > 0.9
    assert coverage.alternative < 0.1
    assert coverage.truth == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("binning", BINNINGS)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("model", AMPLITUDES)
@pytest.mark.parametrize("n", [200, 1_000, 5_000, 20_000])
def test_the_interval_covers(design: str, model: str, n: int, binning: str) -> None:
    """Nominal .95, at least .93 less two standard errors of the runs."""
    runs = 400 if n < 20_000 else 150
    coverage = ece_coverage(design, model, n, runs=runs, binning=binning, seed=5)
    assert coverage.covered >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / runs)


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
def test_frequency_errors_and_gaps_are_the_loops(small: Small) -> None:
    binned = bin_pairs(pairs_of(small), bin_size=small.bin_size)
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w), small.bin_size)
    spread = [reference.frequency(rows) * (1 - reference.frequency(rows)) for rows in bins]
    expected = [math.sqrt(part * reference.concentration(rows)) for part, rows in zip(spread, bins, strict=True)]
    assert frequency_errors(binned.sums).tolist() == pytest.approx(expected, abs=1e-7)
    exact = np.array(spread) > Fraction(1, 10**6)
    assert frequency_errors(binned.sums)[exact].tolist() == pytest.approx(np.array(expected)[exact].tolist(), abs=1e-12)
    gap = np.abs(mean_gaps(binned.sums))
    ece, largest = expected_error(binned.sums, None, level=0.95).value, float(gap.max())
    assert ece == pytest.approx(float(reference.ece(bins)), abs=1e-12)
    assert largest == pytest.approx(float(max(abs(reference.gap(rows)) for rows in bins)), abs=1e-12)


def bootstrapped_mse(bins: reference.Bins, units: list[object], rng: np.random.Generator) -> float:
    """Algorithm 1's squared error of units drawn with replacement; the bins stay."""
    times = Counter(units[i] for i in rng.integers(len(units), size=len(units)))
    reweighted = [
        [replace(row, w=Fraction(times[row.cluster])) for row in rows if row.cluster in times] for rows in bins
    ]
    return float(reference.plugin_mse([rows for rows in reweighted if rows]))


@pytest.mark.long
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


@pytest.mark.parametrize("heavy", [[1e6], [100.0], [1e4, 1e4]])
def test_the_error_is_unknown_if_few_pairs_have_most_of_the_weight(heavy: list[float]) -> None:
    q = np.linspace(0.01, 0.99, 60)
    weights = np.ones(60)
    weights[:: 60 // len(heavy)] = heavy
    error = calibration_error(q > 0.7, q, sample_weight=weights)
    assert math.isnan(error.value)
    assert error.low is None
    assert "so the error is unknown" in error.notes[0]


@pytest.mark.long
@pytest.mark.parametrize("weight", [15.0, 30.0])
def test_the_interval_allows_for_any_error_of_a_pair_with_much_weight(weight: float) -> None:
    rng, covered = np.random.default_rng(8), 0
    for _ in range(200):
        q, weights = rng.random(60), np.append(weight, np.ones(59))
        pairs = Pairs(rng.random(60) < q**3, q, weights)
        bins = bin_pairs(pairs).assign_bins(q)
        share, gaps = np.bincount(bins, weights), np.bincount(bins, weights * (q - q**3))
        error = calibration_error(pairs)
        covered += error.low <= math.sqrt(float((gaps**2 / share).sum()) / share.sum()) <= error.high
    assert covered >= 184
