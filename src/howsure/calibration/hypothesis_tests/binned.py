"""The test of calibration used in tables: Hosmer and Lemeshow's test over the bins, and a separate one for clusters."""

from __future__ import annotations

import math

import numpy as np

from howsure.calibration.bins.bins import Binned
from howsure.calibration.estimates.error import SquaredError
from howsure.calibration.hypothesis_tests.rare_bins import binned_p_value
from howsure.calibration.summary.slots import Slots
from howsure.inputs.pairs import Floats, Integers, Pairs

LEAST_EXPECTED = 5.0  # labels of either kind in a merged bin


def binned_test(binned: Binned) -> tuple[float, float]:
    """Hosmer and Lemeshow's statistic for given predictions, and its p-value.

    Σ (Σ_b w (q - y))² / Σ_b w² q (1 - q) over bins that are merged with the next until each expects at least five
    labels of either kind (weighted labels count Σw / Σw² each). The distribution is a chi-square with one degree of
    freedom per bin, or, where a bin expects few labels, that of their number.
    """
    s, bins = binned.sums, merged_bins(binned)
    zeros = s.w1 - s.y - s.u  # Σ w (1 - q), without cancellation near 1
    columns: list[Floats] = [s.u, np.maximum(binned.label_variance, 0.0), s.q, zeros, s.w1, s.w2]
    gap, spread, ones, zeros, w, ww = (np.bincount(bins, column).astype(np.float64) for column in columns)
    certain = spread <= 0.0
    if bool((np.abs(gap[certain]) > 1e-9).any()):
        return math.inf, 0.0
    open_ = ~certain
    with np.errstate(over="ignore"):  # of what all but cannot happen
        statistic = float((gap[open_] ** 2 / spread[open_]).sum())
    worth = (w / ww)[open_]
    expected = np.maximum(np.minimum(ones, zeros), 0.0)[open_] * worth
    return statistic, binned_p_value(statistic, expected, np.minimum(spread[open_] * worth**2, expected))


def merged_bins(binned: Binned) -> Integers:
    """The merged bin of each bin; every merged bin expects at least five labels of either kind."""
    s = binned.sums
    worth = s.w1 / s.w2
    return _with_enough(s.q * worth, (s.w1 - s.q) * worth)


def merged_edges(binned: Binned) -> Floats:
    """The largest prediction of each merged bin but the last."""
    return binned.inner[np.diff(merged_bins(binned)) > 0]


def _with_enough(positives: Floats, negatives: Floats) -> Integers:
    """The merged bin of each bin; the remainder joins the last one."""
    merged, number, expected = np.zeros(len(positives), dtype=np.int64), 0, [0.0, 0.0]
    for i, (one, other) in enumerate(zip(positives.tolist(), negatives.tolist(), strict=True)):
        merged[i] = number
        expected = [expected[0] + one, expected[1] + other]
        if min(expected) >= LEAST_EXPECTED:
            number, expected = number + 1, [0.0, 0.0]
    return np.minimum(merged, max(number - 1, 0))


def p_value_of(pairs: Pairs | Slots, binned: Binned, squared: SquaredError) -> float:
    """The p-value of calibration used in tables: the binned test, or for clusters that of the debiased estimate."""
    clustered = isinstance(pairs, Pairs) and pairs.clusters is not None
    return squared.p_value if clustered else binned_test(binned)[1]
