"""Populations whose labels are drawn, so that what misleads a score is known."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats, Integers

KINDS = {
    "calibrated": "the score is calibrated",
    "misses": "overconfident, 30 % missed",
    "drift": "the same, drift by period (sd 0.6)",
    "rare": "rare, with drift",
    "useless": "the score is useless",
    "break": "85 % missed in 3 of 12 periods",
}
CELLS, UNITS = 12, 2_400
MONTHS, DOCUMENTS = 24, 20_000
DRIFTS = (0.0, 0.5, 1.0)  # standard deviations over months, in logits

Drawn = tuple[Floats, Floats, Integers]


def population(kind: str, rng: np.random.Generator, *, n: int = UNITS) -> Drawn:
    """Scores, labels and cells of n units: scores right, missing 30 %, drifting, rare, useless, or broken."""
    cell = rng.integers(0, CELLS, n)
    x = rng.normal(-1.5, 1.6, n) - (2.5 if kind == "rare" else 0.0)
    drift = rng.normal(0, 0.6, CELLS)[cell] if kind in ("drift", "rare") else 0.0
    p = 1 / (1 + np.exp(-(x + drift)))
    right = 1 / (1 + np.exp(-x))
    sure = np.where(rng.random(n) < 0.3, 0.0, 1 / (1 + np.exp(-2 * x)))
    broken = np.where((cell < 3) & (rng.random(n) < 0.85), 0.0, right)
    score = {"misses": sure, "drift": sure, "useless": rng.random(n), "break": broken}.get(kind, right)
    return score, (rng.random(n) < p).astype(float), cell


def many_months(drift: float, rng: np.random.Generator, *, n: int = DOCUMENTS) -> Drawn:
    """Scores, labels and months of n documents of which 2 to 3 % are positive; overconfident, and 30 % missed."""
    month = rng.integers(0, MONTHS, n)
    x = rng.normal(0.0, 1.6, n)
    level = rng.normal(0.0, 1.0, MONTHS)[month] * drift
    p = 1 / (1 + np.exp(-(1.5 * x - 6.0 + level)))
    score = np.where(rng.random(n) < 0.3, 0.0, 1 / (1 + np.exp(-(2.0 * x - 4.0))))
    return score, (rng.random(n) < p).astype(float), month
