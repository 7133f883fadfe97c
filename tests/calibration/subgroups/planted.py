"""Predictions with features, in some of which a group may be planted that is worse calibrated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtr

from howsure.inputs.pairs import Pairs

REGIMES = ("plain", "rare", "miscalibrated", "clusters", "few clusters", "weights")
PLANTS = ("a category", "a tail", "a category and a tail", "two tails")


def simulated(
    regime: str, n: int, rng: np.random.Generator, *, plant: str | None = None, features: int = 10, error: float = 0.1
) -> tuple[Pairs, dict[str, Any]]:
    """Pairs and features by name; a planted group has 5 % of the rows, and label 1 less often by `error`."""
    q = rng.beta(0.3, 30, n) if regime == "rare" else rng.beta(2, 1, n)
    p = expit(0.5 * logit(np.clip(q, 1e-12, 1 - 1e-12)) - 0.5) if regime == "miscalibrated" else q
    held: dict[str, Any] = {"near": q + 0.05 * rng.standard_normal(n), "sure": (q > 0.6) + rng.integers(0, 2, n)}
    for j in range(2, features):
        held[f"f{j}"] = rng.exponential(size=n) if j % 2 else rng.integers(0, 2 + j % 7, n)
    u, clusters = rng.random(n), None
    if "clusters" in regime:
        count, share = (60, 0.1) if regime == "few clusters" else (n // 10, 0.5)
        clusters = rng.integers(0, count, n)
        common = rng.standard_normal(count)[clusters]
        u = ndtr(np.sqrt(share) * common + np.sqrt(1 - share) * rng.standard_normal(n))
        held |= {"f2": rng.integers(0, 4, count)[clusters], "f3": rng.standard_normal(count)[clusters]}
    a, b, c = rng.standard_normal(n), rng.standard_normal(n), rng.integers(0, 5, n)
    inside = {
        None: np.zeros(n, np.bool_),
        "a category": rng.random(n) < 0.05,
        "a tail": a > np.quantile(a, 0.95),
        "a category and a tail": (c == 2) & (b > np.quantile(b, 0.75)),
        "two tails": (a > np.quantile(a, 0.8)) & (b < np.quantile(b, 0.25)),
    }[plant]
    if plant is not None:
        kind = np.where(inside, 9, rng.integers(0, 5, n)) if plant == "a category" else c
        held |= {"a": a, "b": b, "c": kind}
    labels = (u < np.where(inside, np.clip(p - error, 0, 1), p)).astype(np.uint8)
    weights = rng.exponential(size=n) if regime == "weights" else None
    return Pairs(labels, q, weights, clusters=clusters), held
