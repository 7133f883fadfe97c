"""The mixture of bets over dates of a change: against its definition, and how often it is wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from howsure.monitoring.bets import NAMES, WEIGHTS
from howsure.monitoring.e_process import EProcess, waiting
from tests.monitoring.streams import run


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
    with pytest.raises(ValueError, match="bets"):
        EProcess.from_dict({**process.to_dict(), "since": []})


@pytest.mark.parametrize("kind", ["even", "rare", "certain"])
def test_a_calibrated_model_rarely_alarms(kind: str) -> None:
    """300 models with 60 looks each: the e-value exceeds 4 in at most a quarter of them, whenever one stops."""
    highest = run(kind, runs=300, looks=60, rows=10, seed=5)
    assert (highest >= math.log(4)).mean() <= 0.25
    assert highest.max() > 0
