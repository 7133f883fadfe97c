"""How the totals of two domains are off together, and the interval of their difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.counts.population.draw import Draw
from howsure.counts.population.units import Units
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.proportions import normal_quantile

Ends = tuple[float, float, float]  # an estimate and its interval


@dataclass(frozen=True, slots=True)
class TotalErrors:
    """Of each labelled unit its domain and what the estimate of this domain's total leaves over, with the draw.

    That is y - m for a total by difference, and y minus the share of the domain for one by the labels alone.
    """

    draw: Draw
    domain: Integers
    residual: Floats

    def correlation(self, a: int, b: int) -> float:
        """The correlation of the two totals under the draw: not 0 where units of both were drawn together."""
        one, other = (self.draw.per_drawn(np.where(self.domain == k, self.residual, 0.0)) for k in (a, b))
        scale = math.sqrt(self.draw.variance(one) * self.draw.variance(other))
        if scale == 0:
            return 0.0
        both, apart = self.draw.variance(one + other), self.draw.variance(one - other)
        return min(max((both - apart) / (4.0 * scale), -1.0), 1.0)


def total_errors(units: Units, fitted: Floats, by_labels: Sequence[bool], shares: Sequence[float]) -> TotalErrors:
    """fitted: m of the labelled units. by_labels, shares: of each domain, whether labels alone gave it; its share."""
    domain = units.cells.domain[units.cell_of_labelled]
    expected = np.where(np.array(by_labels)[domain], np.array(shares)[domain], fitted)
    return TotalErrors(units.draw, domain, units.labels - expected)


def difference_of_totals(a: Ends, b: Ends, *, correlation: float, level: float) -> tuple[float, float, float, float]:
    """a - b, its interval, and P(a > b) by the normal law that has it (ties counted half).

    The distance to the lower end is √((a - a_low)² + (b_high - b)² - 2 r (a - a_low)(b_high - b)), and likewise to the
    upper one. A correlation r above 0 counts as 0: few labels would exaggerate it. Sources: Zou (2007), Zou & Donner
    (2008).

    >>> difference_of_totals((50.0, 40.0, 60.0), (30.0, 20.0, 40.0), correlation=-1.0, level=0.95)[:3]
    (20.0, 0.0, 40.0)
    """
    r = min(correlation, 0.0)
    down, up = (
        math.sqrt(x * x + y * y - 2.0 * r * x * y) for x, y in ((a[0] - a[1], b[2] - b[0]), (a[2] - a[0], b[0] - b[1]))
    )
    difference = a[0] - b[0]
    reach = down if difference > 0 else up
    if reach == 0:
        return difference, difference - down, difference + up, float(np.sign(difference)) / 2 + 0.5
    greater = 0.5 * math.erfc(-normal_quantile(level) * difference / reach / math.sqrt(2.0))
    return difference, difference - down, difference + up, greater
