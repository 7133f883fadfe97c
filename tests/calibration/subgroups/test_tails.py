"""Scores of skewed sums: against exact tails."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from howsure.calibration.scan import skewed_scores, student_scores


@pytest.mark.parametrize("expected", [5.0, 20.0, 100.0])
def test_scores_are_those_of_poisson_tails(expected: float) -> None:
    for score in (2.0, 3.0, 4.5):
        high = float(stats.poisson.isf(stats.norm.sf(score), expected)) + 1
        exact = stats.norm.isf(stats.poisson.sf(high - 1, expected))
        found = skewed_scores(np.array([high - expected]), np.array([expected]), np.array([expected]), 0.5)[0]
        assert exact - 0.2 < found < exact + 0.1


def test_light_tails_are_taken_for_normal_ones() -> None:
    low = skewed_scores(np.array([-4.0]), np.array([5.0]), np.array([5.0]), 0.5)[0]
    assert low == pytest.approx(-3.5 / np.sqrt(5))
    assert abs(low) < stats.norm.isf(stats.poisson.cdf(1, 5.0)) + 0.01


def test_scores_of_huge_sums_are_finite_and_signed() -> None:
    sums = np.array([1e6, -1e6, 0.0])
    assert np.isfinite(skewed_scores(sums, np.ones(3), np.ones(3), 0.5)).all()
    assert np.sign(student_scores(sums, np.ones(3), np.full(3, 300.0))).tolist() == [1.0, -1.0, 0.0]
