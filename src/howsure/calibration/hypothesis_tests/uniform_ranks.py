"""The distribution of the largest deviation of the cumulative counts of uniform integer ranks from a straight line."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from howsure.inputs.pairs import Floats, Integers

MOST_WORK = 10**8  # multiplications; above, Massart's bound
NEGLIGIBLE = 1e-8  # below it, 1 - P has no digits left
TAIL = 12.0  # standard deviations beyond which a Poisson probability is nothing


def largest_distance(ranks: Integers, possible: int) -> int:
    """max_k |K N_k - n k|, N_k the number of the n ranks below k, and K (`possible`) the number of possible ranks: an
    integer."""
    below = np.cumsum(np.bincount(ranks, minlength=possible))
    return int(np.abs(possible * below - len(ranks) * np.arange(1, possible + 1)).max())


@lru_cache(maxsize=1024)
def distance_tail(distance: int, n: int, possible: int) -> float:
    """P(the largest distance of n independent, uniform ranks is at least this): exact.

    Given their sum n, the counts of the ranks are those of independent Poisson variables; the paths that stay within
    are summed rank by rank. If that takes more than 10⁸ multiplications, or the probability lies below 10⁻⁸, it is the
    bound 2 exp(-2 n d²), d = distance / (K n) (Massart 1990), which is never too small.

    >>> round(distance_tail(3, 3, 3), 4)  # of the 27 ways, 6 have each rank once
    0.7778
    """
    if distance <= 0:
        return 1.0
    bound = min(1.0, 2 * math.exp(-2 * (distance / possible) ** 2 / n))
    if bound < NEGLIGIBLE or _work(distance, n, possible) > MOST_WORK:
        return bound
    return min(max(1.0 - _within(distance - 1, n, possible), 0.0), bound)


@lru_cache(maxsize=1024)
def critical_distance(level: float, n: int, possible: int) -> int:
    """The smallest distance exceeded with a probability of at most 1 - level."""
    low, high = -1, math.ceil(possible * math.sqrt(n * math.log(2 / (1 - level)) / 2))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if distance_tail(middle + 1, n, possible) <= 1 - level else (middle, high)
    return high


def _within(reach: int, n: int, possible: int) -> float:
    """P(no distance is greater than `reach`)."""
    first, step = _poisson(n / possible)
    low, state = 0, np.ones(1)
    for k in range(1, possible + 1):
        state, low = np.convolve(state, step), low + first
        bottom, top = -((reach - n * k) // possible), (n * k + reach) // possible
        bottom, top = (n, n) if k == possible else (max(bottom, low), min(top, n))
        state, low = state[max(bottom - low, 0) : max(top - low + 1, 0)], max(bottom, low)
        if not len(state):
            return 0.0
    return float(state[0]) / math.exp(n * math.log(n) - n - math.lgamma(n + 1))


def _poisson(rate: float) -> tuple[int, Floats]:
    """The non-negligible probabilities of a Poisson variable, and the first value that has one."""
    from scipy.special import gammaln

    reach = TAIL * math.sqrt(rate) + 30
    first = max(int(rate - reach), 0)
    values = np.arange(first, int(rate + reach) + 1)
    return first, np.exp(values * math.log(rate) - rate - gammaln(values + 1))


def _work(distance: int, n: int, possible: int) -> float:
    rate = n / possible
    return 2 * distance * 2 * (TAIL * math.sqrt(rate) + 30)
