"""A metric's difference when the two systems are exchanged in some units.

A difference of means is tested directly. For any other metric, it is divided by its standard error, recomputed after
every exchange: only then does the permutation test, which is exact if the systems are exchangeable, keep its level for
large n if only the two values of the metric are equal (Janssen 1997; Chung & Romano 2013).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from howsure.inputs.pairs import Integers
from howsure.significance.metrics.metric import Floats, Metric, mean
from howsure.significance.resampling.bootstrap import CLOSE
from howsure.significance.resampling.units import Units

STEP = 1e-5  # of the sums of absolute statistics, for a derivative by differences
NEAR = 1e-9  # studentised differences that only rounding and the step tell apart are equal
CACHED = 1 << 16
LARGEST = 1e6  # a difference with hardly any standard error is that many of them


@dataclass(frozen=True, slots=True)
class Exchange:
    """A metric, and the effect of exchanging the systems in each unit.

    With `first` and `second` (units, k) the statistics of the two systems, `steps` are second - first and `middles`
    second + first; `counts` gives the number of equal units each represents. `start` are the sums of the first system,
    `total` those of both; `around_steps`, `around_middles` and `between` (k, k) are the sums over all units of the
    outer products of steps, of middles, and of steps with middles.
    """

    metric: Metric
    steps: Floats
    middles: Floats
    counts: Integers
    start: Floats
    total: Floats
    n: float
    sizes: Floats
    around_steps: Floats
    around_middles: Floats
    between: Floats
    studentised: bool

    @property
    def close(self) -> float:
        """The relative distance up to which two statistics count as equal."""
        return NEAR if self.studentised else CLOSE

    def statistics(self, exchanged: Floats, moved: Floats | None = None) -> Floats:
        """The test statistic for given numbers of exchanges of each unit: (draws, units) to (draws).

        `moved` is `exchanged @ steps`, if already known.
        """
        first = self.start + (exchanged @ self.steps if moved is None else moved)
        second = self.total - first
        differences = np.asarray(self.metric.value(second) - self.metric.value(first))
        if not self.studentised:
            return differences
        errors = np.maximum(self._standard_errors(first, second, exchanged), np.abs(differences) / LARGEST)
        return np.where(np.abs(differences) <= CLOSE, 0.0, differences / np.where(errors == 0, 1.0, errors))

    def _standard_errors(self, first: Floats, second: Floats, exchanged: Floats) -> Floats:
        """The root of Σ (ψ - mean of ψ)², a unit's influence ψ being slope · statistics, second minus first system.

        Halves of the two slopes' sum (h) and difference (e) make ψ = e·middle + h·step, after an exchange
        e·middle - h·step, so the squares can be summed without visiting the units; only the products require that.
        """
        slopes = self._slopes(first), self._slopes(second)
        h, e = (slopes[1] + slopes[0]) / 2, (slopes[1] - slopes[0]) / 2
        squares = _forms(h, self.around_steps, h) + _forms(e, self.around_middles, e)
        products = _forms(h, self.between, e) - 2 * self._products(h, e, exchanged)
        total = (slopes[1] * second).sum(axis=1) - (slopes[0] * first).sum(axis=1)
        return np.asarray(np.sqrt(np.maximum(squares + 2 * products - total**2 / self.n, 0.0)))

    def _products(self, h: Floats, e: Floats, exchanged: Floats) -> Floats:
        """The sum of h·step e·middle over the exchanged units, some units at a time, to fit the processor's cache."""
        sums = np.zeros(len(h))
        moving = np.flatnonzero(self.around_steps.diagonal())
        h, steps = np.ascontiguousarray(h[:, moving]), self.steps[:, moving]
        at_once = max(1, CACHED // len(h))
        for start in range(0, len(steps), at_once):
            rows = slice(start, start + at_once)
            held = h @ steps[rows].T
            held *= e @ self.middles[rows].T
            sums += np.einsum("du,du->d", held, exchanged[:, rows])
        return sums

    def _slopes(self, sums: Floats) -> Floats:
        return slopes_of(self.metric, sums, self.sizes)


def _forms(left: Floats, matrix: Floats, right: Floats) -> Floats:
    """left · matrix · right, row by row."""
    return np.asarray(((left @ matrix) * right).sum(axis=1))


def slopes_of(metric: Metric, sums: Floats, sizes: Floats) -> Floats:
    """The derivatives of a metric with respect to its sums (rows, k): its own, or by central differences of STEP of
    `sizes` (k)."""
    if metric.slopes is not None:
        return metric.slopes(sums)
    slopes = np.zeros_like(sums)
    for column in np.flatnonzero(sizes):
        step = np.zeros(len(sizes))
        step[column] = STEP * sizes[column]
        slopes[:, column] = (metric.value(sums + step) - metric.value(sums - step)) / (2 * step[column])
    return slopes


def exchange_of(units: Units, metric: Metric) -> Exchange:
    """The exchange of a metric's statistics, unit by unit.

    A difference without a standard error (because a derivative is undefined) is tested directly.
    """
    part = units.parts[metric.rows]
    first, second = units.first[:, part], units.second[:, part]
    steps, middles = second - first, second + first
    alike = metric.value is mean and np.array_equal(first[:, -1], second[:, -1])
    weights = units.counts[:, None]
    held = Exchange(
        metric,
        steps,
        middles,
        units.counts,
        units.counts @ first,
        units.counts @ middles,
        float(units.counts.sum()),
        units.counts @ (np.abs(first) + np.abs(second)),
        (steps * weights).T @ steps,
        (middles * weights).T @ middles,
        (steps * weights).T @ middles,
        studentised=not alike,
    )
    if alike or np.isfinite(held.statistics(np.zeros((1, len(units)))))[0]:
        return held
    return replace(held, studentised=False)
