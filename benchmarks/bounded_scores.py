"""How much time do known bounds cost in `howsure score` and `howsure significance`, and how much does rounding scores
to cells change?

In one run: scores without bounds (Student's t); with bounds (Gaffke's interval of scores rounded to cells); and with
bounds by the exact integral over all distinct scores. The last column shows how far the rounding moves an interval.
Limit: 3 × the time without bounds.

    python benchmarks/bounded_scores.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from unittest.mock import patch

import numpy as np

import howsure
from howsure.stats import gaffke
from howsure.stats.gaffke import UnitSums, gaffke_interval

LIMIT, SIZES, REPEATS = 3.0, (20_000, 160_000, 320_000), 5
SHAPES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "Beta(2, 3)": lambda rng, n: rng.beta(2, 3, n),
    "uniform": lambda rng, n: rng.random(n),
    "3 rare losses": lambda rng, n: np.where(rng.random(n) < 3 / n, 0.0, 0.9 + 0.1 * rng.random(n)),
    "two points": lambda rng, n: np.where(rng.random(n) < 0.3, rng.normal(0.2, 1e-4, n), rng.normal(0.8, 1e-4, n)),
    "3 decimals": lambda rng, n: np.round(rng.random(n), 3),
    "Beta(.05, 20)": lambda rng, n: rng.beta(0.05, 20, n),
    "lognormal": lambda rng, n: np.minimum(rng.lognormal(-6, 2, n), 1.0),
}


def main() -> None:
    print("CPU seconds    scores  no bounds  bounds    ×  exact integral")
    for n in SIZES:
        rng = np.random.default_rng(0)
        first = rng.beta(2, 3, n)
        second = np.clip(first + rng.normal(0, 0.1, n), 0, 1)
        report("score_table", n, partial(howsure.mean_scores, first))
        report("compare", n, partial(howsure.compare_scores, score={"first": first, "second": second}, against="first"))
    print(f"limit: {LIMIT} ×")
    print("\nscores of 600 to 20,000, alone and in clusters of unequal sizes; ends moved, in widths of the interval")
    for shape, draw in SHAPES.items():
        moves = [moved(draw, n, clustered) for n in (600, 1_500, 5_000, 20_000) for clustered in (False, True)]
        print(f"{shape:14}  {max(moves):.1e}")


def report(name: str, n: int, job: Callable[..., object]) -> None:
    """Print a row of the table: times of the fastest of some runs; the exact integral is run once."""
    plain, bounded = (
        min(seconds(partial(job, **bounds)) for _ in range(REPEATS)) for bounds in ({}, {"bounds": (0.0, 1.0)})
    )
    with patch.object(gaffke, "MAX_EXACT", 10**9):
        exact = seconds(partial(job, bounds=(0.0, 1.0)))
    print(f"{name:11}  {n:8,}  {plain:9.3f}  {bounded:6.3f}  {bounded / plain:3.1f}  {exact:14.2f}")


def seconds(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def moved(draw: Callable[[np.random.Generator, int], np.ndarray], n: int, clustered: bool) -> float:
    """Return how far cells move the ends of an interval: the larger shift, relative to the width of the exact
    interval."""
    rng = np.random.default_rng(1)
    scores = draw(rng, n)
    sizes = np.minimum(np.ceil(rng.lognormal(0.0, 1.5, n)), 3000.0) if clustered else np.ones(n)
    by_cells = gaffke_interval(UnitSums.of(scores * sizes, sizes), bounds=(0.0, 1.0), size=0.025)
    with patch.object(gaffke, "MAX_EXACT", 10**9):
        exact = gaffke_interval(UnitSums.of(scores * sizes, sizes), bounds=(0.0, 1.0), size=0.025)
    return max(abs(a - b) for a, b in zip(by_cells, exact, strict=True)) / (exact[1] - exact[0])


if __name__ == "__main__":
    main()
