"""The mid-p test against its definition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from howsure.significance.permutation import mid_p_value


@settings(max_examples=40)
@given(st.integers(0, 200), st.integers(0, 200))
def test_is_the_exact_p_less_half_of_what_was_seen(b: int, c: int) -> None:
    law = stats.binom(b + c, 0.5)
    if b + c == 0:
        assert mid_p_value(b, c) == 1
        return
    low = min(b, c)
    assert mid_p_value(b, c) == pytest.approx(min(1, 2 * law.cdf(low) - law.pmf(low)), abs=1e-9)
    assert mid_p_value(b, c, "better") == pytest.approx(law.sf(c) + law.pmf(c) / 2, abs=1e-9)
    assert mid_p_value(b, c, "worse") == pytest.approx(law.cdf(c) - law.pmf(c) / 2, abs=1e-9)


def test_its_mean_under_no_difference_is_a_half() -> None:
    law = stats.binom(31, 0.5)
    assert sum(law.pmf(c) * mid_p_value(31 - c, c, "better") for c in range(32)) == pytest.approx(0.5)
