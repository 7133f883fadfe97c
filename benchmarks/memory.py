"""How much memory does a call need in addition to its arrays? The peak of numpy's bytes for each row.

    make bench JOB=memory

Goals: 24 bytes for a score, 40 bytes for an answer of a selective curve.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np

import howsure

Job = Callable[[], object]
SIZES = (500_000, 1_000_000, 2_000_000)


def scores(n: int, *, bounds: tuple[float, float] | None = None) -> Job:
    """Return the job of computing the mean of n scores."""
    return partial(howsure.mean_scores, np.random.default_rng(0).beta(2, 3, n), bounds=bounds)


def right_answers(n: int) -> Job:
    """Return the job of computing the accuracy of n answers."""
    return partial(howsure.mean_scores, (np.random.default_rng(0).random(n) < 0.7).astype(np.float64))


def selective(n: int) -> Job:
    """Return the job of computing the risk–coverage curve of n answers whose confidences all differ."""
    rng = np.random.default_rng(0)
    confidence = rng.beta(3, 1, n)
    return partial(howsure.selective_curve, (rng.random(n) < confidence).astype(np.uint8), confidence)


JOBS: dict[str, tuple[Callable[[int], Job], int]] = {
    "mean_scores": (scores, 24),
    "mean_scores, bounds": (partial(scores, bounds=(0.0, 1.0)), 24),
    "mean_scores, right or wrong": (right_answers, 24),
    "selective_curve": (selective, 40),
}


def bytes_per_row(prepare: Callable[[int], Job], n: int) -> float:
    """Return the peak memory during the job, less the memory before it, divided by n."""
    prepare(1_000)()  # imports
    job = prepare(n)
    tracemalloc.start()
    job()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / n


def main() -> None:
    """Print a row for each job."""
    print(f"{'bytes a row':28}" + "".join(f"{n:>12,}" for n in SIZES) + "  goal")
    for name, (prepare, goal) in JOBS.items():
        needed = (bytes_per_row(prepare, n) for n in SIZES)
        print(f"{name:28}" + "".join(f"{number:12.0f}" for number in needed) + f"{goal:6}", flush=True)


if __name__ == "__main__":
    main()
