"""Do intervals still cover after their computation was made faster? 500 data sets each, with known true values.

    make bench JOB=fast_coverage

Bounded scores, rounded to cells and by the exact integral; a table of 500 calibrated groups, whose p-values share one
batch of distributions; and corrected counts, whose distributions share one grid. Nominal: a coverage of 0.95, and 0.05
of the p-values below 0.05. To compare another commit on the same data, set PYTHONPATH to its sources.
"""

from __future__ import annotations

from unittest.mock import patch

import numpy as np

import howsure
from howsure.counts import estimate_counts
from howsure.stats import gaffke

SETS = 500
SCORES, PAIRS, UNITS, LABELS, CELLS = 1_000, 1_000, 2_000, 200, 6


def share_in_mean_scores(*, exact: bool) -> float:
    """Return the proportion of data sets (half with rare losses) in which the interval of a bounded mean covers."""
    rng, covered = np.random.default_rng(0), 0
    with patch.object(gaffke, "MAX_EXACT", 10**9 if exact else gaffke.MAX_EXACT):
        for number in range(SETS):
            scores, mean = rng.beta(2, 3, SCORES), 0.4
            if number % 2:
                scores, mean = np.where(rng.random(SCORES) < 0.003, 0.0, 0.9 + 0.1 * scores), 0.997 * 0.94
            interval = howsure.mean_scores(scores, bounds=(0.0, 1.0)).rows[0].mean
            covered += interval.low <= mean <= interval.high
    return covered / SETS


def shares_in_groups() -> tuple[float, float]:
    """Return the proportion of groups whose interval of the error contains 0, and of those with a p-value below
    0.05."""
    rng = np.random.default_rng(0)
    q, groups = rng.beta(0.3, 0.7, SETS * PAIRS), np.repeat(np.arange(SETS), PAIRS)
    rows = howsure.calibration_table(rng.random(len(q)) < q, q, groups=groups).rows
    return float(np.mean([row.error.low <= 0.0 for row in rows])), float(np.mean([row.p_value < 0.05 for row in rows]))


def share_in_counts() -> float:
    """Return the proportion of cells of all data sets whose interval of the corrected count contains the true count."""
    rng, covered = np.random.default_rng(0), 0
    for _ in range(SETS):
        score = np.where(rng.random(UNITS) < 0.3, 0.0, rng.random(UNITS) ** 3)
        truth, cell = (rng.random(UNITS) < score**0.7).astype(float), rng.integers(0, CELLS, UNITS)
        rows = rng.choice(UNITS, LABELS, replace=False)
        labels = dict(zip(rows.tolist(), truth[rows].tolist(), strict=True))
        counts = estimate_counts(labels, score, groups={"cell": cell}, rng=0)
        true_counts = np.bincount(cell, truth)
        covered += sum(row.low <= true_counts[int(row.group[0])] <= row.high for row in counts.rows)
    return covered / SETS / CELLS


def main() -> None:
    """Print the proportions."""
    print(f"{SETS} data sets each")
    print(f"mean_scores with bounds, by cells: {share_in_mean_scores(exact=False):.3f}")
    print(f"the same, exact integral: {share_in_mean_scores(exact=True):.3f}")
    covered, rejected = shares_in_groups()
    print(f"calibration_table, {SETS} groups: {covered:.3f}; p-values below 0.05: {rejected:.3f}")
    print(f"estimate_counts, {CELLS} cells: {share_in_counts():.3f}")


if __name__ == "__main__":
    main()
