"""Intervals of Algorithm 1's value: the paper's Algorithm 2, and a bootstrap."""

from __future__ import annotations

import numpy as np

from howsure.calibration.bins.bins import Binned
from howsure.calibration.bins.sums import Sums
from howsure.calibration.estimates.cluster_sums import cluster_sums
from howsure.calibration.estimates.error import plugin_mse, root
from howsure.errors import InputError, parameter
from howsure.inputs.pairs import Floats, Pairs
from howsure.stats.proportions import normal_quantile

SAMPLES = 10_000  # the paper's
RESAMPLES = 1_000
NUMBERS_AT_ONCE = 1 << 22

Interval = tuple[float, float]


def frequency_errors(sums: Sums) -> Floats:
    """σ̂ = sqrt(p̂ (1 - p̂) / m) of each bin; m is (Σw)² / Σw² with weights."""
    frequency = sums.y / sums.w1
    return np.sqrt(np.maximum(frequency * (1 - frequency), 0.0) * sums.w2) / sums.w1


def nguyen_oconnor_intervals(sums: Sums, *, level: float, rng: np.random.Generator) -> tuple[Interval, Interval]:
    """Algorithm 2 of Nguyen & O'Connor (2015): the interval of the error, and the thesis's of its square.

    Redraw each bin's label frequency from Normal(p̂, σ̂²), clipped to [0, 1] for the error and not for its square; the
    interval is mean ± z · sd of the resulting values. **It does not cover**: the redraw adds the binomial noise a
    second time, so for a calibrated model, the 95 % interval contained the true value in none of the measured runs. For
    replication only.
    """
    share = sums.w1 / sums.w1.sum()
    predicted, frequency, sigma = sums.q / sums.w1, sums.y / sums.w1, frequency_errors(sums)
    errors, squares = np.empty(SAMPLES), np.empty(SAMPLES)
    step = max(1, NUMBERS_AT_ONCE // len(sums))
    for start in range(0, SAMPLES, step):
        rows = min(step, SAMPLES - start)
        drawn = frequency + sigma * rng.standard_normal((rows, len(sums)))
        squares[start : start + rows] = (predicted - drawn) ** 2 @ share
        errors[start : start + rows] = np.sqrt((predicted - np.clip(drawn, 0.0, 1.0)) ** 2 @ share)
    z = normal_quantile(level)
    ends = [(float(x.mean() - z * x.std(ddof=1)), float(x.mean() + z * x.std(ddof=1))) for x in (errors, squares)]
    return ends[0], ends[1]


def bootstrap_intervals(
    pairs: Pairs, binned: Binned, *, level: float, rng: np.random.Generator
) -> tuple[Interval, Interval]:
    """Basic bootstrap intervals of the error and of its square: rows, or whole clusters, drawn with replacement.

    The bins are fixed. With T the squared error of the data and T* those of the draws, the interval of the square is 2T
    - quantiles of T*, truncated at 0, and that of the error its square root: reflected, since T and T* are both too
    large by the noise of the frequencies (percentiles of T* would double that bias).
    """
    cells = cluster_sums(pairs, binned.bins_of(pairs.probabilities), len(binned.sums))
    counted = np.bincount(cells.cluster, minlength=cells.n_clusters) > 0
    position = np.cumsum(counted) - 1
    cluster, n = position[cells.cluster], int(counted.sum())
    if n < 2:
        raise InputError(f"{parameter('interval', 'bootstrap')} needs at least 2 rows or clusters to draw from")
    squares = np.empty(RESAMPLES)
    for i in range(RESAMPLES):
        times = np.bincount(rng.integers(n, size=n), minlength=n)[cluster]
        weight = cells.by_bin(cells.w * times)
        gap = np.divide(cells.by_bin(cells.u * times), weight, out=np.zeros_like(weight), where=weight > 0)
        squares[i] = (weight @ gap**2) / weight.sum()
    value = plugin_mse(binned.sums)
    high, low = 2 * value - np.quantile(squares, [(1 - level) / 2, (1 + level) / 2])
    return (root(low), root(high)), (max(float(low), 0.0), max(float(high), 0.0))
