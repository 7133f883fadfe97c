"""Items in clusters and strata: the effective number of clusters, and the standard error of a mean over them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.show.notes import WARNING, Note

# The effective number of clusters, and the warning when it is small: one rule for all chapters.

FEW = 40  # clusters of equal size, below which intervals and p-values rest on few
NEARLY = 0.95


def kish(sizes: npt.NDArray[Any]) -> float:
    """The equivalent number of equal-sized clusters: (Σ n)² / Σ n², where n is the number of rows of a cluster or their
    weight (Kish 1965).

    >>> kish(np.array([10, 10])), round(kish(np.array([98, 1, 1])), 2)
    (2.0, 1.04)
    """
    shares = np.sort(sizes / sizes.max())
    return float(shares.sum() ** 2 / (shares**2).sum())


def degrees_of_freedom(rows: npt.NDArray[Any], squares: npt.NDArray[Any]) -> float:
    """The degrees of freedom of the equivalent number of equal-sized clusters, at least 1: N²/Σ N_h²/(G_h - 1) over
    strata of `rows` N_h, with G_h = N_h²/Σ n², where `squares` are the Σ n² of their clusters.

    >>> degrees_of_freedom(np.array([20.0]), np.array([200.0])), degrees_of_freedom(np.array([3.0]), np.array([3.0]))
    (1.0, 2.0)
    """
    free = rows**2 / squares - 1
    if (free <= 0).any():
        return 1.0
    return max(1.0, float(rows.sum() ** 2 / (rows**2 / free).sum()))


def few_clusters(sizes: npt.NDArray[Any]) -> str | None:
    """The warning for results based on the equivalent of fewer than 40 equal-sized clusters; None otherwise.

    >>> few_clusters(np.full(40, 5)) is None
    True
    >>> few_clusters(np.full(20, 5))
    'there are 20 clusters: below 40, intervals and p-values are rough; more clusters, not more rows, make them more
    precise'
    """
    number, equal = int(np.count_nonzero(sizes)), kish(sizes)
    if equal >= FEW:
        return None
    same = "" if equal > NEARLY * number else f" of unequal size, equivalent to {equal:.1f} equal ones"
    return Note(
        f"there {'is' if number == 1 else 'are'} {counted(number, 'cluster')}{same}: below {FEW}, intervals and "
        "p-values are rough; more clusters, not more rows, make them more precise",
        WARNING,
    )


def ratio_error(sums: npt.NDArray[Any], counts: npt.NDArray[Any]) -> float:
    """The standard error of the mean Σ sums / Σ counts over clusters of `counts` (C,) items, whose values add up to
    `sums` (C,): √(C/(C - 1) Σ (sums - mean · counts)²) / Σ counts, as of a linearised ratio.

    >>> ratio_error(np.array([2.0, 0.0]), np.array([2, 2]))
    0.5
    """
    total, n = float(counts.sum()), len(counts)
    deviation = sums - float(sums.sum()) / total * counts
    return math.sqrt(n / (n - 1) * float((deviation**2).sum())) / total


def jackknife_error(without: npt.NDArray[Any]) -> Any:
    """The standard error that values (m, …) with one unit left out in turn give: √((m - 1) / m Σ (θ - θ̄)²).

    >>> jackknife_error(np.array([1.5, 2.0, 2.5])).round(4).item()
    0.5774
    """
    return np.sqrt((len(without) - 1) * np.mean((without - without.mean(axis=0)) ** 2, axis=0))


@dataclass(frozen=True, slots=True)
class ItemGroups:
    """n items; the unit of each (its cluster, or None if each is its own), and the stratum of each unit.

    >>> groups = ItemGroups.of(4, clusters=np.array([0, 0, 1, 1]))
    >>> groups.units, groups.degrees
    (2, 1.0)
    """

    n: int
    unit: Integers | None
    sizes: Floats
    strata: Integers

    @classmethod
    def of(cls, n: int, *, clusters: Integers | None = None, strata: Integers | None = None) -> ItemGroups:
        """The groups of items from the codes of their clusters and strata; clusters without an item are none."""
        if clusters is not None and not np.bincount(clusters).all():
            clusters = np.unique(clusters, return_inverse=True)[1]
        sizes = np.ones(n) if clusters is None else np.bincount(clusters).astype(np.float64)
        of_unit = np.zeros(len(sizes), dtype=np.int64)
        if strata is not None:
            of_unit[np.arange(n) if clusters is None else clusters] = strata
        return cls(n, clusters, sizes, of_unit)

    @property
    def units(self) -> int:
        """The number of units."""
        return len(self.sizes)

    @property
    def degrees(self) -> float:
        """The degrees of freedom of the equivalent number of equal-sized units; 0 for a single one."""
        if self.units == 1:
            return 0.0
        return degrees_of_freedom(self._by_stratum(self.sizes), self._by_stratum(self.sizes**2))

    def totals(self, values: Floats) -> Floats:
        """The sum of the values of each unit."""
        return values if self.unit is None else np.asarray(np.bincount(self.unit, weights=values), dtype=np.float64)

    def standard_error(self, values: Floats) -> float:
        """The standard error of the mean, √(Σ_h G/(G - 1) Σ (e - ē)²) / n, with e the sum over a unit of the deviations
        from the mean, ē its average in the stratum h of G units: 0 in a single stratum. NaN for a single unit.

        Without clusters this is the standard deviation (n - 1) over √n; with clusters, that of Miller (2024) with the
        factor G/(G - 1), as in Inspect.

        >>> ItemGroups.of(4).standard_error(np.array([0.0, 1.0, 1.0, 1.0]))
        0.25
        """
        if self.units == 1:
            return math.nan
        e = self.totals(values - values.mean())
        m = self._by_stratum(np.ones(self.units))
        e = e - (self._by_stratum(e) / m)[self.strata]
        return math.sqrt(float((m / (m - 1) * self._by_stratum(e**2)).sum())) / self.n

    def jackknife_error(self, values: Floats) -> float:
        """The standard error from leaving out each unit in turn: the same where all units have the same size,
        larger where large ones deviate; the rest of a unit's stratum takes its place. NaN for a single unit."""
        if self.units == 1:
            return math.nan
        e, m = self.totals(values - values.mean()), self._by_stratum(np.ones(self.units))
        stratum_sums, items = self._by_stratum(e)[self.strata], self._by_stratum(self.sizes)[self.strata]
        filled = (m / (m - 1))[self.strata] if len(m) > 1 else 1.0
        above = (stratum_sums - e) * filled - stratum_sums + e.sum()
        below = (items - self.sizes) * filled + (self.n - items)
        moved = above / below - e.sum() / self.n
        return math.sqrt(float(((m - 1) / m * self._by_stratum(moved**2)).sum()))

    def safe_error(self, values: Floats) -> float:
        """The larger of both standard errors."""
        return max(self.standard_error(values), self.jackknife_error(values)) if self.units > 1 else math.nan

    def _by_stratum(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.strata, weights=values), dtype=np.float64)


# Shares of rows that few clusters carry: how many do, what one more would change, and an interval that knows both.
#
# Where few clusters carry what is counted (all wrong answers, say), its distribution is skewed, clusters of the kind
# may be missing altogether, and neither shows in the spread of the clusters that are there. Fay & Feuer's (1997)
# interval of a weighted sum of Poisson numbers knows both: its ends are quantiles of the gamma distributions with the
# mean and variance of the sum, the upper one after one more contribution. For equal contributions it is the exact
# interval of a Poisson number. One rule says here how large that contribution is (`one_more`), and for how few carriers
# results say so (`few_carriers`).

ENOUGH = 20.0  # clusters of equal contribution, from which on one more counts less than a whole one
MANY = 100.0  # of them, from which on Student's t needs no help: a gamma distribution's skewness is below .2
FEWEST = 2.0  # below which nothing shows how clusters of the kind differ


def carriers(counts: npt.NDArray[Any]) -> float:
    """The equivalent number of clusters that carry equal parts of what `counts` (C,) counts; 0 if there is nothing.

    >>> carriers(np.array([5, 5, 0, 0])), round(carriers(np.array([20, 1, 1])), 2), carriers(np.zeros(9))
    (2.0, 1.2, 0.0)
    """
    return kish(counts) if counts.any() else 0.0


def one_more(size: Any, carrying: Any) -> Any:
    """What one more cluster may add to a share of rows: `size`, the share of rows in a cluster (1 / `kish` of the
    sizes), as if all its rows were of the kind; where more than 20 clusters carry the share, 20 / their number of it.
    """
    return size * np.minimum(1.0, ENOUGH / np.maximum(carrying, ENOUGH))


def gamma_interval(value: float, variance: float, further: float, *, level: float) -> tuple[float, float]:
    """Fay and Feuer's interval of a sum of contributions from 0 on; `further`: what one more may add.

    >>> low, high = gamma_interval(3.0, 3.0, 1.0, level=0.95)  # of 3 events
    >>> round(low, 3), round(high, 3)
    (0.619, 8.767)
    """
    tail = (1 - level) / 2
    return _quantile(value, variance, tail), _quantile(value + further, variance + further**2, 1 - tail)


def ends_with_one_more(
    value: float, variance: float, size: float, carrying: float, *, level: float
) -> tuple[float, float]:
    """The ends that an interval of a share must reach at least, down and up: Fay and Feuer's with `one_more` cluster;
    the share itself where 100 clusters carry it."""
    if carrying >= MANY:
        return value, value
    return gamma_interval(value, variance, float(one_more(size, carrying)), level=level)


def gamma_p_value(value: Floats, variance: Floats, further: Floats, limit: float) -> Floats:
    """The p-value of "the sum is `limit` or more": the size at which the upper end of the interval is the limit.

    >>> gamma_p_value(np.array([3.0]), np.array([3.0]), np.array([1.0]), 8.767).round(3).tolist()
    [0.025]
    """
    from scipy.special import gammaincc

    mean = value + further
    scale = (variance + further**2) / mean
    return np.asarray(gammaincc(mean / scale, limit / scale), dtype=np.float64)


def few_carriers(counts: npt.NDArray[Any], what: str) -> str | None:
    """The note that fewer than 20 clusters carry what is counted; None otherwise.

    >>> few_carriers(np.array([20, 1, 0, 0]), "the wrong answers")
    'the wrong answers lie in 2 of 4 clusters, equivalent to 1.1 equal ones: whether more are of the kind is hardly
    known; more clusters, not more rows, would tell'
    >>> few_carriers(np.ones(30), "the wrong answers") is None
    True
    """
    equal, holding = carriers(counts), int(np.count_nonzero(counts))
    if equal >= ENOUGH or not holding:
        return None
    same = "" if holding - equal < 0.05 * holding else f", equivalent to {equal:.1f} equal ones"
    return (
        f"{what} lie in {holding:,} of {counted(len(counts), 'cluster')}{same}: whether more are of the kind is hardly "
        "known; more clusters, not more rows, would tell"
    )


def _quantile(mean: float, variance: float, probability: float) -> float:
    from scipy.special import gammaincinv

    if not (mean > 0.0 and variance > 0.0):
        return max(mean, 0.0)
    return float(gammaincinv(mean * mean / variance, probability)) * variance / mean
