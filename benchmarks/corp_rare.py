"""How often do the intervals of a score's components cover if one label is rare? Nominal: 0.95.

Base rates of 0.001 to 0.05 and 50 to 5,000 pairs. The predictions have this mean: they are constant, uniform, Beta(1,
·) or Beta(0.1, ·). The frequency of label 1 is the predicted probability, three times as high, a third as high, or the
same for all pairs. For each number of pairs with the rarer label, the table shows how often the intervals of the
miscalibration and the discrimination of the Brier score would contain the values of the population, over all settings
with that number, if intervals were reported there. Without any pair of one label, no interval is possible.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

import itertools
from collections import defaultdict

import numpy as np

from benchmarks.rare_coverage import PREDICTIONS, Floats
from howsure.calibration import decomposition
from howsure.calibration.corp import fit_corp
from howsure.inputs.pairs import Pairs
from howsure.result import Estimate

RUNS = 10
EDGES = (1, 5, 10, 20, 50)
TIMES = {"calibrated": 1.0, "three times": 3.0, "a third": 1 / 3, "flat": None}


def truth(q: Floats, rate: float, times: float | None) -> Floats:
    """Return the probability of label 1 at the prediction q."""
    return np.full_like(q, rate) if times is None else np.minimum(times * q, 1.0)


def _holds(estimate: Estimate, true: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low - 1e-12 <= true <= estimate.high + 1e-12


def main() -> None:
    decomposition.MIN_ROWS = 0  # to see what they would be
    covered_by_share: dict[int, list[list[bool]]] = defaultdict(list)
    settings = itertools.product((0.001, 0.01, 0.05), PREDICTIONS.values(), TIMES.values(), (50, 200, 1_000, 5_000))
    for number, (rate, quantile, times, n) in enumerate(settings):
        grid = quantile(rate, (np.arange(100_000) + 0.5) / 100_000)
        c = truth(grid, rate, times)
        true = float(np.mean((grid - c) ** 2)), float(c.var())
        for run in range(RUNS):
            rng = np.random.default_rng([number, run])
            q = rng.choice(grid, n)
            y = (rng.random(n) < truth(q, rate, times)).astype(np.uint8)
            brier = fit_corp(Pairs(y, q, None), n_simulations=39, rng=rng).brier
            parts = brier.miscalibration, brier.discrimination
            rarer = int(min(y.sum(), n - y.sum()))
            if rarer > 0:
                covered_by_share[int(np.searchsorted(EDGES, rarer, side="right"))].append(
                    [_holds(*pair) for pair in zip(parts, true, strict=True)]
                )
    print("| pairs of the rarer label | data sets | miscalibration | discrimination |\n|---|---:|---:|---:|")
    names = [f"{low} to {high - 1}" if high - low > 1 else f"{low}" for low, high in itertools.pairwise(EDGES)]
    for place, name in enumerate([*names, f"{EDGES[-1]} or more"], start=1):
        shares = np.mean(covered_by_share[place], axis=0)
        print(f"| {name} | {len(covered_by_share[place]):,} | {shares[0]:.3f} | {shares[1]:.3f} |")


if __name__ == "__main__":
    main()
