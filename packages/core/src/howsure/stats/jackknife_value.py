"""Interval for a metric inside its possible range, from the metric's values with each document left out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from howsure.inputs.pairs import Floats
from howsure.stats.clusters import kish
from howsure.stats.mean_score import MAX_TIMES, POWER, Bounds
from howsure.stats.p_values import bisect_limit, smallest_size
from howsure.stats.proportions import normal_quantile, t_quantile

ROUNDING = (
    1e-12  # rounding tolerance, as a share of the range (is the value at its end?) or of the value (is the error 0?)
)
MIN_EFFECTIVE_UNITS = 2.0  # effective number of units below which one unit outweighs the others
# fraction of the effect of one more entirely wrong unit; limit in standard errors
UNSEEN, MAX_UNSEEN_ERRORS = 2 / 3, 1.5


@dataclass(frozen=True, slots=True)
class JackknifeValue:
    """The value of a metric whose range is `within` (the upper bound may be infinite), with an interval.

    The units are documents, or clusters of documents. error: the jackknife standard error s. below, above: the `move`,
    by which one more unit could change the value. The move is added to the error of the lower and of the upper end of
    the interval. On the worse side, it is the largest change due to any unit in that direction; on the better side, it
    is 0, or for metrics of labels, as on the worse side. effective: Kish's effective number of units, k = (Σ size)² /
    Σ size². units: the number of units. worst: the value of entirely wrong units, if even worse values are possible (1
    for an error rate). Such units are often rare, so the move on the worse side is at least 2/3 of the effect of one
    more such unit, |worst - value| / k, but this minimum is limited to 1.5 s. For metrics of labels, both moves have
    such a minimum, with each end of the range in place of `worst` (`with_unseen_units`).

    shrunk: for a macro average over classes with few items, the value moved towards the middle, which is used for
    p (1 - p) below in place of the value.

    Each end of the interval is based on the variance v = (t / z)² s² + move², where z and t are quantiles of the normal
    distribution and of Student's t with k - 1 degrees of freedom. For the proportion p = (value - lowest) / (highest -
    lowest), the effective number of observations is n = p (1 - p) / v (v on the scale of p), and the end is Jeffreys',
    a quantile of Beta(n p + ½, n (1 - p) + ½). With an infinite upper bound, the value corresponds to e = value² / v
    Poisson events, and the end is a quantile of Gamma(e + ½) / e · value. If the value is itself an end of the range,
    the other end comes from the exact interval for k units, by Clopper & Pearson or, with an infinite bound, Garwood.
    Without a range, the interval is normal.

    Source: Korn & Graubard (1998) for n; Franco, Little, Louis & Slud (2019) for Jeffreys' interval with it; Brown, Cai
    & DasGupta (2001, 2003); Kish (1965); Miller (1974) for the jackknife. The moves are ours, chosen by simulation
    (benchmarks/document_metrics.py, benchmarks/label_limits.py).

    >>> import numpy as np
    >>> right = np.repeat([1.0, 0.0], [40, 10])
    >>> value = JackknifeValue.of(0.8, (right - 0.8) / 50, np.ones(50), within=(0.0, 1.0), higher_is_better=True)
    >>> [round(end, 3) for end in value.interval(0.95)]
    [0.664, 0.895]
    """

    value: float
    error: float
    below: float
    above: float
    effective: float
    units: int
    within: Bounds | None
    worst: float | None = None
    shrunk: float | None = None
    method: str = "jackknife"

    @classmethod
    def of(
        cls,
        value: float,
        moves: Floats,
        sizes: Floats,
        *,
        within: Bounds | None,
        higher_is_better: bool,
        worst: float | None = None,
        two_sided: bool = False,
    ) -> JackknifeValue:
        """Build from the moves (m,) and sizes (m,) of m units.

        The move of unit i is -(m - 1)/m (θ_i - θ̄), where θ_i is the value without unit i and θ̄ the mean of all θ_i.
        two_sided: whether the end on the better side has a move, too.
        """
        units = len(moves)
        error = math.sqrt(units / (units - 1) * float(moves @ moves)) if units > 1 else math.nan
        if error <= ROUNDING * max(abs(value), 1e-300):
            error = 0.0
        effective = kish(sizes) if sizes.any() else 0.0
        fall, rise = max(float(-moves.min()), 0.0), max(float(moves.max()), 0.0)
        if two_sided:
            return cls(value, error, fall, rise, effective, units, within, worst)
        move = fall if higher_is_better else rise
        if worst is not None and effective > 0.0:
            move = max(move, unseen_move(abs(worst - value), effective, error))
        below, above = (move, 0.0) if higher_is_better else (0.0, move)
        return cls(value, error, below, above, effective, units, within, worst)

    def with_unseen_units(self) -> JackknifeValue:
        """Return a value whose moves allow for one more unit that is entirely wrong or entirely right."""
        if self.within is None or not self.effective > 0.0:
            return self
        fall, rise = (unseen_move(abs(end - self.value), self.effective, self.error) for end in self.within)
        return replace(self, below=max(self.below, fall), above=max(self.above, rise))

    def bounds(self, size: float) -> Bounds:
        """One-sided lower and upper bounds by tests of size `size`.

        Both are NaN if there are fewer than `units_needed` units, if one unit outweighs all others (effective number
        below 2), or if no unit moves the value. A value at the end of its range has the exact bounds instead.
        """
        if self.at_end is not None:
            return self._beside_end(size)
        if not self.error > 0.0 or self.units < units_needed(size) or self.effective < MIN_EFFECTIVE_UNITS:
            return math.nan, math.nan
        lower, upper = self._end(self.below, size, size), self._end(self.above, size, 1 - size)
        return min(lower, self.value), max(upper, self.value)

    def interval(self, level: float) -> Bounds:
        """Two-sided interval: the one-sided bounds of size (1 - level) / 2."""
        return self.bounds((1 - level) / 2)

    def p_above(self, limit: float) -> float:
        """Return the p-value of "the value is at most `limit`", by the lower bounds."""
        return smallest_size(lambda size: self.bounds(size)[0] > limit)

    def p_below(self, limit: float) -> float:
        """Return the p-value of "the value is at least `limit`", by the upper bounds."""
        return smallest_size(lambda size: self.bounds(size)[1] < limit)

    def rows_needed(self, limit: float, size: float) -> int | None:
        """Return the number of units with which a test of this size rejects with power 0.8, if the true value is the
        estimate; None if the estimate is too close to the limit."""
        z = normal_quantile(1 - 2 * size)

        def is_decided(times: float) -> bool:
            more = replace(
                self,
                error=self.error / math.sqrt(times),
                below=self.below / times,
                above=self.above / times,
                effective=self.effective * times,
                units=int(self.units * times),
            )
            reach = abs(more.bounds(size)[0 if limit < self.value else 1] - self.value)
            return reach * (z + normal_quantile(2 * POWER - 1)) / z <= abs(limit - self.value)

        if math.isclose(limit, self.value, abs_tol=1e-12) or not is_decided(MAX_TIMES):
            return None
        times = 1.0 if is_decided(1.0) else bisect_limit(lambda times: not is_decided(times), 1.0, MAX_TIMES)
        return math.ceil(self.units * times)

    @property
    def at_end(self) -> float | None:
        """The end of the range that the value equals, up to rounding; None if it equals neither."""
        if self.within is None:
            return None
        low, high = self.within
        near = ROUNDING * (high - low if math.isfinite(high - low) else 1.0)
        return low if self.value - low <= near else high if high - self.value <= near else None

    def _beside_end(self, size: float) -> Bounds:
        assert self.within is not None
        low, high = self.within
        if self.units < 2 or not self.effective > 0.0:
            return math.nan, math.nan
        if not math.isfinite(high):
            wrong = math.nan if self.worst is None else self.worst - low
            return (math.nan, math.nan) if math.isnan(wrong) else (low, low - wrong * math.log(size) / self.effective)
        share = size ** (1 / self.effective)
        return (low, high - (high - low) * share) if self.at_end == low else (low + (high - low) * share, high)

    def _end(self, move: float, size: float, probability: float) -> float:
        """Return the end of the interval at quantile `probability`. move: the effect of one more unit."""
        from scipy.special import betaincinv, gammaincinv, ndtri

        level = 1 - 2 * size
        error = math.hypot(t_quantile(level, max(self.effective - 1, 1.0)) / normal_quantile(level) * self.error, move)
        if self.within is None:
            return self.value + float(ndtri(probability)) * error
        low, high = self.within
        if not math.isfinite(high):
            events = ((self.value - low) / error) ** 2
            return low + float(gammaincinv(events + 0.5, probability)) / events * (self.value - low)
        share = (self.value - low) / (high - low)
        middle = share if self.shrunk is None else (self.shrunk - low) / (high - low)
        n = middle * (1 - middle) * ((high - low) / error) ** 2
        return low + (high - low) * float(betaincinv(n * share + 0.5, n * (1 - share) + 0.5, probability))


def unseen_move(distance: float, effective: float, error: float) -> float:
    """2/3 of the effect of one more unit whose value is at this distance, but at most 1.5 standard errors."""
    return min(UNSEEN * distance / effective, MAX_UNSEEN_ERRORS * error)


def units_needed(size: float) -> int:
    """The smallest number of units with which a test of this size can reject: the smallest with 2^-units ≤ size.

    >>> units_needed(0.025)
    6
    """
    return math.ceil(-math.log2(size) - 1e-9)
