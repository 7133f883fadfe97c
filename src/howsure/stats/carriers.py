"""Shares of rows that few clusters carry: how many do, what one more would change, and an interval that knows both.

Where few clusters carry what is counted (all wrong answers, say), its distribution is skewed, clusters of the kind may
be missing altogether, and neither shows in the spread of the clusters that are there. Fay & Feuer's (1997) interval of
a weighted sum of Poisson numbers knows both: its ends are quantiles of the gamma distributions with the mean and
variance of the sum, the upper one after one more contribution. For equal contributions it is the exact interval of a
Poisson number. One rule says here how large that contribution is (`one_more`), and for how few carriers results say so
(`few_carriers`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inputs.naming import counted
from howsure.stats.clusters import kish

Floats = npt.NDArray[np.float64]
ENOUGH = 20.0  # clusters of equal contribution, from which on one more counts less than a whole one
MANY = 100.0  # of them, from which on Student's t needs no help: a gamma distribution's skewness is below .2
FEWEST = 2.0  # below which nothing shows how clusters of the kind differ


def carriers(counts: npt.NDArray[Any]) -> float:
    """The equivalent number of clusters that carry equal parts of what `counts` (C,) counts; 0 if there is nothing.

    >>> carriers(np.array([5, 5, 0, 0])), round(carriers(np.array([20, 1, 1])), 2), carriers(np.zeros(9))
    (2.0, 1.2, 0.0)
    """
    return kish(counts) if counts.any() else 0.0


def one_more(size: Any, carrying: Any) -> Any:
    """What one more cluster may add to a share of rows: `size`, the share of rows in a cluster (1 / `kish` of the
    sizes), as if all its rows were of the kind; where more than 20 clusters carry the share, 20 / their number of it.
    """
    return size * np.minimum(1.0, ENOUGH / np.maximum(carrying, ENOUGH))


def gamma_interval(value: float, variance: float, further: float, *, level: float) -> tuple[float, float]:
    """Fay and Feuer's interval of a sum of contributions from 0 on; `further`: what one more may add.

    >>> low, high = gamma_interval(3.0, 3.0, 1.0, level=0.95)  # of 3 events
    >>> round(low, 3), round(high, 3)
    (0.619, 8.767)
    """
    tail = (1 - level) / 2
    return _quantile(value, variance, tail), _quantile(value + further, variance + further**2, 1 - tail)


def ends_with_one_more(
    value: float, variance: float, size: float, carrying: float, *, level: float
) -> tuple[float, float]:
    """The ends that an interval of a share must reach at least, down and up: Fay and Feuer's with `one_more` cluster;
    the share itself where 100 clusters carry it."""
    if carrying >= MANY:
        return value, value
    return gamma_interval(value, variance, float(one_more(size, carrying)), level=level)


def gamma_p_value(value: Floats, variance: Floats, further: Floats, limit: float) -> Floats:
    """The p-value of "the sum is `limit` or more": the size at which the upper end of the interval is the limit.

    >>> gamma_p_value(np.array([3.0]), np.array([3.0]), np.array([1.0]), 8.767).round(3).tolist()
    [0.025]
    """
    from scipy.special import gammaincc

    mean = value + further
    scale = (variance + further**2) / mean
    return np.asarray(gammaincc(mean / scale, limit / scale), dtype=np.float64)


def few_carriers(counts: npt.NDArray[Any], what: str) -> str | None:
    """The note that fewer than 20 clusters carry what is counted; None otherwise.

    >>> few_carriers(np.array([20, 1, 0, 0]), "the wrong answers")
    'the wrong answers lie in 2 of 4 clusters, equivalent to 1.1 equal ones: whether more are of the kind is hardly
    known; more clusters, not more rows, would tell'
    >>> few_carriers(np.ones(30), "the wrong answers") is None
    True
    """
    equal, holding = carriers(counts), int(np.count_nonzero(counts))
    if equal >= ENOUGH or not holding:
        return None
    same = "" if holding - equal < 0.05 * holding else f", equivalent to {equal:.1f} equal ones"
    return (
        f"{what} lie in {holding:,} of {counted(len(counts), 'cluster')}{same}: whether more are of the kind is hardly "
        "known; more clusters, not more rows, would tell"
    )


def _quantile(mean: float, variance: float, probability: float) -> float:
    from scipy.special import gammaincinv

    if not (mean > 0.0 and variance > 0.0):
        return max(mean, 0.0)
    return float(gammaincinv(mean * mean / variance, probability)) * variance / mean
