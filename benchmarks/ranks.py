"""Do the ranks of `howsure score` cover, and how long do they take? Simulated models of known order, some of them
equal.

    HOWSURE_DATA=data .venv/bin/python benchmarks/ranks.py [--quick]

prints the figures of docs/scores.md.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from scipy.special import ndtri

import howsure
from howsure.scores.ranks import ranks

RUNS, QUICK = 200, 20
SHARES = (0.0, 1.0)
Made = tuple[Any, Any, Any]  # scores (m, items), clusters (items,) or None, the true means (m,)


def binary(means: Any, n: int, rng: np.random.Generator, *, missing: float = 0.0) -> Made:
    """Return correct and wrong answers of models to items that differ in difficulty."""
    means = np.asarray(means, dtype=float)
    ability = 0.5**0.5 * rng.normal(size=n) + 0.5**0.5 * rng.normal(size=(len(means), n))
    scores = (ability < ndtri(means)[:, None]).astype(float)
    scores[rng.random(scores.shape) < missing] = np.nan
    return scores, None, means


def whole(m: int, sizes: Any, rng: np.random.Generator) -> Made:
    """Return equal models whose clusters are mostly correct or wrong as a whole."""
    unit = np.repeat(np.arange(len(sizes)), sizes)
    together, independent = rng.random((m, len(sizes))) < 0.7, rng.random((m, len(unit))) < 0.7
    scores = np.where(rng.random((m, len(unit))) < 0.9, together[:, unit], independent).astype(float)
    return scores, unit, np.full(m, 0.7)


def losses(m: int, n: int, rng: np.random.Generator) -> Made:
    """Return equal models with rare large losses, without bounds."""
    return rng.normal(0.98, 0.1, (m, n)) - 49.0 * (rng.random((m, n)) < 0.02), None, np.zeros(m)


PAIRS = np.repeat([0.5, 0.55, 0.6, 0.65, 0.7], 2)
REGIMES: dict[str, tuple[Callable[[np.random.Generator], Made], bool]] = {
    "10 equal models, 500 items": (lambda rng: binary([0.7] * 10, 500, rng), True),
    "40 equal models, 200 items": (lambda rng: binary([0.9] * 40, 200, rng), True),
    "5 equal models, .98 right of 50 items": (lambda rng: binary([0.98] * 5, 50, rng), True),
    "5 pairs of equal models, 2,000 items": (lambda rng: binary(PAIRS, 2000, rng), True),
    "the same, 500 items, a third missing": (lambda rng: binary(PAIRS, 500, rng, missing=1 / 3), True),
    "10 clusters of 20, right as a whole": (lambda rng: whole(6, np.full(10, 20), rng), True),
    "20 lognormal clusters": (lambda rng: whole(6, np.ceil(np.exp(rng.normal(2, 1, 20))).astype(int), rng), True),
    "50 clusters of 100 or 2": (lambda rng: whole(6, np.where(rng.random(50) < 0.1, 100, 2), rng), True),
    "20 lognormal clusters, bounds unknown": (
        lambda rng: whole(6, np.ceil(np.exp(rng.normal(2, 1, 20))).astype(int), rng),
        False,
    ),
    "rare large losses, 30 items": (lambda rng: losses(6, 30, rng), False),
}


def rates(make: Callable[[np.random.Generator], Made], runs: int, *, bounded: bool) -> tuple[float, float, float]:
    """Return how often all true ranks are covered, a tier separates equal models, and a best model is possibly best."""
    rng, covered, split, best = np.random.default_rng(0), 0, 0, list[float]()
    for _ in range(runs):
        scores, units, means = make(rng)
        possible = ranks(scores, units, bounds=SHARES if bounded else None, level=0.95, rng=rng)
        first, last = (means[None] > means[:, None]).sum(axis=1) + 1, (means[None] >= means[:, None]).sum(axis=1)
        covered += bool((possible.low <= first).all() and (possible.high >= last).all())
        split += any(len(set(possible.tier[means == mean])) > 1 for mean in set(means.tolist()))
        best.append(float(possible.best[means == means.max()].mean()))
    return covered / runs, split / runs, float(np.mean(best))


def main() -> None:
    """Print both tables."""
    runs = QUICK if "--quick" in sys.argv[1:] else RUNS
    print(f"{runs} data sets a row, level .95\n{'':<40}  covered  tier parts equals  a best may be best")
    for name, (make, bounded) in REGIMES.items():
        covered, split, best = rates(make, runs, bounded=bounded)
        print(f"{name:<40}  {covered:>7.3f}  {split:>17.3f}  {best:>18.3f}")
    print("\nCPU seconds  mean_scores  its ranks  × a Gram product of the scores")
    for m, n in ((50, 10_000), (100, 10_000), (200, 10_000), (200, 20_000)):
        print_cost(m, n)
    if data := os.environ.get("HOWSURE_DATA"):
        rows_of_a_log(Path(data) / "llm_mcq_confidence")


def print_cost(m: int, n: int) -> None:
    """Print a row of the table: the seconds for m models on n items, in total and for the ranks alone."""
    right = np.random.default_rng(0).random((m, n)) < np.linspace(0.4, 0.9, m)[:, None]
    models, items = np.repeat([f"model {i:03}" for i in range(m)], n), np.tile(np.arange(n), m)
    scores = right.astype(float)
    in_all = cpu_seconds(lambda: howsure.mean_scores(right.ravel(), model=models, id=items, rng=0))
    alone = cpu_seconds(lambda: ranks(scores, level=0.95, rng=np.random.default_rng(0)))
    product = cpu_seconds(lambda: scores @ scores.T)
    print(f"{m:3} × {n:6,}  {in_all:11.2f}  {alone:9.2f}  {alone / product:7.0f}")


def cpu_seconds(job: Callable[[], object]) -> float:
    """Return the CPU seconds of a job in the fastest of three runs."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        job()
        seconds.append(time.process_time() - start)
    return min(seconds)


def rows_of_a_log(folder: Path) -> None:
    """Print how long all rows of five files take, compared with DuckDB's own reading of them."""
    files = sorted(map(str, folder.glob("*.tsv.gz")))
    start = time.process_time()
    table_function = f"read_csv({files}, all_varchar = true, delim = '\t')"
    duckdb.execute(f"SET threads = 2; CREATE TABLE rows AS SELECT model, prompt, question, grade FROM {table_function}")
    floor, start = time.process_time() - start, time.process_time()
    source = howsure.read(files, across_files="separate", by_file=True)
    columns = {"model": "model", "groups": "file", "id": "question", "run": "prompt"}
    table = howsure.mean_scores("grade", pos_label="correct", rng=0, data=source, **columns)
    spent = time.process_time() - start
    print(f"{table.recipe['rows']:,} rows of {len(files)} files: {spent:.1f} CPU s, {spent / floor:.1f} × reading them")


if __name__ == "__main__":
    main()
