"""Isotonic regression of labels on predictions, the consistency band of a calibrated model, and the smooth ECE."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from howsure.calibration.bins import HISTOGRAM_BARS, bar_weights, bars_of_rows, log_loss_of_rows, sorted_rows
from howsure.calibration.slots import EXACT_UP_TO, Slots, sum_by_slot
from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs
from howsure.result import Estimate

# Pairs in the order of their predictions; if there are very many, by whole cells.


@dataclass(frozen=True)
class Ordered:
    """Pairs in ascending order of q.

    q, y, w (rows,): prediction, label and weight; a row represents `times` identical pairs. clusters: the cluster of
    each row, or None. brier, log_loss: the mean scores. infinite_rows: number of pairs whose log loss is infinite.
    histogram (2, 64): weight by label and bar. exact: False if the predictions of a cell count as equal.
    """

    q: Floats
    y: Labels
    w: Floats
    times: Integers
    clusters: Integers | None
    brier: float
    log_loss: float
    infinite_rows: int
    histogram: Floats
    exact: bool

    @cached_property
    def starts(self) -> Integers:
        """The first row of each distinct prediction."""
        return np.flatnonzero(np.append(True, self.q[1:] != self.q[:-1]))

    @cached_property
    def weight(self) -> Floats:
        """The total weight of each row's pairs."""
        return self.w * self.times

    def by(self, starts: Integers, values: Floats | Integers) -> Floats:
        """Add up the rows' values, from each start to the next."""
        return np.asarray(np.add.reduceat(values, starts), dtype=np.float64)


def ordered(pairs: Pairs | Slots) -> Ordered:
    """Sort pairs by prediction.

    The predictions of a cell count as equal in sums, and in more than `EXACT_UP_TO` pairs without weights and clusters.
    """
    if isinstance(pairs, Slots):
        return _cell_rows(pairs)
    if len(pairs) <= EXACT_UP_TO or pairs.weights is not None or pairs.clusters is not None:
        return _ordered_pairs(pairs)
    return _cell_rows(sum_by_slot(pairs))


def _ordered_pairs(pairs: Pairs) -> Ordered:
    clusters = None
    if pairs.clusters is None:
        q, y, w = sorted_rows(pairs)
        weight = np.ones(len(q)) if w is None else w
    else:
        weight = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
        order = np.lexsort((weight, pairs.labels, pairs.clusters, pairs.probabilities))
        q, y, weight = pairs.probabilities[order], pairs.labels[order], weight[order]
        w, clusters = weight, pairs.clusters[order]
    total = float(weight.sum())
    log_sum, infinite = log_loss_of_rows(q, y, w)
    bars = bars_of_rows(q) * 2 + y
    histogram = np.bincount(bars, weights=weight, minlength=2 * HISTOGRAM_BARS).reshape(-1, 2).T
    return Ordered(
        q=q + 0.0,
        y=y,
        w=weight,
        times=np.ones(len(q), dtype=np.int64),
        clusters=clusters,
        brier=float((weight * (q - y) ** 2).sum() / total),
        log_loss=math.inf if infinite else log_sum / total,
        infinite_rows=infinite,
        histogram=histogram.astype(np.float64),
        exact=True,
    )


def by_content(pairs: Pairs) -> Pairs:
    """Renumber clusters by content, so that results depend on neither the names nor the order of clusters."""
    if (clusters := pairs.clusters) is None:
        return pairs
    weight = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    order = np.lexsort((weight, pairs.labels, pairs.probabilities, clusters))
    code = clusters[order]
    starts = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    w = weight[order]
    columns = w, w * pairs.labels[order], w * pairs.probabilities[order], pairs.probabilities[order]
    sums = [np.add.reduceat(column, starts) for column in columns]
    codes = np.empty(int(code[-1]) + 1, dtype=np.int64)
    codes[code[starts][np.lexsort(sums)]] = np.arange(len(starts))
    return replace(pairs, clusters=codes[clusters])


def _cell_rows(slots: Slots) -> Ordered:
    """Return one row per slot (cell and label), with the mean prediction of its cell."""
    if slots.weights is not None:
        raise InputError(
            "with weights, `method='corp'` needs the pairs, but these are only sums. Use `method='bins'`.", "method"
        )
    (mean, gap, variance), w1 = slots.means(), slots.powers()[0]
    _, of_slot = np.unique(slots.cell, return_inverse=True)
    q = np.bincount(of_slot, w1 * mean) / np.bincount(of_slot, w1)
    q = np.maximum.accumulate(np.clip(q, 0.0, 1.0))
    infinite, total = slots.infinite_rows, float(w1.sum())
    return Ordered(
        q=q[of_slot],
        y=slots.label.astype(np.uint8),
        w=np.ones(len(w1)),
        times=slots.count,
        clusters=None,
        brier=float(w1 @ (gap * gap + variance)) / total,
        log_loss=math.inf if infinite else slots.log_sum() / total,
        infinite_rows=infinite,
        histogram=bar_weights(slots, HISTOGRAM_BARS),
        exact=False,
    )


# Isotonic regression: the least-squares increasing curve, computed by pooling adjacent violators.

SAME = 1e-12  # frequencies that differ by less differ only by rounding and belong to one step


def isotonic_steps(pairs: Ordered) -> Integers:
    """Return the first row of each step of the isotonic regression; equal predictions are pooled.

    A step's value is the label frequency of its pairs; the frequencies increase from step to step (Ayer et al. 1955).
    """
    from scipy.optimize import isotonic_regression

    weight = pairs.by(pairs.starts, pairs.weight)
    label = pairs.by(pairs.starts, pairs.weight * pairs.y)
    blocks = isotonic_regression(label / weight, weights=weight).blocks[:-1]
    frequency = np.add.reduceat(label, blocks) / np.add.reduceat(weight, blocks)
    rises = np.append(True, np.diff(frequency) > SAME)
    return np.asarray(pairs.starts[blocks[rises]])


def isotonic_values(mean: Floats, weight: Floats) -> Floats:
    """Return the weighted isotonic regression (cells,) of the cells' means, in their order."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(mean, weights=weight).x)


# The consistency band: the range of isotonic curves of a calibrated model, by simulation.
#
# Labels are drawn from the predictions, y* = 1 with probability q, and the curve is fitted to them again. If the model
# is calibrated, the curve of the data has the same distribution, so at each prediction it is inside the band with the
# stated probability, for any number of pairs and ties. Labels within a cluster are drawn with correlation: with
# probability s, a pair uses the random number of its cluster, otherwise its own random number. s is chosen so that the
# residuals y - q within clusters are as correlated as in the data. (Bands from resampled residuals of clusters covered
# only 89% to 94%, because steps of the curve often have too few clusters to estimate their variance.)

CELLS = 1 << 12  # distinct predictions; if there are more, labels are drawn for cells of neighbouring predictions
BY_ROW_UP_TO = 1 << 17  # pairs; with more, the labels of a cell are drawn together


@dataclass(frozen=True, slots=True)
class Consistency:
    """The consistency band: arrays (cells,), in ascending order of predictions.

    at: mean prediction. weight: total weight. frequency: value of the curve. low, high: the pointwise band.
    miscalibration: the Brier score's miscalibration of the data's curve. simulated (simulations,): the same for each
    simulated curve.
    """

    at: Floats
    weight: Floats
    frequency: Floats
    low: Floats
    high: Floats
    miscalibration: float
    simulated: Floats

    @property
    def p_value(self) -> float:
        """The proportion of curves, including the data's, that are at least as miscalibrated as the data's curve."""
        as_large = int(np.count_nonzero(self.simulated >= self.miscalibration - 1e-12))
        return (1 + as_large) / (1 + len(self.simulated))


def consistency(pairs: Ordered, *, n_simulations: int, level: float, rng: np.random.Generator) -> Consistency:
    """Simulate curves of a calibrated model with these predictions, weights and clusters."""
    starts = _cells(pairs)
    weight = pairs.by(starts, pairs.weight)
    at = pairs.by(starts, pairs.weight * pairs.q) / weight
    observed = isotonic_values(label := pairs.by(starts, pairs.weight * pairs.y) / weight, weight)
    labels = _simulated_labels(pairs, starts, n_simulations, rng) / weight
    curves = np.stack([isotonic_values(label, weight) for label in labels])
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
    """Return the weighted mean of (q - y)² - (curve - y)² for each row of labels and curves."""
    return np.asarray(((at - curve) * (at + curve - 2 * label)) @ weight / weight.sum())


def _cells(pairs: Ordered) -> Integers:
    """Return the first row of each cell: a distinct prediction or, if too many, a range of about equally many pairs."""
    starts = pairs.starts
    if len(starts) <= CELLS:
        return starts
    before = np.append(0, np.cumsum(pairs.by(starts, pairs.times))[:-1])
    cell = before * CELLS // int(pairs.times.sum())
    return np.asarray(starts[np.append(True, cell[1:] != cell[:-1])])


def _simulated_labels(pairs: Ordered, starts: Integers, times: int, rng: np.random.Generator) -> Floats:
    """Draw labels from the predictions and return their weighted sums, (simulations, cells)."""
    if pairs.clusters is not None:
        return _simulate_clusters(pairs, pairs.clusters, starts, times, rng)
    if int(pairs.times.sum()) == len(pairs.q) <= BY_ROW_UP_TO:
        drawn = np.empty((times, len(starts)))
        for draw in range(times):
            drawn[draw] = pairs.by(starts, np.where(rng.random(len(pairs.q)) < pairs.q, pairs.w, 0.0))
        return drawn
    weight, squares = pairs.by(starts, pairs.weight), pairs.by(starts, pairs.weight * pairs.w)
    number = np.maximum(np.round(weight**2 / squares), 1.0).astype(np.int64)
    mean = pairs.by(starts, pairs.weight * pairs.q) / weight
    return rng.binomial(number, np.clip(mean, 0.0, 1.0), size=(times, len(starts))) * (weight / number)


def _simulate_clusters(
    pairs: Ordered, clusters: Integers, starts: Integers, times: int, rng: np.random.Generator
) -> Floats:
    together, number = cluster_sharing(pairs, clusters), int(clusters.max()) + 1
    drawn = np.empty((times, len(starts)))
    for draw in range(times):
        independent, of_cluster = rng.random(len(pairs.q)), rng.random(number)[clusters]
        alone = (independent - together) / (1.0 - together) if together < 1.0 else independent
        uniform = np.where(independent < together, of_cluster, alone)
        drawn[draw] = pairs.by(starts, np.where(uniform < pairs.q, pairs.w, 0.0))
    return drawn


def cluster_sharing(pairs: Ordered, clusters: Integers) -> float:
    """Estimate the probability s with which a simulated pair uses the random number of its cluster.

    If two pairs use the same random number, their labels have covariance min(q, q') - q q'. Therefore s² is estimated
    by Σ w w' (y - q)(y' - q') / Σ w w' (min(q, q') - q q'), with sums over pairs of rows in the same cluster, and
    clipped to [0, 1].
    """
    order = np.lexsort((pairs.q, clusters))
    code, q, w = clusters[order], pairs.q[order], pairs.w[order]
    starts = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    weight, residual = np.add.reduceat(w, starts), w * (pairs.y[order] - q)
    before = np.repeat(np.cumsum(weight) - weight, np.diff(np.append(starts, len(q))))
    heavier = np.repeat(weight, np.diff(np.append(starts, len(q)))) - (np.cumsum(w) - before)  # by larger q
    smaller = 2.0 * float((w * q) @ heavier)
    products = float((np.add.reduceat(w * q, starts) ** 2).sum() - ((w * q) ** 2).sum())
    excess = float((np.add.reduceat(residual, starts) ** 2).sum() - (residual**2).sum())
    most = smaller - products
    return min(1.0, max(0.0, excess / most)) ** 0.5 if most > 0 else 0.0


# The smooth ECE (Błasiok & Nakkiran 2023): the calibration error after kernel smoothing, without a free bandwidth.
#
# The residuals y - q are smoothed over [0, 1] by a Gaussian kernel that is reflected at both ends. smECE_σ = ∫ |r_σ(t)|
# dt, with r_σ(t) = Σ w K_σ(t, q) (y - q) / Σ w, decreases with the bandwidth σ. The smooth ECE is the σ for which
# smECE_σ = σ. It is a calibration error in units of probability that is continuous in the predictions. Because of
# noise, the smooth ECE is positive even for a calibrated model. By the triangle inequality, and because smECE_σ
# decreases with σ, the sample's smooth ECE differs from the population's by at most ∫ |noise_σ(t)| dt at the sample's
# σ. The interval uses a quantile of this bound in simulated noise; it is conservative unless the model is calibrated.

PLACES = 1 << 12  # points of a grid over [0, 1]; a residual is divided between the two nearest points
HALVINGS = 30
SIMULATIONS = 199
NUMBERS_PER_BLOCK = 1 << 21  # random numbers


def smooth_ece(pairs: Ordered, *, level: float, rng: np.random.Generator) -> Estimate:
    """Return the smooth ECE with an interval for its population value; a single row or cluster has no interval."""
    total, n = float(pairs.weight.sum()), int(pairs.times.sum())
    value = fixed_point(on_grid(pairs.q, pairs.weight * (pairs.y - pairs.q)) / total)
    single = n < 2 if pairs.clusters is None else len(np.unique(pairs.clusters)) < 2
    if single:
        return Estimate(value, None, None, level, "smooth", n)
    reach = float(np.quantile(smoothed_errors(_noise(pairs, rng) / total, value), level, method="weibull"))
    return Estimate(value, max(value - reach, 0.0), min(value + reach, 1.0), level, "smooth", n)


def fixed_point(masses: Floats) -> float:
    """Find the bandwidth σ with smECE_σ = σ by bisection; 0 if σ is below 2⁻³⁰."""
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if smoothed_errors(masses, middle) > middle else (low, middle)
    return (low + high) / 2 if high > 2.0**-HALVINGS else 0.0


def smoothed_errors(masses: Floats, bandwidth: float) -> Floats:
    """Return smECE_σ = ∫ |r_σ(t)| dt for each row of residuals on the grid, (…, PLACES + 1).

    A cosine transform with damped coefficients smooths them with the reflected Gaussian kernel.
    """
    from scipy.fft import dct, idct

    width = np.full(PLACES + 1, 1.0 / PLACES)
    width[[0, -1]] /= 2
    damping = np.exp(-((np.pi * np.arange(PLACES + 1) * bandwidth) ** 2) / 2)
    smoothed = idct(dct(masses / width, type=1, axis=-1) * damping, type=1, axis=-1)
    return np.asarray(np.abs(smoothed) @ width)


def on_grid(q: Floats, values: Floats) -> Floats:
    """Add up values on the grid, (PLACES + 1,); each value is divided between the two points nearest to its q."""
    left = np.minimum((q * PLACES).astype(np.int64), PLACES - 1)
    right = q * PLACES - left
    masses = np.bincount(left, weights=values * (1 - right), minlength=PLACES + 1)
    return np.asarray(masses + np.bincount(left + 1, weights=values * right, minlength=PLACES + 1))


def _noise(pairs: Ordered, rng: np.random.Generator) -> Floats:
    """Simulate noise on the grid, (SIMULATIONS, PLACES + 1): each row's or cluster's residuals times a normal number.

    Residuals smaller than expected of a calibrated model are scaled up to the expected size, because rare labels may by
    chance be even rarer in the sample.
    """
    residual = pairs.w * (pairs.y - pairs.q)
    spread = float((pairs.times * pairs.w**2) @ (pairs.q * (1 - pairs.q)))
    if 0 < (observed := float(pairs.times @ residual**2)) < spread:
        residual = residual * np.sqrt(spread / observed)
    if pairs.clusters is None:
        scale = np.sqrt(on_grid(pairs.q, pairs.times * residual**2))
        return rng.standard_normal((SIMULATIONS, PLACES + 1)) * scale
    from scipy.sparse import csr_array

    left = np.minimum((pairs.q * PLACES).astype(np.int64), PLACES - 1)
    right = pairs.q * PLACES - left
    number = int(pairs.clusters.max()) + 1
    grid_points = np.concatenate([left, left + 1])
    values = np.concatenate([residual * (1 - right), residual * right])
    sums = csr_array((values, (grid_points, np.tile(pairs.clusters, 2))), shape=(PLACES + 1, number))
    step = max(1, NUMBERS_PER_BLOCK // number)
    sizes = [min(step, SIMULATIONS - first) for first in range(0, SIMULATIONS, step)]
    return np.concatenate([(sums @ rng.standard_normal((number, size))).T for size in sizes])
