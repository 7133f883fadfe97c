"""Intervals of a frequency: against their definition and against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, norm

from howsure.stats.proportions import normal_interval, normal_quantile, wilson_interval


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_wilson_is_that_of_scipy(counted: tuple[int, int], level: float) -> None:
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
