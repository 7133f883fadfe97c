"""The sign test of sums over clusters: how large would they be if each cluster's sign were random?

If each cluster's contribution has mean 0, give every cluster a random sign and count how often a statistic of the sums
is as large: exact if clusters err equally often to either side, and asymptotically valid otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.inputs.pairs import Floats

NUMBERS_AT_ONCE = 1 << 18  # what fits the cache is four times as fast
AS_LARGE = 1 - 1e-9  # what is equal but for rounding is as large

Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class SignTest:
    """A statistic, and its values with other signs: all of them (`exact`), or random ones."""

    value: float
    drawn: Floats
    exact: bool

    @property
    def p_value(self) -> float:
        """The share of signs with at least the statistic; random ones and that of the data: (c + 1) / (times + 1)."""
        as_large = int(np.count_nonzero(self.drawn >= self.value * AS_LARGE))
        return as_large / len(self.drawn) if self.exact else (as_large + 1) / (len(self.drawn) + 1)

    @property
    def p_error(self) -> float:
        """The Monte Carlo standard error of the p-value."""
        p = self.p_value
        return 0.0 if self.exact else math.sqrt(p * (1 - p) / (len(self.drawn) + 1))

    def critical(self, level: float) -> float:
        """The threshold that a statistic exceeds if and only if its p-value is at most 1 - level; infinite if none
        can."""
        size = (1 - level) * (1 + 1e-12)
        rank = int(size * len(self.drawn)) if self.exact else int(size * (len(self.drawn) + 1)) - 1
        return float(np.sort(self.drawn)[::-1][rank]) if rank >= 0 else math.inf


def sign_test(
    by_cluster: Any, statistic: Statistic, *, times: int, rng: np.random.Generator, stretch: float = 1.0
) -> SignTest:
    """A statistic of sums over clusters, with the signs of the clusters unchanged and changed.

    by_cluster (C, K), sparse or not: what each cluster adds to K sums. `statistic` gives a number for each of (R, K)
    sums. All 2^(C - 1) sign assignments are used if there are at most `times` + 1, else `times` random ones. Sums with
    changed signs are multiplied by `stretch`.
    """
    clusters, sums = by_cluster.shape
    value = float(statistic(np.asarray(by_cluster.sum(axis=0)).reshape(1, -1))[0])
    exact = clusters <= math.log2(times + 1) + 1
    number = 1 << (clusters - 1) if exact else times
    step = max(1, NUMBERS_AT_ONCE // max(sums, clusters))
    transposed, drawn = by_cluster.T, np.empty(number)
    for start in range(0, number, step):
        rows = np.arange(start, min(start + step, number))
        signs = _all_signs(rows, clusters) if exact else rng.integers(0, 2, size=(len(rows), clusters)) * 2.0 - 1.0
        drawn[rows] = statistic(stretch * (transposed @ signs.T).T)
    return SignTest(value, drawn, exact)


def _all_signs(numbers: np.typing.NDArray[np.int64], clusters: int) -> Floats:
    """The signs encoded by the bits of some numbers; the last cluster keeps its own."""
    return (1 - 2 * ((numbers[:, None] >> np.arange(clusters)) & 1)).astype(np.float64)
