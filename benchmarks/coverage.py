"""How often does the interval of the calibration error contain the true value? Nominal: 0.95.

Data: q ~ Beta(0.3, 0.7); P(y = 1 | q) = q + a sin(2πq) with a = 0 (calibrated), 0.03 (mild) and 0.15 (strong). Four
designs: plain; 40% of the predictions exactly 0 and 20% exactly 1; weights that depend on the prediction; and clusters
of 20 pairs, half of which share their prediction and the randomness of their label.

The true value is the error of the population, binned as in the run (`curve.bins.upper`), or as the population itself is
binned if there are 50 bins or more. The public function `howsure.calibration_curve` is called with its defaults. It is
compared with Algorithm 2 of Nguyen & O'Connor (2015) for plain pairs and, for clusters, with the interval that ignores
them.

Limit: at least 0.93 in every cell. Prints one Markdown table for each design (docs/coverage.md). `--quick` uses a tenth
of the runs.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import math
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import howsure

Floats = npt.NDArray[np.float64]

LEVEL, LIMIT = 0.95, 0.93
AMPLITUDES = {"calibrated": 0.0, "mild": 0.03, "strong": 0.15}
WRONG_AT_ENDS = {"calibrated": (0.0, 0.0), "mild": (0.01, 0.02), "strong": (0.05, 0.10)}  # of predictions 0 and 1
DESIGNS = ("plain", "masses", "weights", "clusters")
BIN_SIZES: tuple[int | str, ...] = (20, 200, 1000, "auto")
RUNS = {1_000: 1_000, 10_000: 500, 100_000: 200}
ALTERNATIVE_RUNS = {1_000: 300, 10_000: 100, 100_000: 30}  # Algorithm 2 draws 10,000 frequencies a bin
SHARE_AT_ZERO, SHARE_AT_ONE = 0.4, 0.2
CLUSTER_SIZE = 20
SHARED = 0.5  # the share of a cluster's pairs that have its prediction, and of those that have its luck
MANY_BINS = 50
GRID = 1 << 18
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs in the form in which a user has them."""

    y: npt.NDArray[np.bool_]
    q: Floats
    weights: Floats | None = None
    clusters: npt.NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the table: in how many of `runs` runs the interval contained the true value, lay above it, or lay
    below.

    alternative: the proportion of `alternative_runs` runs in which the interval compared with it contained the true
        value, or None.
    """

    design: str
    model: str
    n: int
    bin_size: int | str
    truth: float
    runs: int
    covered: float
    above: float
    below: float
    alternative_runs: int
    alternative: float | None

    @property
    def standard_error(self) -> float:
        """Return the binomial standard error of `covered`; if the coverage is 1, that of a coverage equal to the
        limit."""
        return math.sqrt(max(self.covered * (1 - self.covered), 0.05 / self.runs) / self.runs)


def label_probability(q: Floats, model: str) -> Floats:
    """P(y = 1 | q)."""
    p = q + AMPLITUDES[model] * np.sin(2 * np.pi * q)
    wrong_zeros, wrong_ones = WRONG_AT_ENDS[model]
    return np.where(q == 0.0, wrong_zeros, np.where(q == 1.0, 1.0 - wrong_ones, p))


def draw(design: str, model: str, n: int, rng: np.random.Generator) -> Sample:
    """Return pairs of a design and a model."""
    q, luck = rng.beta(0.3, 0.7, n), rng.random(n)
    weights = clusters = None
    if design == "masses":
        place = rng.random(n)
        q[place < SHARE_AT_ZERO] = 0.0
        q[place > 1 - SHARE_AT_ONE] = 1.0
    elif design == "weights":
        weights = rng.exponential(size=n) * (0.5 + q)
    elif design == "clusters":
        clusters = np.arange(n) // CLUSTER_SIZE
        of_cluster = rng.beta(0.3, 0.7, len(q)), rng.random(n)
        q, luck = (
            np.where(rng.random(n) < SHARED, common[clusters], independent)
            for common, independent in zip(of_cluster, (q, luck), strict=True)
        )
    return Sample(luck < label_probability(q, model), q, weights, clusters)


@cache
def _quantiles() -> Floats:
    """Return the quantiles of Beta(0.3, 0.7) on the grid."""
    from scipy.special import betaincinv

    quantiles: Floats = betaincinv(0.3, 0.7, (np.arange(GRID) + 0.5) / GRID)
    return quantiles


class Population:
    """The distribution from which the pairs of a design and a model are drawn, on a fine grid of quantiles."""

    def __init__(self, design: str, model: str) -> None:
        q = _quantiles()
        weight = np.full(GRID, 1.0 / GRID)
        if design == "masses":
            q = np.concatenate([[0.0], q, [1.0]])
            weight = np.concatenate([[SHARE_AT_ZERO], weight * (1 - SHARE_AT_ZERO - SHARE_AT_ONE), [SHARE_AT_ONE]])
        elif design == "weights":
            weight *= 0.5 + q
        weight /= weight.sum()
        gap = q - label_probability(q, model)
        self.q = q
        self.error = math.sqrt(weight @ gap**2)
        self.weights, self.gaps = (np.append(0.0, np.cumsum(column)) for column in (weight, weight * gap))

    def binned_error(self, upper: Floats) -> float:
        """Return the population's error in bins with these upper edges."""
        edges = np.concatenate([[0], np.searchsorted(self.q, upper[:-1], side="right"), [len(self.q)]])
        share, gap = np.diff(self.weights[edges]), np.diff(self.gaps[edges])
        occupied = share > 0
        return math.sqrt(float((gap[occupied] ** 2 / share[occupied]).sum()))

    def truth(self, upper: Floats) -> float:
        """Return the value that an interval of these bins should contain."""
        return self.error if len(upper) >= MANY_BINS else self.binned_error(upper)


def coverage(
    design: str,
    model: str,
    n: int,
    *,
    runs: int,
    alternative_runs: int = 0,
    bin_sizes: Iterable[int | str] = BIN_SIZES,
    seed: int = 0,
) -> list[Cell]:
    """Return the cells of one row. All bin sizes get the same data; every run has new data."""
    rng = np.random.default_rng([seed, DESIGNS.index(design), list(AMPLITUDES).index(model), n])
    population = Population(design, model)
    runs_by_size: dict[int | str, list[tuple[float, int, int | None]]] = {size: [] for size in bin_sizes}
    for run in range(runs):
        sample = draw(design, model, n, rng)
        for size, runs_of_size in runs_by_size.items():
            runs_of_size.append(
                _one_run(
                    sample,
                    size,
                    population,
                    alternative=_alternative_interval(design, rng) if run < alternative_runs else None,
                )
            )
    return [_cell(design, model, n, size, runs_of_size) for size, runs_of_size in runs_by_size.items()]


def _alternative_interval(design: str, rng: np.random.Generator) -> dict[str, Any] | None:
    """Return the arguments of the interval that is compared with the default one."""
    if design == "plain":
        return {"interval": "nguyen-oconnor", "rng": rng}
    return {} if design == "clusters" else None


def _one_run(
    sample: Sample, size: int | str, population: Population, *, alternative: dict[str, Any] | None
) -> tuple[float, int, int | None]:
    """Return the true value, the position of the interval (1 above it, -1 below it, 0 around it) and that of the other
    one."""
    curve = howsure.calibration_curve(
        sample.y, sample.q, bin_size=size, sample_weight=sample.weights, clusters=sample.clusters, level=LEVEL
    )
    truth = population.truth(curve.bins.upper)
    side = _side(curve.error, truth)
    if alternative is None:
        return truth, side, None
    other = howsure.calibration_curve(sample.y, sample.q, bin_size=size, level=LEVEL, **alternative)
    return truth, side, _side(other.algorithm1_error if "interval" in alternative else other.error, truth)


def _side(estimate: howsure.Estimate, truth: float) -> int:
    if estimate.low is None or estimate.high is None:
        return 1  # no interval holds nothing
    return int(estimate.low > truth + ROUNDING) - int(estimate.high < truth - ROUNDING)


def _cell(design: str, model: str, n: int, size: int | str, results: list[tuple[float, int, int | None]]) -> Cell:
    truths, sides, others = zip(*results, strict=True)
    side = np.array(sides)
    other = [side for side in others if side is not None]
    alternative_coverage = float(np.mean(np.array(other) == 0)) if other else None
    shares = (float(np.mean(side == where)) for where in (0, 1, -1))
    return Cell(design, model, n, size, float(np.mean(truths)), len(side), *shares, len(other), alternative_coverage)


def table(design: str, cells: list[Cell]) -> Iterator[str]:
    """Return the lines of a Markdown table: a row for every model and n, a column for every bin size."""
    sizes = list(dict.fromkeys(cell.bin_size for cell in cells))
    other = {"plain": "Algorithm 2", "clusters": "without clusters"}.get(design)
    heads = ["model", "n", "truth", *(f"{size}" for size in sizes)]
    heads += [f"{other}, {size}" for size in sizes] if other else []
    yield "| " + " | ".join(heads) + " |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for start in range(0, len(cells), len(sizes)):
        row = cells[start : start + len(sizes)]
        truths = sorted({f"{cell.truth:.3f}" for cell in row})
        texts = [row[0].model, f"{row[0].n:,}", truths[0] if len(truths) == 1 else f"{truths[0]}–{truths[-1]}"]
        texts += [f"{cell.covered:.3f}" if cell.covered >= LIMIT else f"**{cell.covered:.3f}**" for cell in row]
        texts += [f"{cell.alternative:.2f}" for cell in row if cell.alternative is not None]
        yield "| " + " | ".join(texts) + " |"


def measure(designs: Iterable[str], share: float, report: Callable[[str], None]) -> list[Cell]:
    """Measure all cells; report each table when it is complete."""
    everything = []
    for design in designs:
        cells = []
        for model in AMPLITUDES:
            for n, runs in RUNS.items():
                has_alternative = _alternative_interval(design, np.random.default_rng(0)) is not None
                runs_of_alternative = ALTERNATIVE_RUNS[n] if has_alternative else 0
                runs_of_alternative = runs if design == "clusters" else runs_of_alternative
                scaled = max(20, int(runs * share)), int(runs_of_alternative * share)
                cells += coverage(design, model, n, runs=scaled[0], alternative_runs=scaled[1])
        report("\n".join([f"\n### {design}\n", *table(design, cells)]))
        everything += cells
    return everything


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    parser.add_argument("--designs", nargs="+", choices=DESIGNS, default=DESIGNS)
    options = parser.parse_args()
    start = time.process_time()
    cells = measure(options.designs, 0.1 if options.quick else 1.0, lambda text: print(text, flush=True))
    low = [cell for cell in cells if cell.covered < LIMIT]
    print(f"\n{len(cells)} cells, {len(low)} of them below {LIMIT}; {time.process_time() - start:.0f} CPU seconds")
    for cell in low:
        print(
            f"- {cell.design}, {cell.model}, n = {cell.n:,}, bin size {cell.bin_size}: {cell.covered:.3f} "
            f"± {cell.standard_error:.3f} (above the truth {cell.above:.3f}, below {cell.below:.3f})"
        )


if __name__ == "__main__":
    main()
