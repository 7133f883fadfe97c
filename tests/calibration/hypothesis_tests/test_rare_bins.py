"""The law of the binned test where labels are rare: against enumerations, limits, and a table of many classes."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2, poisson

from howsure import calibration_table, calibration_test, pairs_from_classes
from howsure.calibration.binned_test import binned_p_value, blas_add_scaled, label_numbers
from howsure.inputs.pairs import Pairs


def test_a_single_bin_is_enumerated() -> None:
    """Poisson labels, 4 expected: both tails, with what was seen."""
    mean, numbers = 4.0, np.arange(200)
    for seen in (0, 1, 4, 9, 15):
        statistic = (seen - mean) ** 2 / mean
        far = (numbers - mean) ** 2 / mean >= statistic - 1e-9
        wanted = float(poisson.pmf(numbers, mean)[far].sum())
        assert binned_p_value(statistic, np.array([mean]), np.array([mean])) == pytest.approx(wanted, rel=1e-9)


def test_one_event_where_a_thousandth_was_expected() -> None:
    found = calibration_test([1] + [0] * 99, np.full(100, 1e-5), method="binned")
    assert found.p_value == pytest.approx(1 - (1 - 1e-5) ** 100, rel=1e-3)


@pytest.mark.parametrize("q", [(0.1, 0.2, 0.7), (0.1, 0.2, 0.7, 1.0), (0.3, 0.3, 0.4, 0.6, 0.4), (0.7, 0.6, 0.9, 0.8)])
def test_as_many_labels_as_expected_are_no_evidence(q: tuple[float, ...]) -> None:
    """Whatever sums of q leave beside a whole number, in any order."""
    for order in permutations(q):
        labels = np.arange(len(q)) < round(sum(q))
        assert calibration_test(labels, list(order), method="binned", n_bins=1).p_value == pytest.approx(1.0)


@pytest.mark.parametrize("away", [1e-15, 1e-12, 1e-8])
@pytest.mark.parametrize("wrong", [0, 1])
@pytest.mark.parametrize("n", [3000, 132_000])
def test_predictions_next_to_one_are_judged_as_those_next_to_zero(away: float, wrong: int, n: int) -> None:
    """1 - q, of which the variance is made, must not be a difference of sums that are almost equal."""
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
        np.array([n * r * f for n, r, f in zip(trials, p, one, strict=True)])
        for one in ((1.0, 1.0, 1.0), tuple(1 - r for r in p))
    )
    laws = [binom.pmf(np.arange(60), n, r) for n, r in zip(trials, p, strict=True)]
    parts = [(np.arange(60) - m) ** 2 / v for m, v in zip(means, variances, strict=True)]
    sums = parts[0][:, None, None] + parts[1][None, :, None] + parts[2][None, None, :]
    chances = laws[0][:, None, None] * laws[1][None, :, None] * laws[2][None, None, :]
    for statistic in (1.0, 5.0, 15.0, 30.0):
        wanted = float(chances[sums >= statistic].sum())
        assert binned_p_value(statistic, means, variances) == pytest.approx(wanted, rel=0.02)


def test_many_labels_are_a_chi_square() -> None:
    expected = np.array([40.0, 300.0, 26.0])
    assert binned_p_value(7.0, expected, expected / 2) == pytest.approx(chi2.sf(7.0, 3), rel=1e-12)
    nearly = np.full(6, 24.9)
    assert binned_p_value(11.0, nearly, nearly) == pytest.approx(chi2.sf(11.0, 6), rel=0.1)


SHARES = [(0.3, 1.0), (0.3, 0.9), (5.0, 1.0), (5.0, 0.7), (24.0, 0.9), (24.0, 0.6), (24.0, 1 - 1e-6)]


def test_the_numbers_have_the_moments_asked_for() -> None:
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
@given(
    st.lists(st.tuples(st.floats(0.1, 30), st.floats(0.5, 1.0)), min_size=2, max_size=4),
    st.floats(0.05, 60),
)
def test_the_law_is_the_sum_over_all_numbers_bin_by_bin(bins: list[tuple[float, float]], statistic: float) -> None:
    """Twin: every part rounded to 1/4096 of the statistic and added in its turn, one value after the other."""
    expected = np.array([mean for mean, _ in bins])
    variance = expected * [share for _, share in bins]
    wanted = slow_p_value(statistic, expected, variance)
    assert binned_p_value(statistic, expected, variance) == pytest.approx(wanted, rel=1e-11)
    assert binned_p_value(statistic, expected, variance, add=blas_add_scaled()) == pytest.approx(wanted, rel=1e-11)


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
            for seen, before in below.items():
                if seen + step >= 4096:
                    reached += before * chance
                else:
                    summed[seen + step] += before * chance
        below = summed
    if rare.all():
        return reached
    if not rare.any():
        return float(chi2.sf(statistic, len(expected)))
    return reached + sum(p * chi2.sf(statistic * (1 - i / 4096), np.sum(~rare)) for i, p in below.items())


def table_of_many_classes(classes: int, rows: int, rng: np.random.Generator) -> Pairs:
    """Calibrated predictions of so many classes that each is rare."""
    matrix = rng.dirichlet(np.ones(classes), size=rows)
    gold = (matrix.cumsum(axis=1) > rng.random((rows, 1))).argmax(axis=1)
    return pairs_from_classes(
        gold, matrix, reduce="class-wise", clusters=np.arange(rows * classes).reshape(rows, -1)[:, 0]
    )


def rejected(classes: int, rows: int, runs: int) -> float:
    rng, found = np.random.default_rng(9), []
    for _ in range(runs):
        pairs = table_of_many_classes(classes, rows, rng)
        table = calibration_table(pairs.labels, pairs.probabilities, groups=pairs.groups)
        found.append(min(row.p_adjusted for row in table) <= 0.05)
    return float(np.mean(found))


def test_a_table_of_many_rare_classes_holds_its_level() -> None:
    assert rejected(50, 250, 25) <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / 25)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [400, 1_000, 3_000])
def test_a_table_of_200_classes_holds_its_level(rows: int) -> None:
    assert rejected(200, rows, 300) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)
