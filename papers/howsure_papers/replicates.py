"""Would another training set have told the same? Findings decided from intervals over training and test data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.show.numbers import UNDEFINED
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile, t_quantile
from howsure.stats.randomness import Randomness, generator_from

HALF = 0.5
SUBSAMPLES = 5


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
    """An estimate whose interval holds for other training data too, not only for other test data.

    estimate: the value with the whole training set, its interval that of the test data alone. replicates: the values
    with J random subsamples of the training set, each a `share` f of it. Their variance, times f / (1 - f), estimates
    the variance of the value over training sets of the whole size (the delete-d jackknife; for halves the factor is 1).
    Both variances add up; with V_test from the width of the interval, and t with Satterthwaite's degrees of freedom:
    value ± t sqrt(V_test + f / (1 - f) · Var(replicates)), and nothing below `least`.

    >>> print(over_training(Estimate(0.3, 0.2, 0.4, 0.95, "debiased", 1000), [0.2, 0.4, 0.3, 0.2, 0.4]))
    0.3000 [0.0290, 0.5710]

    No interval is known where the estimate has none, or a replicate is not finite. Raises InputError for less than two
    replicates.
    Source: Shao & Wu (1989).
    """
    if len(replicates) < 2:
        raise InputError(f"an interval over training data needs two subsamples or more; there are {len(replicates)}.")
    if estimate.low is None or estimate.high is None or not np.isfinite(replicates).all():
        return Estimate(estimate.value, None, None, estimate.level, "training and test", estimate.n)
    test = ((estimate.high - estimate.low) / 2 / normal_quantile(estimate.level)) ** 2
    training = share / (1 - share) * float(np.var(replicates, ddof=1))
    total = test + training
    degrees = (len(replicates) - 1) * (total / training) ** 2 if training > 0 else math.inf
    reach = t_quantile(estimate.level, degrees) * math.sqrt(total)
    low, high = max(estimate.value - reach, least), estimate.value + reach
    return Estimate(estimate.value, low, high, estimate.level, "training and test", estimate.n)


def mean_estimate(values: Floats, *, level: float = 0.95) -> Estimate:
    """The mean of independent values with its normal interval; undefined for less than two.

    >>> print(mean_estimate(np.array([1.0, 2.0, 3.0])))
    2.0000 [0.8684, 3.1316]
    """
    if len(values) < 2:
        return Estimate(math.nan, None, None, level, "normal", len(values))
    reach = normal_quantile(level) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    mean = float(np.mean(values))
    return Estimate(mean, mean - reach, mean + reach, level, "normal", len(values))


def ratio_with_influence(above: Floats, below: Floats) -> tuple[float, Floats]:
    """Σ above / Σ below, and how much each row moves it, of mean 0: (above - ratio · below) / mean(below).

    So `mean_estimate(ratio + influence)` is the ratio with its interval, and the difference of two ratios of the same
    rows is the mean of the difference of these values. An accuracy has sentences for rows: right words, words.

    >>> value, influence = ratio_with_influence(np.array([2.0, 1.0]), np.array([2.0, 4.0]))
    >>> value, influence.round(3).tolist()
    (0.5, [0.333, -0.333])
    """
    value = float(above.sum() / below.sum())
    return value, (above - value * below) / float(below.mean())


def verdict(estimate: Estimate, *, above: float = 0.0) -> bool | None:
    """Whether the value is above a bound: True or False where the whole interval says so, else None.

    >>> verdict(Estimate(2.0, 1.0, 3.0, 0.95, "normal", 9)), verdict(Estimate(2.0, -1.0, 5.0, 0.95, "normal", 9))
    (True, None)
    """
    if estimate.low is None or estimate.high is None:
        return None
    return True if estimate.low > above else False if estimate.high < above else None


def value_text(estimate: Estimate, digits: int) -> str:
    """The value with so many digits."""
    return UNDEFINED if math.isnan(estimate.value) else f"{estimate.value:.{digits}f}"


def interval_text(estimate: Estimate, digits: int, *, sign: str = "") -> str:
    """The interval with so many digits; nothing if there is none."""
    low, high = estimate.low, estimate.high
    return "" if low is None or high is None else f"[{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


def all_hold(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether all hold: False if one does not, else None if one is undecided."""
    known = list(verdicts)
    return False if False in known else None if None in known else True


def all_verdicts(estimates: Sequence[Estimate]) -> bool | None:
    """Whether all values are above 0: False if one is not, else None if one is undecided."""
    return all_hold(map(verdict, estimates))
