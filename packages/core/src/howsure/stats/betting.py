"""Bets on the mean of bounded scores: tests and intervals that stay valid however often one looks at the data.

Units arrive in random order, each with a value between 0 and 1. Under the hypothesis that the mean is m, the expected
value of the next unit is known, so a bet that the value is higher (or lower) is fair: it gains nothing on average. The
wealth is the capital, starting from 1, after betting on every unit so far. By Ville's inequality, the probability that
the wealth ever exceeds 1 / size is at most `size` if the hypothesis is true, so 1 / (largest wealth so far) is a
p-value at any time. The best fraction of the wealth to stake is unknown beforehand. The initial wealth is therefore
divided equally among bettors. Each bettor always stakes the same fraction of his own wealth (diversified Kelly betting:
Waudby-Smith & Ramdas 2024). The bets on one hypothesis m are called a game.

A unit is an item or a whole cluster, with sum of scores S and size n ≤ `largest`. Its value is
v = S / largest + m (1 - n / largest): a smaller cluster is filled up to the largest size with scores of m. If the mean
over items is m, the mean of v over clusters is m too. If `total` units are drawn without replacement, the units left
after t draws have the mean (total m - Σ v) / (total - t). If this mean is impossible, m is refuted.

Predicted scores f of all items, known beforehand, reduce the variance. Bets are then on v - λ (f - r), where r is the
mean of f over the items that are left: the expected value is the same, and the variance is smaller. λ is the slope of v
on f among the items drawn so far, shrunk towards its initial value 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.inputs.pairs import Bools, Floats
from howsure.stats.mean_score import Bounds

SHARES = tuple(((i + 0.5) / 20) ** 1.5 for i in range(20))  # proportions of wealth that bettors stake, mostly small
ROUNDING = 1e-9  # tolerance for sums of values
PRECISION = 1e-11  # of a bound
ENDLESS = 1e300  # number of units left if there is no `total`
TINY = np.finfo(float).tiny  # the wealth is limited to TINY … 1 / TINY before its logarithm is taken


@dataclass(frozen=True, slots=True)
class Units:
    """Units in the order drawn: the sum (t,) of scores in each, which are between 0 and 1, and the size (t,) of each.

    largest: the largest possible size of a unit. total: number of units if they are drawn without replacement; None for
    an infinite population. predicted (t,): predicted scores of the units, which must be single items of a `total`.
    of_all: mean, minimum and maximum of the predicted scores of all `total` items.
    """

    sums: Floats
    sizes: Floats
    largest: float = 1.0
    total: int | None = None
    predicted: Floats | None = None
    of_all: tuple[float, float, float] = (math.nan, 0.0, 1.0)

    def reflected(self) -> Units:
        """Return the units with every score and prediction x replaced by 1 - x."""
        predicted, (mean, least, most) = None if self.predicted is None else 1 - self.predicted, self.of_all
        sums, of_all = self.sizes - self.sums, (1 - mean, 1 - most, 1 - least)
        return replace(self, sums=sums, predicted=predicted, of_all=of_all)

    @property
    def mean(self) -> float:
        """The mean over items; NaN without units.

        With predictions, the mean is the regression estimate, mean - λ · (mean prediction of these items - mean
        prediction of all items).
        """
        if not len(self.sums):
            return math.nan
        mean = float(self.sums.sum() / self.sizes.sum())
        if self.predicted is None:
            return mean
        return mean - float(slopes(self.sums, self.predicted)[-1] * (self.predicted.mean() - self.of_all[0]))

    @property
    def over(self) -> bool:
        """Whether all units of the population have been drawn."""
        return self.total is not None and len(self.sums) >= self.total

    def wealth(self, m: float) -> Floats:
        """Return the wealth (t,) after each unit, starting from 1, of bets that the mean is larger than m.

        >>> Units(np.array([1.0, 0.0]), np.ones(2)).wealth(0.5).round(4).tolist()
        [1.3999, 0.7503]
        """
        values, expected, impossible = self.game(np.array([m]))
        won = grown(values[:, 0], expected[:, 0])
        return np.where(np.logical_or.accumulate(impossible[:, 0]), math.inf, won)

    def game(self, m: Floats, start: int = 0, end: int | None = None) -> tuple[Floats, Floats, Bools]:
        """Return the values of the units from `start` to `end` and their expected values (units, games), one game for
        each hypothesis m.

        A third array (units, games) is True from the unit on at which the sum of the values exceeds the largest sum
        that is possible under m.
        """
        part, filled = slice(start, end), 1 - self.sizes / self.largest
        values = (self.sums / self.largest)[part, None] + filled[part, None] * m
        if self.total is None:
            return values, np.broadcast_to(m, values.shape), values - m * ENDLESS > ROUNDING
        left = (self.total - np.arange(len(self.sums), dtype=np.float64))[part, None]
        sums, fillings = (sums_before(each, part)[:, None] for each in (self.sums / self.largest, filled))
        expected = (self.total * m - sums - fillings * m) / left
        impossible = values - expected * left > ROUNDING
        if self.predicted is None:
            return values, expected, impossible
        mean, least, most = self.of_all
        predicted = self.predicted[part, None]
        rest = np.clip((self.total * mean - sums_before(self.predicted, part)[:, None]) / left, least, most)
        slope = slopes(self.sums, self.predicted)[:-1][part, None]
        lowest, width = -slope * (most - rest), 1 + slope * (most - least)
        return (values - slope * (predicted - rest) - lowest) / width, (expected - lowest) / width, impossible

    @property
    def pole(self) -> float:
        """The lowest mean that the sums so far allow. Log wealth is a smooth function of m above it."""
        if self.total is None:
            return 0.0
        filled = len(self.sums) - float(self.sizes.sum()) / self.largest
        return float(self.sums.sum()) / self.largest / (self.total - filled)

    def first_above(self, m: float, size: float) -> int | None:
        """Return the number of units after which a mean of m or less is rejected; None if it is not rejected.

        If the hypothesis is true, the probability that it is ever rejected is at most `size`.
        """
        reached = self.wealth(m) >= 1 / size
        return int(reached.argmax()) + 1 if reached.any() else None

    def lower_bound(self, size: float, *, least: float = 0.0) -> float:
        """Return the largest m that is rejected. The probability that the true mean is ever rejected is at most `size`.

        The bound never falls with more units. least: the bound after fewer units, if known.
        """
        if self.over:
            return self.mean

        from scipy.optimize import brentq  # imported here because it takes 0.4 s

        def excess(m: float) -> float:
            return min(math.log(self.wealth(m).max(initial=0.0) or TINY), -math.log(TINY)) + math.log(size)

        return float(brentq(excess, least, 1.0, xtol=PRECISION)) if excess(least) >= 0 else least


def wealth(values: Floats, expected: Floats, left: Floats | float) -> Floats:
    """Return the mean wealth of the bettors after each value, (t,) or (t, games); infinite once the hypothesis is
    refuted.

    A bettor who stakes a proportion s of the wealth multiplies it by 1 + s (value / expected - 1). left: the number of
    units left before each value, which limits the sum of values that is possible under the hypothesis.
    """
    return np.where(refuted(values, expected, left), math.inf, grown(values, expected))


def sums_before(values: Floats, part: slice) -> Floats:
    """Return, for each value in a part, the sum of all values before it."""
    return np.asarray(np.r_[values[: part.start].sum(), values[part]].cumsum()[:-1])


def gains(values: Floats, expected: Floats) -> Floats:
    """Return the gain of a unit stake on each value: value / expected - 1."""
    return np.divide(values - expected, expected, out=np.zeros_like(values), where=expected > 0)


def grown(values: Floats, expected: Floats) -> Floats:
    """The mean wealth of the bettors after each value, as in `wealth`, but finite even if the hypothesis is refuted."""
    ratios = gains(values, expected)
    with np.errstate(over="ignore", under="ignore"):
        wealth = sum(((1 + share * ratios).cumprod(axis=0) for share in SHARES), np.zeros_like(values)) / len(SHARES)
    return np.asarray(wealth)


def refuted(values: Floats, expected: Floats, left: Floats | float) -> Bools:
    """After each value, whether some value so far exceeded the sum that was expected of all units left before it."""
    return np.asarray(np.logical_or.accumulate(values - expected * left > ROUNDING, axis=0))


def slopes(values: Floats, predicted: Floats) -> Floats:
    """Slopes (t + 1,) of values on predictions: entry i uses the first i units; entry 0 is 1.

    Covariance and variance sums are each increased by 1, which shrinks the slope towards 1; it is clipped to [0, 1].

    >>> slopes(np.array([1.0, 0.0, 0.0]), np.array([0.2, 0.9, 0.7])).round(2).tolist()
    [1.0, 1.0, 0.52, 0.48]
    """
    n = np.maximum(np.arange(len(values) + 1), 1)
    y, f, products, squares = (
        np.r_[0.0, each.cumsum()] for each in (values, predicted, values * predicted, predicted * predicted)
    )
    return np.asarray(np.clip((products - y * f / n + 1) / (squares - f * f / n + 1), 0.0, 1.0))


# The tests of a growing sequence, whose cost by unit does not grow: each carries the wealth after the units so far.

MAX_NEW = 256  # maximum number of units that are added to a window at once; otherwise the bound is computed anew
NODES = np.cos(np.pi * np.arange(20) / 19)  # Chebyshev's, of the second kind
NODE_WEIGHTS = (-1.0) ** np.arange(20) * np.r_[0.5, np.ones(18), 0.5]  # of barycentric interpolation (Berrut &
# Trefethen 2004); the error is 1e-14 if the pole is twice as far from a window as the window is wide


@dataclass(slots=True)
class RunningGames:
    """Games against several hypotheses m: the log wealth of each bettor (bettors, games) after `n` units."""

    m: Floats
    n: int
    log_wealth: Floats

    @classmethod
    def of(cls, m: Floats) -> RunningGames:
        """Return games without units."""
        return cls(m, 0, np.zeros((len(SHARES), len(m))))

    def add(self, units: Units, end: int | None = None) -> tuple[Floats, Bools]:
        """Add the units from the n-th to `end`. Return the log wealth of each bettor after each unit (bettors, units,
        games), and whether the hypothesis of each game is refuted (units, games)."""
        values, expected, impossible = units.game(self.m, self.n, end)
        grown_by = np.log1p(np.array(SHARES)[:, None, None] * gains(values, expected)).cumsum(axis=1)
        log_wealth = self.log_wealth[:, None] + grown_by
        self.n += len(values)
        self.log_wealth = log_wealth[:, -1]
        return log_wealth, impossible


class RunningBound:
    """Computes `Units.lower_bound` while units are added, without starting again.

    The bound is the largest m at which the wealth ever reached 1 / size. Log wealth, which falls with m, is updated at
    the nodes of a window above the bound and interpolated between the nodes. If a unit raises the bound out of the
    window, or if the pole comes too close, the bound is computed from all units and a new window begins. The distance
    to the pole shrinks or grows by a factor each time, so this happens a logarithmic number of times.
    """

    def __init__(self, size: float) -> None:
        self.size, self.bound, self.max_pole = size, 0.0, -1.0
        self.window: RunningGames | None = None

    def update(self, units: Units) -> float:
        """Return the bound after these units, which must begin with the units of the previous update."""
        if units.over:
            return units.mean
        window, n = self.window, len(units.sums)
        if window is not None and window.n == n:
            return self.bound
        pole_moved = units.pole > self.max_pole
        if window is None or n - window.n > (1 if pole_moved else MAX_NEW):
            return self._from_all(units)
        log_wealth, impossible = window.add(units)
        if impossible.any() or self._excess(log_wealth, window.m[0], window.m) >= 0:
            return self._from_all(units)
        if self._excess(log_wealth, self.bound, window.m) > 0:
            from scipy.optimize import brentq

            ends = self.bound, float(window.m[0])
            self.bound = float(brentq(lambda m: self._excess(log_wealth, m, window.m), *ends, xtol=PRECISION))
        if pole_moved:  # the last unit changes the next bets
            self.window = self._window(units)
        return self.bound

    def _excess(self, log_wealth: Floats, m: float, nodes: Floats) -> float:
        """log (largest wealth at m · size)."""
        at_node = np.flatnonzero(nodes == m)
        if len(at_node):
            interpolated = log_wealth[..., at_node[0]]
        else:
            weights = NODE_WEIGHTS / (m - nodes)
            interpolated = log_wealth @ (weights / weights.sum())
        with np.errstate(over="ignore", under="ignore"):
            largest = float(np.exp(interpolated).mean(axis=0).max())
        return min(math.log(largest or TINY), -math.log(TINY)) + math.log(self.size)

    def _from_all(self, units: Units) -> float:
        self.bound = units.lower_bound(self.size, least=self.bound)
        self.window = self._window(units)
        return self.bound

    def _window(self, units: Units) -> RunningGames | None:
        """Return a window that begins at the bound after these units; None if the pole is too close."""
        distance = self.bound - units.pole
        if distance <= 0:
            return None
        end, self.max_pole = min(self.bound + distance / 2, 1.0), units.pole + distance / 2
        window = RunningGames.of((self.bound + end) / 2 + NODES * (end - self.bound) / 2)
        while window.n < len(units.sums):
            _, impossible = window.add(units, window.n + MAX_NEW)
            if impossible.any():
                return None
        return window


class RunningRefutation:
    """Computes `Units.first_above` for one m and size while units are added, without starting again."""

    def __init__(self, m: float, size: float) -> None:
        self.games, self.size, self.first = RunningGames.of(np.array([m])), size, 0

    def update(self, units: Units) -> int | None:
        """Return the number of units after which a mean of m or less is rejected; None if it is not rejected."""
        n = self.games.n
        if not self.first and n < len(units.sums):
            log_wealth, impossible = self.games.add(units)
            with np.errstate(over="ignore", under="ignore"):
                reached = (np.exp(log_wealth).mean(axis=0) >= 1 / self.size) | impossible
            self.first = n + 1 + int(reached.argmax()) if reached.any() else 0
        return self.first or None


class RunningTests:
    """The tests of one growing sequence, by direction, size and limit."""

    def __init__(self) -> None:
        self.bounds: dict[tuple[str, float], RunningBound] = {}
        self.refutations: dict[tuple[str, float, float], RunningRefutation] = {}

    def lower_bound(self, units: Units, size: float, direction: str) -> float:
        return self.bounds.setdefault((direction, size), RunningBound(size)).update(units)

    def first_above(self, units: Units, m: float, size: float, direction: str) -> int | None:
        """Return the number of these units after which a mean of m or less is rejected; None if it is not rejected."""
        return self.refutations.setdefault((direction, m, size), RunningRefutation(m, size)).update(units)


@dataclass(frozen=True, slots=True)
class BettingMean:
    """Tests of the mean of scores between two bounds `within`, valid at any time and under optional stopping."""

    units: Units
    within: Bounds
    running: RunningTests | None = None  # the tests of a growing sequence of units, if there is one

    @property
    def value(self) -> float:
        return self._unscaled(self.units.mean)

    def p_above(self, limit: float) -> float:
        """P-value of the hypothesis that the mean is at most `limit`."""
        return self._p(self.units, self._scaled(limit))

    def p_below(self, limit: float) -> float:
        """P-value of the hypothesis that the mean is at least `limit`."""
        return self._p(self.units.reflected(), 1 - self._scaled(limit))

    def bounds(self, size: float) -> Bounds:
        """Lower and upper bound of the mean; each is wrong at any time with probability at most `size`."""
        reflected = self.units.reflected()
        if self.running is None:
            low, high = self.units.lower_bound(size), 1 - reflected.lower_bound(size)
        else:
            low = self.running.lower_bound(self.units, size, "above")
            high = 1 - self.running.lower_bound(reflected, size, "below")
        return self._unscaled(low), self._unscaled(high)

    def rows_needed(self, limit: float, size: float) -> int | None:
        """Always None: `howsure.plan_comparison` simulates how many rows are needed."""
        return None

    def verdict(self, limit: float, size: float, names: Sequence[str]) -> tuple[int | None, str]:
        """Return the number of units after which the mean was first shown to be above or below the limit, and the
        verdict.

        names: the verdicts for above, below and undecided. If the verdict is undecided, the number is None. The
        probability that one of the other verdicts is ever false is at most `size`.
        """
        m = self._scaled(limit)
        reflected = self.units.reflected()
        if self.running is None:
            above, below = self.units.first_above(m, size), reflected.first_above(1 - m, size)
        else:
            above = self.running.first_above(self.units, m, size, "above")
            below = self.running.first_above(reflected, 1 - m, size, "below")
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
    """Return the wealth, starting from 1, of bets that the pass rate is above `limit` (or, with above=False, below it).

    If the pass rate is on the other side, the wealth ever exceeds 1 / size with probability at most `size`. The wealth
    is the likelihood ratio of the observed runs to a pass rate of `limit`, averaged with Jeffreys' density over the
    pass rates on the side that the bets favour. It depends only on the numbers of runs that passed and failed, not on
    their order.

    >>> round(binomial_wealth(36, 0, 0.9), 1), round(binomial_wealth(3, 3, 0.9, above=False), 1)
    (20.2, 8.4)
    """
    from scipy.special import betainc, betaincc, betaln

    tail = betaincc if above else betainc
    share = tail(passed + 0.5, failed + 0.5, limit) / tail(0.5, 0.5, limit)
    mixed = betaln(passed + 0.5, failed + 0.5) - betaln(0.5, 0.5)
    gained = mixed - passed * math.log(limit) - failed * math.log1p(-limit)
    return float(share * math.exp(min(gained, 700.0)))
