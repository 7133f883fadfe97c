"""Tests of the difference of two errors: agreement with `compare_calibration`, and error rates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import howsure
from howsure.check.errors_of_models import independent_errors, rare_error, two_errors
from howsure.inputs.pairs import Floats, Pairs

HOW = {"bin_size": "auto", "n_bins": None, "binning": "adaptive", "growth": 5 / 3}


def pairs_of_two_models(n: int, this: float, other: float, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Two models whose predictions are that much too high."""
    p = rng.uniform(0.2, 0.7, n)
    y = (rng.random(n) < p).astype(np.uint8)
    return Pairs(y, p + this), Pairs(y, p + other)


def test_better_is_the_test_of_the_squared_errors() -> None:
    a, b = pairs_of_two_models(3000, 0.05, 0.12, np.random.default_rng(1))
    test = two_errors(a, b, own_labels=False, **HOW)
    compared = howsure.compare_calibration(a, against=b, level=0.9)
    e = compared.squared_error_difference
    assert test.value == pytest.approx(compared.error_a.value - compared.error_b.value)
    assert test.p_below(0.0) < 1e-4
    error = (e.high - e.value) / 1.6448536
    assert float(test._standard_error(np.ones(1))[0]) == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("this", "other"), [(0.0, 0.0), (0.1, 0.0), (0.12, 0.1)])
def test_bounds_and_p_values_are_the_same_test(this: float, other: float, seed: int) -> None:
    a, b = pairs_of_two_models(1500, this, other, np.random.default_rng(seed))
    test = two_errors(a, b, own_labels=bool(seed % 2), **HOW)
    low, high = test.bounds(0.05)
    assert low <= test.value <= high
    for end, p, step in ((high, test.p_below, 1e-4), (low, test.p_above, -1e-4)):
        assert p(end + step) <= 0.05
        assert p(end - step) >= 0.05


def test_who_is_who_only_turns_the_sign() -> None:
    a, b = pairs_of_two_models(1500, 0.1, 0.04, np.random.default_rng(3))
    forward, other = two_errors(a, b, own_labels=False, **HOW), two_errors(b, a, own_labels=False, **HOW)
    for margin in (-0.1, -0.01, 0.0, 0.02, 0.08):
        assert forward.p_below(margin) == pytest.approx(other.p_above(-margin), rel=1e-9)
    assert forward.value == pytest.approx(-other.value)
    assert forward.bounds(0.05) == pytest.approx(tuple(-end for end in reversed(other.bounds(0.05))))


def test_the_same_predictions_do_not_differ() -> None:
    a, _ = pairs_of_two_models(1000, 0.1, 0.1, np.random.default_rng(4))
    test = two_errors(a, a, own_labels=False, **HOW)
    assert test.value == 0.0
    assert test.p_below(0.0) > 0.05
    assert test.p_above(0.0) > 0.05
    assert test.p_below(0.02) < 0.05
    assert test.rows_needed(0.0, 0.05) is None


def test_the_order_of_rows_does_not_matter() -> None:
    a, b = pairs_of_two_models(800, 0.1, 0.05, np.random.default_rng(5))
    order = np.random.default_rng(6).permutation(800)
    turned = (
        replace(original, labels=original.labels[order], probabilities=original.probabilities[order])
        for original in (a, b)
    )
    original, other = two_errors(a, b, own_labels=False, **HOW), two_errors(*turned, own_labels=False, **HOW)
    assert original.p_below(0.1) == pytest.approx(other.p_below(0.1), rel=1e-9)
    assert original.variance == pytest.approx(other.variance, rel=1e-12)


def test_independent_samples_are_less_certain_than_pairs() -> None:
    a, b = pairs_of_two_models(3000, 0.05, 0.06, np.random.default_rng(7))
    paired = two_errors(a, b, own_labels=False, **HOW)
    unpaired = independent_errors(
        paired.this, paired.other, n=3000, growth=5 / 3, rare=(rare_error(paired.this), rare_error(paired.other))
    )
    assert unpaired.value == paired.value
    assert unpaired.p_below(0.01) > paired.p_below(0.01)


def rates(this: float, other: float, margin: float, *, n: int, runs: int, seed: int) -> tuple[float, float]:
    """The shares of runs that pass and fail."""
    rng = np.random.default_rng(seed)
    decided: Floats = np.zeros((runs, 2))
    for run in range(runs):
        test = two_errors(*pairs_of_two_models(n, this, other, rng), own_labels=False, **HOW)
        decided[run] = test.is_below(margin, 0.05), test.is_above(margin, 0.05)
    passed, failed = decided.mean(axis=0).tolist()
    return passed, failed


@pytest.mark.parametrize(
    ("this", "other", "margin"),
    [(0.06, 0.06, 0.0), *(pytest.param(*case, 0.05, marks=pytest.mark.long) for case in ((0.11, 0.06), (0.05, 0.0)))],
)
def test_the_type_1_error_at_the_margin(this: float, other: float, margin: float) -> None:
    passed, failed = rates(this, other, margin, n=600, runs=100, seed=31)
    assert max(passed, failed) <= 0.12  # .05 and 3.2 standard errors


def test_the_power() -> None:
    assert rates(0.05, 0.05, 0.05, n=2000, runs=15, seed=32)[0] > 0.6
    assert rates(0.15, 0.05, 0.02, n=2000, runs=15, seed=33)[1] > 0.9
