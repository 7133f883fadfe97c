"""Tests of an error against a limit: agreement with other tests, and error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

import howsure
from howsure.check.calibration import Bins, judged
from howsure.check.errors_of_models import OneError
from howsure.inputs.pairs import Pairs

ROWS = np.random.default_rng(3)


def drawn(n: int, *, shift: float = 0.0, rng: np.random.Generator = ROWS) -> Pairs:
    """Predictions between .2 and .8, labels that are `shift` less frequent."""
    q = rng.uniform(0.2, 0.8, n)
    return Pairs((rng.random(n) < q - shift).astype(np.uint8), q)


def of_pairs(pairs: Pairs, bins: Bins | None = None) -> OneError:
    bins = Bins() if bins is None else bins
    squared, n, _ = judged(pairs, bins)
    return OneError(squared, n, bins.growth)


def test_the_upper_bound_is_the_end_of_the_public_interval() -> None:
    pairs = drawn(2000, shift=0.1, rng=np.random.default_rng(0))
    test = of_pairs(pairs)
    error = howsure.calibration_error(pairs, level=0.9)
    low, high = test.bounds(0.05)
    assert (test.value, high) == (error.value, error.high)
    assert 0 < low <= error.low  # skewness moves it down, never up


@pytest.mark.parametrize("shift", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("n", [200, 3000])
def test_bounds_and_p_values_are_the_same_test(n: int, shift: float) -> None:
    test = of_pairs(drawn(n, shift=shift, rng=np.random.default_rng(n)))
    for size in (0.2, 0.05, 0.001):
        low, high = test.bounds(size)
        assert test.p_below(high * 1.0001) <= size
        assert test.p_below(high * 0.9999) >= size
        if low > 0:
            assert test.p_above(low * 0.9999) <= size
            assert test.p_above(low * 1.0001) >= size
        else:
            assert test.p_above(1e-6) > size


def test_p_values_fall_with_the_limit() -> None:
    test = of_pairs(drawn(1000, shift=0.1, rng=np.random.default_rng(5)))
    limits = np.linspace(0.01, 0.3, 12)
    below, above = ([p(limit) for limit in limits] for p in (test.p_below, test.p_above))
    assert below == sorted(below, reverse=True)
    assert above == sorted(above)
    assert not any(min(pair) < 0.5 < min(pair) for pair in zip(below, above, strict=True))


def test_the_skewed_p_value_matches_a_noncentral_chi_square() -> None:
    """Of B equal bins with known noise, (T + v) B / v is a noncentral χ² with B degrees of freedom."""
    b, m, squared_gap = 12, 400, 0.05**2
    v = 0.25 / m
    rng = np.random.default_rng(8)
    sample = ((0.05 + rng.normal(0, math.sqrt(v), (200_000, b))) ** 2).mean(axis=1) - v
    q = np.repeat(np.linspace(0.45, 0.55, b), m)
    evidence = OneError(judged(Pairs((rng.random(b * m) < 0.5).astype(np.uint8), q), Bins(bin_size=m))[0], b * m)
    for size in (0.05, 0.002):
        edge = float(np.quantile(sample, 1 - size))
        squared = type(evidence.squared)(
            edge, 4 * squared_gap * v / b + 2 * v**2 / b, 4 * v / b, 0.0, 2 * v**2 / b, 0
        )  # of the variance at the limit itself
        assert OneError(squared, b * m)._skewed(squared_gap) == pytest.approx(size, rel=0.25)
        normal = norm.sf((edge - squared_gap) / math.sqrt(squared.variance))
        assert normal < size * (0.9 if size == 0.05 else 0.5)


@pytest.mark.long
def test_the_rows_needed_give_a_verdict_as_often_as_they_should() -> None:
    """With four times the rows of a pilot study whose estimate is right, about 80 % pass."""
    rng = np.random.default_rng(21)
    pilot = next(
        test
        for test in (of_pairs(drawn(1500, rng=rng)) for _ in range(400))
        if test.squared.value == 0.0 or abs(test.squared.value) < 2e-5
    )
    needed = pilot.rows_needed(0.05, 0.05)
    assert 1500 < needed < 8000
    passed = np.mean([of_pairs(drawn(needed, rng=rng)).p_below(0.05) <= 0.05 for _ in range(40)])
    assert 0.6 < passed < 0.97


def test_at_the_limit_no_number_of_rows_tells() -> None:
    test = of_pairs(drawn(1000, shift=0.1, rng=np.random.default_rng(2)))
    assert test.rows_needed(test.value, 0.05) is None


def test_too_little_data_is_undefined() -> None:
    test = of_pairs(Pairs(np.array([1, 0], dtype=np.uint8), np.array([0.1, 0.9])), Bins(bin_size=1))
    assert math.isnan(test.value)
    assert all(map(math.isnan, test.bounds(0.05)))
    assert (test.p_below(0.5), test.p_above(0.01), test.rows_needed(0.1, 0.05)) == (1.0, 1.0, None)


def test_labels_that_do_not_vary_leave_uncertainty() -> None:
    """Forty right answers said to be 0.99 do not show that the error is below 0.02."""
    test = of_pairs(Pairs(np.ones(40, dtype=np.uint8), np.full(40, 0.99)))
    assert test.p_below(0.02) > 0.05
    more = of_pairs(Pairs(np.ones(4000, dtype=np.uint8), np.full(4000, 0.99)))
    assert more.p_below(0.02) < 0.05


def test_the_type_1_error_at_the_limit() -> None:
    rng = np.random.default_rng(12)
    passed = failed = 0
    for _ in range(200):
        test = of_pairs(drawn(400, shift=0.08, rng=rng))
        low, high = test.bounds(0.05)
        passed += high < 0.08
        failed += low > 0.08
    assert passed <= 20  # 10 expected at most: the chance of more is below 2e-3
    assert failed <= 20
