"""Student's t of a mean: its interval and p, also where hardly any item differs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.significance.means.item_groups import ItemGroups
from howsure.stats.proportions import normal_quantile, wilson_interval

POWER = 0.8
VOTES = 16.0  # over the units: how many times one of them more is added at least, up to twice


@dataclass(frozen=True, slots=True)
class StudentMean:
    """A mean of n items with its standard errors: by formula, and for intervals and tests."""

    value: float
    standard_error: float
    error: float
    degrees: float
    unseen: float  # the largest change of the mean that may have gone unobserved, if no item differs

    def interval(self, level: float) -> tuple[float, float]:
        """value ± t · error; value ± unseen if there is no variation at all."""
        if not self.degrees or not math.isfinite(self.value):
            return math.nan, math.nan
        reach = student_quantile(self.degrees, level) * self.error if self.error > 0 else self.unseen
        return self.value - reach, self.value + reach

    def p_value(self, alternative: str) -> float:
        """The p of a mean of 0, against `two-sided`, `better` (larger) or `worse`; NaN if it is undefined."""
        from scipy.special import stdtr

        if not self.degrees or not math.isfinite(self.value):
            return math.nan
        if self.error == 0:
            return 1.0
        t = self.value / self.error
        if alternative == "two-sided":
            return float(2 * stdtr(self.degrees, -abs(t)))
        return float(stdtr(self.degrees, -t if alternative == "better" else t))

    def detectable(self, level: float, alternative: str) -> float:
        """The true mean that a test of this error finds with a power of .8; NaN if it is undefined."""
        from scipy.special import stdtrit

        if not self.degrees or not self.error > 0:
            return math.nan
        tail = (1 + level) / 2 if alternative == "two-sided" else level
        return float((stdtrit(self.degrees, tail) + stdtrit(self.degrees, POWER)) * self.error)


def student_mean(differences: Floats, groups: ItemGroups, *, spread: float, level: float) -> StudentMean:
    """The mean of the differences of n items.

    To the square of the standard error (the larger of both), (d/n)² is added, with d the root mean square of the
    differences that are not 0: as if one more item differed, in an unknown direction. It hardly matters unless few
    items differ; then it keeps the interval from being too narrow (as the pairs that Agresti & Coull 1998 and Bonett &
    Price 2012 add). The standard error is at least 2 d/n, with d that of the sums of m clusters where there are any,
    or 16 d / (m n) if m > 8: up to 8 equal ones then have about the p of the sign test, 2^(1 - m), however many items
    each has. If none differs, up to 1 - (1 - level)^(1/units) of other items may, by up to `spread`, the range of
    scores.

    >>> student_mean(np.zeros(30), ItemGroups.of(30), spread=1.0, level=0.95).interval(0.95)[1].__round__(3)
    0.095
    """
    if not np.isfinite(differences).all():
        return StudentMean(math.nan, math.nan, math.nan, 0.0, math.nan)
    one_more, one_unit = (_size(values) / groups.n for values in (differences, groups.totals(differences)))
    return StudentMean(
        float(differences.mean()),
        groups.standard_error(differences),
        max(math.hypot(groups.safe_error(differences), one_more), min(2.0, VOTES / groups.units) * one_unit),
        groups.degrees,
        spread * (1 - (1 - level) ** (1 / groups.units)),
    )


def _size(values: Floats) -> float:
    """The root mean square of the values that are not 0."""
    return math.sqrt(float((values**2).sum()) / max(int(np.count_nonzero(values)), 1))


def score_interval(scores: Floats, groups: ItemGroups, *, low: float, high: float, level: float) -> tuple[float, float]:
    """The interval of one model's mean score.

    Scores between 0 and 1: Wilson's for the number of independent items whose proportion would have the same standard
    error, with Student's quantile (Korn & Graubard 1998; Franco et al. 2019); others: mean ± t · standard error, or if
    all are equal, as far as unseen ones between `low` and `high` may move it. NaN for a single item or cluster.
    """
    degrees = groups.degrees
    if not degrees or not np.isfinite(scores).all():
        return math.nan, math.nan
    value, error = float(scores.mean()), groups.safe_error(scores)
    t = student_quantile(degrees, level)
    if low >= 0.0 and high <= 1.0:
        value = min(max(value, 0.0), 1.0)
        number = value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else float(groups.units)
        scale = (normal_quantile(level) / t) ** 2
        ends = wilson_interval(np.array([value]), np.array([number * scale]), level=level)
        return float(ends[0][0]), float(ends[1][0])
    if error > 0:
        return value - t * error, value + t * error
    unseen = 1 - (1 - level) ** (1 / groups.units)
    return value - unseen * (value - low), value + unseen * (high - value)


def student_quantile(degrees: float, level: float) -> float:
    """t such that Student's variable lies within ± t with probability `level`.

    >>> round(student_quantile(9, 0.95), 3)
    2.262
    """
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + level) / 2))
