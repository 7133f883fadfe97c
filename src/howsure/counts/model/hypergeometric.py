"""The total of a population that a simple random sample does not rule out, exactly."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

REACH = 12.0  # standard deviations beyond which a hypergeometric law has no mass worth counting
LEAST_REACH = 40.0
ROUNDING = 1e-9  # a tail that exceeds its share by less does not exceed it, on any machine


def hypergeometric_interval(units: int, n: int, positives: int, *, level: float) -> tuple[int, int]:
    """The totals of `units` units that a simple random sample does not rule out: both mid-p tails exceed (1 - level)/2.

    Each tail is monotone in the total, so either end is found by bisection.

    >>> hypergeometric_interval(1000, 50, 0, level=0.95)
    (0, 56)
    """
    if n == 0:
        return 0, units
    tail = (1.0 - level) / 2 * (1.0 + ROUNDING)
    least, most = positives, units - n + positives
    low = first_that(least, most, lambda total: mid_tails(units, n, positives, total)[1] > tail)
    high = -first_that(-most, -least, lambda total: mid_tails(units, n, positives, -total)[0] > tail)
    if low > high:  # at a level near 0: the most likely total
        best = min(max((units + 1) * positives // n, least), most)
        return best, best
    return low, high


def first_that(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least whole number in [low, high] for which a monotone condition holds; high if none does."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def mid_tails(units: int, n: int, positives: int, total: int) -> tuple[float, float]:
    """P(K < k) + P(K = k)/2 and P(K > k) + P(K = k)/2 of the positives K among n of `units` with `total` positives."""
    from scipy.special import gammaln

    first, last = max(0, n - (units - total)), min(n, total)
    share = total / units
    mean = n * share
    deviation = (mean * (1.0 - share) * (units - n) / max(units - 1, 1)) ** 0.5
    reach = max(REACH * deviation, LEAST_REACH)
    if positives < mean - reach:
        return 0.0, 1.0
    if positives > mean + reach:
        return 1.0, 0.0
    k = np.arange(max(first, int(mean - reach)), min(last, int(mean + reach) + 1) + 1, dtype=np.float64)
    rest = units - total
    logs = -gammaln(k + 1) - gammaln(total - k + 1) - gammaln(n - k + 1) - gammaln(rest - n + k + 1)
    mass = np.exp(logs - logs.max())
    mass /= mass.sum()
    half = float(mass[k == positives].sum()) / 2
    return float(mass[k < positives].sum()) + half, float(mass[k > positives].sum()) + half
