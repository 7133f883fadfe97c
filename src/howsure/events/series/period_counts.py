"""How often each actor acts in each period: the rows of a time series."""

from __future__ import annotations

from dataclasses import dataclass

INTERVALS = ("exact", "normal", "samples")


@dataclass(frozen=True, slots=True)
class PeriodCount:
    """The count of one actor in one period: its posterior mean, interval and variance, and the Monte Carlo error.

    best: the count of the single best clustering, None where it is not given. n_documents: the documents of the
    period, with and without events. As a share of documents all but `n_documents` are divided by it, NaN if it is 0.
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


@dataclass(frozen=True, slots=True)
class EventSeries:
    """A time series for every actor, and how it was made."""

    rows: tuple[PeriodCount, ...]
    level: float
    interval: str
    quantity: str
    share: bool
    n_samples: int | None
