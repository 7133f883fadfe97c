"""How often the intervals of scores hold the truth, and how often their test finds what is there.

`python -m tests.significance.score_simulations` prints the table of docs/significance.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtr

from howsure.significance import Runs
from howsure.significance.comparison import compare

KINDS = ("right or wrong", "grades", "overlap")
GAIN = 0.25  # of the better model, in standard deviations of an item's ease
GRADES = np.array([0.05, 0.15, 0.35, 0.7])  # shares of grades up to 1, 2, 3, 4
SIZES = ((30, 1), (30, 5), (100, 1), (100, 5), (1000, 1), (1000, 5), (1000, 50))  # items, and items per cluster
UNEQUAL = (("lognormal", 10), ("lognormal", 30), ("one large", 10), ("one large", 30))  # sizes, and number of clusters


def equal_clusters(n: int, size: int) -> Any:
    """The cluster of each of n items."""
    return np.arange(n) // size


def unequal_clusters(shape: str, number: int, *, seed: Sequence[int] = (0,)) -> Any:
    """Clusters of 10 items on average (in the logarithm, with a standard deviation of 1); or one that holds nearly half
    of all items."""
    if shape == "one large":
        return np.repeat(np.arange(number), [10 * (number - 1), *[10] * (number - 1)])
    sizes = 10 * np.random.default_rng([*seed, 1]).lognormal(0, 1, number)
    return np.repeat(np.arange(number), np.maximum(1, sizes.round()).astype(int))


def scores_of(kind: str, ease: Any) -> Any:
    """Scores of answers from their ease, a standard normal number plus a gain: right in 90 %; grades 1 to 5; an overlap
    like that of ROUGE, which is often near 0 and skewed."""
    share = ndtr(ease)
    if kind == "right or wrong":
        return (share > 0.1).astype(float)
    return 1.0 + np.searchsorted(GRADES, share) if kind == "grades" else betaincinv(0.6, 3.0, share)


def drawn(rng: np.random.Generator, kind: str, clusters: Any, *, gain: float = 0.0, runs: int = 1) -> dict:
    """Two models' scores on the same items, in clusters that share three tenths of what makes items hard."""
    n = len(clusters)
    item = np.sqrt(0.3) * rng.normal(size=clusters.max() + 1)[clusters] + np.sqrt(0.7) * rng.normal(size=n)
    scores = {}
    for name, added in (("a", 0.0), ("b", gain)):
        ease = np.sqrt(0.7) * item + np.sqrt(0.2) * rng.normal(size=n)
        scores[name] = [scores_of(kind, ease + np.sqrt(0.1) * rng.normal(size=n) + added) for _ in range(runs)]
    return {name: Runs(run_scores) for name, run_scores in scores.items()}


def true_mean(kind: str, gain: float) -> float:
    """The expected score of a model."""
    ease = np.linspace(-8, 8, 400_001)
    weight = np.exp(-(ease**2) / 2)
    return float((scores_of(kind, ease + gain) * weight).sum() / weight.sum())


def rates(
    kind: str, clusters_of: Callable[[Sequence[int]], Any], sets: int, *, seed: int = 0, runs: int = 1
) -> dict[str, float]:
    """The shares of sets in which the intervals of a model's mean and of the difference hold the truth, and in which p
    is at most .05, without a difference and with one. `clusters_of` makes the clusters of a set from its seed."""
    means = [true_mean(kind, gain) for gain in (0.0, GAIN)]
    counts = dict.fromkeys(("mean", "difference", "level", "power"), 0)
    for k in range(sets):
        clusters = clusters_of((seed, k))
        alone = clusters.max() + 1 == len(clusters)
        for gain in (0.0, GAIN):
            made = drawn(np.random.default_rng([seed, k]), kind, clusters, gain=gain, runs=runs)
            result = compare(score=made, against="a", clusters=None if alone else clusters)
            row = result[0]
            if gain:
                counts["power"] += row.p_value <= 0.05
                counts["difference"] += row.low <= means[1] - means[0] <= row.high
                counts["mean"] += next(mean.low <= means[0] <= mean.high for mean in result.means if mean.model == "a")
            else:
                counts["level"] += row.p_value <= 0.05
    return {name: count / sets for name, count in counts.items()}


def equal_rates(kind: str, n: int, size: int, sets: int, **options: int) -> dict[str, float]:
    """The rates for n items in clusters of equal size."""
    return rates(kind, lambda seed: equal_clusters(n, size), sets, **options)


def unequal_rates(kind: str, shape: str, number: int, sets: int, **options: int) -> dict[str, float]:
    """The rates for clusters of unequal size."""
    return rates(kind, lambda seed: unequal_clusters(shape, number, seed=seed), sets, **options)


def lines(sets: int) -> Iterator[str]:
    """The rows of the table."""
    for kind in KINDS:
        for n, size in SIZES:
            of = "–" if size == 1 else f"{n // size} of {size}"
            yield f"| {kind} | {n:,} | {of} | {_cells(equal_rates(kind, n, size, sets))} |"
        for shape, number in UNEQUAL:
            items = 20 * (number - 1) if shape == "one large" else "varies"
            yield f"| {kind} | {items} | {number}, {shape} | {_cells(unequal_rates(kind, shape, number, sets))} |"


def _cells(rates_by_name: dict[str, float]) -> str:
    return " | ".join(f"{rate:.3f}" for rate in rates_by_name.values())


if __name__ == "__main__":
    print("| scores | items | clusters | interval of a mean | interval of the difference | p ≤ .05 | with a gain |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        print(line, flush=True)
