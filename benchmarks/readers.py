"""Do corrected counts hold what is true where readers err?

    .venv/bin/python benchmarks/readers.py [files]

prints the table of docs/counts.md: of simulated files of 4,000 units, 300 of which were read and a third of these
twice, how often the interval of the total (level .95) held the true count, and its width beside that of one reading.
"""

from __future__ import annotations

import sys

import numpy as np

import howsure

N, READ, TWICE, FILES = 4000, 300, 100, 150
ERRORS = ((0.05, 0.05), (0.01, 0.2), (0.1, 0.02))


def held(positive: float, alpha: float, beta: float, files: int) -> list[tuple[float, float]]:
    """Coverage and relative width of one reading, flips alike, settled readings and bounds."""
    rows = []
    for run in range(files):
        draw = np.random.default_rng(run)
        truth = draw.random(N) < positive
        score = np.clip(0.4 * truth + 0.6 * draw.random(N), 0.0, 1.0)
        first, second = (np.where(truth, draw.random(N) >= beta, draw.random(N) < alpha) * 1.0 for _ in range(2))
        settled = np.where(first != second, truth * 1.0, np.nan)
        sample = howsure.sample_for_labels(score, READ, rng=run)
        read = draw.permutation(sample.indices)
        first[np.setdiff1d(np.arange(N), read)] = np.nan
        for one in (second, settled):
            one[np.setdiff1d(np.arange(N), read[:TWICE])] = np.nan
        totals = [
            howsure.estimate_counts(first, score, sample=sample, method="difference", rng=run, **how).total
            for how in (
                {},
                {"second": second, "flips": "alike"},
                {"second": second, "settled": settled},
                {"second": second},
            )
        ]
        width = totals[0].high - totals[0].low
        rows.append([(one.low <= truth.sum() <= one.high, (one.high - one.low) / width) for one in totals])
    return [tuple(one) for one in np.mean(np.array(rows, dtype=float), axis=0).tolist()]


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    print("| true | 0 read as 1 | 1 read as 0 | read once | flips alike | settled | bounds |")
    print("|---|---|---|---|---|---|---|")
    for positive in (0.05, 0.3):
        for alpha, beta in ERRORS:
            once, *others = held(positive, alpha, beta, files)
            cells = [f"{coverage:.3f} ({wide:.1f})" for coverage, wide in others]
            print(f"| {positive:g} | {alpha:g} | {beta:g} | {once[0]:.3f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
