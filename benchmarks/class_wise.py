"""How much time do class-wise calibration curves take, compared with scikit-learn's curve of each class without errors?

    make bench JOB=class_wise

Goal: 1.2 × the time of scikit-learn for 10⁶ rows of 10 classes.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from growth import Job, print_growth, print_numpy_import
from sklearn.calibration import calibration_curve

import howsure

BINS = 20


def curves(classes: int, *, n: int) -> tuple[Job, Job]:
    """Return two jobs: howsure's curves of n rows with errors, intervals and p-values, and scikit-learn's of each
    class."""
    rng = np.random.default_rng(0)
    logits = 1.5 * rng.normal(size=(n, classes))
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    y = (probabilities.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, classes - 1)
    y_prob = howsure.Probabilities("probs", probabilities, reduce="class-wise")

    def bare_curves() -> None:
        for k in range(classes):
            calibration_curve(y == k, probabilities[:, k], n_bins=BINS, strategy="quantile")

    return partial(howsure.calibration_curves, y, y_prob), bare_curves


def main() -> None:
    """Print how the time grows with the rows, and with the classes."""
    curves(3, n=1_000)[0]()  # imports
    print_numpy_import()
    floor, goal = f"scikit-learn, {BINS} quantile bins of each class", "1.2 × at 1,000,000 rows of 10 classes"
    by_rows = (250_000, 500_000, 1_000_000)
    print_growth("calibration_curves, n rows of 10 classes", by_rows, lambda n: curves(10, n=n), floor=floor, goal=goal)
    classes = partial(curves, n=100_000)
    print_growth("calibration_curves, 100,000 rows of n classes", (10, 20, 40), classes, floor=floor, goal=goal)


if __name__ == "__main__":
    main()
