"""What the isotonic curve of a calibrated model would look like: the consistency band, by simulation.

Labels are drawn from the predictions, y* = 1 with probability q, and the curve is fitted to them again. If the model is
calibrated, the curve of the data is one more such curve, so at each prediction it lies in the band with the stated
probability, whatever the number of pairs and of ties. Within a cluster labels hang together: a pair takes the random
number of its cluster with probability s, its own otherwise, and s is such that the residuals y - q of two pairs of a
cluster are as correlated as in the data. (To resample the residuals of clusters instead gave bands that held in .89 to
.94 of the pairs: a step of the curve often rests on too few clusters to tell its own variance.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.calibration.corp.isotonic import isotonic_values
from howsure.calibration.corp.ordered import Ordered
from howsure.inputs.pairs import Floats, Integers

CELLS = 1 << 12  # cells of neighbours in which labels are drawn; up to so many distinct predictions, all by themselves
BY_ROW_UP_TO = 1 << 17  # pairs; of more, the labels of a cell are drawn together


@dataclass(frozen=True, slots=True)
class Consistency:
    """Arrays, one entry per cell in ascending order: `at` the mean prediction, weight, the frequency that the curve
    shows, and the band [low, high] at each by itself. miscalibration: the curve's, of the Brier score; simulated: that
    of each simulated curve."""

    at: Floats
    weight: Floats
    frequency: Floats
    low: Floats
    high: Floats
    miscalibration: float
    simulated: Floats

    @property
    def p_value(self) -> float:
        """The share of curves, the data's included, that are at least as miscalibrated."""
        as_large = int(np.count_nonzero(self.simulated >= self.miscalibration - 1e-12))
        return (1 + as_large) / (1 + len(self.simulated))


def consistency(pairs: Ordered, *, n_simulations: int, level: float, rng: np.random.Generator) -> Consistency:
    """Simulate curves of a calibrated model with these predictions, weights and clusters."""
    starts = _cells(pairs)
    weight = pairs.by(starts, pairs.weight)
    at = pairs.by(starts, pairs.weight * pairs.q) / weight
    observed = isotonic_values(label := pairs.by(starts, pairs.weight * pairs.y) / weight, weight)
    labels = _simulated_labels(pairs, starts, n_simulations, rng) / weight
    curves = np.stack([isotonic_values(one, weight) for one in labels])
    tail = (1 - level) / 2
    low, high = np.quantile(curves, [tail, 1 - tail], axis=0, method="weibull")
    return Consistency(
        at=at,
        weight=weight,
        frequency=observed,
        low=np.clip(low, 0.0, 1.0),
        high=np.clip(high, 0.0, 1.0),
        miscalibration=float(_miscalibration(at, label, observed, weight)),
        simulated=_miscalibration(at, labels, curves, weight),
    )


def _miscalibration(at: Floats, label: Floats, curve: Floats, weight: Floats) -> Floats:
    """The mean of (q - y)² - (curve - y)², of each row of labels and curves."""
    return np.asarray(((at - curve) * (at + curve - 2 * label)) @ weight / weight.sum())


def _cells(pairs: Ordered) -> Integers:
    """The first row of each cell: a distinct prediction, or neighbours with about the same number of pairs."""
    starts = pairs.starts
    if len(starts) <= CELLS:
        return starts
    before = np.append(0, np.cumsum(pairs.by(starts, pairs.times))[:-1])
    cell = before * CELLS // int(pairs.times.sum())
    first: Integers = starts[np.append(True, cell[1:] != cell[:-1])]
    return first


def _simulated_labels(pairs: Ordered, starts: Integers, times: int, rng: np.random.Generator) -> Floats:
    """The weighted sums of the labels of each cell, one row per simulation."""
    if pairs.clusters is not None:
        return _of_clusters(pairs, pairs.clusters, starts, times, rng)
    if int(pairs.times.sum()) == len(pairs.q) <= BY_ROW_UP_TO:
        return _of_rows(pairs, starts, times, rng)
    weight, squares = pairs.by(starts, pairs.weight), pairs.by(starts, pairs.weight * pairs.w)
    number = np.maximum(np.round(weight**2 / squares), 1.0).astype(np.int64)
    mean = pairs.by(starts, pairs.weight * pairs.q) / weight
    return rng.binomial(number, np.clip(mean, 0.0, 1.0), size=(times, len(starts))) * (weight / number)


def _of_rows(pairs: Ordered, starts: Integers, times: int, rng: np.random.Generator) -> Floats:
    drawn = np.empty((times, len(starts)))
    for one in range(times):
        drawn[one] = pairs.by(starts, np.where(rng.random(len(pairs.q)) < pairs.q, pairs.w, 0.0))
    return drawn


def _of_clusters(pairs: Ordered, clusters: Integers, starts: Integers, times: int, rng: np.random.Generator) -> Floats:
    together, number = shared(pairs, clusters), int(clusters.max()) + 1
    drawn = np.empty((times, len(starts)))
    for one in range(times):
        own, of_cluster = rng.random(len(pairs.q)), rng.random(number)[clusters]
        alone = (own - together) / (1.0 - together) if together < 1.0 else own
        uniform = np.where(own < together, of_cluster, alone)
        drawn[one] = pairs.by(starts, np.where(uniform < pairs.q, pairs.w, 0.0))
    return drawn


def shared(pairs: Ordered, clusters: Integers) -> float:
    """The probability with which a pair takes the random number of its cluster.

    Two pairs that both do have labels of covariance min(q, q') - q q', so that the square of the probability is
    Σ w w' (y - q)(y' - q') / Σ w w' (min(q, q') - q q') over the pairs of rows of a cluster; 0 if that is negative.
    """
    order = np.lexsort((pairs.q, clusters))
    code, q, w = clusters[order], pairs.q[order], pairs.w[order]
    starts = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    weight, residual = np.add.reduceat(w, starts), w * (pairs.y[order] - q)
    before = np.repeat(np.cumsum(weight) - weight, np.diff(np.append(starts, len(q))))
    heavier = np.repeat(weight, np.diff(np.append(starts, len(q)))) - (np.cumsum(w) - before)  # those of larger q
    smaller = 2.0 * float((w * q) @ heavier)
    products = float((np.add.reduceat(w * q, starts) ** 2).sum() - ((w * q) ** 2).sum())
    found = float((np.add.reduceat(residual, starts) ** 2).sum() - (residual**2).sum())
    most = smaller - products
    return min(1.0, max(0.0, found / most)) ** 0.5 if most > 0 else 0.0
