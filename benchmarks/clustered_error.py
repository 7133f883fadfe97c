"""How much time and memory do clusters cost `calibration_error`? Clusters have 20 pairs, spread over all bins.

    make bench JOB=clustered_error

Goal: 4 × the time without clusters, and 40 MB for 10⁶ pairs in 50,000 clusters.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
from bench_calibration import draw, peak_memory
from growth import Job, print_growth, print_numpy_import

import howsure

CLUSTER_SIZE = 20
MEMORY_PAIRS = 1_000_000


def errors(n: int, *, power: float) -> tuple[Job, Job]:
    """Return two jobs for pairs whose labels are 1 with probability q**power: the error with clusters, and without."""
    rng = np.random.default_rng(0)
    q = rng.beta(0.3, 0.7, n)
    y = (rng.random(n) < q**power).astype(np.int64)
    clusters = rng.integers(n // CLUSTER_SIZE, size=n)
    return partial(howsure.calibration_error, y, q, clusters=clusters), partial(howsure.calibration_error, y, q)


def memory_in_new_process(n: int) -> float:
    """Return the memory that a first call adds, in MB."""
    command = [sys.executable, __file__, str(n)]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main() -> None:
    """Print the growth with the pairs, and the memory. In a process that is started with n, print only the memory."""
    errors(1_000, power=1.5)[0]()  # imports
    if len(sys.argv) > 1:
        n = int(sys.argv[1])
        (y, q), clusters = draw(n), np.random.default_rng(0).integers(n // CLUSTER_SIZE, size=n)
        before = peak_memory()
        howsure.calibration_error(y, q, clusters=clusters)
        print(peak_memory() - before)
        return
    memory = memory_in_new_process(MEMORY_PAIRS)  # first: the peak of this process would be that of the new one
    print_numpy_import()
    for name, power in (("calibrated", 1.0), ("miscalibrated", 1.5)):
        title = f"calibration_error, clusters of {CLUSTER_SIZE} pairs, {name}"
        sizes = (250_000, 500_000, 1_000_000)
        floor, goal = "the same pairs without clusters", "4 × at 1,000,000 pairs"
        print_growth(title, sizes, partial(errors, power=power), floor=floor, goal=goal)
    print(f"\nmemory added by {MEMORY_PAIRS:,} pairs: {memory:.0f} MB; goal: 40 MB")


if __name__ == "__main__":
    main()
