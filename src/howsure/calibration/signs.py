"""The sign test of sums over clusters: how large would they be, had each cluster erred to one or the other side?

If what a cluster adds has mean 0, give every cluster a random sign and count how often a statistic of the sums is as
large: exact if clusters err to either side alike, and right for many clusters if not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.stats.pairs import Floats

NUMBERS_AT_ONCE = 1 << 22
AS_LARGE = 1 - 1e-9  # what is equal but for rounding is as large

Statistic = Callable[[Floats], Floats]


def sign_test(
    by_cluster: Any, statistic: Statistic, *, times: int, rng: np.random.Generator, stretch: float = 1.0
) -> tuple[float, float, float]:
    """A statistic of sums over clusters, its p-value and the Monte Carlo standard error of that.

    by_cluster (C, K), sparse or not: what each cluster adds to K sums. `statistic` gives a number for each of (R, K)
    sums. All 2^(C - 1) signs are tried where these are no more than `times` + 1, and the p-value is exact; else `times`
    random ones, and p = (c + 1) / (times + 1). Sums with random signs are multiplied by `stretch`.
    """
    clusters, sums = by_cluster.shape
    value = float(statistic(np.asarray(by_cluster.sum(axis=0)).reshape(1, -1))[0])
    exact = clusters <= math.log2(times + 1) + 1
    number = 1 << (clusters - 1) if exact else times
    step = max(1, NUMBERS_AT_ONCE // max(sums, clusters))
    transposed, as_large = by_cluster.T, 0
    for start in range(0, number, step):
        rows = np.arange(start, min(start + step, number))
        signs = _all_signs(rows, clusters) if exact else rng.integers(0, 2, size=(len(rows), clusters)) * 2.0 - 1.0
        drawn = statistic(stretch * (transposed @ signs.T).T)
        as_large += int(np.count_nonzero(drawn >= value * AS_LARGE))
    if exact:
        return value, as_large / number, 0.0
    p = (as_large + 1) / (times + 1)
    return value, p, math.sqrt(p * (1 - p) / (times + 1))


def _all_signs(numbers: np.typing.NDArray[np.int64], clusters: int) -> Floats:
    """The signs that the bits of some numbers stand for; the last cluster keeps its own."""
    return (1 - 2 * ((numbers[:, None] >> np.arange(clusters)) & 1)).astype(np.float64)
