"""How often do intervals of totals cover if each stratum has 10 to 16 labels?

    .venv/bin/python benchmarks/few_labels_in_strata.py [--sets 1000]

prints, by method and design, the coverage with its standard error and the mean width relative to the number of units.
Bands: strata are ranges of the score, which predicts the labels. Rates: each stratum has its own rate of positives.
"""

from __future__ import annotations

import argparse

import numpy as np

import howsure

DESIGNS = {  # sizes of the strata, labels in each, and rates of positives (None: bands of the score)
    "3 bands of 4": ([300] * 3, [4] * 3, None),
    "5 bands of 3": ([500] * 5, [3] * 5, None),
    "2 rates of 5": ([300] * 2, [5] * 2, [0.05, 0.4]),
    "uneven rates": ([2000, 200, 50], [4, 4, 8], [0.02, 0.2, 0.6]),
    "uneven bands": ([900, 60, 40], [6, 5, 5], None),
}


def simulate(rng: np.random.Generator, sizes: list[int], rates: list[float] | None) -> tuple[np.ndarray, ...]:
    """Return the stratum, the score and the label of each unit."""
    stratum = np.repeat(np.arange(len(sizes)), sizes)
    if rates is None:
        score = np.sort(rng.beta(0.5, 2, len(stratum)))
        return stratum, score, (rng.random(len(stratum)) < score**1.5) * 1.0
    return stratum, rng.random(len(stratum)), (rng.random(len(stratum)) < np.array(rates)[stratum]) * 1.0


def main() -> None:
    """Print a line for each method and design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000)
    sets = parser.parse_args().sets
    for method in ("labels", "difference"):
        for name, (sizes, drawn, rates) in DESIGNS.items():
            covered, width = 0, 0.0
            for seed in range(sets):
                rng = np.random.default_rng([11, seed])
                stratum, score, truth = simulate(rng, sizes, rates)
                labels = np.full(len(truth), np.nan)
                for at, n in enumerate(drawn):
                    rows = rng.choice(np.flatnonzero(stratum == at), n, replace=False)
                    labels[rows] = truth[rows]
                total = howsure.estimate_counts(labels, score, strata=stratum, method=method, rng=0).total
                covered += total.low <= truth.sum() <= total.high
                width += (total.high - total.low) / len(truth) / sets
            share = covered / sets
            error = (share * (1 - share) / sets) ** 0.5
            print(f"{method:10}  {name:12}  covered {share:.3f} ± {error:.3f}  width {width:.3f}", flush=True)


if __name__ == "__main__":
    main()
