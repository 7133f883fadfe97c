"""Made-up answers with known risks, for the tests of selective measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure import Pairs

GRID = np.array([0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0])
SHARES = np.array([0.05, 0.05, 0.1, 0.1, 0.1, 0.3, 0.2, 0.1])


def confidences(law: str, n: int, rng: np.random.Generator) -> Any:
    """Confidences of n answers: all different, a few values, or nine in ten equal."""
    if law == "different":
        return rng.random(n) ** 0.4
    if law == "ties":
        return rng.choice(GRID, n, p=SHARES)
    return np.where(rng.random(n) < 0.9, 0.95, np.round(rng.random(n), 2))


def risk_at(model: str, q: Any) -> Any:
    """P(wrong) of an answer of a confidence."""
    if model == "overconfident":
        return 1 - q
    if model == "sharp":
        return (1 - q) / 2
    if model == "worst at the top":
        return np.where(q > 0.97, 0.15, np.where(q > 0.5, 0.02, 0.12))
    if model == "waves":
        return 0.05 + 0.045 * np.sin(12 * q)
    return np.full_like(q, 0.0501)  # just above the target, whatever the threshold


def risk_above(law: str, model: str, threshold: float) -> float:
    """P(wrong | confidence ≥ threshold), from a million confidences and their exact risks."""
    q = confidences(law, 1_000_000, np.random.default_rng(9))
    return float(risk_at(model, q[q >= threshold]).mean())


def answers(law: str, model: str, n: int, rng: np.random.Generator) -> Pairs:
    """n independent answers."""
    q = confidences(law, n, rng)
    return Pairs((rng.random(n) >= risk_at(model, q)).astype(np.uint8), q)


def clustered_answers(law: str, model: str, clusters: int, rng: np.random.Generator) -> Pairs:
    """Clusters of 1 to 9 answers that are equally confident and, four times in five, right or wrong together."""
    sizes = rng.integers(1, 10, clusters)
    codes = np.repeat(np.arange(clusters), sizes)
    q = np.repeat(confidences(law, clusters, rng), sizes)
    together, alone = np.repeat(rng.random(clusters), sizes), rng.random(len(codes))
    drawn = np.where(np.repeat(rng.random(clusters) < 0.8, sizes), together, alone)
    return Pairs((drawn >= risk_at(model, q)).astype(np.uint8), q, clusters=codes)


def separated(
    n: int, accuracy: float, distance: float, rng: np.random.Generator, *, ties: bool, clusters: bool
) -> Pairs:
    """Answers of an accuracy whose confidence is a normal score, higher by `distance` where they are right."""
    from scipy.special import expit, ndtri

    codes = np.arange(n) // 5 if clusters else None
    shared = [np.repeat(rng.normal(size=-(-n // 5)), 5)[:n] if clusters else np.zeros(n) for _ in range(2)]
    own = np.sqrt(0.5) if clusters else 1.0
    first, second = (own * rng.normal(size=n) + np.sqrt(0.5) * one for one in shared)
    right = first < ndtri(accuracy)
    q = expit(second + distance * right)
    return Pairs(right.astype(np.uint8), np.round(5 * q) / 5 if ties else q, clusters=codes)
