"""How often does the interval of the ECE contain the population's ECE in the same bins? Nominal: 0.95.

Designs and models are those of coverage.py. The interval is compared with the plug-in value ± z · sd, which is similar
to a bootstrap of the plug-in value. Prints the table of docs/coverage.md. `--quick` uses a tenth of the runs; names of
designs select them.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.coverage import AMPLITUDES, DESIGNS, Floats, Population, draw
from howsure import calibration_curve

SIZES = {200: 1000, 1_000: 1000, 5_000: 500, 20_000: 300}  # the runs of each
BINNINGS: dict[str, dict[str, Any]] = {
    "15 uniform": {"binning": "uniform", "n_bins": 15},
    "15 adaptive": {"n_bins": 15},
    "auto": {},
}


@dataclass(frozen=True, slots=True)
class EceCell:
    """One cell: how often the interval contains the true ECE, the true ECE, the mean plug-in value and interval ends,
    and how often the plug-in value ± z · sd contains the true ECE."""

    covered: float
    truth: float
    plugin: float
    low: float
    high: float
    alternative: float


def binned_ece(population: Population, upper: Floats) -> float:
    """Return Σ p_b |g_b| of the population in bins with these upper edges."""
    edges = np.concatenate([[0], np.searchsorted(population.q, upper[:-1], side="right"), [len(population.q)]])
    return float(np.abs(np.diff(population.gaps[edges])).sum())


def ece_coverage(design: str, model: str, n: int, *, runs: int, binning: str, seed: int = 1) -> EceCell:
    """Draw samples, and compare the interval of each with the population."""
    rng, population, rows = np.random.default_rng(seed), Population(design, model), []
    for _ in range(runs):
        sample = draw(design, model, n, rng)
        curve = calibration_curve(
            sample.y, sample.q, sample_weight=sample.weights, clusters=sample.clusters, **BINNINGS[binning]
        )
        ece, truth = curve.ece, binned_ece(population, curve.bins.upper)
        assert ece.low is not None
        assert ece.high is not None
        reach = ece.high - ece.value
        rows.append(
            (
                ece.low - 1e-12 <= truth <= ece.high + 1e-12,
                truth,
                ece.value,
                ece.low,
                ece.high,
                abs(ece.value - truth) <= reach,
            )
        )
    return EceCell(*np.array(rows, dtype=float).mean(axis=0).tolist())


def main() -> None:
    """Print the table."""
    part = 10 if "--quick" in sys.argv else 1
    names = [f"{name}, {n:,}" for name in BINNINGS for n in SIZES]
    print(f"| design | model | {' | '.join(names)} | plug-in ± z · sd |")
    print("|---|---|" + "---:|" * (len(names) + 1))
    for design in [name for name in DESIGNS if name in sys.argv] or DESIGNS:
        for model in AMPLITUDES:
            cells = [
                ece_coverage(design, model, n, runs=runs // part, binning=name)
                for name in BINNINGS
                for n, runs in SIZES.items()
            ]
            alternatives = [cell.alternative for cell in cells]
            shown = " | ".join(f"{cell.covered:.3f}" for cell in cells)
            print(f"| {design} | {model} | {shown} | {min(alternatives):.2f} to {max(alternatives):.2f} |", flush=True)


if __name__ == "__main__":
    main()
