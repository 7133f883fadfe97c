"""How much longer does `calibration_table` take for many groups than for one? Each group has a row and a p-value.

    make bench JOB=groups

Goal: 1,000 groups of 10⁶ rows take at most 6 × one group; of 10⁷ rows at most 2 ×.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from bench_calibration import draw
from growth import Job, print_growth, print_numpy_import

import howsure


def tables(groups: int, *, n: int) -> tuple[Job, Job]:
    """Return two jobs: the table of n calibrated pairs in groups, and that of one group."""
    y, q = draw(n)
    codes = np.random.default_rng(2).integers(groups, size=n)
    return (
        partial(howsure.calibration_table, y, q, groups=codes),
        partial(howsure.calibration_table, y, q, groups=np.zeros(n, dtype=np.int64)),
    )


def main() -> None:
    """Print how the time grows with the groups, and with the rows."""
    tables(2, n=1_000)[0]()  # imports
    print_numpy_import()
    for n, goal in ((1_000_000, "6"), (10_000_000, "2")):
        title = f"calibration_table, {n:,} rows in n groups"
        goal = f"{goal} × at 1,000 groups"
        print_growth(title, (250, 500, 1_000), partial(tables, n=n), floor="one group", goal=goal)


if __name__ == "__main__":
    main()
