"""How often the promise about filed documents is broken, in a smaller run of benchmarks/fields.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.fields import (
    ADVERSARIAL,
    DELTA,
    RECALIBRATED,
    WORLDS,
    broken,
    policy_thresholds,
    recalibration_gain,
    thresholds,
    world,
)
from howsure.fields.filing import DOCUMENTS, PROMISES

RUNS = 40


def parameters(quick: set[str]) -> list[Any]:
    """All promises: the quick ones run with `make test-long`, the others with `make check-slow`."""
    return [pytest.param(name, marks=pytest.mark.long if name in quick else pytest.mark.slow) for name in PROMISES]


@pytest.mark.parametrize("kind", WORLDS + ADVERSARIAL)
@pytest.mark.parametrize("promise", parameters({DOCUMENTS}))
def test_the_promise_is_kept(kind: str, promise: str) -> None:
    """The tolerance is three standard errors of a share of one in ten."""
    assert broken(kind, promise, 300, runs=RUNS)[0] <= DELTA + 3 * np.sqrt(DELTA * (1 - DELTA) / RUNS)


@pytest.mark.parametrize("promise", PROMISES)
def test_the_simulated_thresholds_are_those_of_policies(promise: str) -> None:
    sample = world("rare fields", 400, np.random.default_rng(4))
    thresholds_of_policy = policy_thresholds(sample.checked(), promise)
    assert any(thresholds_of_policy)
    assert thresholds(sample, promise) == [
        t if t is None else pytest.approx(t, abs=1e-12) for t in thresholds_of_policy
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", RECALIBRATED)
@pytest.mark.parametrize("n", [50, 300])
def test_recalibration_is_never_worse_than_none_by_more_than_noise(kind: str, n: int) -> None:
    """On average by less than a hundredth, and by more than the standard error of the log loss in one of ten maps."""
    gain, share_worse = recalibration_gain(kind, n, runs=10)
    assert gain > -0.01
    assert share_worse <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("promise", PROMISES)
def test_the_promise_is_kept_with_recalibrated_confidences(promise: str) -> None:
    """Maps of one half of the documents, thresholds of the other."""
    rate, share = broken("fields differ", promise, 600, runs=20, recalibrate=True)
    assert rate <= DELTA + 3 * np.sqrt(DELTA * (1 - DELTA) / 20)
    assert share > 0.1
