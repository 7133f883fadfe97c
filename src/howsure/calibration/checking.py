"""Tests of calibration: could these predictions be right?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.binning import Binned, bin_pairs, sorted_rows
from howsure.calibration.error import SquaredError, plugin_mse
from howsure.errors import InputError
from howsure.stats.door import pairs_from
from howsure.stats.numbers import check_whole
from howsure.stats.pairs import Floats, Integers, Pairs, PairSource
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

METHODS = ("spiegelhalter", "simulation", "binned")
DRAWS_AT_ONCE = 1 << 22
LEAST_EXPECTED = 5.0  # labels of either kind in a merged bin


@dataclass(frozen=True, slots=True)
class CalibrationTest:
    """A test of the hypothesis that every label is a draw from its prediction.

    statistic: what the method measures. p_value: the probability of one at least as extreme under calibration.
    p_error: the Monte Carlo standard error of the p-value, 0 where it is exact or asymptotic. recipe: to do it again.
    """

    method: str
    statistic: float
    p_value: float
    p_error: float
    n: int
    recipe: dict[str, Any] = field(repr=False, compare=False)


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
    recipe: dict[str, Any] = {"howsure": __version__, "method": method, "n": len(pairs), "binning": binning}
    if method == "spiegelhalter":
        z = spiegelhalter_z(pairs)
        return CalibrationTest(method, z, two_sided(z), 0.0, len(pairs), recipe)
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins)
    mse = plugin_mse(binned.sums)
    if method == "binned":
        return CalibrationTest(method, *binned_test(binned), 0.0, len(pairs), recipe | {"bin_size": binned.bin_size})
    times = check_whole(n_simulations, name="n_simulations")
    drawn = _simulated_mse(pairs, binned, times, generator_from(rng))
    as_large = int(np.count_nonzero(drawn >= mse * (1 - 1e-12)))
    p = (as_large + 1) / (times + 1)
    recipe |= {"bin_size": binned.bin_size, "n_simulations": times, "seed": seed_in_recipe(rng)}
    return CalibrationTest(method, mse, p, math.sqrt(p * (1 - p) / (times + 1)), len(pairs), recipe)


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
