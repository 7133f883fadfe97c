"""Tests of a calibration error, and of the difference of two."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.calibration.differences import Units, left_one_out, rare_label_reach
from howsure.calibration.error import SquaredError, root
from howsure.inputs.pairs import Floats, Pairs
from howsure.stats.p_values import bisect_limit, smallest_size
from howsure.stats.proportions import normal_quantile

# Is a calibration error below or above a limit? One-sided tests, their bounds, and how many rows they need.

POWER = 0.8  # probability that the stated number of rows gives a verdict
MAX_TIMES = 10_000  # the rows there are: beyond, the estimate is as good as at the limit


@dataclass(frozen=True, slots=True)
class OneError:
    """A calibration error against a limit.

    Below: the upper end of the debiased error's interval lies below the limit. Above: its lower end lies above, and so
    does that of a test that knows the skewness of the estimate. With L the squared limit, the bins' squared gaps are a
    weighted sum of squares with mean L; as many bins of equal weight 1/B and noise v as have the same Σ v and Σ v² have
    skewness κ₃ / κ₂^(3/2), κ₃ = (24 L v² + 8 v³) / B², and (T - L) / sd is compared with the standardised χ² of this
    skewness. A normal distribution would reject three times too often at sizes of .002.

    `growth`: the power of n with which the noise of the bins falls; 5/3 for automatic bins, 1 for bins of given size, 2
    for a given number of bins.
    """

    squared: SquaredError
    n: int
    growth: float = 5 / 3

    @property
    def value(self) -> float:
        """The debiased error."""
        return root(self.squared.value)

    def p_below(self, limit: float) -> float:
        """The p-value of the hypothesis that the error is `limit` or more."""
        return smallest_size(lambda size: self._high(size) < limit**2)

    def p_above(self, limit: float) -> float:
        """The p-value of the hypothesis that the error is `limit` or less."""
        if not self.squared.value > limit**2:  # also where it is undefined
            return 1.0
        return max(smallest_size(lambda size: self._low(size) > limit**2), self._skewed(limit**2))

    def bounds(self, size: float) -> tuple[float, float]:
        """The one-sided bounds of tests of this size."""
        value = self.squared.value
        if math.isnan(value):
            return math.nan, math.nan
        low = self._low(size)
        if low > 0 and self._skewed(0.0) > size:
            low = 0.0
        elif low > 0:
            low = bisect_limit(lambda squared: self._skewed(squared) <= size, 0.0, low)
        return root(low), min(root(self._high(size)), 1.0)

    def rows_needed(self, limit: float, size: float) -> int | None:
        """The rows with which a test of this size gives a verdict with probability .8, if the error is as estimated.

        None if the estimate lies too near to the limit, or is undefined.
        """
        s, here, there = self.squared, max(self.squared.value, 0.0), limit**2
        distance = abs(there - here)
        if math.isnan(s.value) or distance == 0.0:
            return None
        z = normal_quantile(1 - 2 * size)
        z_power = normal_quantile(2 * POWER - 1)
        slope = s.slope_above if there > here else -s.slope_below
        gaps = max(s.variance - s.least, 0.0)

        def told(times: float) -> bool:
            noise = s.least / times**self.growth
            at_limit = max(gaps / times + slope * distance / times, 0.0) + noise
            return z * math.sqrt(at_limit) + z_power * math.sqrt(gaps / times + noise) <= distance

        if told(1.0):  # not by these rows: labels that hardly vary keep the interval wide, by the rule of three
            low, high = self._low(size), self._high(size)
            reach = high - here if there > here else here - low
            times = min((reach / distance) ** 2, MAX_TIMES)
        elif not told(MAX_TIMES):
            return None
        else:
            times = bisect_limit(lambda times: not told(times), 1.0, MAX_TIMES)
        return math.ceil(self.n * times)

    def _high(self, size: float) -> float:
        return self.squared.interval(1 - 2 * size)[1]

    def _low(self, size: float) -> float:
        s = self.squared
        low = s.interval(1 - 2 * size)[0]
        if s.rare is not None:
            low = min(low, s.rare.lower_end(s.value, 1 - size, normal_quantile(1 - 2 * size), s.variance_below))
        return min(low, 0.0) if s.p_value > size else low

    def _skewed(self, limit: float) -> float:
        """The p-value of the hypothesis that the squared error is `limit` or less, by a χ² of the same skewness."""
        from scipy.special import chdtrc, ndtri, stdtr

        s = self.squared
        variance = s.variance_below(limit)
        if variance <= 0.0 or not equal_bins(s)[1] > 0.0:
            return 0.0
        bins, v = equal_bins(s)
        third = (24 * limit * v**2 + 8 * v**3) / bins**2
        skewness = third / max(variance, (4 * limit * v + 2 * v**2) / bins) ** 1.5
        t = (s.value - limit) / math.sqrt(variance)
        if math.isfinite(s.degrees_of_freedom):
            t = -float(ndtri(max(float(stdtr(s.degrees_of_freedom, -t)), 1e-300)))
        freedom = 8 / skewness**2
        return float(chdtrc(freedom, max(freedom + t * math.sqrt(2 * freedom), 0.0)))


def equal_bins(squared: SquaredError) -> tuple[float, float]:
    """How many bins of equal weight and noise v would have the same noise, and v; infinitely many without noise.

    2 Σ p² v² is `least`, and Σ p v the ratio of 2 `least` to `slope_above`.
    """
    if not (squared.slope_above > 0.0 and squared.least > 0.0):
        return math.inf, 0.0
    v = 2 * squared.least / squared.slope_above
    return 2 * v**2 / squared.least, v


# By how much does the calibration error of this model exceed that of another? One-sided tests of the difference.
#
# The squared errors T are unbiased also near zero, their roots are not. "e < f + m" with f the other's error and m ≥ 0
# means t < (s + m)² where f = s; for each s it is tested by w T - T' with w = s / (s + m), the direction in which the
# root changes, or w = 1 where s < m. The verdict must hold for all s in an interval that contains f up to a tenth of
# the size of the test (Berger & Boos 1994).

SHARE = 0.1  # of the size, spent on the interval of the other's error
NARROWING_POWER = 0.4  # the power of n with which that interval becomes narrower, at least
POINTS = 65  # errors of the other in that interval
HALVED = ((0.5, 1.0), (1.0, 1.0), (1.0, 0.5))  # shares of this squared error and of the other
RARE = 0.001  # the size at which labels that hardly vary are taken to show how far a difference may reach
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class TwoErrors:
    """The errors of this model and of another one, on the same rows or on others.

    variance, other_variance, covariance: of the squared errors. least: the standard errors that differences of squared
    errors have at least, with this one halved, both whole, and the other halved. n: the rows of this model. growth: as
    in `OneError`.
    """

    this: SquaredError
    other: SquaredError
    variance: float
    other_variance: float
    covariance: float
    least: Triple
    degrees_of_freedom: float
    n: int
    growth: float = 5 / 3

    @property
    def value(self) -> float:
        """The error of this model minus that of the other."""
        return root(self.this.value) - root(self.other.value)

    def p_below(self, margin: float) -> float:
        """The p-value of the hypothesis that the difference is `margin` or more."""
        return smallest_size(lambda size: self.is_below(margin, size))

    def p_above(self, margin: float) -> float:
        """The p-value of the hypothesis that the difference is `margin` or less."""
        return smallest_size(lambda size: self.is_above(margin, size))

    def bounds(self, size: float) -> tuple[float, float]:
        """The one-sided bounds of tests of this size."""
        if math.isnan(self.value):
            return math.nan, math.nan
        return (
            bisect_limit(lambda margin: self.is_above(margin, size), -1.0, 1.0),
            bisect_limit(lambda margin: self.is_below(margin, size), 1.0, -1.0),
        )

    def rows_needed(self, margin: float, size: float) -> int | None:
        """The rows with which a test of this size gives a verdict with probability .8, if both errors are as estimated.

        None if the estimates lie too near to the margin.
        """
        if margin < 0:
            return self._swapped().rows_needed(-margin, size)
        here, observed = root(self.other.value), max(self.this.value, 0.0)
        side = 1 if root(observed) - here < margin else -1
        if math.isnan(self.value) or math.isclose(root(observed) - here, margin, abs_tol=1e-12):
            return None
        z = normal_quantile(1 - 2 * size) + normal_quantile(2 * POWER - 1)
        others = self._others(margin, size)

        def told(times: float) -> bool:
            s = np.maximum(here + (others - here) / times**NARROWING_POWER, 0.0)
            w = _weights(s, margin)
            distance = side * (_null(s, w, margin) - (w * observed - here**2))
            variance = self._standard_error(w) ** 2
            noise = np.minimum(w**2 * self.this.least + self.other.least, variance)
            spread = z * np.sqrt((variance - noise) / times + noise / times**self.growth)
            return bool((distance >= spread).all())

        if not told(MAX_TIMES):
            return None
        return math.ceil(self.n * bisect_limit(lambda times: not told(times), 1.0, MAX_TIMES))

    def is_below(self, margin: float, size: float) -> bool:
        """Whether a test of this size shows that the difference lies below the margin."""
        return self._swapped()._rejects(-margin, size, -1) if margin < 0 else self._rejects(margin, size, 1)

    def is_above(self, margin: float, size: float) -> bool:
        """Whether a test of this size shows that the difference lies above the margin."""
        return self._swapped()._rejects(-margin, size, 1) if margin < 0 else self._rejects(margin, size, -1)

    def _rejects(self, margin: float, size: float, side: int) -> bool:
        """Whether the difference is below the margin (side 1) or above (side -1), by a test of this size."""
        from scipy.special import stdtr

        if math.isnan(self.value):
            return False
        s = self._others(margin, size)
        w = _weights(s, margin)
        distance = side * (_null(s, w, margin) - (w * self.this.value - self.other.value))
        error = self._standard_error(w)
        t = np.divide(distance, error, out=np.sign(distance) * 1e9, where=error > 0)
        t = np.where(distance == 0.0, 0.0, t)
        p = stdtr(min(self.degrees_of_freedom, 1e12), -t)
        return float(p.max()) <= (size if margin == 0.0 else (1 - SHARE) * size)

    def _others(self, margin: float, size: float) -> Floats:
        """Errors of the other model, in an interval of a tenth of the size; without a margin, they do not matter."""
        if margin == 0.0:
            return np.array([max(root(self.other.value), 0.0)])
        low, high = self.other.interval(1 - SHARE * size)
        return np.linspace(root(low), root(high), POINTS)

    def _standard_error(self, w: Floats) -> Floats:
        variance = w**2 * self.variance - 2 * w * self.covariance + self.other_variance
        return np.asarray(np.sqrt(np.maximum(variance, np.interp(w, (0.5, 1.0), self.least[:2]) ** 2)))

    def _swapped(self) -> TwoErrors:
        return replace(
            self,
            this=self.other,
            other=self.this,
            variance=self.other_variance,
            other_variance=self.variance,
            least=self.least[::-1],
        )


def _weights(s: Floats, margin: float) -> Floats:
    return np.where(s >= margin, np.divide(s, s + margin, out=np.ones_like(s), where=s + margin > 0), 1.0)


def _null(s: Floats, w: Floats, margin: float) -> Floats:
    """w T - T' if the other's error is s and this model's exceeds it by the margin."""
    return w * (s + margin) ** 2 - s**2


def two_errors(this: Pairs, other: Pairs, *, own_labels: bool, growth: float, **how: Any) -> TwoErrors:
    """The errors of two models on the same rows in the same order; the jackknife leaves out a row, or a cluster, of
    both.

    `own_labels`: each model has labels of its own, such as whether its own answer is right.
    """
    units = Units.of(this, other)
    (squared, without, gap), (other_squared, other_without, other_gap) = (
        left_one_out(pairs, units, **how) for pairs in (this, other)
    )
    finite = ~(np.isnan(without) | np.isnan(other_without))
    order = np.lexsort((other_without[finite], without[finite]))
    left_out = np.stack([without[finite][order], other_without[finite][order]])
    m = left_out.shape[1]
    centred = left_out - left_out.mean(axis=1, keepdims=True)
    ((variance, covariance), (_, other_variance)) = ((m - 1) / max(m, 1) * (centred @ centred.T)).tolist()
    if own_labels:
        rare = rare_error(squared), rare_error(other_squared)
        least = _as_triple(math.hypot(b * rare[0], a * rare[1]) for b, a in HALVED)
    else:
        labels, predicted = this.labels.astype(np.float64), (this.probabilities + other.probabilities) / 2
        reach = (
            max(rare_label_reach(labels, 2 * (a * other_gap - b * gap), predicted, units, level=1 - RARE))
            for b, a in HALVED
        )
        least = _as_triple(half_width / normal_quantile(1 - 2 * RARE) for half_width in reach)
    freedom = min(units.degrees_of_freedom, smaller_bins(squared, other_squared))
    return TwoErrors(squared, other_squared, variance, other_variance, covariance, least, freedom, len(this), growth)


def independent_errors(
    this: SquaredError, other: SquaredError, *, n: int, rare: tuple[float, float], growth: float
) -> TwoErrors:
    """The errors of two models on rows that count as independent of each other; `rare`: the `rare_error` of each."""
    freedom = min(this.degrees_of_freedom, other.degrees_of_freedom, smaller_bins(this, other))
    least = _as_triple(math.hypot(b * rare[0], a * rare[1]) for b, a in HALVED)
    return TwoErrors(this, other, this.variance, other.variance, 0.0, least, freedom, n, growth)


def smaller_bins(this: SquaredError, other: SquaredError) -> float:
    """The degrees of freedom of a difference: the smaller of both equivalent numbers of bins, at least 1."""
    return max(min(equal_bins(this)[0], equal_bins(other)[0]), 1.0)


def _as_triple(values: Iterable[float]) -> Triple:
    first, second, third = values
    return first, second, third


def rare_error(squared: SquaredError) -> float:
    """The least standard error of a squared error whose labels hardly vary: a single bin may change it by this much."""
    if squared.rare is None or math.isnan(squared.value):
        return 0.0
    level = 1 - 2 * RARE
    up = squared.rare.upper_end(squared.value, level) - max(squared.value, 0.0)
    down = squared.value - squared.rare.one_bin_nearer(squared.value, 1 - RARE)
    return max(up, down) / normal_quantile(level)
