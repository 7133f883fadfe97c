"""How often do the bands and intervals of isotonic (CORP) calibration curves cover? Nominal: 0.95.

Data: predictions are uniform or ("extreme") from Beta(0.3, 2). A label is 1 with probability q (calibrated, extreme),
0.15 + 0.7 q (overconfident), 1/2 (flat) or q² (sharp). Some designs have rounded predictions, weights, or clusters of
pairs whose labels are dependent (a Gaussian copula).

The consistency band should contain the curve of a calibrated model at 95% of the pairs' predictions, the interval of a
step the true frequency at each pair's prediction, and the intervals of the components of a score their values in the
population. Prints the Markdown table of docs/coverage.md; with `--smooth`, that of the smooth ECE. `--quick` uses a
tenth of the runs.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from howsure.calibration.corp import CorpCurve, fit_corp
from howsure.calibration.isotonic import fixed_point, on_grid, ordered, smooth_ece
from howsure.inputs.pairs import Floats, Pairs

RUNS = 1_000


@dataclass(frozen=True)
class World:
    """n predictions of a shape, rounded to multiples of `ties` unless it is 0, in clusters with dependent labels."""

    shape: str = "calibrated"
    n: int = 500
    ties: float = 0.0
    size: int = 1
    correlation: float = 0.5
    weighted: bool = False

    @property
    def narrow(self) -> bool:
        """Whether the band has a positive width everywhere; near predictions of 0, many simulated curves are exactly
        0."""
        return self.shape != "extreme" and not self.ties and self.n >= 50 * self.size

    def truth(self, q: Floats) -> Floats:
        """Return the probability of label 1 at the prediction q."""
        if self.shape == "overconfident":
            return 0.15 + 0.7 * q
        if self.shape == "sharp":
            return q**2
        return np.full_like(q, 0.5) if self.shape == "flat" else q

    def predictions(self, rng: np.random.Generator, n: int) -> Floats:
        """Return n predictions."""
        q = rng.beta(0.3, 2.0, n) if self.shape == "extreme" else rng.random(n)
        return np.clip(np.round(q / self.ties) * self.ties, 0.0, 1.0) if self.ties else q

    def pairs(self, rng: np.random.Generator) -> Pairs:
        """Return one data set."""
        q = self.predictions(rng, self.n)
        cluster = np.arange(self.n) // self.size
        shared, independent = rng.normal(size=self.n)[cluster], rng.normal(size=self.n)
        rho = self.correlation if self.size > 1 else 0.0
        y = (ndtr(np.sqrt(rho) * shared + np.sqrt(1 - rho) * independent) < self.truth(q)).astype(np.uint8)
        weights = rng.choice([0.5, 1.0, 3.0], self.n) if self.weighted else None
        return Pairs(y, q, weights, clusters=cluster if self.size > 1 else None)

    def parts(self) -> dict[str, tuple[float, float]]:
        """Return the true miscalibration and discrimination of the Brier score and of the log loss."""
        q = self.predictions(np.random.default_rng(99), 400_000)
        c, inside = self.truth(q), np.clip(q, 1e-12, 1 - 1e-12)
        rate = c.mean()

        def cross(truth: Floats, predicted: Floats) -> float:
            with np.errstate(divide="ignore", invalid="ignore"):
                return float(
                    -np.mean(
                        np.nan_to_num(truth * np.log(predicted)) + np.nan_to_num((1 - truth) * np.log1p(-predicted))
                    )
                )

        entropy = cross(c, np.clip(c, 1e-300, 1 - 1e-16))
        return {
            "brier": (float(np.mean((q - c) ** 2)), float(np.mean((c - rate) ** 2))),
            "log_loss": (cross(c, inside) - entropy, cross(np.full_like(c, rate), np.full_like(c, rate)) - entropy),
        }

    def smooth_ece(self) -> float:
        """Return the true smooth ECE."""
        q = self.predictions(np.random.default_rng(98), 400_000)
        return fixed_point(on_grid(q, (self.truth(q) - q) / len(q)))


def covered(world: World, runs: int, *, seed: int = 0, n_simulations: int = 100) -> dict[str, float]:
    """Return how often bands and intervals cover, as proportions of the pairs or of the runs."""
    values_by_name: dict[str, list[float]] = {}
    true = world.parts()
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        pairs = world.pairs(rng)
        curve = fit_corp(pairs, n_simulations=n_simulations, rng=rng)
        for name, value in _figures_of_run(world, pairs, curve, true).items():
            values_by_name.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in values_by_name.items()}


def smooth_covered(world: World, runs: int, *, seed: int = 0) -> tuple[float, float, float, float]:
    """Return the true smooth ECE, how often its interval contains it, and the mean value and width."""
    true, runs_covered = world.smooth_ece(), []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        estimate = smooth_ece(ordered(world.pairs(rng)), level=0.95, rng=rng)
        assert estimate.low is not None
        assert estimate.high is not None
        runs_covered.append((estimate.low <= true <= estimate.high, estimate.value, estimate.high - estimate.low))
    covered_, value, width = np.mean(runs_covered, axis=0).tolist()
    return true, covered_, value, width


def _figures_of_run(
    world: World, pairs: Pairs, curve: CorpCurve, true: dict[str, tuple[float, float]]
) -> dict[str, float]:
    step = np.searchsorted(curve.steps.upper[:-1], pairs.probabilities)
    c = world.truth(pairs.probabilities)
    inside = (curve.steps.low[step] <= c + 1e-9) & (c <= curve.steps.high[step] + 1e-9)
    order = np.argsort(pairs.probabilities)
    middle = order[len(order) // 10 : -(len(order) // 10)]
    figures: dict[str, float] = {
        "consistency": 1 - curve.band.below - curve.band.above,
        "confidence": float(inside.mean()),
        "confidence, middle": float(inside[middle].mean()),
        "rejected": float(curve.p_value <= 0.05),
        "steps": len(curve.steps),
    }
    for name, parts in true.items():
        for part, value in zip(("miscalibration", "discrimination"), parts, strict=True):
            estimate = getattr(getattr(curve, name), part)
            if estimate.low is not None:
                figures[f"{name} {part}"] = float(estimate.low <= value + 1e-12 and value <= estimate.high + 1e-12)
                figures[f"{name} {part} below"] = float(estimate.high < value - 1e-12)
                figures[f"{name} {part} width"] = estimate.high - estimate.low
    return figures


WORLDS = {
    "calibrated, n = 500": World(),
    "calibrated, n = 2,000": World(n=2_000),
    "calibrated, ties": World(ties=0.1),
    "calibrated, weights": World(n=1_000, weighted=True),
    "calibrated, clusters of 5": World(size=5),
    "calibrated, clusters of 5, ties": World(n=1_000, ties=0.1, size=5),
    "calibrated, clusters of 4, weights": World(n=1_000, size=4, correlation=0.9, weighted=True),
    "calibrated, 30 clusters of 20, ties": World(n=600, ties=0.1, size=20),
    "most near 0": World("extreme", n=1_000),
    "most near 0, clusters of 5": World("extreme", n=1_000, size=5),
    "overconfident": World("overconfident", n=2_000),
    "overconfident, clusters of 5": World("overconfident", n=500, size=5),
    "sharp": World("sharp", n=1_000),
    "flat": World("flat", n=1_000),
}
COLUMNS = {
    "consistency": "band",
    "rejected": "p ≤ .05",
    "confidence": "steps",
    "brier miscalibration": "miscalibration",
    "brier discrimination": "discrimination",
    "log_loss miscalibration": "of log loss",
    "log_loss discrimination": "discrimination of log loss",
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--smooth", action="store_true")
    options = parser.parse_args()
    runs = RUNS // 10 if options.quick else RUNS
    if options.smooth:
        print("| pairs | true | mean | covered | width |\n|---|---:|---:|---:|---:|")
        for name, world in WORLDS.items():
            true, coverage, value, width = smooth_covered(world, runs // 5)
            print(f"| {name} | {true:.3f} | {value:.3f} | {coverage:.3f} | {width:.3f} |", flush=True)
        return
    print(f"| pairs | {' | '.join(COLUMNS.values())} |")
    print(f"|---|{'---:|' * len(COLUMNS)}")
    for name, world in WORLDS.items():
        shares = covered(world, runs)
        print(f"| {name} | {' | '.join(f'{shares[column]:.3f}' for column in COLUMNS)} |", flush=True)


if __name__ == "__main__":
    main()
