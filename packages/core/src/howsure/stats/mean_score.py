"""Tests and intervals for the mean of scores, or of paired differences of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.stats.clusters import ItemGroups
from howsure.stats.gaffke import UnitSums, gaffke_bound, gaffke_p_value, paired_differences, sorted_values
from howsure.stats.p_values import bisect_limit
from howsure.stats.proportions import normal_quantile, t_quantile

Bounds = tuple[float, float]
POWER = 0.8  # probability of a verdict with the reported number of needed rows
MAX_TIMES = 10_000  # no number of rows is reported if more than 10,000 times the present number are needed
FAR = 60.0  # distance in standard errors within which bounds are searched
STUDENT = "Student with Hall's correction"
STUDENT_NOTE = (
    "These Student's t intervals may be too narrow if rare extreme scores exist; if scores have limits, give them as "
    "bounds."
)
FEW_DIFFERING = 100  # units; if fewer differ between models, the skewness of the differences is hardly known
VOTES = 16.0  # the error is at least min(2, 16 / units) times the effect of one unit; see `mean_difference`


@dataclass(frozen=True, slots=True)
class MeanScore:
    """A mean with its error: tests by Student's t after Hall's (1992) transformation, which corrects for skewness.

    error: the standard error used in tests (`ItemGroups.safe_error`; larger for differences). skewness: the skewness γ
    of the mean. The test statistic is t = z + γ z² / 3 + γ² z³ / 27 + γ / 6, with z = (mean - limit) / error. No
    p-value is below 2^-m for m units (items or clusters),
    the p-value of a sign test in which all m units are on the same side. n: number of rows. standard_error: the usual
    standard error, as other programs report it. unseen: if all values are equal, how far values that did not occur
    could change the mean; NaN if unknown.

    The tests assume that no possible values are both extreme and too rare to have been observed (see `rare_loss`).
    """

    value: float
    error: float
    skewness: float
    degrees_of_freedom: float
    n: int
    standard_error: float = math.nan
    unseen: float = math.nan
    method: str = STUDENT
    units: float = math.nan  # items or clusters; if NaN, degrees of freedom + 1 is used
    few: bool = False  # few units carry the skewness, so tests without the correction must reject, too

    def p_above(self, limit: float) -> float:
        """Return the p-value of "the mean is at most `limit`"; 1 if the estimate is at most the limit."""
        return self.upper_tail(limit) if self.value > limit else 1.0

    def p_below(self, limit: float) -> float:
        """Return the p-value of "the mean is at least `limit`"; 1 if the estimate is at least the limit."""
        return self.negated().p_above(-limit)

    def p_value(self, alternative: str) -> float:
        """P-value of the hypothesis that the mean is 0, against `two-sided`, `better` (> 0) or `worse` (< 0).

        NaN if the error is unknown.
        """
        if not self.known:
            return math.nan
        if alternative == "two-sided":
            return min(2 * min(self.upper_tail(0.0), self.negated().upper_tail(0.0)), 1.0)
        return (self if alternative == "better" else self.negated()).upper_tail(0.0)

    def bounds(self, size: float) -> Bounds:
        """One-sided lower and upper bounds by tests of size `size`.

        If nothing varies, the bounds are value ± unseen. NaN if the error is unknown, or if with this few units no
        p-value can be as small as `size`.
        """
        return self.bound(size, upper=False), self.bound(size, upper=True)

    def bound(self, size: float, *, upper: bool) -> float:
        if not self.known or (self.error > 0.0 and self._smallest_p > size):
            return math.nan
        sign = 1.0 if upper else -1.0
        if not self.error > 0.0:
            return self.value + sign * self.unseen
        reach = max(FAR, 2 * t_quantile(1 - 2 * size, self.degrees_of_freedom)) * self.error
        p_value = self.p_below if upper else self.p_above
        return bisect_limit(lambda limit: p_value(limit) > size, self.value, self.value + sign * reach)

    def interval(self, level: float) -> Bounds:
        """The interval from two one-sided tests of size (1 - level) / 2."""
        return self.bounds((1 - level) / 2)

    def detectable(self, level: float, alternative: str, *, bounds: Bounds | None = None) -> float:
        """The true mean that a test at this level detects with power 0.8; NaN if the error is 0 or unknown.

        bounds: the bounds of the scores, if the mean is a mean of differences. The result is NaN if the detectable mean
        exceeds their range.
        """
        from scipy.special import stdtrit

        if not self.known or not self.error > 0.0:
            return math.nan
        tail = (1 + level) / 2 if alternative == "two-sided" else level
        mean = float(sum(stdtrit(self.degrees_of_freedom, probability) for probability in (tail, POWER)) * self.error)
        return math.nan if bounds is not None and mean > bounds[1] - bounds[0] else mean

    def rows_needed(self, limit: float, size: float) -> int | None:
        """The number of rows with which a test of this size rejects with power 0.8, if the true mean is the estimate.

        None if the estimate is too close to the limit: more than 10,000 times the present rows would be needed.
        """
        return self.needed(limit, size, at_limit=self.error, least=self._smallest_p)

    def needed(self, limit: float, size: float, *, at_limit: float, least: float) -> int | None:
        """Return the same as `rows_needed`, given two values.

        at_limit: the error if the mean were at the limit. least: the smallest possible p-value of these units.
        """
        distance = abs(self.value - limit)
        if distance > 0.0 and not self.error > 0.0 and 0.0 < least < 1.0:
            return math.ceil(self.n * math.log(size) / math.log(least))
        error = normal_quantile(1 - 2 * size) * at_limit + normal_quantile(2 * POWER - 1) * self.error
        if not distance > 0.0 or not error > 0.0 or error > distance * math.sqrt(MAX_TIMES):
            return None
        times = max((error / distance) ** 2, 1.0)
        return math.ceil(self.n * max(times, math.log(size) / math.log(least) if 0.0 < least < 1.0 else 1.0))

    def minus(self, other: MeanScore) -> MeanScore:
        """The difference self - other of two independent means, with Satterthwaite's degrees of freedom."""
        parts = [(mean.error**2, mean.degrees_of_freedom) for mean in (self, other)]
        variance = sum(part for part, _ in parts)
        squares = sum(part**2 / freedom for part, freedom in parts if freedom > 0)
        skewness = self.skewness * self.error**3 - other.skewness * other.error**3
        return MeanScore(
            self.value - other.value,
            math.sqrt(variance),
            skewness / variance**1.5 if variance > 0 else 0.0,
            variance**2 / squares if squares > 0 else 1.0,
            self.n,
        )

    def negated(self) -> MeanScore:
        return replace(self, value=-self.value, skewness=-self.skewness)

    def rare_loss(self, limit: float, size: float) -> tuple[float, float]:
        """Return the proportion of rare values that a sample misses with probability `size`, and the value x that such
        values would need to have to bring the mean to the limit: (1 - proportion) · value + proportion · x = limit.
        """
        share = 1 - size ** (1 / max(self.degrees_of_freedom + 1, 1.0))
        return share, self.value + (limit - self.value) / share

    @property
    def known(self) -> bool:
        """Whether the mean is finite and its error can be estimated (at least 2 units)."""
        return math.isfinite(self.value) and self.degrees_of_freedom > 0.0

    def upper_tail(self, limit: float) -> float:
        """Return the p-value of "the mean is at most `limit`" for any estimate; 1 if the error is 0."""
        from scipy.special import stdtr

        if not self.error > 0.0:
            return 1.0
        z = (self.value - limit) / self.error
        t = z + self.skewness * z**2 / 3 + self.skewness**2 * z**3 / 27 + self.skewness / 6
        t = min(t, z) if self.few else t
        return max(float(stdtr(self.degrees_of_freedom, -t)), self._smallest_p)

    @property
    def _smallest_p(self) -> float:
        """The smallest possible p-value, 2^-units."""
        units = self.degrees_of_freedom + 1 if math.isnan(self.units) else self.units
        return math.exp2(-min(units, 1000.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedMean(MeanScore):
    """A mean of bounded scores, with Gaffke's tests (howsure.stats.gaffke) instead of Student's t.

    The tests are valid under any dependence within clusters, and for any rare values between the bounds that were not
    observed. `detectable`, `minus` and `standard_error` are based on the error, as in `MeanScore`.
    """

    sums: UnitSums
    lowest: float
    highest: float
    clustered: bool
    within: Bounds  # bounds of the mean; lowest and highest are wider with strata (`_within_strata`)
    method: str = "Gaffke"

    @classmethod
    def of(cls, mean: MeanScore, *, sums: UnitSums, ends: Bounds, clustered: bool, within: Bounds) -> BoundedMean:
        """Build from a `MeanScore` and the sums of the scores; `ends` become `lowest` and `highest`."""
        values = {field.name: getattr(mean, field.name) for field in fields(mean) if field.name != "method"}
        return cls(**values, sums=sums, lowest=ends[0], highest=ends[1], clustered=clustered, within=within)

    @property
    def known(self) -> bool:
        """Always True: Gaffke's tests need no estimate of the error."""
        return True

    def bound(self, size: float, *, upper: bool) -> float:
        """The one-sided lower or upper bound by a test of size `size`, clipped to `within`."""
        if upper:
            return min(-gaffke_bound(self.sums.negated(), low=-self.highest, size=size), self.within[1])
        return max(gaffke_bound(self.sums, low=self.lowest, size=size), self.within[0])

    def rows_needed(self, limit: float, size: float) -> int | None:
        """Approximate number of rows with which a test of this size rejects with power 0.8, if the true mean is the
        estimate; None if the limit is not inside `within` or the estimate is too close to the limit."""
        if not self.within[0] < limit < self.within[1]:
            return None
        spread = (limit - self.lowest) * (self.highest - limit)
        inside = (self.value - self.lowest) * (self.highest - self.value)
        units = self.degrees_of_freedom + 1
        at_limit = self.error * math.sqrt(spread / inside) if inside > 0.0 else math.sqrt(spread / units)
        above = self.value > limit
        if self.error > 0.0:
            least = self.least_p(limit, above=above)
        else:  # further rows with the same value
            least = self.p_above(limit) if above else self.p_below(limit)
        needed = self.needed(limit, size, at_limit=at_limit, least=least)
        negated, goal = (self, limit) if above else (self.negated(), -limit)
        times = None if needed is None else negated._times_needed(goal, size)
        return None if needed is None or times is None else max(needed, math.ceil(self.n * times))

    def _times_needed(self, limit: float, size: float) -> float | None:
        """How many times the present rows Gaffke's test needs to show, with power 0.8, a mean above `limit`.

        None if it exceeds `MAX_TIMES`. If scores vary little, more rows are needed than the error suggests, since the
        test allows for unobserved scores at the lower bound.
        """
        margin = normal_quantile(2 * POWER - 1) * self.error

        def rejects(times: float) -> bool:
            sums = replace(self.sums, times=self.sums.times * times)
            return gaffke_p_value(sums, limit + margin / math.sqrt(times), low=self.lowest) <= size

        low, high = 1.0, float(MAX_TIMES)
        if rejects(low) or not rejects(high):
            return 1.0 if rejects(low) else None
        while high > 1.01 * low:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if rejects(middle) else (middle, high)
        return high

    def least_p(self, limit: float, *, above: bool) -> float:
        """The smallest possible p-value with these rows: all have the highest (above) or the lowest possible score."""
        sizes, times = self.sums.sizes, self.sums.times
        if above:
            return gaffke_p_value(UnitSums(self.highest * sizes, sizes, times), limit, low=self.lowest)
        return gaffke_p_value(UnitSums(-self.lowest * sizes, sizes, times), -limit, low=-self.highest)

    @property
    def summary(self) -> MeanScore:
        """The mean with an error that is positive even if the scores do not vary, for comparisons of two means.

        The error is computed as if two more clusters of the largest size had been drawn, one with the lowest and one
        with the highest score, like the observations that Agresti & Caffo (2000) add to each of two proportions.
        """
        largest, n = float(self.sums.sizes.max()), float(self.sums.times @ self.sums.sizes)
        e = self.sums.sums - self.value * self.sums.sizes
        added = largest**2 * ((self.lowest - self.value) ** 2 + (self.highest - self.value) ** 2)
        units = float(self.sums.times.sum()) + 2
        error = math.sqrt(units / (units - 1) * (float(self.sums.times @ e**2) + added)) / (n + 2 * largest)
        return MeanScore(self.value, max(error, self.error), 0.0, max(self.degrees_of_freedom, 1.0), self.n)

    def negated(self) -> BoundedMean:
        return replace(
            self,
            value=-self.value,
            skewness=-self.skewness,
            sums=self.sums.negated(),
            lowest=-self.highest,
            highest=-self.lowest,
            within=(-self.within[1], -self.within[0]),
        )

    def upper_tail(self, limit: float) -> float:
        """Return the p-value of "the mean is at most `limit`", also if the estimate is at most the limit."""
        return 0.0 if limit <= self.within[0] else gaffke_p_value(self.sums, limit, low=self.lowest)


def mean_score(
    values: Floats, groups: ItemGroups | None = None, *, bounds: Bounds | None = None, n: int | None = None
) -> MeanScore:
    """Return the mean of scores (items,), with Gaffke's tests if `bounds` are given, otherwise with Student's t.

    groups: clusters and strata of the items. n: the number of rows, if each score summarises several rows.
    """
    groups = groups or ItemGroups.of(len(values))
    if groups.unit is None and not groups.has_strata:
        values = sorted_values(values)
    error = groups.safe_error(values) if groups.degrees and np.ptp(values) > 0 else 0.0  # not due to rounding
    skewness, standard_error = _skewness(groups, values, error), groups.standard_error(values)
    mean = MeanScore(
        _mean(values), error, skewness, groups.degrees, n or len(values), standard_error, units=groups.units
    )
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
    """Return the mean of the paired differences first - second, with Gaffke's tests if `bounds` are given, otherwise
    with Student's t.

    bounds: the bounds of the scores (not of the differences).

    The error for Student's t is √(s² + (d/n)²), where s is `ItemGroups.safe_error` and d the root mean square of the
    nonzero differences. The term d/n is the effect of one more item that differs, in an unknown direction. It matters
    only if few items differ; then it prevents intervals that are too narrow, like the pairs that Agresti & Coull (1998)
    and Bonett & Price (2012) add. In addition, the error is at least min(2, 16/m) · D/n for m units, where D is the
    root mean square of the units' nonzero sums of differences. So with up to 8 units, all differing equally, the
    p-value is about the p-value of the sign test, 2^(1 - m), however many items each unit has.

    If fewer than 100 units differ, and at most half of all, their skewness is hardly known, so a test without the
    correction for skewness must reject, too.

    If no item differs, `unseen` is the possible effect of items that were not drawn: a proportion of up to 1 - (1 -
    level)^(1/units) of the items may differ, by up to `spread`, the range of scores.
    """
    differences = paired_differences(first, second)
    groups = groups or ItemGroups.of(len(differences))
    if not np.isfinite(differences).all():
        return MeanScore(math.nan, math.nan, 0.0, 0.0, len(differences))
    totals = groups.totals(differences)
    one_more, one_unit = (_size(values) / groups.n for values in (differences, totals))
    differing = int(np.count_nonzero(totals))
    error = math.hypot(groups.safe_error(differences), one_more) if groups.degrees else 0.0
    error = max(error, min(2.0, VOTES / groups.units) * one_unit)
    unseen = spread * (1 - (1 - level) ** (1 / groups.units))
    skewness, standard_error = _skewness(groups, differences, error), groups.standard_error(differences)
    mean = MeanScore(
        _mean(differences),
        error,
        skewness,
        groups.degrees,
        len(differences),
        standard_error,
        unseen=unseen,
        units=groups.units,
        few=differing < FEW_DIFFERING and 2 * differing <= groups.units,
    )
    if bounds is None:
        return mean
    return _bounded(differences, groups, (bounds[0] - bounds[1], bounds[1] - bounds[0]), mean)


def share_bounds(*scores: Floats) -> Bounds | None:
    """The bounds (0, 1) if all scores are 0 or 1, such as whether an answer is correct; else None."""
    return (0.0, 1.0) if all(bool(((score == 0.0) | (score == 1.0)).all()) for score in scores) else None


def unit_bounds(*scores: Floats) -> Bounds | None:
    """The bounds (0, 1) if all scores are between 0 and 1, else None.

    >>> unit_bounds(np.array([0.2, 1.0])), unit_bounds(np.array([0.2, 1.1]))
    ((0.0, 1.0), None)
    """
    return (0.0, 1.0) if all(bool(((values >= 0.0) & (values <= 1.0)).all()) for values in scores) else None


def _bounded(values: Floats, groups: ItemGroups, bounds: Bounds, mean: MeanScore) -> BoundedMean:
    ends = bounds
    if groups.has_strata:
        values, ends = _within_strata(values, groups, bounds, mean.value)
    sums = UnitSums.of(groups.totals(values), groups.sizes)
    return BoundedMean.of(mean, sums=sums, ends=ends, clustered=groups.unit is not None, within=bounds)


def _within_strata(values: Floats, groups: ItemGroups, bounds: Bounds, mean: float) -> tuple[Floats, Bounds]:
    """Values (n,) without the variation between strata, and the bounds of such values.

    A score x in a stratum of m units becomes mean + √(m / (m - 1)) (x - mean of the stratum), and so do the bounds.
    """
    stratum = groups.strata if groups.unit is None else groups.strata[groups.unit]
    stratum_means = np.bincount(stratum, weights=values) / np.bincount(stratum)
    units = np.bincount(groups.strata)
    wider = np.sqrt(units / np.maximum(units - 1, 1))
    ends = [mean + wider * (bound - stratum_means) for bound in bounds]
    return mean + wider[stratum] * (values - stratum_means[stratum]), (float(ends[0].min()), float(ends[1].max()))


def _mean(values: Floats) -> float:
    return float(values[0]) if values.min() == values.max() else float(sorted_values(values).mean())


def _skewness(groups: ItemGroups, values: Floats, error: float) -> float:
    """Skewness of the mean: Σ e³ / (n · error)³, where e is the sum of deviations from the mean in a unit."""
    if not error > 0.0:
        return 0.0
    residuals = sorted_values(groups.totals(values - _mean(values)))
    return sum_of_cubes(residuals) / (groups.n * error) ** 3


def sum_of_cubes(values: Floats) -> float:
    """Σ value³, without memory for the cubes, in a fiftieth of the time of numpy's power."""
    return float(np.einsum("i,i,i->", values, values, values))


def _size(values: Floats) -> float:
    """Root mean square of the nonzero values; 0 if all are 0."""
    return math.sqrt(float((values**2).sum()) / max(int(np.count_nonzero(values)), 1))
