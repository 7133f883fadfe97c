"""Verdicts read after each item: those of the same items given at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from howsure.inputs.pairs import Floats
from howsure.sequential import SequentialComparison, SequentialScore
from howsure.sequential.sequence import ScoreSequence
from howsure.stats.betting import PRECISION, RunningBound, Units

N = 150
Draw = Callable[[np.random.Generator], Floats]
SCORES: dict[str, Draw] = {
    "mostly right": lambda rng: np.asarray((rng.random(N) < 0.8).astype(float)),
    "rarely right": lambda rng: np.asarray((rng.random(N) < 0.03).astype(float)),
    "never right": lambda rng: np.zeros(N),
    "always right": lambda rng: np.ones(N),
    "shares": lambda rng: rng.beta(0.5, 2, N),
    "worse later": lambda rng: np.repeat([1.0, 0.0], N // 2),
}


def assert_equal_after_each_step(start: Callable[[], ScoreSequence], columns: dict[str, list[object]]) -> None:
    """Add 1 to 9 rows at a time, and compare each status with that of a new sequence that has all rows so far."""
    growing, stop = start(), 0
    while stop < N:
        first, stop = stop, min(stop + 1 + stop % 9, N)
        growing.add(**{name: values[first:stop] for name, values in columns.items()})  # type: ignore[attr-defined]
        at_once = start()
        at_once.add(**{name: values[:stop] for name, values in columns.items()})  # type: ignore[attr-defined]
        one_by_one, together = growing.status(), at_once.status()
        assert (one_by_one.outcome, one_by_one.decided_after) == (together.outcome, together.decided_after)
        assert (one_by_one.n, one_by_one.waiting) == (together.n, together.waiting)
        ends = [(status.estimate.value, status.estimate.low, status.estimate.high) for status in (one_by_one, together)]
        assert ends[0] == pytest.approx(ends[1], abs=5 * PRECISION, nan_ok=True)


@pytest.mark.parametrize("total", [None, N, 1_000])
@pytest.mark.parametrize("name", list(SCORES))
def test_scores_added_in_turn_give_the_status_of_all_at_once(name: str, total: int | None) -> None:
    scores = SCORES[name](np.random.default_rng(3)).tolist()
    assert_equal_after_each_step(lambda: SequentialScore(min_score=0.4, items_total=total), {"score": scores})


@pytest.mark.parametrize("total", [None, 400])
def test_clusters_and_comparisons_added_in_turn_give_the_status_of_all_at_once(total: int | None) -> None:
    rng = np.random.default_rng(5)
    sizes = rng.integers(1, 6, N)
    clusters = np.repeat(np.arange(N), sizes)[:N].astype(str).tolist()
    clusters_total = None if total is None else 130
    columns = {"first": rng.random(N).tolist(), "second": (0.6 * rng.random(N)).tolist(), "clusters": clusters}
    assert_equal_after_each_step(
        lambda: SequentialComparison(items_total=total, clusters_total=clusters_total, largest_cluster=5), columns
    )


def test_predicted_scores_added_in_turn_give_the_status_of_all_at_once() -> None:
    rng = np.random.default_rng(7)
    chance = rng.random(N)
    predicted = {str(item): float(value) for item, value in enumerate(chance)}
    columns = {"score": (rng.random(N) < chance).astype(float).tolist(), "id": list(predicted)}
    assert_equal_after_each_step(lambda: SequentialScore(min_score=0.4, predicted=predicted), columns)


def test_most_bounds_are_computed_without_the_units_before() -> None:
    scores = (np.random.default_rng(0).random(2_000) < 0.7).astype(float)
    running, window, renewed = RunningBound(0.025), None, list[int]()
    for stop in range(1, 2_001):
        bound = running.update(Units(scores[:stop], np.ones(stop)))
        if running.window is not window or window is None:
            window = running.window
            renewed.append(stop)
    assert bound == pytest.approx(Units(scores, np.ones(2_000)).lower_bound(0.025), abs=5 * PRECISION)
    assert 1 < len(renewed) < 40
    assert sum(stop > 1_000 for stop in renewed) < 5
