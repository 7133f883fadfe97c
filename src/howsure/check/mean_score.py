"""Is a mean below or above a limit? One-sided tests of scores of items, of their paired differences, and of shares."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from howsure.calibration.estimates.paired_jackknife import Units
from howsure.check.inversion import furthest
from howsure.check.one_error import MOST_TIMES, POWER
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.paired_differences import paired_differences
from howsure.stats.proportions import normal_quantile

FAR = 60.0  # standard errors, in which bounds are sought


@dataclass(frozen=True, slots=True)
class MeanScore:
    """A mean against a limit, by Student's t after Hall's (1992) transformation, which allows for skewness.

    variance: of the mean, over clusters C / (C - 1) Σ_c (Σ (x - mean))² / n². lean: the skewness of the mean. With z =
    (mean - limit) / sd, t = z + lean z² / 3 + lean² z³ / 27 + lean / 6. Scores that are all 0 or 1 have an exact
    binomial test for their `effective` number (with clusters mean (1 - mean) / variance, at most n), and with clusters
    the larger of both p-values. No p is below 2^-m, m the degrees of freedom and one more: that of m items, or equal
    clusters, which all lie on one side, whatever they are distributed like.
    """

    value: float
    variance: float
    lean: float
    degrees_of_freedom: float
    n: int
    effective: float | None = None
    clustered: bool = False

    def p_below(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or more."""
        return self._turned().p_above(-limit) if self.effective is None else self._p_of_share(limit, below=True)

    def p_above(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or less."""
        if self.effective is not None:
            return self._p_of_share(limit, below=False)
        return self._p_of_mean(limit) if self.value > limit else 1.0

    def bounds(self, size: float) -> tuple[float, float]:
        """The one-sided bounds of tests of this size."""
        if math.isnan(self.value) or (self.effective is None and (self.variance <= 0.0 or self._least > size)):
            return math.nan, math.nan
        reach = FAR * math.sqrt(self.variance)
        ends = (self.value - reach, self.value + reach) if self.effective is None else (0.0, 1.0)
        return (
            furthest(lambda limit: self.p_above(limit) > size, self.value, ends[0]),
            furthest(lambda limit: self.p_below(limit) > size, self.value, ends[1]),
        )

    def rows_needed(self, limit: float, size: float) -> int | None:
        """The rows with which a test of this size gives a verdict with probability .8, if the mean is as estimated.

        None if the estimate lies too near to the limit.
        """
        distance = abs(self.value - limit)
        at_limit = self.variance
        if self.effective is not None and 0.0 < limit < 1.0:
            at_limit = limit * (1 - limit) / self.effective
        error = normal_quantile(1 - 2 * size) * math.sqrt(at_limit)
        error += normal_quantile(2 * POWER - 1) * math.sqrt(self.variance)
        if not distance > 0.0 or not error > 0.0 or error > distance * math.sqrt(MOST_TIMES):
            return None
        times = max((error / distance) ** 2, 1.0)
        if self.effective is None:
            times = max(times, math.log(size) / math.log(self._least))
        return math.ceil(self.n * times)

    def minus(self, other: MeanScore) -> MeanScore:
        """The difference from a mean of rows that count as independent of these."""
        parts = [(one.variance, one.degrees_of_freedom) for one in (self, other)]
        variance = sum(part for part, _ in parts)
        squares = sum(part**2 / freedom for part, freedom in parts if freedom > 0)
        lean = self.lean * self.variance**1.5 - other.lean * other.variance**1.5
        return MeanScore(
            self.value - other.value,
            variance,
            lean / variance**1.5 if variance > 0 else 0.0,
            variance**2 / squares if squares > 0 else 1.0,
            self.n,
        )

    def _turned(self) -> MeanScore:
        return replace(self, value=-self.value, lean=-self.lean)

    def _p_of_mean(self, limit: float) -> float:
        from scipy.special import stdtr

        if not self.variance > 0.0:
            return 1.0
        z = (self.value - limit) / math.sqrt(self.variance)
        t = z + self.lean * z**2 / 3 + self.lean**2 * z**3 / 27 + self.lean / 6
        p = max(float(stdtr(self.degrees_of_freedom, -t)), self._least)
        return p if p < 0.5 else 1.0

    @property
    def _least(self) -> float:
        """The smallest p that so few items or clusters can have."""
        return math.exp2(-min(self.degrees_of_freedom + 1, 1000.0))

    def _p_of_share(self, limit: float, *, below: bool) -> float:
        from scipy.special import betainc

        if (self.value >= limit) if below else (self.value <= limit):
            return 1.0
        n = self.effective or 0.0
        seen = n * (1 - self.value if below else self.value)  # events that speak for this side
        edge = 1 - limit if below else limit
        exact = float(betainc(seen, n - seen + 1, min(max(edge, 0.0), 1.0))) if seen > 0 else 1.0
        if self.clustered and self.variance > 0.0:
            turned = replace(self, effective=None)
            exact = max(exact, turned.p_below(limit) if below else turned.p_above(limit))
        return exact


def mean_score(values: Floats, clusters: Integers | None, *, n: int | None = None) -> MeanScore:
    """The mean of scores; `n`: the rows that such scores took, if more than there are scores."""
    mean, variance, lean, freedom = _moments(values, clusters)
    effective = None
    if _is_share(values):
        effective = float(len(values))
        if clusters is not None:
            independent = mean * (1 - mean) / variance if variance > 0 else freedom + 1
            effective = min(effective, independent)
    return MeanScore(mean, variance, lean, freedom, len(values) if n is None else n, effective, clusters is not None)


def mean_difference(values: Floats, other: Floats, clusters: Integers | None) -> MeanScore:
    """The mean of paired differences.

    If both are shares, the variance is at least that with half an item more in each of the four cells of right and
    wrong (Agresti & Min 2005), and skewness is not allowed for: items on which both agree are no certainty. And it is
    at least (d/n)², d the root mean square of the differences that are not 0, or of their sums over clusters.
    """
    differences = paired_differences(values, other)
    mean, variance, lean, freedom = _moments(differences, clusters)
    if _is_share(values) and _is_share(other):
        more, fewer, n = int((differences > 0).sum()), int((differences < 0).sum()), len(values)
        totals = differences if clusters is None else np.bincount(clusters, weights=differences)
        alone = float((totals**2).sum()) / max(int(np.count_nonzero(totals)), 1) / n**2
        variance = max(variance, (more + fewer + 1 - (more - fewer) ** 2 / (n + 2)) / (n + 2) ** 2, alone)
        lean = 0.0
    return MeanScore(mean, variance, lean, freedom, len(values))


def _moments(values: Floats, clusters: Integers | None) -> tuple[float, float, float, float]:
    """The mean, its variance, its skewness, and the degrees of freedom of the variance."""
    codes = np.argsort(np.argsort(values, kind="stable"), kind="stable") if clusters is None else clusters
    units = Units(codes, np.ones(len(values)), clustered=clusters is not None)
    if values.min() == values.max():  # no rounding shall make them vary
        return (
            float(values[0]),
            0.0,
            0.0,
            units.degrees_of_freedom if clusters is not None else max(len(values) - 1.0, 1.0),
        )
    mean = float(np.sort(values).mean())
    residuals = np.sort(units.sums(values - mean)[np.unique(codes)])
    m = len(residuals)
    if m < 2:
        return mean, 0.0, 0.0, 1.0
    squares, cubes = float((residuals**2).sum()), float((residuals**3).sum())
    lean = cubes / squares**1.5 if squares > 0 else 0.0
    freedom = units.degrees_of_freedom if clusters is not None else float(m - 1)
    return mean, m / (m - 1) * squares / len(values) ** 2, lean, freedom


def _is_share(values: Floats) -> bool:
    return bool(((values == 0.0) | (values == 1.0)).all())
