"""How often the intervals of scores hold the truth, and how often their test finds what is there.

`python -m tests.significance.score_simulations` prints the table of docs/significance.md.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtr

from howsure.significance import Runs, compare

KINDS = ("right or wrong", "grades", "overlap")
GAIN = 0.25  # of the better model, in standard deviations of an item's ease
GRADES = np.array([0.05, 0.15, 0.35, 0.7])  # shares of grades up to 1, 2, 3, 4
SIZES = ((30, 1), (30, 5), (100, 1), (100, 5), (1000, 1), (1000, 5), (1000, 50))  # items, and items per cluster


def scores_of(kind: str, ease: Any) -> Any:
    """Scores of answers from their ease, a standard normal number plus a gain: right in 90 %; grades 1 to 5; an overlap
    like that of ROUGE, which is often near 0 and skewed."""
    share = ndtr(ease)
    if kind == "right or wrong":
        return (share > 0.1).astype(float)
    return 1.0 + np.searchsorted(GRADES, share) if kind == "grades" else betaincinv(0.6, 3.0, share)


def drawn(rng: np.random.Generator, kind: str, n: int, size: int, *, gain: float = 0.0, runs: int = 1) -> dict:
    """Two models' scores on the same n items, in clusters that share three tenths of what makes items hard."""
    of_cluster = rng.normal(size=-(-n // size)).repeat(size)[:n] if size > 1 else rng.normal(size=n)
    item = np.sqrt(0.3) * of_cluster + np.sqrt(0.7) * rng.normal(size=n)
    scores = {}
    for name, added in (("a", 0.0), ("b", gain)):
        own = np.sqrt(0.7) * item + np.sqrt(0.2) * rng.normal(size=n)
        scores[name] = [scores_of(kind, own + np.sqrt(0.1) * rng.normal(size=n) + added) for _ in range(runs)]
    return {name: Runs(held) for name, held in scores.items()}


def true_mean(kind: str, gain: float) -> float:
    """The expected score of a model."""
    ease = np.linspace(-8, 8, 400_001)
    weight = np.exp(-(ease**2) / 2)
    return float((scores_of(kind, ease + gain) * weight).sum() / weight.sum())


def rates(kind: str, n: int, size: int, sets: int, *, seed: int = 0, runs: int = 1) -> dict[str, float]:
    """The shares of sets in which the intervals of a model's mean and of the difference hold the truth, and in which p
    is at most .05, without a difference and with one."""
    means = [true_mean(kind, gain) for gain in (0.0, GAIN)]
    clusters = None if size == 1 else np.arange(n) // size
    found = dict.fromkeys(("mean", "difference", "level", "power"), 0)
    for k in range(sets):
        for gain in (0.0, GAIN):
            made = drawn(np.random.default_rng([seed, k]), kind, n, size, gain=gain, runs=runs)
            result = compare(scores=made, baseline="a", clusters=clusters)
            row = result[0]
            if gain:
                found["power"] += row.p_value <= 0.05
                found["difference"] += row.low <= means[1] - means[0] <= row.high
                found["mean"] += next(one.low <= means[0] <= one.high for one in result.means if one.model == "a")
            else:
                found["level"] += row.p_value <= 0.05
    return {name: count / sets for name, count in found.items()}


def lines(sets: int) -> Iterator[str]:
    """The rows of the table."""
    for kind in KINDS:
        for n, size in SIZES:
            held = rates(kind, n, size, sets)
            of = "–" if size == 1 else f"{n // size} of {size}"
            yield f"| {kind} | {n:,} | {of} | {' | '.join(f'{rate:.3f}' for rate in held.values())} |"


if __name__ == "__main__":
    print("| scores | items | clusters | interval of a mean | interval of the difference | p ≤ .05 | with a gain |")
    print("|---|---:|---|---:|---:|---:|---:|")
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 2000):
        print(line, flush=True)
