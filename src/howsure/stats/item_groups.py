"""Items in their clusters and strata, and the standard error of a mean over them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.clusters import degrees_of_freedom


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
        own, items = self._by_stratum(e)[self.strata], self._by_stratum(self.sizes)[self.strata]
        filled = (m / (m - 1))[self.strata] if len(m) > 1 else 1.0
        above = (own - e) * filled - own + e.sum()
        below = (items - self.sizes) * filled + (self.n - items)
        moved = above / below - e.sum() / self.n
        return math.sqrt(float(((m - 1) / m * self._by_stratum(moved**2)).sum()))

    def safe_error(self, values: Floats) -> float:
        """The larger of both standard errors."""
        return max(self.standard_error(values), self.jackknife_error(values)) if self.units > 1 else math.nan

    def _by_stratum(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.strata, weights=values), dtype=np.float64)
