"""How often each actor acts in each period: the posterior of a count, from those of independent documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.events.counts import Count, count_from_probabilities, count_from_samples
from howsure.stats.checks import check_level, check_probabilities
from howsure.stats.frames import to_frame
from howsure.stats.naming import unknown_name
from howsure.stats.pairs import Integers

QUANTITIES = ("documents", "entities")
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

    def to_dict(self) -> dict[str, Any]:
        """The settings, and the rows as plain values; what is undefined is None."""
        settings = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "rows"}
        rows = [{name: None if value != value else value for name, value in asdict(row).items()} for row in self.rows]
        return {**settings, "rows": rows}

    def to_frame(self, backend: str | None = None) -> Any:
        """The rows as a data frame of pandas or polars."""
        names = [field.name for field in fields(PeriodCount)]
        return to_frame({name: [getattr(row, name) for row in self.rows] for name in names}, backend)


def series_of_probabilities(
    probabilities: npt.ArrayLike,
    periods: Sequence[str],
    *,
    actors: Sequence[str],
    documents: Mapping[str, int] | None = None,
    best: npt.ArrayLike | None = None,
    n_samples: int | None = None,
    share: bool = False,
    level: float = 0.95,
) -> EventSeries:
    """Counts of documents from the probability p_d that a document has an event of the actor.

    n(t, c) = Σ D_d over the documents d of period t is Poisson-binomial: mean Σ p_d, variance Σ p_d (1 - p_d), and
    exact quantiles. `probabilities` (D, A), `periods` (D). `documents` says how many documents each period has, in
    the order of the series, and lets those without any event be left out of the rows. `n_samples` is the S of the
    samples that p_d is the mean of: the variance is then multiplied by S/(S - 1), which makes it unbiased.

    >>> series = series_of_probabilities([[0.5], [0.5], [1.0]], ["1999", "1999", "2000"], actors=["YUG"])
    >>> [(row.period, row.mean, row.low, row.high) for row in series.rows]
    [('1999', 1.0, 0.0, 2.0), ('2000', 1.0, 1.0, 1.0)]

    Raises InputError naming the row and the value that broke a rule.
    """
    check_level(level)
    p = np.asarray(probabilities, dtype=np.float64)
    _check_shape(p, "probabilities", (len(periods), len(actors)))
    if p.size:
        check_probabilities(p.ravel(), name="probabilities")
    if n_samples is not None and n_samples < 2:
        raise InputError(f"n_samples must be 2 or more: one sample tells nothing of its spread; it is {n_samples!r}.")

    def count(rows: Integers, actor: int) -> Count:
        return count_from_probabilities(p[rows, actor], n_samples=n_samples, level=level)

    rows = _rows(count, periods, actors, documents, best, share)
    return EventSeries(rows, level, "exact", "documents", share, n_samples)


def series_of_samples(
    samples: npt.ArrayLike,
    periods: Sequence[str],
    *,
    actors: Sequence[str],
    documents: Mapping[str, int] | None = None,
    best: npt.ArrayLike | None = None,
    quantity: str = "documents",
    interval: str = "exact",
    share: bool = False,
    level: float = 0.95,
) -> EventSeries:
    """Counts from the joint samples (D, S, A) of documents: how many entities of actor a act in sample s of document d.

    quantity: "documents" counts those with any such entity, "entities" the entities. interval: "exact" takes the
    documents as independent, each with the law that its samples have, and convolves these laws; its quantiles are
    counts and never negative. "normal" is the paper's, mean ± z · sd of the S totals; it can run below zero.
    "samples" takes quantiles of the S totals. `documents`, `best` and `share`: see `series_of_probabilities`.

    >>> samples = np.array([[[1], [0]], [[2], [1]]])  # 2 documents, 2 samples, 1 actor
    >>> series = series_of_samples(samples, ["2003", "2003"], actors=["USA"], quantity="entities")
    >>> series.rows[0].mean, series.rows[0].low, series.rows[0].high
    (2.0, 1.0, 3.0)

    Raises InputError naming what broke a rule. Source: Nguyen & O'Connor (2015), section 6.
    """
    check_level(level)
    _check_name(quantity, "quantity", QUANTITIES)
    _check_name(interval, "interval", INTERVALS)
    held = np.asarray(samples)
    if held.ndim != 3 or held.dtype.kind not in "biu" or held.shape[1] < 2:
        raise InputError(
            f"samples must be whole numbers or truth values of shape (documents, samples, actors), with 2 samples or "
            f"more; they are {held.dtype} of shape {held.shape}."
        )
    _check_shape(held, "samples", (len(periods), held.shape[1], len(actors)))
    if held.size and held.min() < 0:
        raise InputError("samples must not be negative: they count the entities that act.")
    counted = held > 0 if quantity == "documents" else held

    def count(rows: Integers, actor: int) -> Count:
        return count_from_samples(counted[rows, :, actor].astype(np.int64), interval=interval, level=level)

    rows = _rows(count, periods, actors, documents, best, share)
    return EventSeries(rows, level, interval, quantity, share, held.shape[1])


def _rows(
    count: Callable[[Integers, int], Count],
    periods: Sequence[str],
    actors: Sequence[str],
    documents: Mapping[str, int] | None,
    best: npt.ArrayLike | None,
    share: bool,
) -> tuple[PeriodCount, ...]:
    sizes = _sizes(periods, documents)
    chosen = None if best is None else np.asarray(best)
    if chosen is not None:
        _check_shape(chosen, "best", (len(periods), len(actors)))
    members: dict[str, list[int]] = {period: [] for period in sizes}
    for row, period in enumerate(periods):
        members[period].append(row)
    rows = []
    for at, actor in enumerate(actors):
        for period, n in sizes.items():
            one = count(np.array(members[period], dtype=np.int64), at)
            most = None if chosen is None else float(chosen[members[period], at].sum())
            per = (1.0 / n if n else float("nan")) if share else 1.0
            rows.append(
                PeriodCount(
                    actor,
                    period,
                    one.mean * per,
                    one.low * per,
                    one.high * per,
                    one.variance * per**2,
                    one.monte_carlo_error * per,
                    None if most is None else most * per,
                    n,
                )
            )
    return tuple(rows)


def _sizes(periods: Sequence[str], documents: Mapping[str, int] | None) -> dict[str, int]:
    held = Counter(periods)
    if documents is None:
        return {period: held[period] for period in sorted(held)}
    for period, n in held.items():
        if period not in documents:
            raise unknown_name("period", period, list(documents), place="documents")
        if n > documents[period]:
            raise InputError(
                f"documents[{period!r}] must not be less than the {n:,} rows given; it is {documents[period]}."
            )
    return dict(documents)


def _check_shape(values: npt.NDArray[Any], name: str, shape: tuple[int, ...]) -> None:
    if values.shape != shape:
        raise InputError(f"{name} must have the shape {shape}, as periods and actors have; it is {values.shape}.")


def _check_name(value: str, name: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise unknown_name(name, value, known, place="event series")
