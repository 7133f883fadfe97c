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
from howsure.stats.pairs import Floats, Pairs, PairSource
from howsure.stats.randomness import Randomness, generator_from

METHODS = ("spiegelhalter", "simulation", "binned")
DRAWS_AT_ONCE = 1 << 22


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
    normal; blind to errors that are alike on both sides of one half. "binned": Σ p_b gap_b² against a scaled chi-square
    with the same mean and variance under calibration; the fast form of the first.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> q = rng.random(500)
    >>> calibration_test(rng.random(500) < q, q, rng=0).p_value > 0.05
    True
    >>> calibration_test(rng.random(500) < q**3, q, rng=0).p_value
    0.001

    Raises InputError for bad pairs or an unknown method.
    Source: Spiegelhalter (1986); simulation: Vaicenavicius et al. (2019); chi-square: Satterthwaite (1946).
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
        return CalibrationTest(method, mse, binned_p_value(binned), 0.0, len(pairs))
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


def binned_p_value(binned: Binned) -> float:
    """P(Σ p_b gap_b² at least as large) if calibrated, by a chi-square of the same mean and variance.

    Under calibration gap_b has variance v_b = Σ_b q (1 - q) / m_b², from the predictions alone.
    """
    from scipy.special import gammaincc

    s = binned.sums
    share = s.w1 / s.w1.sum()
    null_variance = np.maximum(s.q - s.qq, 0.0) * s.w2 / s.w1**3
    scaled = share * null_variance
    mean, variance = float(scaled.sum()), 2 * float((scaled**2).sum())
    mse = plugin_mse(s)
    if variance <= 0.0:
        return 1.0 if mse < 1e-24 else 0.0
    degrees = 2 * mean**2 / variance
    return float(gammaincc(degrees / 2, mse * degrees / mean / 2))


def p_value_of(pairs: Pairs | PairSource, binned: Binned, squared: SquaredError) -> float:
    """The p-value of calibration that tables show: the binned test, or for clusters and weights a normal one.

    The latter asks how often the debiased estimate would be as large if there were nothing in it but noise.
    """
    if not isinstance(pairs, Pairs) or (pairs.clusters is None and pairs.weights is None):
        return binned_p_value(binned)
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
