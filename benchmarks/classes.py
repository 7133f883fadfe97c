"""Does the accuracy of many classes take longer than that of two? `compare(metrics="accuracy")`, 10,000 replicates.

    make bench JOB=classes

For accuracy, a row has one of four values (each model correct or wrong), whatever the number of classes. Goal: 1.2 ×
the CPU seconds for two classes.
"""

from __future__ import annotations

import time

import numpy as np

import howsure


def main() -> None:
    print("  items  classes  seconds     ×")
    for n in (50_000, 100_000, 200_000):
        two = cpu_seconds(n, 2)
        for classes in (2, 10, 50, 200):
            seconds = cpu_seconds(n, classes)
            print(f"{n:7,}  {classes:7}  {seconds:7.3f}  {seconds / two:4.1f}")


def cpu_seconds(n: int, classes: int) -> float:
    """Return the CPU seconds of the fastest of five calls."""
    rng = np.random.default_rng(0)
    targets = rng.integers(0, classes, n)
    models = [np.where(rng.random(n) < 0.8, targets, rng.integers(0, classes, n)) for _ in range(2)]
    seconds = []
    for _ in range(5):
        start = time.process_time()
        howsure.compare_models(targets, *models, metrics="accuracy", rng=0)
        seconds.append(time.process_time() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
