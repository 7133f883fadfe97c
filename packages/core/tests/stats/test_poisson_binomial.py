"""The law of a number of successes: against all outcomes, exact fractions, the binomial, and for size."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binom, binomtest, norm

from howsure.stats.proportions import (
    CountDistribution,
    normal_interval,
    normal_quantile,
    poisson_binomial,
    sums_of_counts,
    wilson_interval,
)

probabilities = st.lists(st.floats(0.0, 1.0), max_size=80)


def in_fractions(p: list[float]) -> list[Fraction]:
    """Trial after trial, without rounding."""
    law = [Fraction(1)]
    for probability in map(Fraction, p):
        law = [
            (law[k] * (1 - probability) if k < len(law) else Fraction(0))
            + (law[k - 1] * probability if k else Fraction(0))
            for k in range(len(law) + 1)
        ]
    return law


def test_all_outcomes_of_ten_trials() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(10)
    expected = np.zeros(11)
    for outcome in itertools.product((0, 1), repeat=10):
        expected[sum(outcome)] += np.prod(np.where(outcome, p, 1 - p))
    np.testing.assert_allclose(poisson_binomial(p).pmf, expected, rtol=1e-13)


@given(probabilities)
def test_every_probability_has_its_digits_the_tails_included(p: list[float]) -> None:
    law = poisson_binomial(p)
    expected = in_fractions(p)
    assert len(law.pmf) == len(p) + 1
    for ours, exact in zip(law.pmf.tolist(), expected, strict=True):
        assert ours == pytest.approx(float(exact), rel=1e-11, abs=1e-290)
    mean = sum((k * mass for k, mass in enumerate(expected)), Fraction(0))
    assert law.mean == pytest.approx(float(mean), abs=1e-12)
    variance = sum(((k - mean) ** 2 * mass for k, mass in enumerate(expected)), Fraction(0))
    assert law.variance == pytest.approx(float(variance), abs=1e-10)


@pytest.mark.parametrize("n", [1, 31, 32, 33, 64, 1_000, 5_000])
def test_equal_probabilities_are_the_binomial(n: int) -> None:
    expected = stats.binom.pmf(np.arange(n + 1), n, 0.3)
    likely = expected > 1e-280
    pmf = poisson_binomial([0.3] * n).pmf
    np.testing.assert_allclose(pmf[likely], expected[likely], rtol=1e-9)
    assert pmf.sum() == pytest.approx(1.0, abs=1e-12)
    assert (pmf >= 0.0).all()


@given(probabilities, st.floats(0.01, 0.99))
def test_intervals_leave_no_more_than_they_may_on_either_side_and_are_the_shortest(
    p: list[float], level: float
) -> None:
    law = poisson_binomial(p)
    low, high = law.interval(level)
    tail = (1 - level) / 2
    assert 0 <= low <= high <= len(p)
    assert law.pmf[:low].sum() <= tail + 1e-12
    assert law.pmf[high + 1 :].sum() <= tail + 1e-12
    assert law.pmf[: low + 1].sum() > tail - 1e-12
    assert law.pmf[high:].sum() > tail - 1e-12
    assert law.pmf[low : high + 1].sum() >= level - 1e-9


@given(probabilities, st.floats(0.0, 1.0))
def test_quantiles_are_the_least_counts_that_reach_the_share(p: list[float], share: float) -> None:
    law = poisson_binomial(p)
    k = law.quantile(share)
    below = np.concatenate([[0.0], np.cumsum(law.pmf)])
    assert below[k + 1] >= share - 1e-12
    assert below[k] <= share + 1e-12


def test_certain_trials() -> None:
    assert poisson_binomial([1, 1, 0]).pmf.tolist() == [0, 0, 1, 0]
    assert poisson_binomial([1, 1, 0]).interval() == (2, 2)
    assert poisson_binomial([1, 1, 0]).quantile(0.0) == poisson_binomial([1, 1, 0]).quantile(1.0) == 2
    assert poisson_binomial([1.0] * 100).pmf.argmax() == 100
    assert poisson_binomial([]).interval() == (0, 0)


def test_the_quantile_of_one_is_the_greatest_possible_count() -> None:
    law = poisson_binomial([1e-9] * 5 + [0.0] * 3)
    assert law.quantile(1.0) == 5
    assert law.quantile(0.0) == 0


def test_hundred_thousand_trials_neither_lose_mass_nor_take_long_rows() -> None:
    p = np.random.default_rng(1).random(100_000)
    law = poisson_binomial(p)
    assert law.pmf.sum() == pytest.approx(1.0, abs=1e-12)
    normal = stats.norm(law.mean, np.sqrt(law.variance))
    assert law.interval() == pytest.approx(normal.interval(0.95), abs=1.0)


def test_the_interval_matches_draws() -> None:
    p = np.random.default_rng(2).random(40) ** 3
    law = poisson_binomial(p)
    draws = (np.random.default_rng(3).random((20_000, 40)) < p).sum(axis=1)
    expected = law.pmf * 20_000
    often = expected >= 5
    observed = np.bincount(draws, minlength=41)
    counts = [*observed[often], observed[~often].sum()]
    assert stats.chisquare(counts, [*expected[often], expected[~often].sum()]).pvalue > 0.01


def test_sums_of_other_counts() -> None:
    rng = np.random.default_rng(4)
    laws = [rng.dirichlet(np.ones(size)) for size in (1, 2, 5, 3)]
    p, empty = rng.random(50), np.ones((0, 3))
    trials = np.column_stack([1 - p, p])
    wide = np.array([[*law, *np.zeros(5 - len(law))] for law in laws])
    of_trials, of_wide, of_none, certain = sums_of_counts([trials, wide, empty, np.ones((3, 1))])
    expected = np.zeros(17)
    for outcome in itertools.product(*(range(len(law)) for law in laws)):
        expected[sum(outcome)] += np.prod([law[k] for law, k in zip(laws, outcome, strict=True)])
    np.testing.assert_allclose(of_wide.pmf, expected[: len(of_wide.pmf)], rtol=1e-13)
    assert not expected[len(of_wide.pmf) :].any()
    places = np.arange(len(of_wide.pmf))
    assert of_wide.mean == pytest.approx(of_wide.pmf @ places)
    assert of_wide.variance == pytest.approx(of_wide.pmf @ (places - of_wide.mean) ** 2)
    assert (of_none.pmf.tolist(), certain.pmf[0], certain.mean) == ([1.0], 1.0, 0.0)
    assert sums_of_counts([]) == []
    np.testing.assert_array_equal(of_trials.pmf, poisson_binomial(p).pmf)


def test_estimate_carries_the_interval() -> None:
    estimate = poisson_binomial([0.5] * 10).estimate(0.9)
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (5.0, 2, 8, 10)
    assert isinstance(poisson_binomial([0.5]), CountDistribution)


# Intervals of a frequency: against their definition and against scipy.


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_matches_scipy(counted: tuple[int, int], level: float) -> None:
    k, n = counted
    low, high = wilson_interval(np.array([k / n]), np.array([float(n)]), level=level)
    expected = binomtest(k, n).proportion_ci(level, method="wilson")
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0.0 <= low[0] <= k / n <= high[0] <= 1.0


@given(st.floats(0, 1), st.floats(0.5, 1e6))
def test_the_ends_of_wilson_are_a_test_s(frequency: float, n: float) -> None:
    """|frequency - f| = z √(f (1 - f) / n) at both ends, unless an end is cut."""
    z = normal_quantile(0.95)
    for end in wilson_interval(np.array([frequency]), np.array([n])):
        f = end.item()
        if 0 < f < 1:
            assert abs(frequency - f) == pytest.approx(z * math.sqrt(f * (1 - f) / n), abs=1e-6)


def test_wilson_covers_on_average() -> None:
    """The exact coverage at n = 50, averaged over frequencies."""
    n, k = 50, np.arange(51)
    low, high = wilson_interval(k / n, np.full(51, 50.0))
    coverage = [binom.pmf(k, n, p)[(low <= p) & (p <= high)].sum() for p in np.linspace(0.01, 0.99, 99)]
    assert np.mean(coverage) == pytest.approx(0.95, abs=0.01)
    assert min(coverage) > 0.83


def test_normal_quantile_and_interval() -> None:
    for level in (0.5, 0.9, 0.95, 0.999):
        assert normal_quantile(level) == pytest.approx(norm.ppf(0.5 + level / 2), abs=1e-12)
    low, high = normal_interval(np.array([0.5, 0.0]), np.array([0.1, 0.0]), level=0.95)
    assert low.tolist() == pytest.approx([0.5 - 0.1959964, 0.0], abs=1e-7)
    assert high.tolist() == pytest.approx([0.5 + 0.1959964, 0.0], abs=1e-7)
