"""Paired differences: what rounding does to them, and what it does not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howsure.stats.gaffke import ROUNDING, paired_differences

SCORES = st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=1, max_size=20)


@given(SCORES)
def test_only_rounding_is_taken_away(rows) -> None:
    first, second = np.array(rows).T
    found = paired_differences(first, second)
    assert np.abs(found - (first - second)).max() <= ROUNDING * np.abs(np.array(rows)).max()
    assert (paired_differences(second, first) == -found).all() or np.ptp(found) == 0


def test_runs_in_another_order_are_no_difference() -> None:
    runs = np.random.default_rng(0).random((5, 40))
    first, second = runs.mean(axis=0), (runs[4] + runs[2] + runs[0] + runs[1] + runs[3]) / 5
    assert (first != second).any()
    assert (paired_differences(first, second) == 0.0).all()


def test_equal_differences_are_equal() -> None:
    scores = np.random.default_rng(0).random(50).round(2)
    assert len(set((scores + 0.1 - scores).tolist())) > 1
    assert len(set(paired_differences(scores + 0.1, scores).tolist())) == 1


def test_what_is_infinite_stays_so() -> None:
    found = paired_differences(np.array([np.inf, np.inf, 1.0]), np.array([1.0, np.inf, 1.0]))
    assert found[0] == np.inf
    assert np.isnan(found[1])
    assert found[2] == 0.0
