"""Bets on a mean of bounded scores: tests and intervals that hold however often one looks at them.

Under the hypothesis that the mean is m, units in random order are a fair game: of the next one, whose value lies
between 0 and 1, the expected value is known, and a bet of a share of the wealth on more, or on less, gains nothing on
average. The wealth then exceeds 1 / size ever with probability at most `size` (Ville), so that 1 / the largest wealth
so far is a p-value whenever one looks. Nobody knows the best share beforehand: the wealth is divided at the beginning
among bettors who stake different shares of theirs each time (Waudby-Smith & Ramdas 2024: diversified Kelly betting).

A unit is an item, or a whole cluster: its sum of scores S and its size n, of at most `largest` items. Its value is
v = S / largest + m (1 - n / largest): what is missing to the largest size counts as m. The mean of v over clusters is m
where the mean over items is. Of a `total` number of units without replacement, the rest has the mean
(total m - Σ v) / (total - t) after t of them; where this cannot be, m is refuted.

What is predicted of each item, with a known mean over all of them, says which items were hard. Bets are then on
v - λ (f - r), f what was predicted and r its mean over the items that are left: its expected value is the same, and it
varies less. λ is the slope of v on f among the items before, at the beginning 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats
from howsure.stats.mean_score import Bounds

SHARES = tuple(((i + 0.5) / 20) ** 1.5 for i in range(20))  # of their wealth that bettors stake; many small ones
ROUNDING = 1e-9  # of sums of values
PRECISION = 1e-11  # of a bound
ENDLESS = 1e300  # units that are left
TINY = np.finfo(float).tiny  # a wealth that is nothing, and its reciprocal, one beyond all bounds


@dataclass(frozen=True, slots=True)
class Units:
    """Units in the order drawn: the sums (t,) of their scores between 0 and 1, and their sizes (t,).

    largest: the largest size that any unit can have. total: units without replacement; None: of endlessly many.
    predicted (t,): what was predicted of the scores, of units that are items of a `total`; of_all: the mean of what was
    predicted of all of them, the least, and the most.
    """

    sums: Floats
    sizes: Floats
    largest: float = 1.0
    total: int | None = None
    predicted: Floats | None = None
    of_all: tuple[float, float, float] = (math.nan, 0.0, 1.0)

    def turned(self) -> Units:
        """The same of 1 - score."""
        predicted, (mean, least, most) = None if self.predicted is None else 1 - self.predicted, self.of_all
        sums, of_all = self.sizes - self.sums, (1 - mean, 1 - most, 1 - least)
        return replace(self, sums=sums, predicted=predicted, of_all=of_all)

    @property
    def mean(self) -> float:
        """The mean over items, as far as it was not predicted to be another than of all; NaN without any."""
        if not len(self.sums):
            return math.nan
        mean = float(self.sums.sum() / self.sizes.sum())
        if self.predicted is None:
            return mean
        return mean - float(slopes(self.sums, self.predicted)[-1] * (self.predicted.mean() - self.of_all[0]))

    @property
    def over(self) -> bool:
        """Whether all units are here."""
        return self.total is not None and len(self.sums) >= self.total

    def wealth(self, m: float) -> Floats:
        """After each unit, the wealth of bets that the mean is more than m, 1 at the beginning.

        >>> Units(np.array([1.0, 0.0]), np.ones(2)).wealth(0.5).round(4).tolist()
        [1.3999, 0.7503]
        """
        values = self.sums / self.largest + m * (1 - self.sizes / self.largest)
        if self.total is None:
            return wealth(values, np.full(len(values), m), ENDLESS)
        left = self.total - np.arange(len(values), dtype=np.float64)
        expected = (self.total * m - np.r_[0.0, values.cumsum()[:-1]]) / left
        if self.predicted is None:
            return wealth(values, expected, left)
        mean, least, most = self.of_all
        rest = np.clip((self.total * mean - np.r_[0.0, self.predicted.cumsum()[:-1]]) / left, least, most)
        slope = slopes(values, self.predicted)[:-1]
        lowest, width = -slope * (most - rest), 1 + slope * (most - least)
        grown_wealth = grown((values - slope * (self.predicted - rest) - lowest) / width, (expected - lowest) / width)
        return np.where(refuted(values, expected, left), math.inf, grown_wealth)

    def first_above(self, m: float, size: float) -> int | None:
        """After how many units a mean of m or less is refuted, with probability at most `size` ever wrongly."""
        reached = self.wealth(m) >= 1 / size
        return int(reached.argmax()) + 1 if reached.any() else None

    def lower_bound(self, size: float) -> float:
        """The largest m that is refuted, with probability at most `size` wrongly; it never falls with more units."""
        if self.over:
            return self.mean

        from scipy.optimize import brentq  # 0.4 s, which most commands never need

        def excess(m: float) -> float:
            return min(math.log(self.wealth(m).max(initial=0.0) or TINY), -math.log(TINY)) + math.log(size)

        return float(brentq(excess, 0.0, 1.0, xtol=PRECISION)) if excess(0.0) >= 0 else 0.0


def wealth(values: Floats, expected: Floats, left: Floats | float) -> Floats:
    """The mean wealth of bettors, after each of (t,) or (t, games) values: who stakes a share wins it times
    (value / expected - 1). What the values that were `left` before one cannot sum up to is refuted."""
    return np.where(refuted(values, expected, left), math.inf, grown(values, expected))


def grown(values: Floats, expected: Floats) -> Floats:
    """The mean wealth of bettors, but for what is refuted."""
    ratios = np.divide(values - expected, expected, out=np.zeros_like(values), where=expected > 0)
    with np.errstate(over="ignore", under="ignore"):
        wealth = sum(((1 + share * ratios).cumprod(axis=0) for share in SHARES), np.zeros_like(values)) / len(SHARES)
    return np.asarray(wealth)


def refuted(values: Floats, expected: Floats, left: Floats | float) -> npt.NDArray[np.bool_]:
    """Whether the values so far are more than there can be."""
    return np.asarray(np.logical_or.accumulate(values - expected * left > ROUNDING, axis=0))


def slopes(values: Floats, predicted: Floats) -> Floats:
    """The slope of values on what was predicted of them, between 0 and 1, by those before each (t + 1,); 1 without any.

    >>> slopes(np.array([1.0, 0.0, 0.0]), np.array([0.2, 0.9, 0.7])).round(2).tolist()
    [1.0, 1.0, 0.52, 0.48]
    """
    n = np.maximum(np.arange(len(values) + 1), 1)
    y, f, products, squares = (
        np.r_[0.0, each.cumsum()] for each in (values, predicted, values * predicted, predicted * predicted)
    )
    return np.asarray(np.clip((products - y * f / n + 1) / (squares - f * f / n + 1), 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class BettingMean:
    """The tests of a mean of scores between two bounds, right however often one looks and whenever one stops."""

    units: Units
    within: Bounds

    @property
    def value(self) -> float:
        """The mean so far."""
        return self._unscaled(self.units.mean)

    def p_above(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or less."""
        return self._p(self.units, self._scaled(limit))

    def p_below(self, limit: float) -> float:
        """The p-value of the hypothesis that the mean is `limit` or more."""
        return self._p(self.units.turned(), 1 - self._scaled(limit))

    def bounds(self, size: float) -> Bounds:
        """The bounds, each of which is ever wrong with probability at most `size`."""
        low, high = self.units.lower_bound(size), 1 - self.units.turned().lower_bound(size)
        return self._unscaled(low), self._unscaled(high)

    def rows_needed(self, limit: float, size: float) -> int | None:
        """None: how many more rows it takes is for `howsure.plan_comparison` to simulate."""
        return None

    def verdict(self, limit: float, size: float, names: Sequence[str]) -> tuple[int | None, str]:
        """After how many units it was first shown on which side of the limit the mean lies, None if not yet; and the
        name of that: above, below (each ever wrongly with probability at most `size`), or neither."""
        m = self._scaled(limit)
        above, below = self.units.first_above(m, size), self.units.turned().first_above(1 - m, size)
        if above is not None and (below is None or above <= below):
            return above, names[0]
        return below, names[2 if below is None else 1]

    def _p(self, units: Units, m: float) -> float:
        if not 0.0 <= m <= 1.0:
            return 0.0 if m < 0.0 else 1.0
        return 1 / float(units.wealth(m).max(initial=1.0))

    def _scaled(self, limit: float) -> float:
        return (limit - self.within[0]) / (self.within[1] - self.within[0])

    def _unscaled(self, m: float) -> float:
        return self.within[0] + m * (self.within[1] - self.within[0])


def binomial_wealth(passed: int, failed: int, limit: float, *, above: bool = True) -> float:
    """The wealth that bets have won, after so many runs that passed or failed, if fewer pass than a share `limit` of
    all runs (`above`), or more. It ever exceeds 1 / size with probability at most `size`.

    Each bet is best for one share p; Jeffreys' density, restricted to the side of the limit that is bet on, mixes them.
    After a given number of each, the order of the runs does not matter.

    >>> round(binomial_wealth(36, 0, 0.9), 1), round(binomial_wealth(3, 3, 0.9, above=False), 1)
    (20.2, 8.4)
    """
    from scipy.special import betainc, betaincc, betaln

    tail = betaincc if above else betainc
    share = tail(passed + 0.5, failed + 0.5, limit) / tail(0.5, 0.5, limit)
    mixed = betaln(passed + 0.5, failed + 0.5) - betaln(0.5, 0.5)
    gained = mixed - passed * math.log(limit) - failed * math.log1p(-limit)
    return float(share * math.exp(min(gained, 700.0)))
