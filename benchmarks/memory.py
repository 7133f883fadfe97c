"""How much memory do means of scores and selective curves take? The peak of what Python and numpy allocate beyond the
input. Goal: 24 bytes a score for `mean_scores`, 40 bytes an answer for `selective_curve`.

    make bench JOB=memory
"""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
from growth import Job

import howsure

SIZES, MODELS = (500_000, 1_000_000, 2_000_000), 4


def mean_scores(n: int, *, clusters: bool) -> Job:
    """The means of four models, right or wrong on the same items."""
    rng = np.random.default_rng(0)
    items = n // MODELS
    score = (rng.random(n) < 0.7).astype(np.float64)
    model, item = np.repeat([f"model {number}" for number in range(MODELS)], items), np.tile(np.arange(items), MODELS)
    return partial(howsure.mean_scores, score, model=model, id=item, clusters=item // 10 if clusters else None, rng=0)


def continuous_scores(n: int) -> Job:
    """The mean of scores of one model."""
    return partial(howsure.mean_scores, np.random.default_rng(0).random(n), rng=0)


def selective_curve(n: int, *, clusters: bool) -> Job:
    """The curve of answers of distinct confidences."""
    rng = np.random.default_rng(0)
    confidence = rng.beta(3, 1, n)
    right = (rng.random(n) < confidence).astype(np.int64)
    return partial(howsure.selective_curve, right, confidence, clusters=np.arange(n) // 10 if clusters else None)


JOBS = {
    "mean_scores, 4 models": (partial(mean_scores, clusters=False), 24),
    "mean_scores, 4 models, clusters": (partial(mean_scores, clusters=True), 24),
    "mean_scores, 1 model, continuous": (continuous_scores, 24),
    "selective_curve": (partial(selective_curve, clusters=False), 40),
    "selective_curve, clusters": (partial(selective_curve, clusters=True), 40),
}


def peak_bytes(job: Job) -> int:
    """The most that a job holds at a time, beyond what was there before."""
    tracemalloc.start()
    job()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def main() -> None:
    """Print the bytes a row, for growing numbers of rows."""
    print(f"| job: peak bytes a row | {' | '.join(f'{n:,} rows' for n in SIZES)} | goal |")
    print(f"|---|{'---:|' * (len(SIZES) + 1)}")
    for name, (prepare, goal) in JOBS.items():
        prepare(SIZES[0] // 100)()  # imports
        cells = [f"{peak_bytes(prepare(n)) / n:.0f}" for n in SIZES]
        print(f"| {name} | {' | '.join(cells)} | {goal} |", flush=True)


if __name__ == "__main__":
    main()
