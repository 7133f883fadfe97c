"""The mixture of bets over dates of a change: against its definition, and how often it is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.monitoring import REGIMES, THRESHOLD, highest, nights_until
from howsure.monitoring.bets import NAMES, WEIGHTS, EProcess, waiting


def test_the_weights_of_changes_sum_to_one() -> None:
    weights = [waiting(r) - waiting(r + 1) for r in range(1, 2000)]
    assert min(weights) > 0
    assert sum(weights) + waiting(2000) == pytest.approx(1.0)


def test_the_e_value_is_the_mean_over_bets_and_changes() -> None:
    """By brute force: every bet, begun at every period."""
    rng = np.random.default_rng(3)
    gains = rng.normal(0, 0.3, (12, len(NAMES)))
    process = EProcess()
    for period in range(12):
        process.take(gains[period], f"day {period:02}")
        wealth = sum(
            (waiting(r + 1) - waiting(r + 2)) * np.exp(gains[r : period + 1].sum(axis=0)) for r in range(period + 1)
        )
        assert math.exp(process.log_e) == pytest.approx(float(WEIGHTS @ wealth) + waiting(period + 2))
    sums = [gains[r:].sum(axis=0) for r in range(12)]
    best = int(np.argmax(np.max(sums, axis=0) + np.log(WEIGHTS)))
    start = int(np.argmax([one[best] for one in sums]))
    assert process.suspected == (f"day {start:02}", NAMES[best])


def test_a_state_comes_back_as_it_was() -> None:
    process = EProcess()
    process.take(np.linspace(-1, 1, len(NAMES)), "2026-11-22")
    back = EProcess.from_dict(process.to_dict())
    assert (back.log_e, back.suspected, back.highest) == (process.log_e, process.suspected, process.highest)


@pytest.mark.parametrize("name", REGIMES)
def test_a_calibrated_model_rarely_alarms(name: str) -> None:
    """100 models with 40 looks each: the e-value exceeds 4 in at most a quarter of them, whenever one stops."""
    found = highest(**REGIMES[name], runs=100, looks=40, rows=10, seed=5)
    assert (found >= math.log(4)).mean() <= 0.25
    assert found.max() > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", REGIMES)
def test_a_calibrated_model_alarms_in_five_of_a_hundred_runs_at_most(name: str) -> None:
    """200 models with 10,000 looks each: of at most 10 alarms expected, more than 17 are seen once in a hundred."""
    found = highest(**REGIMES[name], runs=200, looks=10_000, rows=10, seed=1)
    assert (found >= THRESHOLD).sum() <= 17


@pytest.mark.slow
def test_a_model_that_gets_worse_is_found_within_weeks() -> None:
    found = nights_until(100, runs=50, tolerance=0.0, seed=7)
    assert (found <= 0).sum() <= 7
    assert np.median(found) <= 30
