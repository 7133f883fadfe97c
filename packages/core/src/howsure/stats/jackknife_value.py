"""A metric's value with an interval inside its possible range, from its value without each document."""

from __future__ import annotations

import math
from dataclasses import dataclass

from howsure.inputs.pairs import Floats
from howsure.stats.clusters import kish
from howsure.stats.mean_score import Bounds
from howsure.stats.proportions import normal_quantile, t_quantile

NEAR = 1e-12  # of the range: values that only rounding separates from its end, and errors that only rounding makes
DOMINATED = 2.0  # effective number of units, below which a single one decides
UNSEEN, MOST_UNSEEN = 2 / 3, 1.5  # of the move by one more unit that is entirely wrong; in standard errors


@dataclass(frozen=True, slots=True)
class JackknifeValue:
    """A value that lies `within` bounds, of which the upper one may be infinite, and how it varies between units
    (documents, or clusters of them).

    error: the jackknife's standard error s. below, above: how far one more unit may move the value beyond that, added
    to the error of the lower and of the upper end of the interval: 0, or on the worse side the move of the unit that
    moves it furthest there. effective: Kish's effective number of units, k = (Σ size)² / Σ size². units: their number.
    worst: the value of units that are entirely wrong, where more is possible (1 of an error rate). Such units are
    often rare, so the move on the worse side is at least 2/3 of what one more of them makes, (worst - value) / k, but
    at most 1.5 s.

    With z and t the quantiles of the normal distribution and of Student's t with k - 1 degrees of freedom, an end has
    the variance v = (t / z)² s² + move². For a share p = (value - lowest) / (highest - lowest), that is the variance of
    n = p (1 - p) / v observations, and the end is Jeffreys', a quantile of Beta(n p + ½, n (1 - p) + ½); with an
    infinite upper bound it is that of e = value² / v Poisson events, a quantile of Gamma(e + ½) / e · value. Where the
    value is itself an end of the range, the other end is that of Clopper & Pearson's exact interval, or of Garwood's,
    of k units.

    Source: Korn & Graubard (1998) for n; Franco, Little, Louis & Slud (2019) for Jeffreys' interval with it; Brown, Cai
    & DasGupta (2001, 2003); Kish (1965); Miller (1974) for the jackknife. The move on the worse side is ours, chosen by
    simulation (benchmarks/document_metrics.py).

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
    ) -> JackknifeValue:
        """From how far each of m units moves the value (m,), -(m - 1)/m (value without it - mean of these values), and
        their sizes (m,)."""
        units = len(moves)
        error = math.sqrt(units / (units - 1) * float(moves @ moves)) if units > 1 else math.nan
        if error <= NEAR * max(abs(value), 1e-300):
            error = 0.0
        effective = kish(sizes) if sizes.any() else 0.0
        move = max(float(-moves.min() if higher_is_better else moves.max()), 0.0)
        if worst is not None and effective > 0.0:
            move = max(move, min(UNSEEN * abs(worst - value) / effective, MOST_UNSEEN * error))
        below, above = (move, 0.0) if higher_is_better else (0.0, move)
        return cls(value, error, below, above, effective, units, within, worst)

    def bounds(self, size: float) -> Bounds:
        """The one-sided bounds of tests of this size; NaN where so few units show nothing (`units_needed`), where one
        of them outweighs all others, or where none differ."""
        if self.at_end is not None:
            return self._beside_end(size)
        if not self.error > 0.0 or self.units < units_needed(size) or self.effective < DOMINATED:
            return math.nan, math.nan
        lower, upper = self._end(self.below, size, size), self._end(self.above, size, 1 - size)
        return min(lower, self.value), max(upper, self.value)

    def interval(self, level: float) -> Bounds:
        """The interval of two tests of half of 1 - level each."""
        return self.bounds((1 - level) / 2)

    @property
    def at_end(self) -> float | None:
        """The end of the range that the value is, or None."""
        if self.within is None:
            return None
        low, high = self.within
        near = NEAR * (high - low if math.isfinite(high - low) else 1.0)
        return low if self.value - low <= near else high if high - self.value <= near else None

    def _beside_end(self, size: float) -> Bounds:
        assert self.within is not None
        low, high = self.within
        if self.units < 2 or not self.effective > 0.0:
            return math.nan, math.nan
        if not math.isfinite(high):
            wrong = math.nan if self.worst is None else self.worst - low
            return (math.nan, math.nan) if math.isnan(wrong) else (low, low - wrong * math.log(size) / self.effective)
        seen = size ** (1 / self.effective)
        return (low, high - (high - low) * seen) if self.at_end == low else (low + (high - low) * seen, high)

    def _end(self, move: float, size: float, probability: float) -> float:
        """The quantile of the value, for a test of this size, where one more unit may move it so far."""
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
        n = share * (1 - share) * ((high - low) / error) ** 2
        return low + (high - low) * float(betaincinv(n * share + 0.5, n * (1 - share) + 0.5, probability))


def units_needed(size: float) -> int:
    """The least number of units on which a test of this size can show anything: 2^-units is at most the size.

    >>> units_needed(0.025)
    6
    """
    return math.ceil(-math.log2(size) - 1e-9)
