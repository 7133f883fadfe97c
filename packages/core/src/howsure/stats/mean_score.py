"""The mean of scores, or of paired differences of scores: its tests and intervals, one for all chapters."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.stats.clusters import ItemGroups
from howsure.stats.gaffke import Sums, gaffke_interval, gaffke_p_value, paired_differences
from howsure.stats.p_values import furthest
from howsure.stats.proportions import normal_quantile, t_quantile

Bounds = tuple[float, float]
POWER = 0.8  # with which the rows that are said to be needed lead to a verdict
MOST_TIMES = 10_000  # the rows there are, beyond which no number is named
FAR = 60.0  # standard errors, in which bounds are sought
VOTES = 16.0  # over the units: how many times one of them more is added at least, up to twice


@dataclass(frozen=True, slots=True)
class MeanScore:
    """A mean with its error, and what can be told from these alone: tests by Student's t after Hall's (1992)
    transformation, which allows for skewness.

    error: the standard error for tests. lean: the skewness of the mean. With z = (mean - limit) / error, t = z +
    lean z² / 3 + lean² z³ / 27 + lean / 6. No p is below 2^-m, m the number of units: that of m items,
    or equal clusters, which all lie on one side, whatever they are distributed like. n: the rows. standard_error: as
    other programs give it. unseen: how far values that did not occur may move the mean, if all are equal; NaN if
    unknown.

    That holds where no values are possible that are both far away and too rare to have been seen (`rare_loss`).
    """

    value: float
    error: float
    lean: float
    degrees_of_freedom: float
    n: int
    standard_error: float = math.nan
    unseen: float = math.nan
    method: str = "Student"
    units: float = math.nan  # items or clusters; where unknown, the degrees of freedom and one more

    def p_above(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or less; 1 if the estimate says so, too."""
        return self.tail(limit) if self.value > limit else 1.0

    def p_below(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or more; 1 if the estimate says so, too."""
        return self.turned().p_above(-limit)

    def p_value(self, alternative: str) -> float:
        """The p of a mean of 0, against `two-sided`, `better` (larger) or `worse`; NaN if it is undefined."""
        if not self.known:
            return math.nan
        if alternative == "two-sided":
            return min(2 * min(self.tail(0.0), self.turned().tail(0.0)), 1.0)
        return (self if alternative == "better" else self.turned()).tail(0.0)

    def bounds(self, size: float) -> Bounds:
        """The one-sided bounds of tests of this size; NaN where nothing varies or so few units can show nothing."""
        if not self.known or (self.error > 0.0 and self._least > size):
            return math.nan, math.nan
        if not self.error > 0.0:
            return self.value - self.unseen, self.value + self.unseen
        reach = max(FAR, 2 * t_quantile(1 - 2 * size, self.degrees_of_freedom)) * self.error
        return (
            furthest(lambda limit: self.p_above(limit) > size, self.value, self.value - reach),
            furthest(lambda limit: self.p_below(limit) > size, self.value, self.value + reach),
        )

    def interval(self, level: float) -> Bounds:
        """The interval of two tests of half of 1 - level each."""
        return self.bounds((1 - level) / 2)

    def detectable(self, level: float, alternative: str) -> float:
        """The true mean that a test of this error finds with a power of .8; NaN if it is undefined."""
        from scipy.special import stdtrit

        if not self.known or not self.error > 0.0:
            return math.nan
        tail = (1 + level) / 2 if alternative == "two-sided" else level
        return float(sum(stdtrit(self.degrees_of_freedom, probability) for probability in (tail, POWER)) * self.error)

    def rows_needed(self, limit: float, size: float) -> int | None:
        """The rows with which a test of this size gives a verdict with probability .8, if the mean is as estimated.

        None if the estimate lies too near to the limit.
        """
        return self.needed(limit, size, at_limit=self.error, least=self._least)

    def needed(self, limit: float, size: float, *, at_limit: float, least: float) -> int | None:
        """The same, with the error if the mean were at the limit, and the least p that these units can have."""
        distance = abs(self.value - limit)
        if distance > 0.0 and not self.error > 0.0 and 0.0 < least < 1.0:
            return math.ceil(self.n * math.log(size) / math.log(least))
        error = normal_quantile(1 - 2 * size) * at_limit + normal_quantile(2 * POWER - 1) * self.error
        if not distance > 0.0 or not error > 0.0 or error > distance * math.sqrt(MOST_TIMES):
            return None
        times = max((error / distance) ** 2, 1.0)
        return math.ceil(self.n * max(times, math.log(size) / math.log(least) if 0.0 < least < 1.0 else 1.0))

    def minus(self, other: MeanScore) -> MeanScore:
        """The difference from a mean of rows that count as independent of these."""
        parts = [(mean.error**2, mean.degrees_of_freedom) for mean in (self, other)]
        variance = sum(part for part, _ in parts)
        squares = sum(part**2 / freedom for part, freedom in parts if freedom > 0)
        lean = self.lean * self.error**3 - other.lean * other.error**3
        return MeanScore(
            self.value - other.value,
            math.sqrt(variance),
            lean / variance**1.5 if variance > 0 else 0.0,
            variance**2 / squares if squares > 0 else 1.0,
            self.n,
        )

    def turned(self) -> MeanScore:
        """The same of the negative values."""
        return replace(self, value=-self.value, lean=-self.lean)

    def rare_loss(self, limit: float, size: float) -> tuple[float, float]:
        """A share of values that goes unseen with probability `size`, and the value that they would need to have to
        bring the mean to the limit: (1 - share) · value + share · x = limit."""
        share = 1 - size ** (1 / max(self.degrees_of_freedom + 1, 1.0))
        return share, self.value + (limit - self.value) / share

    @property
    def known(self) -> bool:
        """Whether there is an estimate and anything to tell its error from."""
        return math.isfinite(self.value) and self.degrees_of_freedom > 0.0

    def tail(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or less, also where the estimate says so."""
        from scipy.special import stdtr

        if not self.error > 0.0:
            return 1.0
        z = (self.value - limit) / self.error
        t = z + self.lean * z**2 / 3 + self.lean**2 * z**3 / 27 + self.lean / 6
        return max(float(stdtr(self.degrees_of_freedom, -t)), self._least)

    @property
    def _least(self) -> float:
        """The smallest p that so few items or clusters can have."""
        units = self.degrees_of_freedom + 1 if math.isnan(self.units) else self.units
        return math.exp2(-min(units, 1000.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedMean(MeanScore):
    """A mean of scores that have bounds, with Gaffke's tests (howsure.stats.gaffke).

    They hold however the scores of a cluster depend on each other, and whatever values between the bounds are too rare
    to have been seen. What asks for no test, a forecast or another program's figure, uses the error as before.
    """

    sums: Sums
    lowest: float
    highest: float
    clustered: bool
    within: Bounds  # of the mean; `lowest` and `highest` lie farther out for values taken around means of strata
    method: str = "Gaffke"

    @classmethod
    def of(cls, mean: MeanScore, *, sums: Sums, ends: Bounds, clustered: bool, within: Bounds) -> BoundedMean:
        """The same mean of scores between bounds."""
        values = {field.name: getattr(mean, field.name) for field in fields(mean) if field.name != "method"}
        return cls(**values, sums=sums, lowest=ends[0], highest=ends[1], clustered=clustered, within=within)

    @property
    def known(self) -> bool:
        """Whether there is an estimate: always."""
        return True

    def bounds(self, size: float) -> Bounds:
        """The one-sided bounds of tests of this size, between the bounds of the scores."""
        low, high = gaffke_interval(self.sums, bounds=(self.lowest, self.highest), size=size)
        return max(low, self.within[0]), min(high, self.within[1])

    def rows_needed(self, limit: float, size: float) -> int | None:
        """About the rows with which a test of this size gives a verdict with probability .8, if the mean is as
        estimated; None if the estimate lies too near to the limit."""
        if not self.within[0] < limit < self.within[1]:
            return None
        spread = (limit - self.lowest) * (self.highest - limit)
        inside = (self.value - self.lowest) * (self.highest - self.value)
        units = self.degrees_of_freedom + 1
        at_limit = self.error * math.sqrt(spread / inside) if inside > 0.0 else math.sqrt(spread / units)
        above = self.value > limit
        if self.error > 0.0:
            least = self.least_p(limit, above=above)
        else:  # more rows that are all alike
            least = self.p_above(limit) if above else self.p_below(limit)
        needed = self.needed(limit, size, at_limit=at_limit, least=least)
        turned, goal = (self, limit) if above else (self.turned(), -limit)
        times = None if needed is None else turned._times_needed(goal, size)
        return None if needed is None or times is None else max(needed, math.ceil(self.n * times))

    def _times_needed(self, limit: float, size: float) -> float | None:
        """How many times these rows Gaffke's test needs to show with probability .8 that the mean lies above the limit;
        None if it is beyond `MOST_TIMES`. Scores that vary little need more than their error says: the test allows for
        unseen scores as low as possible."""
        margin = normal_quantile(2 * POWER - 1) * self.error

        def rejects(times: float) -> bool:
            sums = replace(self.sums, times=self.sums.times * times)
            return gaffke_p_value(sums, limit + margin / math.sqrt(times), low=self.lowest) <= size

        low, high = 1.0, float(MOST_TIMES)
        if rejects(low) or not rejects(high):
            return 1.0 if rejects(low) else None
        while high > 1.01 * low:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if rejects(middle) else (middle, high)
        return high

    def least_p(self, limit: float, *, above: bool) -> float:
        """The p of these rows if all of them had the best score (above), or the worst."""
        sizes, times = self.sums.sizes, self.sums.times
        if above:
            return gaffke_p_value(Sums(self.highest * sizes, sizes, times), limit, low=self.lowest)
        return gaffke_p_value(Sums(-self.lowest * sizes, sizes, times), -limit, low=-self.highest)

    @property
    def summary(self) -> MeanScore:
        """The mean and an error as if one more cluster of the largest size had the lowest score and one the highest, as
        Agresti & Caffo (2000) add to each of two shares that are compared: none without variation is certain."""
        largest, n = float(self.sums.sizes.max()), float(self.sums.times @ self.sums.sizes)
        e = self.sums.sums - self.value * self.sums.sizes
        added = largest**2 * ((self.lowest - self.value) ** 2 + (self.highest - self.value) ** 2)
        units = float(self.sums.times.sum()) + 2
        error = math.sqrt(units / (units - 1) * (float(self.sums.times @ e**2) + added)) / (n + 2 * largest)
        return MeanScore(self.value, max(error, self.error), 0.0, max(self.degrees_of_freedom, 1.0), self.n)

    def turned(self) -> BoundedMean:
        """The same of the negative scores."""
        return replace(
            self,
            value=-self.value,
            lean=-self.lean,
            sums=self.sums.negated(),
            lowest=-self.highest,
            highest=-self.lowest,
            within=(-self.within[1], -self.within[0]),
        )

    def tail(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or less, also where the estimate says so."""
        return 0.0 if limit <= self.within[0] else gaffke_p_value(self.sums, limit, low=self.lowest)


def mean_score(
    values: Floats, groups: ItemGroups | None = None, *, bounds: Bounds | None = None, n: int | None = None
) -> MeanScore:
    """The mean of scores: with `bounds` by Gaffke's tests, by Student's t otherwise.

    n: the rows that such scores took, if more than there are scores.
    """
    groups = groups or ItemGroups.of(len(values))
    error = groups.safe_error(values) if groups.degrees and np.ptp(values) > 0 else 0.0  # no rounding makes them vary
    lean, standard_error = _lean(groups, values, error), groups.standard_error(values)
    mean = MeanScore(_mean(values), error, lean, groups.degrees, n or len(values), standard_error, units=groups.units)
    return mean if bounds is None else _bounded(values, groups, bounds, mean)


def mean_difference(
    first: Floats,
    second: Floats,
    groups: ItemGroups | None = None,
    *,
    bounds: Bounds | None = None,
    spread: float = math.nan,
    level: float = 0.95,
) -> MeanScore:
    """The mean of paired differences, first - second, of scores that lie between `bounds`, if these are known.

    By Student's t: to the square of the standard error (the larger of both, `ItemGroups.safe_error`), (d/n)² is added,
    with d the root mean square of the differences that are not 0: as if one more item differed, in an unknown
    direction. It hardly matters unless few items differ; then it keeps the interval from being too narrow (as the pairs
    that Agresti & Coull 1998 and Bonett & Price 2012 add). The error is at least 2 d/n, with d that of the sums of m
    clusters where there are any, or 16 d / (m n) if m > 8: up to 8 equal ones then have about the p of the sign test,
    2^(1 - m), however many items each has. If none differs, up to 1 - (1 - level)^(1/units) of other items may, by up
    to `spread`, the range of scores.
    """
    differences = paired_differences(first, second)
    groups = groups or ItemGroups.of(len(differences))
    if not np.isfinite(differences).all():
        return MeanScore(math.nan, math.nan, 0.0, 0.0, len(differences))
    one_more, one_unit = (_size(values) / groups.n for values in (differences, groups.totals(differences)))
    error = math.hypot(groups.safe_error(differences), one_more) if groups.degrees else 0.0
    error = max(error, min(2.0, VOTES / groups.units) * one_unit)
    unseen = spread * (1 - (1 - level) ** (1 / groups.units))
    lean, standard_error = _lean(groups, differences, error), groups.standard_error(differences)
    mean = MeanScore(
        _mean(differences),
        error,
        lean,
        groups.degrees,
        len(differences),
        standard_error,
        unseen=unseen,
        units=groups.units,
    )
    if bounds is None:
        return mean
    return _bounded(differences, groups, (bounds[0] - bounds[1], bounds[1] - bounds[0]), mean)


def share_bounds(*scores: Floats) -> Bounds | None:
    """The bounds of scores that are all 0 or 1: shares of right answers."""
    return (0.0, 1.0) if all(bool(((score == 0.0) | (score == 1.0)).all()) for score in scores) else None


def unit_bounds(*scores: Floats) -> Bounds | None:
    """The bounds 0 and 1, if all scores lie between them.

    >>> unit_bounds(np.array([0.2, 1.0])), unit_bounds(np.array([0.2, 1.1]))
    ((0.0, 1.0), None)
    """
    return (0.0, 1.0) if all(bool(((one >= 0.0) & (one <= 1.0)).all()) for one in scores) else None


def _bounded(values: Floats, groups: ItemGroups, bounds: Bounds, mean: MeanScore) -> BoundedMean:
    ends = bounds
    if groups.strata.any():
        values, ends = _within_strata(values, groups, bounds, mean.value)
    sums = Sums.of(groups.totals(values), groups.sizes)
    return BoundedMean.of(mean, sums=sums, ends=ends, clustered=groups.unit is not None, within=bounds)


def _within_strata(values: Floats, groups: ItemGroups, bounds: Bounds, mean: float) -> tuple[Floats, Bounds]:
    """Values that vary as they do within strata of given sizes, around the common mean, and the bounds of such values:
    mean + √(m / (m - 1)) (x - mean of the stratum), with m units in the stratum."""
    stratum = groups.strata if groups.unit is None else groups.strata[groups.unit]
    stratum_means = np.bincount(stratum, weights=values) / np.bincount(stratum)
    units = np.bincount(groups.strata)
    wider = np.sqrt(units / np.maximum(units - 1, 1))
    ends = [mean + wider * (bound - stratum_means) for bound in bounds]
    return mean + wider[stratum] * (values - stratum_means[stratum]), (float(ends[0].min()), float(ends[1].max()))


def _mean(values: Floats) -> float:
    return float(values[0]) if values.min() == values.max() else float(np.sort(values).mean())


def _lean(groups: ItemGroups, values: Floats, error: float) -> float:
    """The skewness of the mean over its units, Σ e³ / (n · error)³."""
    if not error > 0.0:
        return 0.0
    residuals = np.sort(groups.totals(values - _mean(values)))
    return float((residuals**3).sum()) / (groups.n * error) ** 3


def _size(values: Floats) -> float:
    """The root mean square of the values that are not 0."""
    return math.sqrt(float((values**2).sum()) / max(int(np.count_nonzero(values)), 1))
