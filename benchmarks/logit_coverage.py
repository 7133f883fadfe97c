"""How often does the interval of the error of all classes of logits cover? The classes of a row depend on each other.

The model's logits are the true logits divided by a temperature. Each data set has new rows. The true value is the error
of 40,000 other rows in the same bins. Prints the table of docs/language-models.md; `--quick` uses a tenth of the data
sets.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from howsure import CalibrationSummary

Floats = npt.NDArray[np.float64]

TEMPERATURES = (1.0, 0.7, 1.5)
WORLDS = ((50, 500, 1.0), (50, 500, 3.0), (50, 500, 8.0), (3, 2_000, 1.0), (3, 2_000, 3.0))
SETS = 200


@dataclass(frozen=True, slots=True)
class LogitCell:
    """How often the interval contains the population's error, this error, the mean estimate, and how often p < 0.05."""

    covered: float
    truth: float
    mean: float
    rejected: float


def softmax(logits: Floats) -> Floats:
    """Return the softmax of each row."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    probabilities: Floats = raised / raised.sum(axis=1, keepdims=True)
    return probabilities


@dataclass(frozen=True, slots=True)
class World:
    """Rows of logits: normal with standard deviation `sharp`; later classes are rarer."""

    classes: int
    rows: int
    sharp: float
    temperature: float

    def draw(self, rng: np.random.Generator, rows: int) -> Floats:
        """Return true logits."""
        return self.sharp * rng.standard_normal((rows, self.classes)) - np.log(np.arange(1, self.classes + 1))

    def cells(self, *, sets: int, seed: int = 1) -> dict[str, LogitCell]:
        """Simulate data sets of rows, with intervals of pairs weighted by their probability and of unweighted pairs."""
        rng = np.random.default_rng(seed)
        logits = self.draw(rng, 40_000)
        population = Population(softmax(logits).ravel(), softmax(logits / self.temperature).ravel())
        rows_by_weights: dict[str, list[tuple[float, ...]]] = {"probability": [], "equal": []}
        for _ in range(sets):
            logits = self.draw(rng, self.rows)
            likely = softmax(logits).cumsum(axis=1)
            targets = (likely < likely[:, -1:] * rng.random((self.rows, 1))).sum(axis=1)
            summary = CalibrationSummary()
            summary.add_logits(logits / self.temperature, targets)
            for weights, curve in (
                ("probability", summary.by_probability().curve(binning="weight")),
                ("equal", summary.curve()),
            ):
                truth, error = population.error(curve.bins.upper, weights), curve.error
                assert error.low is not None
                assert error.high is not None
                rows_by_weights[weights].append(
                    (error.low <= truth <= error.high, truth, error.value, curve.p_value < 0.05)
                )
        return {
            name: LogitCell(*np.array(rows, dtype=float).mean(axis=0).tolist())
            for name, rows in rows_by_weights.items()
        }


class Population:
    """Many pairs of true and predicted probabilities, and their error in given bins."""

    def __init__(self, p: Floats, q: Floats) -> None:
        order = np.argsort(q)
        self.q, gap = q[order], (q - p)[order]
        self.sums = {
            weights: [np.append(0.0, np.cumsum(terms)) for terms in (w, w * gap)]
            for weights, w in (("probability", self.q), ("equal", np.ones(len(q))))
        }

    def error(self, upper: Floats, weights: str) -> float:
        """Return the error in bins with these upper edges."""
        edges = np.concatenate([[0], np.searchsorted(self.q, upper[:-1], side="right"), [len(self.q)]])
        weight, gap = (np.diff(sums[edges]) for sums in self.sums[weights])
        occupied = weight > 0
        return float(np.sqrt((gap[occupied] ** 2 / weight[occupied]).sum() / weight.sum()))


def main() -> None:
    """Print the table."""
    sets = SETS // 10 if "--quick" in sys.argv else SETS
    headings = [f"temperature {temperature:g}" for temperature in TEMPERATURES]
    print(f"| classes | rows | sharp | weights | {' | '.join(headings)} | p < 0.05 at 1 |")
    print("|---:|---:|---:|---|" + "---:|" * 4)
    for classes, rows, sharp in WORLDS:
        each = [World(classes, rows, sharp, temperature).cells(sets=sets) for temperature in TEMPERATURES]
        for weights in ("probability", "equal"):
            coverages = " | ".join(f"{cells[weights].covered:.3f}" for cells in each)
            print(
                f"| {classes} | {rows:,} | {sharp:g} | {weights} | {coverages} | {each[0][weights].rejected:.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
