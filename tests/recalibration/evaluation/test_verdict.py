"""The verdict, its p-value, and the rows that would tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import Estimate
from howsure.recalibration.evaluation_results import p_value_of, rows_needed, verdict_kind


def gain(value: float, low: float | None, high: float | None, n: int = 1000) -> Estimate:
    return Estimate(value, low, high, 0.95, "jackknife", n)


@given(st.floats(-0.1, 0.1), st.floats(1e-6, 0.1), st.floats(1e-6, 0.1))
def test_the_p_value_is_below_5_percent_where_the_interval_excludes_0(value: float, down: float, up: float) -> None:
    e = gain(value, value - down, value + up)
    excluded = e.low > 0 or e.high < 0  # type: ignore[operator]
    p = p_value_of(e)
    assert 0 <= p <= 1
    if abs(p - 0.05) > 1e-6:
        assert (p < 0.05) == excluded
    assert excluded == (verdict_kind(e, 0.01) in ("improves", "makes it worse"))


def test_an_interval_of_no_width_at_0_does_not_help() -> None:
    e = gain(0.0, 0.0, 0.0)
    assert (verdict_kind(e, 0.01), p_value_of(e)) == ("does not help", 1.0)


def test_without_an_interval_nothing_can_be_told() -> None:
    e = gain(float("nan"), None, None)
    assert verdict_kind(e, 0.01) == "cannot tell"
    assert np.isnan(p_value_of(e))
    assert rows_needed(e, 0.01) is None


def test_so_many_rows_tell_in_four_of_five_data_sets() -> None:
    """An improvement of d with a standard error s at n = 1000: at the number found, the power is 0.8."""
    d, s = 0.002, 0.0015
    needed = rows_needed(gain(d, d - 1.96 * s, d + 1.96 * s), 0.01)
    draws = np.random.default_rng(0).normal(d, s * np.sqrt(1000 / needed), 20_000)
    assert np.mean(draws > 1.96 * s * np.sqrt(1000 / needed)) == pytest.approx(0.8, abs=0.01)


def test_for_no_improvement_they_tell_that_there_is_none() -> None:
    needed = rows_needed(gain(-0.00005, -0.001, 0.0009), 0.01)
    assert needed is not None
    assert needed == pytest.approx(1000 * ((0.00095 * (1 + 0.8416 / 1.96)) / 0.00015) ** 2, rel=0.01)
