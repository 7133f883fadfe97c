"""How much wider are intervals without assumptions? Gaffke's intervals and tests compared with Student's t.

The data are such that Student's t is valid, too: correct and wrong answers in clusters of twenty rows, which are
independent or follow the outcome of their cluster with probability ρ; and paired answers without clusters. The first
table shows the ratio of the intervals' widths, and how often a model with 0.95 is shown to reach a limit of 0.9. The
second table is of scores from regular distributions, without rare losses: how often a limit is shown to be reached that
Student's t shows in four of five data sets, by what `howsure check score` knows about their bounds.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import math
from collections.abc import Callable

import numpy as np

from benchmarks.regimes.means import right
from howsure.check import check_score
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import mean_difference, mean_score

SHARE = (0.0, 1.0)
Law = Callable[[np.random.Generator, int], np.ndarray]
GRADES = np.array([0.05, 0.1, 0.2, 0.4, 0.25])  # of 1 to 5
TAME: list[tuple[str, Law, float, float, tuple[float, float]]] = [  # mean, standard deviation, bounds
    ("normal, 6 ± 1; bounds 0, 10", lambda rng, n: np.clip(rng.normal(6, 1, n), 0, 10), 6.0, 1.0, (0.0, 10.0)),
    ("uniform in [0, 1]", lambda rng, n: rng.random(n), 0.5, math.sqrt(1 / 12), SHARE),
    ("Beta(8, 2)", lambda rng, n: rng.beta(8, 2, n), 0.8, math.sqrt(0.16 / 11), SHARE),
    ("Beta(38, 2)", lambda rng, n: rng.beta(38, 2, n), 0.95, math.sqrt(0.0475 / 41), SHARE),
    ("grades 1 to 5", lambda rng, n: rng.choice(np.arange(1.0, 6), n, p=GRADES), 3.7, 1.1, (1.0, 5.0)),
]
SIZE, LIMIT, TRUTH = 20, 0.9, 0.95


def clustered(number: int, follow: float, runs: int) -> list[float]:
    """Return the ratio of the widths, and the power of both tests, for clustered answers."""
    rng = np.random.default_rng([26, number])
    clusters = np.arange(number * SIZE) // SIZE
    groups = ItemGroups.of(len(clusters), clusters=clusters)
    ratios, powers = [], []
    for _ in range(runs):
        values = right(rng, clusters, follow, TRUTH)
        bounded, student = mean_score(values, groups, bounds=SHARE), mean_score(values, groups)
        ratios.append(np.ptp(bounded.interval(0.95)) / np.ptp(student.interval(0.95)))
        powers.append([estimate.p_above(LIMIT) <= 0.05 for estimate in (bounded, student)])
    return [float(np.nanmedian(ratios)), *np.mean(powers, axis=0).tolist()]


def paired(n: int, runs: int) -> list[float]:
    """Return the same for two models' answers. One is better by four points; a fifth of the items distinguishes the
    models."""
    rng = np.random.default_rng([27, n])
    ratios, powers = [], []
    for _ in range(runs):
        kind = rng.choice(3, n, p=[0.12, 0.08, 0.8])
        first, second = (kind != 1).astype(float), (kind != 0).astype(float)
        both = [mean_difference(first, second, bounds=bounds) for bounds in (SHARE, None)]
        ratios.append(np.ptp(both[0].interval(0.95)) / np.ptp(both[1].interval(0.95)))
        powers.append([difference.p_above(0.0) <= 0.05 for difference in both])
    return [float(np.nanmedian(ratios)), *np.mean(powers, axis=0).tolist()]


def tame(law: Law, mean: float, deviation: float, bounds: tuple[float, float], n: int, runs: int) -> list[float]:
    """Return how often the mean is shown to be above a limit: without options, with bounds, and if rare losses are
    excluded by assumption."""
    rng = np.random.default_rng([28, n])
    limit, passed = mean - deviation / math.sqrt(n) * (1.645 + 0.842), []
    for _ in range(runs):
        scores = law(rng, n)
        ways = ({}, {"bounds": bounds}, {"assume_no_rare_losses": True})
        passed.append([check_score(scores, min_score=limit, **how).outcome == "pass" for how in ways])
    return list(np.mean(passed, axis=0).tolist())


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    print("| clusters of 20 | ρ | width, × Student's t | shown to be above 0.9 | by Student's t |")
    print("|---:|---:|---:|---:|---:|")
    for follow in (0.0, 0.3):
        for number in (40, 60, 100, 200, 500):
            ratio, power, student = clustered(number, follow, runs)
            print(f"| {number} | {follow:g} | {ratio:.2f} | {power:.2f} | {student:.2f} |", flush=True)
    print("\n| paired items, 0 or 1 | width, × Student's t | significant, p ≤ 0.05 | by Student's t |")
    print("|---:|---:|---:|---:|")
    for n in (100, 300, 1_000, 3_000):
        ratio, power, student = paired(n, runs)
        print(f"| {n:,} | {ratio:.2f} | {power:.2f} | {student:.2f} |", flush=True)
    print("\n| scores | n | no option | `--bounds` | `--assume-no-rare-losses` |\n|---|---:|---:|---:|---:|")
    for name, law, mean, deviation, bounds in TAME:
        for n in (30, 100, 300, 1_000):
            powers = " | ".join(f"{share:.2f}" for share in tame(law, mean, deviation, bounds, n, runs))
            print(f"| {name} | {n:,} | {powers} |", flush=True)


if __name__ == "__main__":
    main()
