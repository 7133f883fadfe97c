"""The posterior of one count: a sum over documents, from their probabilities or from their samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.events.series.dependence import law_of_sum, laws_of, share_of_cause, story_sums
from howsure.events.series.monte_carlo import interval_of, monte_carlo_errors
from howsure.inputs.checks import check_level
from howsure.inputs.pairs import Floats, Integers
from howsure.show.numbers import probability_is
from howsure.stats.poisson_binomial import poisson_binomial
from howsure.stats.proportions import normal_quantile

INTERVALS = ("exact", "normal", "samples")


@dataclass(frozen=True, slots=True)
class Count:
    """Mean, interval and variance of a count, and the Monte Carlo error of the mean (0 without samples)."""

    mean: float
    low: float
    high: float
    variance: float
    monte_carlo_error: float


@dataclass(frozen=True, slots=True)
class CountComparison:
    """The posterior of n_A - n_B: P(A has more, as many, fewer), the mean and the exact interval.

    more_interval, fewer_interval: where P(A has more) and P(A has fewer) may lie, at the given level, given that each
    document's distribution is known only from samples.
    """

    more: float
    equal: float
    fewer: float
    mean: float
    low: float
    high: float
    level: float
    more_interval: tuple[float, float]
    fewer_interval: tuple[float, float]

    def __str__(self) -> str:
        low, high = self.more_interval
        return (
            f"P(A > B) {probability_is(self.more)} [{low:.3f}, {high:.3f}], "
            f"difference {self.mean:.2f} [{self.low:g}, {self.high:g}]"
        )


def count_from_probabilities(
    probabilities: Floats,
    *,
    n_samples: int | None = None,
    level: float = 0.95,
    stories: Integers | None = None,
    overdispersion: float = 0.0,
) -> Count:
    """The Poisson-binomial count: exact mean, interval, and variance, made unbiased by the factor S/(S - 1) if the
    probabilities come from S samples.

    `stories` gives the story of each document, `overdispersion` the correlation of different ones: see
    `howsure.events.series.dependence`.

    >>> count_from_probabilities(np.array([0.5, 0.25])).variance
    0.4375
    >>> count_from_probabilities(np.array([0.5, 0.5]), stories=np.array([4, 4])).variance
    1.0
    """
    possible = probabilities > 0.0
    chosen = probabilities[possible]
    units = None if stories is None else _units(chosen, stories[possible])
    if overdispersion == 0.0 and units is None:
        distribution = poisson_binomial(chosen)
    else:
        laws = np.column_stack([1.0 - chosen, chosen]) if units is None else units
        distribution = law_of_sum(laws, overdispersion=overdispersion)
    low, high = distribution.interval(level)
    if n_samples is None:
        return Count(distribution.mean, float(low), float(high), distribution.variance, 0.0)
    variance = distribution.variance * n_samples / (n_samples - 1)
    error = math.sqrt(float((chosen * (1.0 - chosen)).sum()) / (n_samples - 1))
    return Count(float(chosen.sum()), float(low), float(high), variance, error)


def count_from_samples(
    samples: Integers,
    *,
    interval: str = "exact",
    level: float = 0.95,
    stories: Integers | None = None,
    overdispersion: float = 0.0,
) -> Count:
    """The sum over documents of a count per document, from samples (D, S); see `event_series` for `interval`.

    Raises InputError for quantiles of samples with an overdispersion, which cannot be combined.
    """
    n_samples = samples.shape[1]
    some = samples.any(axis=1)
    active = samples[some]
    mean = float(active.mean(axis=1).sum())
    error = math.sqrt(float(active.var(axis=1, ddof=1).sum()) / n_samples)
    units = active if stories is None else story_sums(active, stories[some])
    if interval != "exact" and overdispersion == 0.0:  # the distribution itself, which takes time, is not needed
        distribution, variance = None, float(units.var(axis=1, ddof=1).sum())
    else:
        distribution = law_of_sum(laws_of(units), overdispersion=overdispersion)
        variance = distribution.variance * n_samples / (n_samples - 1)
    totals = units.sum(axis=0)
    if interval == "normal":
        sd = float(totals.std(ddof=1)) if overdispersion == 0.0 else math.sqrt(variance)
        reach = normal_quantile(level) * sd
        return Count(mean, mean - reach, mean + reach, variance, error)
    if interval == "samples":
        if overdispersion > 0.0:
            raise InputError("interval samples does not support overdispersion; use exact or normal.")
        tail = round((1.0 - level) / 2, 12)  # 0.025000000000000022 would take the next sample
        low, high = np.quantile(totals, [tail, 1.0 - tail], method="inverted_cdf").tolist()
        return Count(mean, float(low), float(high), variance, error)
    assert distribution is not None
    low, high = distribution.interval(level)
    return Count(mean, float(low), float(high), variance, error)


def compare_counts(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    *,
    level: float = 0.95,
    stories: Integers | None = None,
    overdispersion: float = 0.0,
) -> CountComparison:
    """P(n_A > n_B) and the distribution of n_A - n_B, from joint samples (D, S) of each document's contribution to A's
    and B's count.

    The two share each document's clusterings, so D_A - D_B has the distribution of its samples; treating A and B as
    independent would be wrong. Documents of different stories are independent, or have the correlation
    `overdispersion`; the differences of documents of one story are perfectly correlated (see
    `howsure.events.series.dependence`).

    >>> together = np.array([[1, 0, 1, 0]])
    >>> compare_counts(together, together).more
    0.0

    Raises InputError unless both are integers of the same shape (documents, samples).
    """
    check_level(level)
    first, second = _joint(a, "a"), _joint(b, "b")
    if first.shape != second.shape:
        raise InputError(
            f"a and b must have one shape: the same documents, the same samples; they have {first.shape} "
            f"and {second.shape}."
        )
    difference = first - second if stories is None else story_sums(first - second, stories)
    shift = -difference.min(axis=1, initial=0)
    distribution = law_of_sum(laws_of(difference + shift[:, np.newaxis]), overdispersion=overdispersion)
    zero = int(shift.sum())
    low, high = distribution.interval(level)
    pmf = distribution.pmf
    more, fewer = float(pmf[zero + 1 :].sum()), float(pmf[:zero].sum())
    errors = _errors_of_comparison(difference, overdispersion)
    intervals = [interval_of(p, error, level=level) for p, error in zip((more, fewer), errors, strict=True)]
    return CountComparison(
        more=more,
        equal=float(pmf[zero : zero + 1].sum()),
        fewer=fewer,
        mean=float(difference.mean(axis=1).sum()),
        low=float(low - zero),
        high=float(high - zero),
        level=level,
        more_interval=intervals[0],
        fewer_interval=intervals[1],
    )


def _errors_of_comparison(difference: Integers, overdispersion: float) -> tuple[float, float]:
    """The Monte Carlo errors of P(sum > 0) and P(sum < 0), of differences of units in samples (U, S)."""
    reach = max(int(np.abs(difference).max(initial=1)), 1)
    laws = laws_of(difference + reach, size=2 * reach + 1)
    zero, share = reach * len(laws), share_of_cause(laws, overdispersion)
    return monte_carlo_errors(laws, zero + 1, zero - 1, n_samples=difference.shape[1], share=share)


def _units(probabilities: Floats, stories: Integers) -> Floats | None:
    """The distributions (U, K) of stories, in which documents with larger probabilities come first; None if all
    differ."""
    firsts, unit, members = np.unique(stories, return_inverse=True, return_counts=True)
    if len(firsts) == len(stories):
        return None
    order = np.lexsort((-probabilities, unit))
    starts = np.cumsum(members) - members
    reached = np.zeros((len(firsts), int(members.max()) + 2))  # P(story adds k or more)
    reached[:, 0] = 1.0
    reached[unit[order], 1 + np.arange(len(unit)) - starts[unit[order]]] = probabilities[order]
    laws: Floats = -np.diff(reached, axis=1)
    return laws


def _joint(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    held = np.asarray(values)
    if held.ndim != 2 or held.dtype.kind not in "biu" or held.shape[1] == 0:
        raise InputError(
            f"{name} must be whole numbers or truth values of shape (documents, samples); it is {held.dtype} of "
            f"shape {held.shape}."
        )
    return held.astype(np.int64)
