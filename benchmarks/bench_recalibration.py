"""How long do recalibration maps take to fit and to apply? `python -m benchmarks.bench_recalibration [ROWS]`

Prints the CPU seconds of each method on one core, compared with one sort of the probabilities.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from howsure.recalibration.map_input import labelled_from
from howsure.recalibration.recalibrate import fit_recalibration

BINARY = ("temperature", "platt", "beta", "isotonic", "histogram", "venn-abers", "auto")
OF_CLASSES = ("temperature", "vector", "dirichlet")


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of a job."""
    started = time.process_time()
    work()
    return time.process_time() - started


def main(n: int) -> None:
    """Print the table."""
    import scipy.optimize  # noqa: F401, so that no fit pays for its import

    rng = np.random.default_rng(0)
    q = rng.uniform(0.001, 0.999, n)
    y = rng.random(n) < 1 / (1 + np.exp(-0.6 * np.log(q / (1 - q)) - 0.2))
    sort = seconds(lambda: np.sort(q))
    print(f"{n:,} pairs; one sort {sort:.2f} s")
    data = labelled_from(y, q)
    for method in BINARY:
        fit = seconds(lambda method=method: fit_recalibration(data, method=method))  # type: ignore[misc]
        fitted_map = fit_recalibration(data, method=method)
        apply = seconds(lambda fitted_map=fitted_map: fitted_map.apply(q))  # type: ignore[misc]
        print(f"{method:12} fit {fit:6.2f} s ({fit / sort:5.1f} sorts), apply {apply:.2f} s")
    logits = 2 * rng.normal(size=(n, 3))
    true = np.exp(logits / 1.7 + np.array([0.3, 0.0, -0.3]))
    true /= true.sum(axis=1, keepdims=True)
    codes = (true.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    data = labelled_from(codes, logits=logits)
    for method in OF_CLASSES:
        penalty = 1e-3 if method == "dirichlet" else None
        fit = seconds(lambda m=method, p=penalty: fit_recalibration(data, method=m, penalty=p))  # type: ignore[misc]
        print(f"3 classes, {method:12} fit {fit:6.2f} s ({fit / sort:5.1f} sorts)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
