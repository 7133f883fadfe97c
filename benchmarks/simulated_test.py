"""What does `calibration_test` cost by the number of pairs? The number of labels 1 of each bin is drawn, 999 times.

    make bench JOB=simulated_test

Goal: fewer pairs do not cost more than 10⁷; 131,072 is the most that are sorted instead of added up by cell.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from bench_calibration import draw
from growth import Job, print_growth, print_numpy_import

import howsure


def tests(n: int) -> tuple[Job, Job]:
    """The test of n calibrated pairs, and a sort of their predictions."""
    y, q = draw(n)
    return partial(howsure.calibration_test, y, q, rng=0), lambda: np.sort(q)


def main() -> None:
    """Print the growth with the pairs."""
    tests(1_000)[0]()  # imports
    print_numpy_import()
    sizes = (1_000, 10_000, 32_768, 65_536, 131_072, 1_000_000, 10_000_000)
    goal = "no more than 10,000,000 pairs"
    print_growth("calibration_test by simulation", sizes, tests, floor="np.sort(q)", goal=goal)


if __name__ == "__main__":
    main()
