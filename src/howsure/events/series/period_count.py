"""How often an actor acts in a period: one row of a time series."""

from __future__ import annotations

import math
from dataclasses import dataclass

from howsure.events.series.counts import Count


@dataclass(frozen=True, slots=True)
class PeriodCount:
    """The count of one actor in one period: its posterior mean, interval and variance, and the Monte Carlo error.

    best: the count in the single best clustering, None if not given. n_documents: the documents of the period, with and
    without events. For shares, everything except `n_documents` is divided by it, NaN if it is 0.
    """

    actor: str
    period: str
    mean: float
    low: float
    high: float
    variance: float
    monte_carlo_error: float
    best: float | None
    n_documents: int

    @classmethod
    def of(cls, count: Count, actor: str, period: str, best: float, n: int, *, share: bool) -> PeriodCount:
        """The row of a count among n documents; undefined if there are none."""
        if n == 0:
            return cls(actor, period, math.nan, math.nan, math.nan, math.nan, math.nan, None, 0)
        per = 1.0 / n if share else 1.0
        mean, low, high = count.mean * per, count.low * per, count.high * per
        return cls(
            actor, period, mean, low, high, count.variance * per**2, count.monte_carlo_error * per, best * per, n
        )
