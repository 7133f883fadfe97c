"""Bands and intervals without bins hold as often as they say (docs/coverage.md)."""

from __future__ import annotations

import math

import pytest

from benchmarks.corp_coverage import WORLDS, World, covered, smooth_covered

RUNS = 400
AWAY = 0.015  # of .95, for the consistency band


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_bands_and_intervals_hold(name: str) -> None:
    world = WORLDS[name]
    found = covered(world, RUNS, seed=1)
    noise = 2.5 * math.sqrt(0.95 * 0.05 / RUNS)
    if world.shape in ("calibrated", "extreme"):
        assert found["rejected"] <= 0.05 + noise
        assert found["consistency"] >= 0.95 - AWAY
        assert found["consistency"] <= 0.95 + (AWAY if world.narrow else 0.03)
    assert found["confidence"] >= 0.93
    for score in ("brier", "log_loss"):
        for part in ("miscalibration", "discrimination"):
            assert found[f"{score} {part}"] >= 0.92 - noise, (score, part)


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_the_interval_of_the_smooth_ece_holds(name: str) -> None:
    _, held, _, _ = smooth_covered(WORLDS[name], RUNS, seed=1)
    assert held >= 0.94 - 2.5 * math.sqrt(0.94 * 0.06 / RUNS)


def test_they_hold_in_a_few_runs() -> None:
    found = covered(World(n=200), 12)
    assert found["consistency"] > 0.9
    assert found["confidence"] > 0.88
    assert found["rejected"] < 0.2
