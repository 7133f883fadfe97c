"""Power by summation against the enumeration of all outcomes, and against simulation."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from howsure.significance.comparison import compare
from howsure.significance.permutation import mid_p_value
from howsure.significance.power import comparison_power


@cache
def exact_p_value(lost: int, won: int, alternative: str) -> float:
    side = {"two-sided": "two-sided", "better": "greater"}[alternative]
    return float(stats.binomtest(won, won + lost, 0.5, alternative=side).pvalue) if won + lost else 1.0


@pytest.mark.parametrize("method", ["permutation", "mcnemar"])
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize(("n", "disagreement", "difference"), [(30, 0.4, 0.2), (12, 0.9, 0.5), (40, 0.3, 0.0)])
def test_power_is_the_probability_of_all_outcomes_that_are_found(
    alternative: str, n: int, disagreement: float, difference: float, method: str
) -> None:
    total = 0.0
    share = (1 + difference / disagreement) / 2
    p_value = mid_p_value if method == "mcnemar" else exact_p_value
    for differing in range(n + 1):
        chances = stats.binom.pmf(differing, n, disagreement) * stats.binom.pmf(range(differing + 1), differing, share)
        for won, chance in enumerate(chances.tolist()):
            if p_value(differing - won, won, alternative) <= 0.05 + 1e-12:
                total += chance
    planned = comparison_power(disagreement, n=n, difference=difference, alternative=alternative, method=method)
    assert planned.power == pytest.approx(total, abs=1e-9)


def test_the_default_test_is_the_one_whose_power_is_reported() -> None:
    """The power was that of mid-p: .515, while `compare` found two points in .479 of the sets."""
    for k in range(40):
        rng = np.random.default_rng([5, k])
        targets, luck = np.zeros(400, dtype=int), rng.random(400)
        result = compare(targets, luck < 0.07, luck > 0.97, metrics="accuracy", interval=None, rng=0)
        lost, won = int((luck > 0.97).sum()), int((luck < 0.07).sum())
        assert result[0].p_value == pytest.approx(exact_p_value(lost, won, "two-sided"), rel=1e-9)


def test_the_answers_are_each_others_inverse() -> None:
    difference = comparison_power(0.15, n=2000, power=0.9).difference
    assert comparison_power(0.15, n=2000, difference=difference).power == pytest.approx(0.9, abs=1e-6)
    n = comparison_power(0.15, difference=difference, power=0.9).n
    assert n == pytest.approx(2000, abs=20)


@pytest.mark.long
def test_large_numbers_follow_the_normal_law() -> None:
    z = stats.norm.ppf([0.975, 0.8]).sum()
    assert comparison_power(0.1, n=10**6).difference == pytest.approx(z * np.sqrt(0.1 / 10**6), rel=0.01)


def test_what_cannot_be_found_is_not_a_number() -> None:
    assert math.isnan(comparison_power(0.5, n=5).difference)
