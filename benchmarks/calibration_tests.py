"""How often do the tests of calibration reject predictions that are calibrated (nominal: 0.05), shifted or too timid?

Predictions are uniform or from Beta(0.3, 0.7). A label is 1 with probability q (calibrated), q + 0.03 (shifted) or
expit(1.15 logit(q)) (too timid). Designs: independent pairs, without weights and with log-normal ones (σ = 1.5);
clusters of 20 pairs whose labels follow a Gaussian copula with ρ = 0.5; and clusters of geometric size with mean 20.
The tests are the public functions, with 199 draws if a method draws.

The second table is of `howsure.quantile_calibration`: the true value has the same distribution as the 99 draws
(calibrated), or a distribution shifted by 0.15 or spread by 1.2; rows are independent, or in clusters of 20 with ρ =
0.5.

The third table is of 140,000 pairs, whose predictions are rounded to cells, by the tests that need only sums.

Limit: calibrated predictions are rejected in 0.04 to 0.06 of the runs, apart from Monte Carlo error. `--runs` sets the
number of runs of each table cell (default 1,000: about 40 CPU minutes). Prints the tables of docs/calibration-tests.md.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtr

import howsure
from howsure.calibration.calibration_tests import METHODS, OF_SUMS

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator

LEVEL, DRAWS, CLUSTER_SIZE, CORRELATION = 0.05, 199, 20, 0.5
TRUTHS: dict[str, Callable[[Floats], Floats]] = {
    "calibrated": lambda q: q,
    "shifted": lambda q: np.minimum(q + 0.03, 1.0),
    "timid": lambda q: expit(1.15 * logit(np.clip(q, 1e-12, 1 - 1e-12))),
}
PREDICTIONS: dict[str, Callable[[Rng, int], Floats]] = {
    "uniform": lambda rng, n: rng.random(n),
    "Beta(.3, .7)": lambda rng, n: rng.beta(0.3, 0.7, n),
}
QUANTITIES = {"calibrated": (0.0, 1.0), "shifted": (0.15, 1.0), "spread": (0.0, 1.2)}


@dataclass(frozen=True, slots=True)
class Cell:
    """A design: n independent pairs, or clusters of equal or unequal size; with or without weights."""

    truth: str
    predictions: str = "uniform"
    n: int = 1_000
    clusters: int = 0
    uneven: bool = False
    weighted: bool = False

    def __str__(self) -> str:
        size = f"{self.clusters} clusters{', uneven' * self.uneven}" if self.clusters else f"{self.n:,} pairs"
        return f"| {self.truth} | {self.predictions} | {size}{', weights' * self.weighted} |"


def cluster_codes(cell: Cell, rng: Rng) -> npt.NDArray[np.int64] | None:
    """Return the cluster of each pair."""
    if not cell.clusters:
        return None
    sizes = rng.geometric(1 / CLUSTER_SIZE, cell.clusters) if cell.uneven else np.full(cell.clusters, CLUSTER_SIZE)
    return np.repeat(np.arange(cell.clusters), sizes)


def normal(n: int, clusters: npt.NDArray[np.int64] | None, rng: Rng) -> Floats:
    """Return standard normal variables, correlated within clusters."""
    if clusters is None:
        return rng.normal(size=n)
    shared = rng.normal(size=int(clusters.max()) + 1)[clusters]
    return np.sqrt(CORRELATION) * shared + np.sqrt(1 - CORRELATION) * rng.normal(size=n)


def p_values_of_tests(cell: Cell, rng: Rng, *, methods: Sequence[str] = METHODS) -> list[float]:
    """Return the p-value of every method for one sample."""
    clusters = cluster_codes(cell, rng)
    n = cell.n if clusters is None else len(clusters)
    q = PREDICTIONS[cell.predictions](rng, n)
    y = ndtr(normal(n, clusters, rng)) < TRUTHS[cell.truth](q)
    weight = np.exp(1.5 * rng.normal(size=n)) if cell.weighted else None
    options: dict[str, Any] = {"sample_weight": weight, "clusters": clusters, "n_simulations": DRAWS, "rng": rng}
    return [howsure.calibration_test(y, q, method=method, **options).p_value for method in methods]


def p_values_of_quantiles(cell: Cell, rng: Rng) -> list[float]:
    """Return both p-values of the posterior quantiles of one sample."""
    clusters = cluster_codes(cell, rng)
    n = cell.n if clusters is None else len(clusters)
    shift, spread = QUANTITIES[cell.truth]
    truth = shift + spread * normal(n, clusters, rng)
    calibration = howsure.quantile_calibration(
        truth, rng.normal(size=(n, 99)), clusters=clusters, n_simulations=DRAWS, rng=rng
    )
    return list(calibration.p_values.values())


def rates(cell: Cell, *, once: Callable[[Cell, Rng], list[float]], runs: int, seed: int) -> Floats:
    """Return how often each p-value is at most 0.05."""
    rng = np.random.default_rng(seed)
    share: Floats = np.mean([np.array(once(cell, rng)) <= LEVEL for _ in range(runs)], axis=0)
    return share


def cells() -> list[Cell]:
    """Return the rows of the first table."""
    alone = [Cell(truth, kind, weighted=w) for kind in PREDICTIONS for truth in TRUTHS for w in (False, True)]
    together = [
        Cell("calibrated", kind, clusters=number, uneven=uneven)
        for kind in PREDICTIONS
        for number in (10, 30, 100, 200)
        for uneven in (False, True)
    ]
    return alone + together + [Cell(truth, clusters=200) for truth in ("shifted", "timid")]


def quantile_cells() -> list[Cell]:
    """Return the rows of the second table."""
    alone = [Cell(truth, "99 draws", n=n) for truth in QUANTITIES for n in (100, 400)]
    numbers = (10, 30, 100, 200)
    together = [Cell("calibrated", "99 draws", clusters=c, uneven=u) for c in numbers for u in (False, True)]
    return alone + together + [Cell(truth, "99 draws", clusters=100) for truth in ("shifted", "spread")]


def cells_of_many() -> list[Cell]:
    """Return the rows of the third table."""
    return [Cell("calibrated", kind, n=140_000) for kind in PREDICTIONS]


def table(rows: list[Cell], columns: list[str], once: Callable[[Cell, Rng], list[float]], runs: int) -> None:
    """Print a table with one row for each cell."""
    print(f"| truth | predictions | design | {' | '.join(columns)} |\n|---|---|---|{'---:|' * len(columns)}")
    with ProcessPoolExecutor() as workers:
        for cell, shares in zip(rows, workers.map(partial(rates, once=once, runs=runs, seed=0), rows), strict=True):
            print(f"{cell} {' | '.join(f'{share:.3f}' for share in shares)} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000, help="runs a cell")
    parser.add_argument("--only", choices=["tests", "quantiles", "many"], help="one of the tables")
    chosen = parser.parse_args()
    if chosen.only in (None, "tests"):
        table(cells(), list(METHODS), p_values_of_tests, chosen.runs)
    if chosen.only in (None, "quantiles"):
        table(quantile_cells(), ["chi-square", "band"], p_values_of_quantiles, chosen.runs)
    if chosen.only in (None, "many"):
        table(cells_of_many(), list(OF_SUMS), partial(p_values_of_tests, methods=OF_SUMS), chosen.runs)


if __name__ == "__main__":
    main()
