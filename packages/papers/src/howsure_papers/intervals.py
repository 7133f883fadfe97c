"""Intervals of estimates over test data, or over test and training data, and verdicts based on them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.result import Estimate
from howsure.show.table import ENDS, UNDEFINED, Kind
from howsure.stats.clusters import jackknife_error, ratio_error
from howsure.stats.proportions import normal_quantile, t_quantile, wilson_interval
from howsure_papers.reproduction import Blank

HALF = 0.5
SUBSAMPLES = 5
LEVEL = 0.95


def symmetric_estimate(value: float, reach: float, method: str, n: int, *, least: float = -math.inf) -> Estimate:
    """Return an estimate whose 95 % interval is value ± reach, cut off below `least`."""
    return Estimate(value, max(value - reach, least), value + reach, LEVEL, method, n)


def unbounded(value: float, method: str, n: int) -> Estimate:
    return Estimate(value, None, None, LEVEL, method, n)


def random_subsamples(
    n: int, *, times: int = SUBSAMPLES, share: float = HALF, rng: Randomness = None
) -> list[Integers]:
    """Random subsamples of n rows without replacement, round(share · n) sorted rows each.

    >>> [len(rows) for rows in random_subsamples(101, times=2, rng=0)]
    [50, 50]
    """
    generator = generator_from(rng)
    return [np.sort(generator.permutation(n)[: round(share * n)]) for _ in range(times)]


def over_training(
    estimate: Estimate, replicates: Sequence[float], *, share: float = HALF, least: float = -math.inf
) -> Estimate:
    """An estimate whose interval covers variation of training data as well as test data.

    estimate: the value with the whole training set; its interval covers the variation of test data only. replicates:
    the values with J random subsamples of the training set, each of which contains the proportion f (`share`) of it.
    Their variance, times f / (1 - f), estimates the variance of the value over training sets of the whole size (the
    delete-d jackknife; for halves the factor is 1). With V_test from the width of the interval, and t with
    Satterthwaite's degrees of freedom, the interval is value ± t sqrt(V_test + f / (1 - f) · Var(replicates)), cut off
    below `least`.

    >>> print(over_training(Estimate(0.3, 0.2, 0.4, 0.95, "debiased", 1000), [0.2, 0.4, 0.3, 0.2, 0.4]))
    0.3000 [0.0290, 0.5710]

    The result has no interval if the estimate has none, or if a replicate is not finite. Raises InputError for fewer
    than two replicates.
    Source: Shao & Wu (1989).
    """
    if len(replicates) < 2:
        raise InputError(f"an interval over training data needs two subsamples or more; there are {len(replicates)}.")
    if estimate.low is None or estimate.high is None or not np.isfinite(replicates).all():
        return unbounded(estimate.value, "training and test", estimate.n)
    test = standard_error(estimate) ** 2
    training = share / (1 - share) * float(np.var(replicates, ddof=1))
    total = test + training
    degrees = (len(replicates) - 1) * (total / training) ** 2 if training > 0 else math.inf
    reach = t_quantile(LEVEL, degrees) * math.sqrt(total)
    return symmetric_estimate(estimate.value, reach, "training and test", estimate.n, least=least)


def each_over_training(
    estimates: Mapping[str, Estimate], replicates: Sequence[Mapping[str, float]], *, errors: Collection[str] = ()
) -> dict[str, Estimate]:
    """Apply `over_training` to every quantity; quantities in `errors` are at least 0."""
    return {
        name: over_training(
            estimate, [float(replicate[name]) for replicate in replicates], least=0.0 if name in errors else -math.inf
        )
        for name, estimate in estimates.items()
    }


def over_halves(value: float, replicates: Sequence[float]) -> Estimate:
    """A value whose interval covers variation of training and test data.

    replicates: the values with J random halves of the training data, each judged on a random half of the test data.
    Their variance estimates that of the value (delete-d jackknife of both, d = n / 2): value ± t(J - 1) · sd.

    >>> print(over_halves(30.0, [28.0, 31.0, 33.0, 30.0, 28.0]))
    30.0000 [24.1103, 35.8897]
    """
    reach = t_quantile(LEVEL, len(replicates) - 1) * float(np.std(replicates, ddof=1))
    return symmetric_estimate(value, reach, "training and test halves", len(replicates))


def mean_estimate(values: Floats) -> Estimate:
    """The mean of independent values with its normal interval; undefined for fewer than two values.

    >>> print(mean_estimate(np.array([1.0, 2.0, 3.0])))
    2.0000 [0.8684, 3.1316]
    """
    if len(values) < 2:
        return unbounded(math.nan, "normal", len(values))
    reach = normal_quantile(LEVEL) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return symmetric_estimate(float(np.mean(values)), reach, "normal", len(values))


def clustered_mean(values: Floats, clusters: Integers) -> Estimate:
    """The mean of clustered values, with its normal interval (linearised ratio).

    >>> print(clustered_mean(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1])))
    0.5000 [-0.4800, 1.4800]
    """
    reach = normal_quantile(LEVEL) * ratio_error(np.bincount(clusters, values), np.bincount(clusters))
    return symmetric_estimate(float(values.mean()), reach, "clustered", len(values))


def ratio_with_influence(above: Floats, below: Floats) -> tuple[float, Floats]:
    """Σ above / Σ below, and the influence of each row, with mean 0: (above - ratio · below) / mean(below).

    Therefore, `mean_estimate(ratio + influence)` is the ratio with its interval, and the difference of two ratios of
    the same rows is the mean of the difference of these values. For the accuracy of a tagger, rows are sentences,
    `above` is the number of right words and `below` the number of words.

    >>> value, influence = ratio_with_influence(np.array([2.0, 1.0]), np.array([2.0, 4.0]))
    >>> value, influence.round(3).tolist()
    (0.5, [0.333, -0.333])
    """
    value = float(above.sum() / below.sum())
    return value, (above - value * below) / float(below.mean())


def jackknife_estimate(value: float, without: Floats, *, n: int, method: str = "jackknife") -> Estimate:
    """A value with the normal interval that follows from leaving out one sentence or document at a time.

    >>> print(jackknife_estimate(2.0, np.array([1.5, 2.0, 2.5]), n=3))
    2.0000 [0.8684, 3.1316]
    """
    if math.isnan(value) or np.isnan(without).any():
        return unbounded(math.nan, method, n)
    return symmetric_estimate(float(value), normal_quantile(LEVEL) * float(jackknife_error(without)), method, n)


def point_values(estimates: Mapping[str, Estimate]) -> dict[str, float]:
    return {name: estimate.value for name, estimate in estimates.items()}


def standard_error(estimate: Estimate) -> float:
    """The standard error of a normal interval; infinite without an interval."""
    if estimate.low is None or estimate.high is None:
        return math.inf
    return (estimate.high - estimate.low) / 2 / normal_quantile(estimate.level)


def p_value(difference: Estimate) -> float:
    """The two-sided p of no difference, from a normal interval; undefined (NaN) without one.

    >>> p_value(Estimate(1.96, 0.0, 3.92, 0.95, "jackknife", 9)).__round__(2)
    0.05
    """
    from scipy.special import ndtr

    error = standard_error(difference)
    if math.isinf(error):
        return math.nan
    if error == 0.0:
        return 1.0 if difference.value == 0.0 else 0.0
    return float(2 * ndtr(-abs(difference.value) / error))


def share_estimate(values: Floats | Bools) -> Estimate:
    """The proportion of values that are True or 1, with Wilson's interval; undefined without values.

    >>> print(share_estimate(np.array([True, False] * 50)))
    0.5000 [0.4038, 0.5962]
    """
    n = values.size
    if n == 0:
        return unbounded(math.nan, "Wilson", 0)
    share = float(values.mean())
    low, high = wilson_interval(np.array([share]), np.array([float(n)]), level=LEVEL)
    return Estimate(share, float(low[0]), float(high[0]), LEVEL, "Wilson", n)


def verdict(estimate: Estimate, *, above: float = 0.0) -> bool | None:
    """Return whether the value is above a bound; None if the interval contains the bound.

    >>> verdict(Estimate(2.0, 1.0, 3.0, 0.95, "normal", 9)), verdict(Estimate(2.0, -1.0, 5.0, 0.95, "normal", 9))
    (True, None)
    """
    if estimate.low is None or estimate.high is None:
        return None
    return True if estimate.low > above else False if estimate.high < above else None


def is_about(estimate: Estimate, value: float, within: float) -> bool | None:
    """Whether an estimate differs from a value by at most `within`; None if the interval does not decide this.

    >>> is_about(Estimate(0.9, 0.89, 0.91, 0.95, "Wilson", 9), 0.9, 0.02)
    True
    >>> is_about(mean_estimate(np.ones(9)), 0.9, 0.02)
    False
    """
    if estimate.low is None or estimate.high is None:
        return None
    inside = estimate.low >= value - within and estimate.high <= value + within
    outside = estimate.low > value + within or estimate.high < value - within
    return True if inside else False if outside else None


def opposite(holds: bool | None) -> bool | None:
    """The opposite verdict: `opposite(verdict(estimate, above=bound))` is whether the value is below the bound."""
    return None if holds is None else not holds


def all_hold(verdicts: Iterable[bool | None]) -> bool | None:
    """Combine verdicts: False if one is False, otherwise None if one is undecided (None), otherwise True.

    >>> all_hold([True, None]), all_hold([False, None])
    (None, False)
    """
    outcomes = list(verdicts)
    return False if False in outcomes else None if None in outcomes else True


def interval_text(estimate: Estimate, digits: int, *, sign: str = "") -> str:
    """The interval with this number of digits; "" if there is none."""
    low, high = estimate.low, estimate.high
    return "" if low is None or high is None else f"[{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


def estimate_text(estimate: Estimate, digits: int = 6, *, sign: str = "") -> str:
    """An estimate with this number of digits, and its interval if it has one.

    >>> estimate_text(Estimate(0.5, 0.25, 0.75, 0.95, "normal", 9), 2, sign="+")
    '+0.50 [+0.25, +0.75]'
    """
    if math.isnan(estimate.value):
        return UNDEFINED
    return f"{estimate.value:{sign}.{digits}f} {interval_text(estimate, digits, sign=sign)}".rstrip()


def estimate_kind(digits: int = 6, *, sign: str = "") -> Kind:
    """Estimates with this number of digits in a table."""
    return Blank(lambda estimate: estimate_text(estimate, digits, sign=sign), ends=ENDS)


def interval_kind(digits: int) -> Kind:
    """Only the intervals of estimates, for tables with the values in another column."""
    return Blank(lambda estimate: interval_text(estimate, digits), ends=ENDS)
