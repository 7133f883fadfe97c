"""Many streams of predictions side by side, each with its own bets: the evidence against all of them at once.

What `Group.take` does to one stream, done to many in one pass of numpy; `test_error_rates.py` shows that both agree.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from howsure.monitoring.bets import (
    CELL_SHIFTS,
    LEARNED_PRIOR,
    MEMORIES,
    NAMES,
    WEIGHTS,
    Tolerated,
    _gains,
    _learned,
    _whole,
)
from howsure.monitoring.cells import N_CELLS, cells_of
from howsure.monitoring.e_process import waiting

Array = Any
KINDS = {  # of probabilities
    "even": lambda rng, size: rng.random(size),
    "confident": lambda rng, size: rng.beta(4, 1.5, size),
    "rare": lambda rng, size: rng.beta(0.5, 60, size),
    "certain": lambda rng, size: np.where(rng.random(size) < 0.5, rng.beta(0.2, 0.2, size), rng.integers(0, 2, size)),
    "one value": lambda rng, size: np.full(size, 0.9),
}


class Streams:
    """Runs of the e-process side by side. Rows come as arrays (runs, rows)."""

    def __init__(self, runs: int, *, tolerance: float = 0.0) -> None:
        self.runs, self.tolerated = runs, Tolerated.everywhere(tolerance)
        self.begun = np.full((len(NAMES), runs), -math.inf)
        self.sums = np.zeros((2, len(MEMORIES), runs, N_CELLS))
        self.looks, self.highest = 0, np.zeros(runs)

    def take(self, labels: Array, probabilities: Array) -> Array:
        """One more period; the logarithms of the e-values after it."""
        q, rows = probabilities.ravel(), probabilities.shape[1]
        y = labels.ravel().astype(np.uint8)
        cells, run = cells_of(q), np.repeat(np.arange(self.runs), rows)
        lower, upper = self.tolerated.bounds(q, cells)
        gaps = self.sums[0] / (self.sums[1] + LEARNED_PRIOR)
        bets = [*_whole(lower, upper), *_learned(q + gaps[:, run, cells], lower, upper)]
        found = [np.log1p(np.where(y == 1, b[1], b[0])).reshape(self.runs, rows).sum(axis=1) for b in bets]
        place = run * N_CELLS + cells
        for size in CELL_SHIFTS:
            for target, bound in ((upper + size, upper), (lower - size, lower)):
                at = _gains(target, bound)
                logs = np.log1p(np.where(y == 1, at[1], at[0]))
                found += list(np.bincount(place, logs, self.runs * N_CELLS).reshape(self.runs, N_CELLS).T)
        entering = math.log(waiting(self.looks + 1) - waiting(self.looks + 2))
        self.begun = np.logaddexp(self.begun, entering) + np.array(found)
        self.looks += 1
        memory = np.array(MEMORIES)[:, None, None]
        z = np.bincount(place, y - q, self.runs * N_CELLS).reshape(self.runs, N_CELLS)
        n = np.bincount(place, None, self.runs * N_CELLS).reshape(self.runs, N_CELLS)
        self.sums = memory * self.sums + np.array([z, n])[:, None]
        top = self.begun.max(axis=0)
        mixed = top + np.log((WEIGHTS[:, None] * np.exp(self.begun - top)).sum(axis=0))
        log_e = np.logaddexp(mixed, math.log(waiting(self.looks + 1)))
        self.highest = np.maximum(self.highest, log_e)
        return log_e


def run(kind: str, *, runs: int, looks: int, rows: int, seed: int, tolerance: float = 0.0, edge: float = 0.0) -> Array:
    """The highest logarithm of the e-value of each run, of models whose probabilities are off by `edge`."""
    rng = np.random.default_rng(seed)
    streams = Streams(runs, tolerance=tolerance)
    for _ in range(looks):
        q = KINDS[kind](rng, (runs, rows))
        streams.take(rng.random((runs, rows)) < np.clip(q - edge, 0, 1), q)
    return streams.highest
