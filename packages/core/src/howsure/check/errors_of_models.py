"""One-sided tests of a calibration error, and of the difference between the errors of two models."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.calibration.differences import Units, left_one_out, rare_label_reach
from howsure.calibration.squared_error import SquaredError, root
from howsure.inputs.pairs import Floats, Pairs
from howsure.stats.p_values import bisect_limit, smallest_size
from howsure.stats.proportions import normal_quantile

POWER = 0.8  # probability that the stated number of rows gives a verdict
MAX_TIMES = 10_000  # if more than this multiple of the rows is needed, no number of rows is reported


@dataclass(frozen=True, slots=True)
class OneError:
    """One-sided tests of a calibration error against a limit.

    The error is shown to be below the limit if the upper end of the debiased error's interval is below the limit. It is
    shown to be above the limit if two conditions are met: the lower end is above the limit, and a test that accounts
    for the skewness of the estimate T of the squared error rejects. For the second test, the bins are replaced by B
    bins of equal weight 1/B and noise v that have the same Σ v and Σ v². At the squared limit L, T then has the
    skewness κ₃ / κ₂^(3/2) with κ₃ = (24 L v² + 8 v³) / B², and
    (T - L) / sd is compared with a standardised χ² distribution of this skewness. A normal distribution would reject
    three times too often at a size of 0.002.

    growth: the exponent g such that the noise of the bins decreases as n to the power -g; 5/3 for automatic bins, 1 for
    bins of a given size, 2 for a given number of bins.
    """

    squared: SquaredError
    n: int
    growth: float = 5 / 3

    @property
    def value(self) -> float:
        """The debiased error."""
        return root(self.squared.value)

    def p_below(self, limit: float) -> float:
        """Return the p-value of the hypothesis that the error is at least `limit`."""
        return smallest_size(lambda size: self._high(size) < limit**2)

    def p_above(self, limit: float) -> float:
        """Return the p-value of the hypothesis that the error is at most `limit`."""
        if not self.squared.value > limit**2:  # also if it is NaN
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
        """Return the number of rows with which a test with the error rate `size` gives a verdict with probability 0.8.

        The true error is assumed to equal the estimate. Returns None if the estimate is too close to the limit, or
        undefined.
        """
        s, other_error, there = self.squared, max(self.squared.value, 0.0), limit**2
        distance = abs(there - other_error)
        if math.isnan(s.value) or distance == 0.0:
            return None
        z = normal_quantile(1 - 2 * size)
        z_power = normal_quantile(2 * POWER - 1)
        slope = s.slope_above if there > other_error else -s.slope_below
        gaps = max(s.variance - s.least, 0.0)

        def is_decided(times: float) -> bool:
            noise = s.least / times**self.growth
            at_limit = max(gaps / times + slope * distance / times, 0.0) + noise
            return z * math.sqrt(at_limit) + z_power * math.sqrt(gaps / times + noise) <= distance

        if is_decided(1.0):  # not by these rows: labels that hardly vary keep the interval wide, by the rule of three
            low, high = self._low(size), self._high(size)
            reach = high - other_error if there > other_error else other_error - low
            times = min((reach / distance) ** 2, MAX_TIMES)
        elif not is_decided(MAX_TIMES):
            return None
        else:
            times = bisect_limit(lambda times: not is_decided(times), 1.0, MAX_TIMES)
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
        """Return the p-value of the hypothesis that the squared error is at most `limit`, by the χ² distribution."""
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
    """Return the number of bins of equal weight and noise v that are equivalent, and v; (inf, 0) without noise.

    They are computed from 2 Σ p² v² = `least` and Σ p v = 2 `least` / `slope_above`, where p is the weight of a bin.
    """
    if not (squared.slope_above > 0.0 and squared.least > 0.0):
        return math.inf, 0.0
    v = 2 * squared.least / squared.slope_above
    return 2 * v**2 / squared.least, v


# Tests of the difference between this model's error e and another model's error f. T and T' are the estimates of e² and
# f². They are unbiased even near 0, but their roots are not. For f = s, the hypothesis e < f + m with m ≥ 0 is
# e² < (s + m)². It is tested for each s by w T - T' with w = s / (s + m), the direction in which the root changes, or
# w = 1 if s < m. The verdict must be the same for all s in a confidence interval of f that uses a tenth of the size of
# the test (Berger & Boos 1994).

SHARE = 0.1  # part of the size that is used for the interval of the other model's error
NARROWING_POWER = 0.4  # the interval narrows at least as n to the power -0.4
POINTS = 65  # number of values of the other model's error for which the test is computed
HALVED = ((0.5, 1.0), (1.0, 1.0), (1.0, 0.5))  # factors w and w' of both squared errors in w T - w' T'
RARE = 0.001  # size of the test from which the minimum standard error is computed if labels hardly vary
Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class TwoErrors:
    """One-sided tests of the difference between the calibration errors of two models, on the same rows or on others.

    variance, other_variance, covariance: of the estimates T and T' of both squared errors. least: minimum standard
    errors of w T - w' T' for the factors in HALVED. n: number of rows of this model. growth: as in `OneError`.
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
        """Return the number of rows with which a test with the error rate `size` gives a verdict with probability 0.8.

        Both true errors are assumed to equal their estimates. Returns None if their difference is too close to the
        margin.
        """
        if margin < 0:
            return self._swapped().rows_needed(-margin, size)
        other_error, observed = root(self.other.value), max(self.this.value, 0.0)
        side = 1 if root(observed) - other_error < margin else -1
        if math.isnan(self.value) or math.isclose(root(observed) - other_error, margin, abs_tol=1e-12):
            return None
        z = normal_quantile(1 - 2 * size) + normal_quantile(2 * POWER - 1)
        others = self._other_errors_in_interval(margin, size)

        def is_decided(times: float) -> bool:
            s = np.maximum(other_error + (others - other_error) / times**NARROWING_POWER, 0.0)
            w = _weights(s, margin)
            distance = side * (_null(s, w, margin) - (w * observed - other_error**2))
            variance = self._standard_error(w) ** 2
            noise = np.minimum(w**2 * self.this.least + self.other.least, variance)
            spread = z * np.sqrt((variance - noise) / times + noise / times**self.growth)
            return bool((distance >= spread).all())

        if not is_decided(MAX_TIMES):
            return None
        return math.ceil(self.n * bisect_limit(lambda times: not is_decided(times), 1.0, MAX_TIMES))

    def is_below(self, margin: float, size: float) -> bool:
        """Return whether a test of this size shows that the difference is below the margin."""
        return self._swapped()._rejects(-margin, size, -1) if margin < 0 else self._rejects(margin, size, 1)

    def is_above(self, margin: float, size: float) -> bool:
        """Return whether a test of this size shows that the difference is above the margin."""
        return self._swapped()._rejects(-margin, size, 1) if margin < 0 else self._rejects(margin, size, -1)

    def _rejects(self, margin: float, size: float, side: int) -> bool:
        """Return whether a test shows that the difference is below (side 1) or above (side -1) the margin."""
        from scipy.special import stdtr

        if math.isnan(self.value):
            return False
        s = self._other_errors_in_interval(margin, size)
        w = _weights(s, margin)
        distance = side * (_null(s, w, margin) - (w * self.this.value - self.other.value))
        error = self._standard_error(w)
        t = np.divide(distance, error, out=np.sign(distance) * 1e9, where=error > 0)
        t = np.where(distance == 0.0, 0.0, t)
        p = stdtr(min(self.degrees_of_freedom, 1e12), -t)
        return float(p.max()) <= (size if margin == 0.0 else (1 - SHARE) * size)

    def _other_errors_in_interval(self, margin: float, size: float) -> Floats:
        """Return values of the other model's error in its interval; without a margin, a single value is enough."""
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
    """Return the expectation of w T - T' if the other error is s and this model's error exceeds it by the margin."""
    return w * (s + margin) ** 2 - s**2


def two_errors(this: Pairs, other: Pairs, *, own_labels: bool, growth: float, **how: Any) -> TwoErrors:
    """Compare the calibration errors of two models on the same rows in the same order.

    Each step of the jackknife leaves out the same row, or cluster, of both models. own_labels: whether each model has
    its own labels, such as whether its answer is correct.
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
    """Compare the errors of two models on independent rows. rare: the result of `rare_error` for each model."""
    freedom = min(this.degrees_of_freedom, other.degrees_of_freedom, smaller_bins(this, other))
    least = _as_triple(math.hypot(b * rare[0], a * rare[1]) for b, a in HALVED)
    return TwoErrors(this, other, this.variance, other.variance, 0.0, least, freedom, n, growth)


def smaller_bins(this: SquaredError, other: SquaredError) -> float:
    """Return the degrees of freedom of a difference: the smaller number of equivalent bins of both, at least 1."""
    return max(min(equal_bins(this)[0], equal_bins(other)[0]), 1.0)


def _as_triple(values: Iterable[float]) -> Triple:
    first, second, third = values
    return first, second, third


def rare_error(squared: SquaredError) -> float:
    """Return the minimum standard error of a squared error if labels hardly vary: its possible change by one bin."""
    if squared.rare is None or math.isnan(squared.value):
        return 0.0
    level = 1 - 2 * RARE
    up = squared.rare.upper_end(squared.value, level) - max(squared.value, 0.0)
    down = squared.value - squared.rare.one_bin_nearer(squared.value, 1 - RARE)
    return max(up, down) / normal_quantile(level)
