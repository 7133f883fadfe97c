"""Tests of calibration: could these predictions be right?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.calibration.binning import Binned, bin_pairs, sorted_rows
from howsure.calibration.error import SquaredError, plugin_mse
from howsure.errors import InputError
from howsure.stats.door import pairs_from
from howsure.stats.pairs import Floats, Integers, Pairs, PairSource
from howsure.stats.randomness import Randomness, generator_from

METHODS = ("spiegelhalter", "simulation", "binned")
DRAWS_AT_ONCE = 1 << 22
LEAST_EXPECTED = 5.0  # labels of either kind in a merged bin


@dataclass(frozen=True, slots=True)
class CalibrationTest:
    """A test of the hypothesis that every label is a draw from its prediction.

    statistic: what the method measures. p_value: the probability of one at least as extreme under calibration.
    p_error: the Monte Carlo standard error of the p-value, 0 where it is exact or asymptotic.
    """

    method: str
    statistic: float
    p_value: float
    p_error: float
    n: int


def calibration_test(
    y_true: Any,
    y_prob: Any,
    *,
    method: str = "simulation",
    n_simulations: int = 999,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    pos_label: Any = None,
    data: Any = None,
    rng: Randomness = None,
) -> CalibrationTest:
    """Test whether the labels could be draws from the predictions.

    method "simulation": labels are drawn from the predictions `n_simulations` times and the squared error of the same
    bins computed; p = (c + 1) / (B + 1), c the number of draws with at least the error of the data. Exact for any n,
    with ties and rare labels. "spiegelhalter": Z = Σ (y - q)(1 - 2q) / sqrt(Σ (1 - 2q)² q (1 - q)), two-sided, standard
    normal; blind to errors that are alike on both sides of one half. "binned": Hosmer and
    Lemeshow's Σ gap_b² / variance_b, in which rare labels count as much as common ones, against a chi-square; fast.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> q = rng.random(500)
    >>> calibration_test(rng.random(500) < q, q, rng=0).p_value > 0.05
    True
    >>> calibration_test(rng.random(500) < q**3, q, rng=0).p_value
    0.001

    Raises InputError for bad pairs or an unknown method.
    Source: Spiegelhalter (1986); Hosmer & Lemeshow (1980); simulation: Vaicenavicius et al. (2019).
    """
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    pairs = pairs_from(y_true, y_prob, data=data, pos_label=pos_label)
    if method == "spiegelhalter":
        z = spiegelhalter_z(pairs)
        return CalibrationTest(method, z, two_sided(z), 0.0, len(pairs))
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins)
    mse = plugin_mse(binned.sums)
    if method == "binned":
        return CalibrationTest(method, *binned_test(binned), 0.0, len(pairs))
    if n_simulations < 1:
        raise InputError(f"n_simulations must be at least 1, not {n_simulations!r}")
    drawn = _simulated_mse(pairs, binned, n_simulations, generator_from(rng))
    as_large = int(np.count_nonzero(drawn >= mse * (1 - 1e-12)))
    p = (as_large + 1) / (n_simulations + 1)
    return CalibrationTest(method, mse, p, math.sqrt(p * (1 - p) / (n_simulations + 1)), len(pairs))


def spiegelhalter_z(pairs: Pairs) -> float:
    """Spiegelhalter's Z; 0 where every prediction is 0, 1 or one half and nothing can be said."""
    q, y, _ = sorted_rows(Pairs(pairs.labels, pairs.probabilities))
    lever = 1.0 - 2.0 * q
    variance = float((lever**2 * q * (1 - q)).sum())
    surprise = float(((y - q) * lever).sum())
    if variance == 0.0:
        return 0.0 if surprise == 0.0 else math.copysign(math.inf, surprise)
    return surprise / math.sqrt(variance)


def two_sided(z: float) -> float:
    """The probability that a standard normal variable is at least as far from 0 as z."""
    return math.erfc(abs(z) / math.sqrt(2))


def binned_test(binned: Binned) -> tuple[float, float]:
    """Hosmer and Lemeshow's statistic for predictions made beforehand, and its p-value.

    Σ (Σ_b (q - y))² / Σ_b q (1 - q) over bins that are merged with the next until each expects at least five labels of
    either kind, so that none of them is too rare for a chi-square with one degree of freedom a bin.
    """
    from scipy.special import gammaincc

    s = binned.sums
    bins = _with_enough(s.q, s.w1 - s.q)
    gap, variance = (np.bincount(bins, weights=column) for column in (s.u, np.maximum(s.q - s.qq, 0.0)))
    certain = variance <= 0.0
    if bool((np.abs(gap[certain]) > 1e-9).any()):
        return math.inf, 0.0
    statistic = float((gap[~certain] ** 2 / variance[~certain]).sum())
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
    """The p-value of calibration that tables show: the binned test, or for clusters and weights a normal one.

    The latter asks how often the debiased estimate would be as large if there were nothing in it but noise.
    """
    if not isinstance(pairs, Pairs) or (pairs.clusters is None and pairs.weights is None):
        return binned_test(binned)[1]
    if math.isnan(squared.value):
        return math.nan
    if squared.least <= 0.0:
        return 0.0 if squared.value > 0.0 else 1.0
    return math.erfc(squared.value / math.sqrt(2 * squared.least)) / 2


def _simulated_mse(pairs: Pairs, binned: Binned, times: int, rng: np.random.Generator) -> Floats:
    q = np.sort(pairs.probabilities)
    bins = binned.bins_of(q)
    starts = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    predicted, count = np.add.reduceat(q, starts), np.diff(np.append(starts, len(q)))
    values = np.empty(times)
    step = max(1, DRAWS_AT_ONCE // len(q))
    for start in range(0, times, step):
        rows = min(step, times - start)
        drawn = rng.random((rows, len(q))) < q
        positives = np.add.reduceat(drawn, starts, axis=1, dtype=np.float64)
        values[start : start + rows] = ((predicted - positives) ** 2 / count).sum(axis=1) / len(q)
    return values
