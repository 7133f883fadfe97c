"""How does the time of `calibration_test` depend on the number of pairs? The test simulates the labels of each bin 999
times.

    make bench JOB=simulated_test

Goal: fewer pairs do not take longer than 10⁷. Up to 131,072 pairs are sorted; more are added up by cell.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from bench_calibration import draw
from growth import Job, print_growth, print_numpy_import

import howsure


def tests(n: int) -> tuple[Job, Job]:
    """Return two jobs: the test of n calibrated pairs, and a sort of their predictions."""
    y, q = draw(n)
    return partial(howsure.calibration_test, y, q, rng=0), lambda: np.sort(q)


def main() -> None:
    """Print how the time grows with the pairs."""
    tests(1_000)[0]()  # imports
    print_numpy_import()
    sizes = (1_000, 10_000, 32_768, 65_536, 131_072, 1_000_000, 10_000_000)
    goal = "no more than 10,000,000 pairs"
    print_growth("calibration_test by simulation", sizes, tests, floor="np.sort(q)", goal=goal)


if __name__ == "__main__":
    main()
