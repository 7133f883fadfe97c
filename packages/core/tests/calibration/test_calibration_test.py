"""Tests of calibration: against formulas by hand, and their p-values against the uniform distribution."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import binom, chi2, poisson
from tests.calibration import reference
from tests.calibration.samples import Small, language_pairs, pairs_of, small_pairs

from howsure import calibration_table, pairs_from_classes
from howsure.calibration.binned_test import (
    Add,
    LabelCount,
    binned_p_values,
    blas_add_scaled,
    label_numbers,
    simulation_test,
)
from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import squared_error
from howsure.calibration.calibration_summary import CalibrationSummary
from howsure.calibration.calibration_tests import METHODS, OF_SUMS, calibration_test, spiegelhalter_z
from howsure.calibration.curve import calibration_curve
from howsure.calibration.slots import sum_by_slot
from howsure.inputs.pairs import Floats, Pairs
from howsure.stats.proportions import poisson_binomial


def binned_p_value(statistic: float, expected: Floats, variance: Floats, **how: Add) -> float:
    return binned_p_values([statistic], [expected], [variance], **how)[0]


@given(small_pairs())
def test_spiegelhalter_is_its_formula(small: Small) -> None:
    rows = reference.rows_of(small.y, small.q, small.w)
    above = float(sum(row.w * (row.y - row.q) * (1 - 2 * row.q) for row in rows))
    below = float(sum(row.w**2 * (1 - 2 * row.q) ** 2 * row.q * (1 - row.q) for row in rows))
    z = spiegelhalter_z(pairs_of(small))
    if below > 1e-12:
        assert z == pytest.approx(above / math.sqrt(below), rel=1e-9, abs=1e-9)
        test = calibration_test(small.y, small.q, method="spiegelhalter", sample_weight=small.w)
        assert test.p_value == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=1e-12)


def test_spiegelhalter_is_two_sided() -> None:
    """An underconfident model: a one-sided test calls it perfect (p = 1)."""
    rng = np.random.default_rng(60)
    q = rng.uniform(0.3, 0.7, 5_000)
    y = rng.random(5_000) < np.where(q < 0.5, 0.05, 0.95)
    test = calibration_test(y, q, method="spiegelhalter")
    assert test.statistic < -10
    assert test.p_value < 1e-20


def test_spiegelhalter_of_certain_predictions_has_p_0_or_1() -> None:
    assert calibration_test([0, 1, 1], [0.0, 1.0, 0.5], method="spiegelhalter").p_value == 1.0
    impossible = calibration_test([1, 1], [0.0, 1.0], method="spiegelhalter")
    assert math.isinf(impossible.statistic)
    assert impossible.p_value == 0.0


@pytest.mark.parametrize("wrong", [[0], [0, 1], [0, 1, 2, 3], range(40)])
def test_wrong_predictions_of_0_and_1_do_not_cancel(wrong: Sequence[int]) -> None:
    labels = np.arange(40) % 2
    certain = np.where(np.isin(np.arange(40), wrong), 1.0 - labels, labels)
    assert calibration_test(labels, certain, method="binned").p_value == 0.0
    assert calibration_curve(np.tile(labels, 10_000), np.tile(certain, 10_000)).p_value == 0.0  # of sums
    assert calibration_test(labels, labels.astype(float), method="binned").p_value == 1.0


def summary_of(y: ArrayLike, q: ArrayLike) -> CalibrationSummary:
    summary = CalibrationSummary()
    summary.add(y, q)
    return summary


def exact_p_value(y: list[int], q: list[float], bin_size: int) -> float:
    """P(squared error at least as large) over all labels that there could be."""
    bins = reference.adaptive_bins(reference.rows_of(y, q), bin_size)
    observed = float(reference.plugin_mse(bins))
    total = 0.0
    for labels in product((0, 1), repeat=len(q)):
        chance = math.prod(p if label else 1 - p for p, label in zip(q, labels, strict=True))
        mse = float(reference.plugin_mse(reference.adaptive_bins(reference.rows_of(labels, q), bin_size)))
        total += chance if mse >= observed - 1e-12 else 0.0
    return total


@pytest.mark.parametrize(
    ("y", "q"),
    [([1, 1, 0, 0, 0, 1], [0.1, 0.1, 0.4, 0.5, 0.8, 0.9]), ([1, 1, 1, 0, 0, 0], [0.2, 0.2, 0.2, 0.7, 0.7, 0.7])],
)
@pytest.mark.parametrize("of_sums", [False, True])
def test_the_simulation_is_the_enumeration(y: list[int], q: list[float], of_sums: bool) -> None:
    test = summary_of(y, q).test if of_sums else partial(calibration_test, y, q)
    simulated = test(method="simulation", bin_size=3, n_simulations=20_000, rng=0)
    assert simulated.p_value == pytest.approx(exact_p_value(y, q, 3), abs=4 * simulated.p_error)
    assert simulated.p_error == pytest.approx(math.sqrt(simulated.p_value * (1 - simulated.p_value) / 20_001))


def test_the_data_are_one_of_the_draws() -> None:
    """p = (c + 1) / (B + 1), never 0."""
    test = calibration_test([0] * 50, [0.9] * 50, n_simulations=99, rng=0)
    assert test.p_value == 0.01


LAWS = {
    "few": (5, 1, 1),
    "uniform": (2_000, 1, 1),
    "low": (20_000, 0.05, 5),
    "high": (5_000, 5, 0.01),
    "near": (900, 90, 90),
}


@pytest.mark.parametrize("shape", LAWS.values(), ids=LAWS)
def test_the_law_of_the_labels_of_a_bin_is_the_convolution_of_all_pairs(shape: tuple[int, float, float]) -> None:
    n, *of_beta = shape
    q = np.random.default_rng(70).beta(*of_beta, n)
    law = LabelCount.of(sum_by_slot(Pairs((q < 0.5).astype(np.uint8), q)), slice(None))
    numbers = law.first + np.arange(len(law.below))
    below = np.append(np.cumsum(poisson_binomial(q).pmf), 1.0)
    expected = np.where(numbers < 0, 0.0, below[np.clip(numbers, 0, n + 1)])
    np.testing.assert_allclose(law.below, expected, rtol=0, atol=1e-9)
    assert law.mean == pytest.approx(q.sum(), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("too_high", [0.0, 0.004])
def test_of_many_pairs_numbers_of_labels_are_drawn_as_labels_are(too_high: float) -> None:
    rng = np.random.default_rng(71)
    q = rng.beta(0.3, 0.7, 140_000)
    pairs = Pairs((rng.random(len(q)) < q - too_high).astype(np.uint8), q)
    test = calibration_test(pairs, rng=0)
    weighted = replace(pairs, weights=np.ones(len(pairs)))  # of which labels are drawn
    mse, p, p_error = simulation_test(weighted, bin_pairs(weighted), times=400, rng=rng)
    assert test.statistic == pytest.approx(mse, rel=1e-12)
    assert test.p_value == pytest.approx(p, abs=4 * math.hypot(p_error, test.p_error) + 1 / 400)
    assert test.recipe["ties"] == "cells"
    assert "ties" not in calibration_test(pairs.select(np.arange(1_000)), rng=0).recipe


def test_numbers_of_labels_are_told_apart_exactly() -> None:
    """One bin that expects a fifth of a label: p is the chance of one at least, and of as many as expected 1."""
    q = np.full(200_000, 1e-6)
    for positives, p_value in ((1, 1 - (1 - 1e-6) ** 200_000), (0, 1.0)):
        test = calibration_test(np.arange(len(q)) < positives, q, n_bins=1, n_simulations=4_000, rng=0)
        assert test.p_value == pytest.approx(p_value, abs=4 * test.p_error + 1e-12)


WAYS = [*product(METHODS, ("plain", "weighted")), *product(OF_SUMS, ("sums",))]


@pytest.mark.long
@pytest.mark.parametrize(("method", "way"), WAYS)
def test_p_values_of_calibrated_models_are_uniform_enough(method: str, way: str) -> None:
    rng = np.random.default_rng(61)
    p_values = []
    for _ in range(200):
        q = rng.beta(0.3, 0.7, 400)
        q[:160] = 0.0
        y = rng.random(400) < q
        w = rng.exponential(size=400) if way == "weighted" else None
        if way == "sums":
            test = summary_of(y, q).test(method=method, n_simulations=99, rng=rng)
        else:
            test = calibration_test(y, q, method=method, sample_weight=w, n_simulations=99, rng=rng)
        p_values.append(test.p_value)
    for level in (0.05, 0.2, 0.5):
        share = np.mean(np.array(p_values) <= level)
        assert share <= level + 3 * math.sqrt(level * (1 - level) / 200)
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.08)


def test_the_binned_test_is_hosmer_and_lemeshows() -> None:
    """By hand over bins of 100, each of which expects more than 25 labels of either kind."""
    rng = np.random.default_rng(67)
    q = np.sort(rng.uniform(0.3, 0.7, 400))
    y = (rng.random(400) < q).astype(np.uint8)
    parts = [(q[i : i + 100], y[i : i + 100]) for i in range(0, 400, 100)]
    statistic = sum((p.sum() - z.sum()) ** 2 / (p * (1 - p)).sum() for p, z in parts)
    test = calibration_test(y, q, method="binned", bin_size=100)
    assert test.statistic == pytest.approx(statistic, rel=1e-12)
    assert test.p_value == pytest.approx(chi2.sf(statistic, 4), rel=1e-9)


def test_bins_that_expect_too_few_labels_are_merged() -> None:
    """Four bins of 50 expect 2, 2, 2 and 25 positives: the first three are one, and their law is exact."""
    q = np.repeat([0.04, 0.041, 0.042, 0.5], 50)
    y = np.zeros(200, dtype=np.uint8)
    y[150:175] = 1
    rare = q[:150]
    variance = (rare * (1 - rare)).sum()
    statistic = rare.sum() ** 2 / variance
    test = calibration_test(y, q, method="binned", bin_size=50)
    assert test.statistic == pytest.approx(statistic, rel=1e-12)
    numbers = np.arange(151)
    parts = (numbers - rare.sum()) ** 2 / variance
    chances = binom.pmf(numbers, 150, rare.mean())
    assert test.p_value == pytest.approx(float(chances @ chi2.sf(statistic - parts, 1)), rel=2e-3)


def test_the_binned_test_is_sure_of_the_impossible_and_silent_where_nothing_can_happen() -> None:
    assert calibration_test([1, 1, 0], [0.0, 0.0, 1.0], method="binned").p_value == 0.0
    assert calibration_test([0, 0, 1], [0.0, 0.0, 1.0], method="binned").p_value == 1.0
    assert calibration_test([0, 1], [1e-300, 0.5], method="binned").p_value > 0.3


@pytest.mark.long
def test_cox_and_cumulative_find_a_shift_that_bins_miss() -> None:
    """n = 1,000, every label .03 likelier than said: benchmarks/calibration_tests.py finds .53, .53 and .29."""
    rng = np.random.default_rng(68)
    power = dict.fromkeys(("cox", "cumulative", "binned"), 0.0)
    for _ in range(100):
        q = rng.random(1_000)
        y = rng.random(1_000) < q + 0.03
        for method in power:
            power[method] += (calibration_test(y, q, method=method).p_value <= 0.05) / 100
    assert min(power["cox"], power["cumulative"]) > 0.4
    assert power["binned"] < 0.4


def test_ties_and_order_change_nothing() -> None:
    y, q = language_pairs(3_000, np.random.default_rng(62))
    q = q.round(1)
    order = np.random.default_rng(63).permutation(3_000)
    for method in METHODS:
        first, again = (
            calibration_test(y[rows], q[rows], method=method, rng=0, n_simulations=50) for rows in (slice(None), order)
        )
        assert first == again


def test_the_simulation_in_parts_is_the_same_test(monkeypatch: pytest.MonkeyPatch) -> None:
    y, q = language_pairs(200, np.random.default_rng(64))
    weights = np.random.default_rng(64).exponential(size=200)
    monkeypatch.setattr("howsure.calibration.binned_test.DRAWS_AT_ONCE", 1_000)
    in_parts = calibration_test(y, q, sample_weight=weights, rng=0, n_simulations=400)
    monkeypatch.undo()
    whole = calibration_test(y, q, sample_weight=weights, rng=0, n_simulations=400)
    assert in_parts.p_value == pytest.approx(whole.p_value, abs=5 * max(whole.p_error, 0.01))
    assert in_parts.statistic == whole.statistic


@pytest.mark.parametrize(("n", "binning"), [(300, "adaptive"), (2_000, "adaptive"), (2_000, "uniform")])
@pytest.mark.parametrize("too_high", [0.0, 0.03])
def test_numbers_of_labels_are_drawn_as_labels_are(n: int, binning: str, too_high: float) -> None:
    """Of pairs that weigh 1, labels are drawn: predictions with ties, 0 and 1, and bins of one value."""
    y, q = language_pairs(n, np.random.default_rng(n))
    y = np.where((q > 0) & (q < 1), np.random.default_rng(1).random(n) < q - too_high, y).astype(np.uint8)
    counts, labels = (
        calibration_test(y, q, sample_weight=weights, binning=binning, n_simulations=4_000, rng=0)
        for weights in (None, np.ones(n))
    )
    assert counts.statistic == pytest.approx(labels.statistic, rel=1e-12)
    assert counts.p_value == pytest.approx(labels.p_value, abs=4 * math.hypot(counts.p_error, labels.p_error) + 1e-3)


def test_clusters_have_a_p_value_of_their_own() -> None:
    """Every pair ten times over: nothing new is known, and the p-value does not change."""
    rng = np.random.default_rng(65)
    q = rng.random(200).round(1)
    y = (rng.random(200) < np.clip(q + 0.1, 0, 1)).astype(np.uint8)

    def p_value(times: int) -> float:
        repeated = np.repeat(np.arange(200), times)
        pairs = Pairs(y[repeated], q[repeated], clusters=repeated)
        binned = bin_pairs(pairs, bin_size=20 * times)
        return squared_error(pairs, binned).p_value

    assert p_value(10) == pytest.approx(p_value(1), rel=1e-9)
    assert 0 < p_value(1) < 0.5


@pytest.mark.parametrize("tiny", [1e-100, 1e-160, 1e-170, 5e-324])
def test_weights_whose_squares_vanish_count_for_nothing_and_warn_of_nothing(tiny: float) -> None:
    """Bins of such pairs divided by a Σw² of 0; the same p as without them."""
    rng = np.random.default_rng(31)
    q = rng.random(200)
    y = rng.random(200) < q
    w = np.where(q < 0.5, tiny, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        test = calibration_test(y, q, sample_weight=w, method="binned")
        curve = calibration_curve(y, q, sample_weight=w)
    assert test.p_value == calibration_test(y[q >= 0.5], q[q >= 0.5], method="binned").p_value
    assert curve.n == int((q >= 0.5).sum())


def test_nearly_certain_predictions_raise_no_warnings() -> None:
    """1 - 2⁻⁵³ in weighted pairs ended in a division by zero, a positive label at 5e-324 in an overflow."""
    rng = np.random.default_rng(32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sure = np.full(200, np.nextafter(1.0, 0.0))
        assert calibration_curve(np.ones(200, int), sure, sample_weight=rng.random(200)).p_value > 0.99
        unlikely = calibration_test(np.arange(200) == 3, np.full(200, 5e-324), method="binned")
    assert unlikely.p_value < 1e-300


def test_a_single_bin_is_enumerated() -> None:
    """Poisson labels, 4 expected: both tails, with what was seen."""
    mean, numbers = 4.0, np.arange(200)
    for observed in (0, 1, 4, 9, 15):
        statistic = (observed - mean) ** 2 / mean
        far = (numbers - mean) ** 2 / mean >= statistic - 1e-9
        p_value = float(poisson.pmf(numbers, mean)[far].sum())
        assert binned_p_value(statistic, np.array([mean]), np.array([mean])) == pytest.approx(p_value, rel=1e-9)


def test_one_event_where_a_thousandth_was_expected() -> None:
    test = calibration_test([1] + [0] * 99, np.full(100, 1e-5), method="binned")
    assert test.p_value == pytest.approx(1 - (1 - 1e-5) ** 100, rel=1e-3)


@pytest.mark.parametrize("q", [(0.1, 0.2, 0.7), (0.1, 0.2, 0.7, 1.0), (0.3, 0.3, 0.4, 0.6, 0.4), (0.7, 0.6, 0.9, 0.8)])
def test_as_many_labels_as_expected_are_not_evidence(q: tuple[float, ...]) -> None:
    """For any fractional part of the sum of q, in any order."""
    for order in permutations(q):
        labels = np.arange(len(q)) < round(sum(q))
        assert calibration_test(labels, list(order), method="binned", n_bins=1).p_value == pytest.approx(1.0)


@pytest.mark.parametrize("away", [1e-15, 1e-12, 1e-8])
@pytest.mark.parametrize("wrong", [0, 1])
@pytest.mark.parametrize("n", [3000, 132_000])
def test_predictions_next_to_one_are_judged_as_those_next_to_zero(away: float, wrong: int, n: int) -> None:
    """1 - q, from which the variance is computed, must not be a difference of sums that are almost equal."""
    r = away * np.random.default_rng(0).integers(1, 9, n)
    y = np.arange(n) < wrong
    near_zero, near_one = (
        calibration_test(labels, q, method="binned", binning="uniform").p_value for labels, q in ((y, r), (~y, 1 - r))
    )
    assert near_one == pytest.approx(near_zero, rel=0.2 if away == 1e-15 else 1e-3)
    assert (near_zero > 0.9) == (not wrong)


def test_three_bins_are_enumerated() -> None:
    trials, p = (30, 200, 60), (0.2, 0.03, 0.3)
    means, variances = (
        np.array([n * r * f for n, r, f in zip(trials, p, factors, strict=True)])
        for factors in ((1.0, 1.0, 1.0), tuple(1 - r for r in p))
    )
    laws = [binom.pmf(np.arange(60), n, r) for n, r in zip(trials, p, strict=True)]
    parts = [(np.arange(60) - m) ** 2 / v for m, v in zip(means, variances, strict=True)]
    sums = parts[0][:, None, None] + parts[1][None, :, None] + parts[2][None, None, :]
    chances = laws[0][:, None, None] * laws[1][None, :, None] * laws[2][None, None, :]
    for statistic in (1.0, 5.0, 15.0, 30.0):
        p_value = float(chances[sums >= statistic].sum())
        assert binned_p_value(statistic, means, variances) == pytest.approx(p_value, rel=0.02)


def test_many_labels_are_a_chi_square() -> None:
    expected = np.array([40.0, 300.0, 26.0])
    assert binned_p_value(7.0, expected, expected / 2) == pytest.approx(chi2.sf(7.0, 3), rel=1e-12)
    nearly = np.full(6, 24.9)
    assert binned_p_value(11.0, nearly, nearly) == pytest.approx(chi2.sf(11.0, 6), rel=0.1)


SHARES = [(0.3, 1.0), (0.3, 0.9), (5.0, 1.0), (5.0, 0.7), (24.0, 0.9), (24.0, 0.6), (24.0, 1 - 1e-6)]


def test_the_numbers_have_the_requested_moments() -> None:
    mean, share = np.array(SHARES).T[:, :, None]
    numbers = np.arange(200)
    chances, more = label_numbers(200, mean, mean * share)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(chances @ numbers, mean[:, 0], rtol=1e-9)
    np.testing.assert_allclose((chances * (numbers - mean) ** 2).sum(axis=1), (mean * share)[:, 0], rtol=0.02)
    few, more = label_numbers(20, mean, mean * share)
    np.testing.assert_array_equal(few, chances[:, :20])
    np.testing.assert_allclose(more, chances[:, 20:].sum(axis=1), rtol=1e-9, atol=1e-300)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(st.floats(0.1, 30), st.floats(0.5, 1.0)), min_size=2, max_size=4), st.floats(0.05, 60))
def test_the_law_is_the_sum_over_all_numbers_bin_by_bin(bins: list[tuple[float, float]], statistic: float) -> None:
    """Twin: every part rounded to 1/4096 of the statistic and added in its turn, one value after the other."""
    expected = np.array([mean for mean, _ in bins])
    variance = expected * [share for _, share in bins]
    p_value = slow_p_value(statistic, expected, variance)
    assert binned_p_value(statistic, expected, variance) == pytest.approx(p_value, rel=1e-11)
    assert binned_p_value(statistic, expected, variance, add=blas_add_scaled()) == pytest.approx(p_value, rel=1e-11)


def slow_p_value(statistic: float, expected: np.ndarray, variance: np.ndarray) -> float:
    rare = expected < 25
    below: dict[int, float] = {0: 1.0}
    reached = 0.0
    for mean, spread in zip(expected[rare].tolist(), variance[rare].tolist(), strict=True):
        (chances,), _ = label_numbers(400, np.array([[mean]]), np.array([[spread]]))
        summed: dict[int, float] = defaultdict(float)
        for number, chance in enumerate(chances.tolist()):
            part = (number - mean) ** 2 / spread / statistic
            step = 4096 if part >= 1 - 1e-9 else min(round(part * 4096), 4095)
            for so_far, before in below.items():
                if so_far + step >= 4096:
                    reached += before * chance
                else:
                    summed[so_far + step] += before * chance
        below = summed
    if rare.all():
        return reached
    if not rare.any():
        return float(chi2.sf(statistic, len(expected)))
    return reached + sum(p * chi2.sf(statistic * (1 - i / 4096), np.sum(~rare)) for i, p in below.items())


def table_of_many_classes(classes: int, rows: int, rng: np.random.Generator) -> Pairs:
    """Calibrated predictions of many classes, each of them rare."""
    matrix = rng.dirichlet(np.ones(classes), size=rows)
    gold = (matrix.cumsum(axis=1) > rng.random((rows, 1))).argmax(axis=1)
    return pairs_from_classes(
        gold, matrix, reduce="class-wise", clusters=np.arange(rows * classes).reshape(rows, -1)[:, 0]
    )


def rejected(classes: int, rows: int, runs: int) -> float:
    rng, rejections = np.random.default_rng(9), []
    for _ in range(runs):
        pairs = table_of_many_classes(classes, rows, rng)
        table = calibration_table(pairs.labels, pairs.probabilities, groups=pairs.groups)
        rejections.append(min(row.p_adjusted for row in table) <= 0.05)
    return float(np.mean(rejections))


@pytest.mark.long
def test_a_table_of_many_rare_classes_holds_its_level() -> None:
    assert rejected(50, 250, 25) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 25)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [400, 1_000, 3_000])
def test_a_table_of_200_classes_holds_its_level(rows: int) -> None:
    assert rejected(200, rows, 300) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)


@pytest.mark.parametrize("clustered", [False, True])
def test_an_interval_contains_zero_unless_the_test_detects_an_error(clustered: bool) -> None:
    """The gaps have opposite signs in neighbouring bins, which the binned test merges."""
    rng = np.random.default_rng(9)
    undetected = 0
    for _ in range(60):
        q = rng.random(120)
        y = rng.random(120) < np.clip(q + 0.12 * np.sin(4 * np.pi * q), 0, 1)
        curve = calibration_curve(y, q, clusters=np.arange(120) // 2 if clustered else None)
        table = calibration_table(y, q, groups=np.zeros(120, int), clusters=np.arange(120) // 2 if clustered else None)
        assert (table.rows[0].p_value, table.rows[0].error.low) == (curve.p_value, curve.error.low)
        if curve.p_value > 0.05:
            undetected += 1
            assert curve.error.low == 0.0
    assert 10 < undetected < 60
