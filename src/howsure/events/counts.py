"""The posterior of one count: a sum over independent documents, from their probabilities or from their samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.stats.checks import check_level
from howsure.stats.pairs import Floats, Integers
from howsure.stats.poisson_binomial import CountDistribution, poisson_binomial, sum_of_counts
from howsure.stats.proportions import normal_quantile


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
    """The posterior of n_A - n_B: P(A has more, as many, fewer), the mean and the exact interval."""

    more: float
    equal: float
    fewer: float
    mean: float
    low: float
    high: float
    level: float

    def __str__(self) -> str:
        return f"P(A > B) = {self.more:.3f}, difference {self.mean:.2f} [{self.low:g}, {self.high:g}]"


def count_from_probabilities(probabilities: Floats, *, n_samples: int | None = None, level: float = 0.95) -> Count:
    """The Poisson-binomial count: exact mean, interval, and variance, which S samples make unbiased by S/(S - 1).

    >>> count_from_probabilities(np.array([0.5, 0.25])).variance
    0.4375
    """
    distribution = poisson_binomial(probabilities[probabilities > 0.0])
    low, high = distribution.interval(level)
    if n_samples is None:
        return Count(distribution.mean, float(low), float(high), distribution.variance, 0.0)
    variance = distribution.variance * n_samples / (n_samples - 1)
    return Count(distribution.mean, float(low), float(high), variance, math.sqrt(variance / n_samples))


def count_from_samples(samples: Integers, *, interval: str = "exact", level: float = 0.95) -> Count:
    """The sum over documents of a count a document, from samples (D, S); see `event_series` for `interval`."""
    n_samples = samples.shape[1]
    active = samples[samples.any(axis=1)]
    mean = float(active.mean(axis=1).sum())
    variance = float(active.var(axis=1, ddof=1).sum())  # that of each document's law, times S/(S - 1)
    error = math.sqrt(variance / n_samples)
    totals = active.sum(axis=0)
    if interval == "normal":
        reach = normal_quantile(level) * float(totals.std(ddof=1))
        return Count(mean, mean - reach, mean + reach, variance, error)
    if interval == "samples":
        tail = round((1.0 - level) / 2, 12)  # 0.025000000000000022 would take the next sample
        low, high = np.quantile(totals, [tail, 1.0 - tail], method="inverted_cdf").tolist()
        return Count(mean, float(low), float(high), variance, error)
    low, high = _law(active).interval(level)
    return Count(mean, float(low), float(high), variance, error)


def compare_counts(a: npt.ArrayLike, b: npt.ArrayLike, *, level: float = 0.95) -> CountComparison:
    """P(n_A > n_B) and the law of n_A - n_B, from joint samples (D, S) of what each document adds to A's and B's count.

    The two share each document's clusterings, so that D_A - D_B has the law that its samples have; documents are
    independent, so the laws are convolved. Taking A and B as independent would be wrong.

    >>> together = np.array([[1, 0, 1, 0]])
    >>> compare_counts(together, together).more
    0.0

    Raises InputError unless both are whole numbers of one shape (documents, samples).
    """
    check_level(level)
    first, second = _joint(a, "a"), _joint(b, "b")
    if first.shape != second.shape:
        raise InputError(
            f"a and b must have one shape: the same documents, the same samples; they have {first.shape} "
            f"and {second.shape}."
        )
    difference = first - second
    shift = -difference.min(axis=1, initial=0)
    distribution = _law(difference + shift[:, np.newaxis])
    zero = int(shift.sum())
    low, high = distribution.interval(level)
    pmf = distribution.pmf
    return CountComparison(
        more=float(pmf[zero + 1 :].sum()),
        equal=float(pmf[zero]) if zero < len(pmf) else 0.0,
        fewer=float(pmf[:zero].sum()),
        mean=float(difference.mean(axis=1).sum()),
        low=float(low - zero),
        high=float(high - zero),
        level=level,
    )


def _law(samples: Integers) -> CountDistribution:
    """The law of the sum over documents, each with the law of its samples (D, S); those of at most 1 are pooled."""
    few = samples.max(axis=1, initial=0) <= 1
    pooled = poisson_binomial(samples[few].mean(axis=1) if few.any() else [])
    if few.all():
        return pooled
    return sum_of_counts([pooled.pmf, *(np.bincount(row) / len(row) for row in samples[~few])])


def _joint(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    held = np.asarray(values)
    if held.ndim != 2 or held.dtype.kind not in "biu" or held.shape[1] == 0:
        raise InputError(
            f"{name} must be whole numbers or truth values of shape (documents, samples); it is {held.dtype} of "
            f"shape {held.shape}."
        )
    return held.astype(np.int64)
