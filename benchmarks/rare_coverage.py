"""How often does the interval of the calibration error cover if labels hardly vary? Nominal: 0.95.

Base rates of 0.001 to 0.05 and 50 to 100,000 pairs. The predictions have this mean: they are constant, uniform from
half of it to one and a half, Beta(1, ·), or Beta(0.1, ·), of which most are near 0 and a few are large. Labels: never
1; calibrated; three and ten times as frequent as predicted; and 1 only among the largest 5% of the predictions.

The true value is the error of the population in the same bins. The public function `howsure.calibration_error` is
called with its defaults. For predictions near 1, all results are the same, mirrored.

Limit: at least 0.93 in every cell. Prints a Markdown table (docs/coverage.md): the coverage over the five kinds of
labels, and the lowest coverage of one kind. `--quick` uses a fifth of the runs.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import math
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import howsure
from howsure.calibration.bins import bin_pairs
from howsure.inputs.pairs import Pairs

Floats = npt.NDArray[np.float64]

LEVEL, LIMIT = 0.95, 0.93
RATES = (0.001, 0.01, 0.05)
RUNS = {50: 1_000, 1_000: 1_000, 10_000: 400, 100_000: 150}
GRID = 1 << 17
ROUNDING = 1e-12
LARGEST = 0.05  # the share of predictions that have all labels, in one kind


def _beta(shape: float) -> Callable[[float, Floats], Floats]:
    def quantile(rate: float, level: Floats) -> Floats:
        from scipy.special import betaincinv

        values: Floats = betaincinv(shape, shape * (1 / rate - 1), level)
        return values

    return quantile


PREDICTIONS: dict[str, Callable[[float, Floats], Floats]] = {
    "constant": lambda rate, level: np.full(level.shape, rate),
    "even": lambda rate, level: rate * (0.5 + level),
    "Beta(1, ·)": _beta(1.0),
    "Beta(0.1, ·)": _beta(0.1),
}
LABELS: dict[str, Callable[[float, Floats, Floats], Floats]] = {
    "never": lambda rate, q, level: np.zeros_like(q),
    "calibrated": lambda rate, q, level: q,
    "three times": lambda rate, q, level: np.minimum(3 * q, 1.0),
    "ten times": lambda rate, q, level: np.minimum(10 * q, 1.0),
    "among the largest": lambda rate, q, level: np.where(level > 1 - LARGEST, min(rate / LARGEST, 1.0), 0.0),
}


@cache
def _quantiles(rate: float, predictions: str) -> Floats:
    return PREDICTIONS[predictions](rate, (np.arange(GRID) + 0.5) / GRID)


@dataclass(frozen=True, slots=True)
class RareCell:
    """How often the interval contains the true value, lies above it, or lies below it; the median of its upper end."""

    rate: float
    n: int
    predictions: str
    labels: str
    runs: int
    covered: float
    above: float
    below: float
    high: float


class RarePopulation:
    """Predictions with a base rate and the frequency of their labels, on a fine grid of quantiles."""

    def __init__(self, rate: float, predictions: str, labels: str) -> None:
        level = (np.arange(GRID) + 0.5) / GRID
        self.q = _quantiles(rate, predictions)
        self.p = LABELS[labels](rate, self.q, level)
        self.gaps = np.append(0.0, np.cumsum(self.q - self.p)) / GRID

    def draw(self, n: int, rng: np.random.Generator) -> tuple[npt.NDArray[np.bool_], Floats]:
        """Return labels and predictions."""
        rows = rng.integers(GRID, size=n)
        return rng.random(n) < self.p[rows], self.q[rows]

    def binned_error(self, upper: Floats) -> float:
        """Return the error in bins with these upper edges."""
        edges = np.concatenate([[0], np.searchsorted(self.q, upper[:-1], side="right"), [GRID]])
        share, gap = np.diff(edges) / GRID, np.diff(self.gaps[edges])
        occupied = share > 0
        return math.sqrt(float((gap[occupied] ** 2 / share[occupied]).sum()))


def rare_coverage(rate: float, n: int, predictions: str, labels: str, *, runs: int, seed: int = 0) -> RareCell:
    """Return one cell."""
    place = [RATES.index(rate), n, list(PREDICTIONS).index(predictions), list(LABELS).index(labels)]
    rng = np.random.default_rng([seed, *place])
    population = RarePopulation(rate, predictions, labels)
    sides, highs = np.empty(runs), np.empty(runs)
    for run in range(runs):
        y, q = population.draw(n, rng)
        estimate = howsure.calibration_error(y, q, level=LEVEL)
        truth = population.binned_error(bin_pairs(Pairs(y.astype(np.uint8), q)).upper)
        assert estimate.low is not None
        assert estimate.high is not None
        sides[run] = int(estimate.low > truth + ROUNDING) - int(estimate.high < truth - ROUNDING)
        highs[run] = estimate.high
    shares = (float(np.mean(sides == side)) for side in (0, 1, -1))
    return RareCell(rate, n, predictions, labels, runs, *shares, float(np.median(highs)))


def _cell(arguments: tuple[Any, ...]) -> RareCell:
    *place, runs = arguments
    return rare_coverage(*place, runs=runs)


def table(cells: list[RareCell]) -> str:
    """Return the rows by base rate and n; columns: coverage over all labels, the lowest of one kind, and upper ends."""
    kinds = list(PREDICTIONS)
    lines = ["| base rate | n | " + " | ".join([*kinds, *(f"upper end, {kind}" for kind in kinds)]) + " |"]
    lines.append("|---:|" + "---:|" * (2 * len(kinds) + 1))
    for rate, n in dict.fromkeys((cell.rate, cell.n) for cell in cells):
        row = [cell for cell in cells if (cell.rate, cell.n) == (rate, n)]
        covered = [[cell.covered for cell in row if cell.predictions == kind] for kind in kinds]
        highs = [cell.high for kind in kinds for cell in row if (cell.predictions, cell.labels) == (kind, "calibrated")]
        texts = [f"{np.mean(shares):.3f} ({min(shares):.2f})" for shares in covered]
        lines.append(f"| {rate} | {n:,} | " + " | ".join([*texts, *(f"{high:.4f}" for high in highs)]) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="a fifth of the runs")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    start = time.perf_counter()
    jobs = [
        (rate, n, predictions, labels, runs // 5 if options.quick else runs)
        for rate in RATES
        for n, runs in RUNS.items()
        for predictions in PREDICTIONS
        for labels in LABELS
    ]
    with ProcessPoolExecutor(options.workers) as workers:
        cells = list(workers.map(_cell, jobs, chunksize=len(LABELS)))
    low = [cell for cell in cells if cell.covered < LIMIT]
    print(table(cells))
    print(f"\n{len(cells)} cells, {len(low)} of them below {LIMIT}; {time.perf_counter() - start:.0f} seconds")
    for cell in low:
        print(f"- {cell}")


if __name__ == "__main__":
    main()
