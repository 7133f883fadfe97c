"""Verdicts are wrong in at most one of twenty runs (docs/check.md)."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from benchmarks.check_rates import LIMIT, SHAPES, SIZE, both, drawn, limit_of, outcomes, rates, verdict
from benchmarks.check_rates import tested as of_pairs
from howsure.check.calibration import Bins, judged
from howsure.check.errors_of_models import OneError
from howsure.check.evidence import ErrorSummary

RUNS = 300


def allowed(runs: int) -> float:
    """A rate that a test of size .05 exceeds with probability below .001."""
    return SIZE + 3.1 * math.sqrt(SIZE * (1 - SIZE) / runs)


def at_limit(shape: str, n: int, rng: np.random.Generator) -> OneError:
    return of_pairs(drawn(shape, limit_of(shape), n, rng))


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 1_000, 5_000])
@pytest.mark.parametrize("shape", SHAPES)
def test_an_error_at_the_limit(shape: str, n: int) -> None:
    rates_wrong = rates(partial(at_limit, shape, n), limit_of(shape), runs=RUNS, seed=101)
    assert max(rates_wrong) <= allowed(RUNS)


@pytest.mark.slow
@pytest.mark.parametrize(("margin", "other"), [(0.0, 0.05), (0.03, 0.0), (0.03, 0.05), (0.03, 0.15)])
@pytest.mark.parametrize("n", [200, 1_000])
def test_two_errors_at_the_margin(margin: float, other: float, n: int) -> None:
    rates_wrong = rates(partial(both, other + margin, other, n), margin, runs=RUNS, seed=102)
    assert max(rates_wrong) <= allowed(RUNS)


@pytest.mark.slow
def test_twenty_groups_at_the_limit() -> None:
    rng = np.random.default_rng(103)
    runs = [outcomes([at_limit("sine", 500, rng) for _ in range(20)]) for _ in range(100)]
    for outcome in ("fail", "pass"):
        assert np.mean([outcome in run for run in runs]) <= allowed(100)


@pytest.mark.slow
def test_thirty_nights_at_the_limit() -> None:
    rng = np.random.default_rng(104)
    months = [any(verdict(at_limit("sine", 1_000, rng), LIMIT, SIZE / 30)[1] for _ in range(30)) for _ in range(100)]
    assert np.mean(months) <= allowed(100)


@pytest.mark.slow
def test_thirty_nights_against_one_baseline() -> None:
    rng = np.random.default_rng(105)
    alarms = 0
    for _ in range(60):
        first, *others = (
            ErrorSummary.of(*judged(drawn("sine", LIMIT, 1_000, rng), Bins())[:2], 5 / 3) for _ in range(31)
        )
        alarms += any(verdict(night.minus(first), 0.0, SIZE / 30)[1] for night in others)
    assert alarms / 60 <= allowed(60)


def test_a_small_cell_of_them() -> None:
    """The same for few rows and runs, in the fast tests."""
    assert max(rates(partial(at_limit, "shift", 300), LIMIT, runs=60, seed=106)) <= allowed(60)
    assert rates(partial(_none, 3_000), LIMIT, runs=20, seed=107)[0] > 0.5


def _none(n: int, rng: np.random.Generator) -> OneError:
    return of_pairs(drawn("sine", 0.0, n, rng))
