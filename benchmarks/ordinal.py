"""Does the interval of the error of ordered levels cover? Simulated answers with five levels, as in docs/ordinal.md.

    .venv/bin/python benchmarks/ordinal.py [--quick]

prints the page's table: the proportion of data sets whose 95% interval contains the true error of the bins, the
proportion whose interval is above 0, and the mean width.
"""

from __future__ import annotations

import sys

import numpy as np

import howsure
from howsure.inputs.pairs import Floats

RUNS, QUICK = 500, 20
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])
APART = np.array([-1.0, 0.0, 0.0, 1.0])
MODELS = {"calibrated": 0.0, "first and last cut point off, opposite ways": 0.6}
HEADINGS = ("model", "answers", "error", "holds the error", "above 0", "mean width")


def above(ability: Floats, cuts: Floats) -> Floats:
    """Return the probability of a level above each cut point, (n, 4)."""
    return np.asarray(1 / (1 + np.exp(cuts - ability)))


def measured(off: float, n: int, runs: int) -> Floats:
    """Return means over data sets: the true error, whether the interval contains it, whether it is above 0, and its
    width."""
    rng, measures = np.random.default_rng(n), []
    for _ in range(runs):
        ability = rng.normal(0, 1.5, (n, 1))
        true, predicted = above(ability, CUTS), above(ability, CUTS + off * APART)
        grades = (rng.random((n, 1)) < true).sum(axis=1)
        result = howsure.ordinal_calibration(grades, -np.diff(predicted, axis=1, prepend=1, append=0))
        truth = error_of_bins(result, predicted, true)
        low, high = np.array([result.error.low, result.error.high], dtype=float)
        measures.append((truth, low <= truth <= high, low > 0, high - low))
    return np.asarray(np.mean(measures, axis=0))


def error_of_bins(result: howsure.OrdinalCalibration, predicted: Floats, true: Floats) -> float:
    """Return the root-mean-square gap between predicted and true probabilities, in the bins of all cut points."""
    squares = 0.0
    for place, curve in enumerate(result):
        order, count = np.argsort(predicted[:, place]), curve.bins.count
        gaps = np.add.reduceat((predicted - true)[order, place], np.cumsum(count) - count)
        squares += float((gaps**2 / count).sum()) / count.sum()
    return float(np.sqrt(squares / len(result)))


def main() -> None:
    """Print the table."""
    runs = QUICK if "--quick" in sys.argv[1:] else RUNS
    widths = (max(map(len, MODELS)), *map(len, HEADINGS[1:]))
    print(f"| {HEADINGS[0]:<{widths[0]}} | {' | '.join(HEADINGS[1:])} |")
    print(f"|{'-' * (widths[0] + 2)}|{'|'.join('-' * (width + 1) + ':' for width in widths[1:])}|")
    for name, off in MODELS.items():
        for n in (200, 1000):
            shares = [f"{share:.3f}".lstrip("0") for share in measured(off, n, runs)]
            cells = (f"{share:>{width}}" for share, width in zip([f"{n:,}", *shares], widths[1:], strict=True))
            print(f"| {name:<{widths[0]}} | {' | '.join(cells)} |", flush=True)
    print(f"\n{runs:,} sets each")


if __name__ == "__main__":
    main()
