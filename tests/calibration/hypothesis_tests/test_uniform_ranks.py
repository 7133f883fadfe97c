"""The law of the largest distance of uniform ranks: against all ranks there are, draws, and its bound."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from howsure.calibration.quantiles import critical_distance, distance_tail, largest_distance


@pytest.mark.parametrize(("n", "possible"), [(1, 6), (3, 3), (4, 5), (5, 4), (6, 3), (8, 2)])
def test_the_law_is_that_of_all_ranks(n: int, possible: int) -> None:
    distances = np.array([largest_distance(np.array(ranks), possible) for ranks in product(range(possible), repeat=n)])
    for distance in range(int(distances.max()) + 3):
        assert distance_tail(distance, n, possible) == pytest.approx(np.mean(distances >= distance), abs=1e-10)


def test_the_distance_is_its_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        n, possible = rng.integers(1, 30), rng.integers(2, 12)
        ranks = rng.integers(0, possible, n)
        below = [int((ranks < k).sum()) for k in range(possible + 1)]
        assert largest_distance(ranks, possible) == max(abs(possible * b - n * k) for k, b in enumerate(below))


@pytest.mark.parametrize(("n", "possible"), [(60, 4), (150, 20), (2_000, 100)])
def test_the_law_is_that_of_draws(n: int, possible: int) -> None:
    rng = np.random.default_rng(1)
    distances = np.array([largest_distance(rng.integers(0, possible, n), possible) for _ in range(3_000)])
    for share in (0.5, 0.1, 0.05):
        distance = int(np.quantile(distances, 1 - share))
        p = float(np.mean(distances >= distance))
        assert distance_tail(distance, n, possible) == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / 3_000))


@pytest.mark.parametrize(("n", "possible"), [(1, 2), (30, 5), (400, 100), (10**6, 1_000)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_the_critical_distance_is_the_least(n: int, possible: int, level: float) -> None:
    distance = critical_distance(level, n, possible)
    assert distance_tail(distance + 1, n, possible) <= 1 - level
    assert distance == 0 or distance_tail(distance, n, possible) > 1 - level


def test_the_bound_is_never_passed_and_what_is_too_small_to_count_is_the_bound() -> None:
    for distance in range(1, 2_000, 50):
        bound = min(1.0, 2 * math.exp(-2 * (distance / 20) ** 2 / 100))
        assert 0.0 <= distance_tail(distance, 100, 20) <= bound
    assert distance_tail(100 * 20, 100, 20) == pytest.approx(2 * math.exp(-200))
