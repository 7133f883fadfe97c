"""Inter-annotator agreement: CPU seconds of `rater_agreement` with all intervals, compared with α of `krippendorff`.

    make bench JOB=agreement

`krippendorff` gets a matrix of numbers and computes one coefficient. `rater_agreement` gets columns of names (raters,
items, grades) and computes the proportion of equal grades, α, κ and AC of all raters and of each pair, with intervals.
Goal: at most 4 times the time of `krippendorff` if items are numbers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import krippendorff
import numpy as np

import howsure

RATERS, GRADES = 5, np.array(["bad", "fair", "good", "excellent"])


def main() -> None:
    print(f"{RATERS} raters, {len(GRADES)} grades: CPU seconds")
    print("  items  krippendorff  items as numbers       items as names")
    for n in (25_000, 50_000, 100_000):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, len(GRADES), n)
        codes = np.where(rng.random((n, RATERS)) < 0.8, truth[:, None], rng.integers(0, len(GRADES), (n, RATERS)))
        grades = GRADES[codes.ravel()]
        rater = np.tile([f"rater {j}" for j in range(RATERS)], n)
        numbers = np.repeat(np.arange(n), RATERS)
        names = np.repeat([f"item {i}" for i in range(n)], RATERS)
        alpha, peer = timed(partial(krippendorff.alpha, codes.T, level_of_measurement="nominal"))
        agreement, by_number = timed(partial(howsure.rater_agreement, grades, rater=rater, id=numbers))
        _, by_name = timed(partial(howsure.rater_agreement, grades, rater=rater, id=names))
        assert abs(agreement.rows[0].alpha.value - alpha) < 1e-9, "the coefficients differ"
        ratios = (f"{seconds:13.3f} {seconds / peer:5.1f} ×" for seconds in (by_number, by_name))
        print(f"{n:7,}  {peer:12.3f}", *ratios)


def timed(job: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a job, and the CPU seconds of the fastest of three runs."""
    seconds = []
    for _ in range(3):
        start = time.process_time()
        result = job()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


if __name__ == "__main__":
    main()
