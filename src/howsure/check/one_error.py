"""Is a calibration error below or above a limit? One-sided tests, their bounds, and how many rows they need."""

from __future__ import annotations

import math
from dataclasses import dataclass

from howsure.calibration.estimates.error import SquaredError, root
from howsure.stats.inversion import furthest, smallest_size
from howsure.stats.proportions import normal_quantile

POWER = 0.8  # with which the number of rows that is told gives a verdict
MOST_TIMES = 10_000  # the rows there are: beyond, the estimate is as good as at the limit


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
            low = furthest(lambda squared: self._skewed(squared) <= size, 0.0, low)
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
            times = min((reach / distance) ** 2, MOST_TIMES)
        elif not told(MOST_TIMES):
            return None
        else:
            times = furthest(lambda times: not told(times), 1.0, MOST_TIMES)
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
