"""The test of calibration that tables show: Hosmer and Lemeshow's over the bins, and for clusters one of its own."""

from __future__ import annotations

import math

import numpy as np

from howsure.calibration.binning import Binned
from howsure.calibration.error import SquaredError
from howsure.stats.pairs import Floats, Integers, Pairs, PairSource

LEAST_EXPECTED = 5.0  # labels of either kind in a merged bin


def binned_test(binned: Binned, *, variance: Floats | None = None) -> tuple[float, float]:
    """Hosmer and Lemeshow's statistic for predictions made beforehand, and its p-value.

    Σ (Σ_b w (q - y))² / Σ_b w² q (1 - q) over bins that are merged with the next until each expects at least five
    labels of either kind (weighted ones are worth Σw / Σw² each), so that none is too rare for a chi-square with one
    degree of freedom a bin. `variance` holds the denominators where the pairs have weights.
    """
    from scipy.special import gammaincc

    s = binned.sums
    worth = s.w1 / s.w2
    bins = _with_enough(s.q * worth, (s.w1 - s.q) * worth)
    spread = np.maximum(s.q - s.qq, 0.0) if variance is None else variance
    gap, spread = (np.bincount(bins, weights=column) for column in (s.u, spread))
    certain = spread <= 0.0
    if bool((np.abs(gap[certain]) > 1e-9).any()):
        return math.inf, 0.0
    statistic = float((gap[~certain] ** 2 / spread[~certain]).sum())
    degrees = int(np.count_nonzero(~certain))
    return statistic, float(gammaincc(degrees / 2, statistic / 2)) if degrees else 1.0


def _with_enough(positives: Floats, negatives: Floats) -> Integers:
    """The number of the merged bin of each bin; what is left over at the end joins the last one."""
    merged, number, expected = np.zeros(len(positives), dtype=np.int64), 0, [0.0, 0.0]
    for i, (one, other) in enumerate(zip(positives.tolist(), negatives.tolist(), strict=True)):
        merged[i] = number
        expected = [expected[0] + one, expected[1] + other]
        if min(expected) >= LEAST_EXPECTED:
            number, expected = number + 1, [0.0, 0.0]
    return np.minimum(merged, max(number - 1, 0))


def p_value_of(pairs: Pairs | PairSource, binned: Binned, squared: SquaredError) -> float:
    """The p-value of calibration that tables show: the binned test, or for clusters a normal one.

    The latter asks how often the debiased estimate would be as large if there were nothing in it but noise.
    """
    if not isinstance(pairs, Pairs) or (pairs.clusters is None and pairs.weights is None):
        return binned_test(binned)[1]
    q, w = pairs.probabilities, pairs.weights
    if pairs.clusters is None and w is not None:
        order = np.lexsort((w, q))
        spread = (w**2 * q * (1 - q))[order]
        variance = np.bincount(binned.bins_of(q[order]), spread, len(binned.sums)).astype(np.float64)
        return binned_test(binned, variance=variance)[1]
    if math.isnan(squared.value):
        return math.nan
    if squared.least <= 0.0:
        return 0.0 if squared.value > 0.0 else 1.0
    return math.erfc(squared.value / math.sqrt(2 * squared.least)) / 2
