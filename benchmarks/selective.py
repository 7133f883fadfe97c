"""Do thresholds keep their guarantee, and do the intervals of AUROC, AURC and E-AURC cover? Simulated answers.

    .venv/bin/python benchmarks/selective.py [--quick]

prints the tables of docs/selective.md. The tests import functions of this file.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from howsure import Pairs, selective_curve, selective_threshold

LAWS = ("different", "ties", "one value")
MODELS = ("sharp", "overconfident", "worst at the top", "waves", "level")
RISK, DELTA = 0.05, 0.1

GRID = np.array([0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0])
SHARES = np.array([0.05, 0.05, 0.1, 0.1, 0.1, 0.3, 0.2, 0.1])


def confidences(law: str, n: int, rng: np.random.Generator) -> Any:
    """Return the confidences of n answers: all different, a few values, or nine in ten equal."""
    if law == "different":
        return rng.random(n) ** 0.4
    if law == "ties":
        return rng.choice(GRID, n, p=SHARES)
    return np.where(rng.random(n) < 0.9, 0.95, np.round(rng.random(n), 2))


def risk_at(model: str, q: Any) -> Any:
    """Return P(wrong) of an answer with this confidence."""
    if model == "overconfident":
        return 1 - q
    if model == "sharp":
        return (1 - q) / 2
    if model == "worst at the top":
        return np.where(q > 0.97, 0.15, np.where(q > 0.5, 0.02, 0.12))
    if model == "waves":
        return 0.05 + 0.045 * np.sin(12 * q)
    return np.full_like(q, 0.0501)  # just above the target, whatever the threshold


@cache
def population(law: str, model: str) -> tuple[Any, Any]:
    """Return a million confidences, in decreasing order, and the risk of the answers above each."""
    q = -np.sort(-confidences(law, 1_000_000, np.random.default_rng(9)))
    return q, np.cumsum(risk_at(model, q)) / np.arange(1, len(q) + 1)


def risk_above(law: str, model: str, threshold: float) -> float:
    """Return P(wrong | confidence ≥ threshold)."""
    q, risk = population(law, model)
    return float(risk[max(np.searchsorted(-q, -threshold, side="right") - 1, 0)])


def largest_coverage(law: str, model: str) -> float:
    """Return the largest coverage whose true risk is at most the target; finding it requires all true risks."""
    q, risk = population(law, model)
    places = np.flatnonzero((risk <= RISK) & np.append(q[1:] != q[:-1], True))
    return float(places[-1] + 1) / len(q) if len(places) else 0.0


def answers(law: str, model: str, n: int, rng: np.random.Generator) -> Pairs:
    """Return n independent answers."""
    q = confidences(law, n, rng)
    return Pairs((rng.random(n) >= risk_at(model, q)).astype(np.uint8), q)


def clustered_answers(law: str, model: str, clusters: int, rng: np.random.Generator) -> Pairs:
    """Return clusters of 1 to 9 answers with equal confidence, which are all right or wrong in four clusters of
    five."""
    sizes = rng.integers(1, 10, clusters)
    codes = np.repeat(np.arange(clusters), sizes)
    q = np.repeat(confidences(law, clusters, rng), sizes)
    together, alone = np.repeat(rng.random(clusters), sizes), rng.random(len(codes))
    drawn = np.where(np.repeat(rng.random(clusters) < 0.8, sizes), together, alone)
    return Pairs((drawn >= risk_at(model, q)).astype(np.uint8), q, clusters=codes)


def separated(
    n: int, accuracy: float, distance: float, rng: np.random.Generator, *, ties: bool, clusters: bool
) -> Pairs:
    """Return answers with an accuracy, whose confidence is a normal score, higher by `distance` if they are correct."""
    from scipy.special import expit, ndtri

    codes = np.arange(n) // 5 if clusters else None
    shared = [np.repeat(rng.normal(size=-(-n // 5)), 5)[:n] if clusters else np.zeros(n) for _ in range(2)]
    scale = np.sqrt(0.5) if clusters else 1.0
    first, second = (scale * rng.normal(size=n) + np.sqrt(0.5) * common for common in shared)
    right = first < ndtri(accuracy)
    q = expit(second + distance * right)
    return Pairs(right.astype(np.uint8), np.round(5 * q) / 5 if ties else q, clusters=codes)


def broken(
    law: str, model: str, n: int, *, runs: int, clustered: bool = False, dependence: str = "estimated", seed: int = 1
) -> tuple[float, float, float]:
    """Return, for data sets of n answers or clusters, how often the threshold accepts more wrong answers than
    guaranteed, the mean coverage, and the proportion without a threshold."""
    rng, thresholds, shares = np.random.default_rng(seed), [], []
    for _ in range(runs):
        pairs = clustered_answers(law, model, n, rng) if clustered else answers(law, model, n, rng)
        selected = selective_threshold(pairs, risk=RISK, delta=DELTA, dependence=dependence)
        shares.append(selected.coverage.value)
        thresholds += [] if selected.threshold is None else [selected.threshold]
    wrong = sum(risk_above(law, model, threshold) > RISK + 1e-6 for threshold in thresholds)
    return wrong / runs, float(np.mean(shares)), 1 - len(thresholds) / runs


def cover(accuracy: float, distance: float, n: int, *, ties: bool, clusters: bool, runs: int) -> list[float]:
    """Return how often the intervals of AUROC, AURC and E-AURC contain the values of 400,000 answers."""

    def measured(size: int, rng: np.random.Generator) -> list[Any]:
        curve = selective_curve(separated(size, accuracy, distance, rng, ties=ties, clusters=clusters), coverage=[])
        return [curve.auroc, curve.aurc, curve.excess_aurc]

    truth = [estimate.value for estimate in measured(400_000, np.random.default_rng(1))]
    rng, covered = np.random.default_rng(2), np.zeros(3)
    for _ in range(runs):
        estimates = measured(n, rng)
        covered += [
            estimate.low is None or estimate.low <= true <= estimate.high
            for estimate, true in zip(estimates, truth, strict=True)
        ]
    return (covered / runs).tolist()


def main() -> None:
    """Print both tables."""
    part = 10 if "--quick" in sys.argv else 1
    print("| confidences | model | possible | 150 | 600 | 3,000 | 60 clusters | 400 clusters | 400 clusters, any |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for law in LAWS:
        for model in MODELS:
            cells = [broken(law, model, n, runs=2000 // part) for n in (150, 600, 3000)]
            cells += [broken(law, model, n, runs=100, clustered=True) for n in (60, 400)]
            cells += [broken(law, model, 400, runs=500 // part, clustered=True, dependence="any")]
            print(
                f"| {law} | {model} | {largest_coverage(law, model):.2f} |",
                *(f"{a:.3f} ({b:.2f}) |" for a, b, _ in cells),
                flush=True,
            )
    print("\n| accuracy | distance | confidences | 60 | 200 | 1,000 | 60 in clusters | 200 | 1,000 |")
    print("|---:|---:|---|---|---|---|---|---|---|")
    for accuracy in (0.7, 0.95):
        for distance in (0.7, 2.5):
            for ties in (False, True):
                cells = [
                    " ".join(
                        f"{x:.2f}"
                        for x in cover(accuracy, distance, n, ties=ties, clusters=clusters, runs=1000 // part)
                    )
                    for clusters in (False, True)
                    for n in (60, 200, 1000)
                ]
                print(
                    f"| {accuracy} | {distance} | {'ties' if ties else 'different'} |",
                    " | ".join(cells),
                    "|",
                    flush=True,
                )


if __name__ == "__main__":
    main()
