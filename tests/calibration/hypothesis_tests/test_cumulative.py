"""The cumulative test: its statistic by loops, its law by draws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from howsure.calibration.calibration_tests import calibration_test
from howsure.calibration.clustered_tests import brownian_tail, cumulative_test
from tests.calibration.reference import rows_of
from tests.calibration.samples import Small, pairs_of, small_pairs


@settings(max_examples=40)
@given(small_pairs())
def test_the_distance_is_the_largest_over_all_thresholds(small: Small) -> None:
    rows = rows_of(small.y, small.q, small.w)
    distances = [abs(sum((r.w * (r.y - r.q) for r in rows if r.q <= t), Fraction(0))) for t in {r.q for r in rows}]
    distance, p = cumulative_test(pairs_of(small))
    assert distance == pytest.approx(float(max(distances) / sum(row.w for row in rows)), rel=1e-9, abs=1e-12)
    assert 0.0 <= p <= 1.0


def test_the_tail_is_that_of_the_largest_distance_of_a_random_walk() -> None:
    rng = np.random.default_rng(0)
    reached = np.concatenate(
        [
            np.abs(np.cumsum(rng.choice([-1.0, 1.0], (500, 4_000)), axis=1)).max(axis=1) / math.sqrt(4_000)
            for _ in range(8)
        ]
    )
    for x in (0.8, 1.2, 2.0):
        share = float(np.mean(reached + 0.5826 / math.sqrt(4_000) >= x))  # what steps overshoot on average
        assert brownian_tail(x) == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 4_000))


def test_both_series_of_the_tail_are_one_function() -> None:
    """One holds below 1, the other above."""
    assert brownian_tail(1 - 1e-12) == pytest.approx(brownian_tail(1.0), abs=1e-10)
    assert brownian_tail(0.0) == 1.0
    assert brownian_tail(2.241402728) == pytest.approx(0.05, abs=1e-8)
    assert brownian_tail(2.807033768) == pytest.approx(0.01, abs=1e-8)
    assert brownian_tail(9.0) == pytest.approx(2 * math.erfc(9 / math.sqrt(2)))


def test_certain_predictions_are_impossible_or_no_evidence() -> None:
    assert calibration_test([0, 1], [0.0, 1.0], method="cumulative").p_value == 1.0
    assert calibration_test([0, 0], [0.0, 1.0], method="cumulative").p_value == 0.0
