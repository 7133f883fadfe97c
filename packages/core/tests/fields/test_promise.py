"""How often the promise about filed documents is broken, in a smaller run of benchmarks/fields.py."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.fields import DELTA, WORLDS, broken
from howsure.fields.filing import PROMISES

RUNS = 40


@pytest.mark.long
@pytest.mark.parametrize("kind", WORLDS)
@pytest.mark.parametrize("promise", PROMISES)
def test_the_promise_is_kept(kind: str, promise: str) -> None:
    """The tolerance is three standard errors of a share of one in ten."""
    assert broken(kind, promise, 300, runs=RUNS)[0] <= DELTA + 3 * np.sqrt(DELTA * (1 - DELTA) / RUNS)
