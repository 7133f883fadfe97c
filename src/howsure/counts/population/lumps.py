"""What was drawn in unequal pieces: clusters of many units beside small ones, or units that stand for unequal numbers.

Few large pieces can decide a total, and a sample that holds none of them, or no positive one, does not show how far off
it is. So the bound here allows for one further piece that is as large as any and holds only positives, or none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.counts.population.draw import Draw
from howsure.counts.population.units import Units
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.clusters import kish
from howsure.stats.gaffke import Sums, gaffke_interval

Bools = np.ndarray[Any, np.dtype[np.bool_]]
LEAST_ALIKE = 10.0  # drawn elements of equal size that say as much of the variance; of fewer, the bound is used


@dataclass(frozen=True, slots=True)
class Lumps:
    """How unequal the elements are that the units of a domain come in.

    largest: the most of its units in one element of the population. alike: how many equal elements would tell as much
    of the variance as those that were drawn, n (Σ M²)² / (N Σ M⁴) with M units in each of N elements.
    """

    largest: int = 1
    alike: float = math.inf

    def matter(self, draw: Draw) -> bool:
        """Whether drawn elements differ in what they stand for."""
        return draw.inclusion is not None or self.largest > 1


def lumps_of(units: Units, rows: Integers | None) -> Lumps:
    """The elements of a domain (None: of everything)."""
    held = units.elements.of_unit
    if held is None:
        return Lumps()
    size = np.unique(held if rows is None else held[rows], return_counts=True)[1].astype(np.float64)
    drawn = len(units.draw.stratum) / len(units.elements)
    return Lumps(int(size.max(initial=1)), drawn * kish(size**2))


def few_alike(draw: Draw, labels: Floats, inside: Bools, lumps: Lumps) -> float:
    """How many positives, or negatives if they are fewer, the labels of a domain are worth by whole elements."""
    found = [draw.weight * draw.per_drawn(np.where(inside, one, 0.0)) for one in (labels, 1.0 - labels)]
    return 0.0 if lumps.alike < LEAST_ALIKE else min(kish(one) if one.any() else 0.0 for one in found)


def share_of_lumps(
    draw: Draw, positives: Floats, seen: Floats, lumps: Lumps, *, unread: float, level: float
) -> tuple[float, float]:
    """The interval of a share by Gaffke's bound of the mean of the labels, drawn by whole elements.

    positives, seen: of each drawn element its positives and its units in the domain. unread: the share of the domain's
    units without a label; the distances to the ends are √unread of what they are in an endless population. Single
    units of equal chances get the exact binomial interval (Clopper & Pearson 1934).
    """
    weight = draw.weight
    sizes, sums = weight * seen, weight * positives
    largest = float(weight.max() if draw.inclusion is not None else (sizes / np.maximum(seen, 1)).max()) * lumps.largest
    inside = seen > 0
    sizes, sums = sizes[inside], sums[inside]
    share, tail = float(sums.sum() / sizes.sum()), (1.0 - level) / 2
    low, high = gaffke_interval(Sums.of(sums, sizes, largest=largest), bounds=(0.0, 1.0), size=tail)
    reach = math.sqrt(unread)
    return share - reach * (share - low), share + reach * (high - share)
