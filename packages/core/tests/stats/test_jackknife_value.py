"""Intervals of values with a range: by their formula, inside the range, and where nothing can be said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure.stats.clusters import kish
from howsure.stats.jackknife_value import JackknifeValue, units_needed

SHARE, RATE = (0.0, 1.0), (0.0, math.inf)


def jackknife_value(value, moves, sizes=None, *, within=SHARE, higher=True, worst=None):
    sizes = np.ones(len(moves)) if sizes is None else np.array(sizes, dtype=float)
    moves = np.array(moves, dtype=float)
    return JackknifeValue.of(value, moves - moves.mean(), sizes, within=within, higher_is_better=higher, worst=worst)


def by_hand(moves, sizes, *, sign):
    """The errors of the better and of the worse end of an interval of 95%."""
    moves = moves - moves.mean()
    squared = len(moves) / (len(moves) - 1) * (moves**2).sum()
    ratio = stats.t.ppf(0.975, kish(sizes) - 1) / stats.norm.ppf(0.975)
    farthest = max((-sign * moves).max(), 0.0)
    return math.sqrt(squared) * ratio, math.hypot(math.sqrt(squared) * ratio, farthest)


def test_a_bounded_value_has_jeffreys_interval_of_its_effective_number() -> None:
    rng = np.random.default_rng(1)
    moves, sizes = rng.normal(size=12) / 100, rng.integers(1, 9, 12).astype(float)
    error, worse = by_hand(moves, sizes, sign=1)
    low, high = jackknife_value(0.8, moves, sizes).interval(0.95)
    for end, end_error, tail in ((low, worse, 0.025), (high, error, 0.975)):
        n = 0.8 * 0.2 / end_error**2
        assert end == pytest.approx(stats.beta.ppf(tail, 0.8 * n + 0.5, 0.2 * n + 0.5), rel=1e-9)
    percent = jackknife_value(80.0, 100 * moves, sizes, within=(0.0, 100.0)).interval(0.95)
    assert percent == pytest.approx((100 * low, 100 * high), rel=1e-9)


def test_a_rate_has_jeffreys_interval_of_its_effective_number_of_events() -> None:
    rng = np.random.default_rng(2)
    moves, sizes = rng.normal(size=12) / 100, rng.integers(1, 9, 12).astype(float)
    error, worse = by_hand(moves, sizes, sign=-1)
    low, high = jackknife_value(0.1, moves, sizes, within=RATE, higher=False).interval(0.95)
    for end, end_error, tail in ((low, error, 0.025), (high, worse, 0.975)):
        events = (0.1 / end_error) ** 2
        assert end == pytest.approx(0.1 * stats.gamma.ppf(tail, events + 0.5) / events, rel=1e-9)


def test_a_rate_allows_for_texts_that_are_entirely_wrong() -> None:
    """Two thirds of what one more moves the rate, up to 1.5 standard errors."""
    for spread, expected in ((0.02, 2 / 3 * 0.9 / 40), (0.002, 1.5 * 0.002)):
        moves = spread / math.sqrt(40) * np.tile([1.0, -1.0], 20) * math.sqrt(39 / 40)
        value = jackknife_value(0.1, moves, within=RATE, higher=False, worst=1.0)
        assert value.error == pytest.approx(spread)
        assert value.above == pytest.approx(expected)
        assert value.below == 0.0


def test_without_a_range_it_is_student_s_t() -> None:
    moves = np.random.default_rng(3).normal(size=9)
    error, worse = by_hand(moves, np.ones(9), sign=1)
    z = stats.norm.ppf(0.975)
    assert jackknife_value(5.0, moves, within=None).interval(0.95) == pytest.approx((5.0 - z * worse, 5.0 + z * error))


@given(
    st.floats(0.0, 1.0),
    st.lists(st.tuples(st.floats(-2.0, 2.0), st.floats(0.0, 100.0)), min_size=1, max_size=20),
    st.booleans(),
    st.sampled_from([0.5, 0.8, 0.95, 0.999]),
)
def test_the_interval_contains_the_value_and_lies_in_the_range(value, pairs, higher, level) -> None:
    moves, sizes = zip(*pairs, strict=True)
    for within in (SHARE, RATE):
        worst = 1.0 if within is RATE else None
        low, high = jackknife_value(value, moves, sizes, within=within, higher=higher, worst=worst).interval(level)
        assert math.isnan(low) == math.isnan(high)
        if not math.isnan(low):
            assert within[0] <= low <= value + 1e-12
            assert value - 1e-12 <= high <= within[1]


def test_at_an_end_of_the_range_it_is_the_exact_interval() -> None:
    nothing = np.zeros(20)
    assert jackknife_value(1.0, nothing).interval(0.95) == (pytest.approx(stats.beta.ppf(0.025, 20, 1)), 1.0)
    assert jackknife_value(0.0, nothing).interval(0.95) == (0.0, pytest.approx(stats.beta.ppf(0.975, 1, 20)))
    garwood = stats.gamma.ppf(0.975, 1) / 20
    assert jackknife_value(0.0, nothing, within=RATE, higher=False, worst=1.0).interval(0.95) == (
        0.0,
        pytest.approx(garwood),
    )
    assert math.isnan(jackknife_value(0.0, nothing, within=RATE, higher=False).interval(0.95)[0])
    sizes = [100.0, *[1.0] * 19]
    low = jackknife_value(1.0, nothing, sizes).interval(0.95)[0]
    assert low == pytest.approx(0.025 ** (1 / kish(np.array(sizes))))


def test_too_little_has_no_interval() -> None:
    moves = np.array([0.01, -0.01, 0.02, -0.02, 0.0])
    assert units_needed(0.025) == 6
    assert math.isnan(jackknife_value(0.5, moves).interval(0.95)[0])
    assert jackknife_value(0.5, moves).interval(0.9)[0] > 0
    dominated = [1000.0, *[1.0] * 9]
    assert math.isnan(jackknife_value(0.5, [*moves, *moves], dominated).interval(0.95)[0])
    assert math.isnan(jackknife_value(0.5, np.zeros(30)).interval(0.95)[0])  # nothing shows how documents vary
    assert math.isnan(jackknife_value(1.0, [0.0]).interval(0.95)[0])
