"""The expected calibration error Σ p_b |g_b| of bins, with an interval for its value in the population."""

from __future__ import annotations

import math

import numpy as np

from howsure.calibration.bins.sums import Sums
from howsure.calibration.estimates.cluster_sums import ClusterSums
from howsure.calibration.estimates.clusters import cautious_numbers, clustered_standard_errors
from howsure.calibration.estimates.error import mean_gaps
from howsure.calibration.estimates.rare_labels import exact_interval
from howsure.inputs.pairs import Floats
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile

LARGEST_FACTOR, FAR = 1.64, 4.0  # the variance of `cautious_gaps` is at most 1.64 s², and s² from about 4 s on


def expected_error(sums: Sums, cells: ClusterSums | None, *, level: float) -> Estimate:
    """The plug-in ECE T = Σ p_b |ĝ_b| of the mean gaps ĝ_b, and an interval of the population's ECE Σ p_b |g_b| in the
    same bins.

    T is too large on average, by as much as 0.8 Σ p_b s_b for a calibrated model, s_b the standard error of ĝ_b, so
    that T ± z · sd does not cover. Upper end: T + z · sd, since the mean of T is not below the ECE. Lower end: L - z ·
    sd, where L = Σ p_b L_b cannot be above it on average: half of the pairs of a bin say on which side of the diagonal
    it lies, and the other half how far; L_b is the mean over all halves. sd includes that of the shares p_b. Where
    labels hardly vary, one bin's frequency at the end of its exact interval extends both ends.
    """
    share, gap, frequency = sums.w1 / sums.w1.sum(), mean_gaps(sums), sums.y / sums.w1
    value, n = float(share @ np.abs(gap)), int(sums.count.sum())
    if cells is None:
        z, effective, seen = normal_quantile(level), sums.w1**2 / sums.w2, _seen_noise(sums, gap)
        between = max(float(share @ gap**2) - value**2, 0.0) * float(sums.w2.sum() / sums.w1.sum() ** 2)
        variance = float(share**2 @ seen) + between
    else:
        from scipy.special import stdtrit

        many = len(np.unique(cells.cluster))
        if many < 2:
            return Estimate(value, None, None, level, "plugin", n)
        z = float(stdtrit(many - 1, 0.5 + level / 2))
        effective = cautious_numbers(cells, frequency, clustered_standard_errors(cells))
        seen, variance = clustered_noise(cells, gap)
        between = max(variance - float(share**2 @ seen), 0.0)
    noise = np.maximum(seen, np.maximum(sums.q - sums.qq, 0.0) / sums.w1 / effective)
    factor = np.where(np.abs(gap) < FAR * np.sqrt(noise), LARGEST_FACTOR, 1.0)
    low = float(share @ cautious_gaps(gap, np.sqrt(noise))) - z * math.sqrt(share**2 @ (factor * noise) + between)
    high = value + z * math.sqrt(variance)
    nearer, farther = _rare(share, gap, frequency, effective, level)
    low, high = min(low, value - nearer), max(high, value + farther)
    return Estimate(value, max(low, 0.0), min(high, 1.0), level, "split halves", n)


def cautious_gaps(gap: Floats, s: Floats) -> Floats:
    """|g| from below: the mean over δ ~ Normal(0, s²) of sign(ĝ + δ) (ĝ - δ) = |ĝ| (2Φ(|ĝ| / s) - 1) - 2 s φ(ĝ / s).

    If ĝ ~ Normal(g, s²), ĝ + δ and ĝ - δ are independent, like two halves of the data, and the mean is
    |g| (2Φ(|g| / (s √2)) - 1): 0 for no gap, |g| for a large one, and never above |g|.

    >>> cautious_gaps(np.array([0.0, 0.1, -0.1]), np.array([0.01, 0.01, 0.1])).round(3).tolist()
    [-0.008, 0.1, 0.02]
    """
    from scipy.special import ndtr

    size = np.abs(gap)
    ratio = np.divide(size, s, out=np.full_like(size, np.inf), where=s > 0)
    density = np.exp(-0.5 * np.minimum(ratio, 40.0) ** 2) / math.sqrt(2 * math.pi)
    found: Floats = size * (2 * ndtr(ratio) - 1) - 2 * s * density
    return found


def _seen_noise(sums: Sums, gap: Floats) -> Floats:
    """The variance of each bin's mean gap, from its own pairs; 0 where one pair is alone."""
    couples = sums.w1**2 - sums.w2
    squares = np.maximum(sums.u2 - 2 * gap * sums.wwu + gap**2 * sums.w2, 0.0)
    return np.divide(squares, couples, out=np.zeros_like(squares), where=couples > 0)


def clustered_noise(cells: ClusterSums, gap: Floats) -> tuple[Floats, float]:
    """The variance of each bin's mean gap over clusters, and that of T.

    The latter is that of Σ_b sign(ĝ_b) Σ w u, in which every cluster enters by its sum over all bins, and at least that
    of bins that do not vary together.
    """
    weight, total = cells.by_bin(cells.w), float(cells.w.sum())
    n = np.bincount(cells.bin, minlength=cells.n_bins)
    correction = np.where(n > 1, n / np.maximum(n - 1, 1), 1.0)
    residual = cells.u - gap[cells.bin] * cells.w
    of_bins = correction * cells.by_bin(residual**2) / weight**2
    many = len(np.unique(cells.cluster))
    value = float(weight @ np.abs(gap)) / total
    together = cells.by_cluster(np.sign(gap)[cells.bin] * cells.u - value * cells.w) / total
    signed = many / max(many - 1, 1) * float(np.sort(together**2).sum())
    return of_bins, max(signed, float((weight / total) ** 2 @ of_bins))


def _rare(share: Floats, gap: Floats, frequency: Floats, effective: Floats, level: float) -> tuple[float, float]:
    """How far T falls and rises with one bin's frequency at the end of its exact interval: the rule of three."""
    low, high = exact_interval(frequency, effective, tail=(1 - level) / 2)
    predicted = frequency + gap
    nearest = np.maximum(np.maximum(predicted - high, low - predicted), 0.0)
    farthest = np.maximum(high - predicted, predicted - low)
    size = np.abs(gap)
    return float(np.max(share * (size - nearest))), float(np.max(share * (farthest - size)))
