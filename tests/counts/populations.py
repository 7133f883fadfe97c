"""Simulated populations whose labels are all known, and samples of them."""

from __future__ import annotations

import numpy as np

from howsure.counts import LabelSample, sample_for_labels
from howsure.inputs.pairs import Floats, Integers

KINDS = ("calibrated", "misses", "drift", "rare", "useless", "break")
CELLS = 12


def population(kind: str, rng: np.random.Generator, *, n: int = 2400) -> tuple[Floats, Floats, Integers]:
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


def labelled(score: Floats, truth: Floats, n: int, rng: int, **options: object) -> tuple[LabelSample, Floats]:
    """A sample for n labels, and a column of the labels of what was drawn."""
    sample = sample_for_labels(score, n, rng=rng, **options)  # type: ignore[arg-type]
    labels = np.full(len(score), np.nan)
    labels[sample.indices] = truth[sample.indices]
    return sample, labels
