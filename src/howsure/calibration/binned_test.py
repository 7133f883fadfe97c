"""Hosmer and Lemeshow's test over the bins, also where bins expect few labels of one kind."""

from __future__ import annotations

import math

import numpy as np

from howsure.calibration.bins import Binned
from howsure.calibration.error import SquaredError
from howsure.calibration.slots import Slots
from howsure.inputs.pairs import Floats, Integers, Pairs

# The distribution of Hosmer and Lemeshow's statistic if bins expect few labels of one kind: too skewed for a
# chi-square.

FEW_EXPECTED = 25.0  # labels of the rarer kind; a bin that expects more is taken for normal
STEPS = 4096  # of the statistic, to which its parts are rounded
BEYOND = 100  # numbers of labels that are looked at beyond the statistic
MOST = 100_000
ROUNDING = 1e-12  # a statistic below it is that of labels as they were expected


def binned_p_value(statistic: float, expected: Floats, variance: Floats) -> float:
    """P(Σ_b (K_b - E_b)² / V_b ≥ statistic), K_b the labels of the rarer kind in a bin if the predictions are right.

    K_b is a sum of indicators with mean E_b (`expected`) and variance V_b; it is approximated by a binomial
    distribution with the same two moments (Poisson in the limit). The contributions of bins that expect fewer than 25
    are added up exactly, except that they are rounded to 1/4096 of the statistic if there are several; the others
    follow a chi-square.
    """
    from scipy.special import gammaincc

    if statistic <= ROUNDING or not len(expected):
        return 1.0
    rare = expected < FEW_EXPECTED
    degrees = int(np.count_nonzero(~rare))
    width = np.sqrt(variance[rare] * statistic)
    if not rare.any() or bool((width > MOST).any()):
        return float(gammaincc(len(expected) / 2, statistic / 2))
    steps = 1 if len(expected) == 1 else STEPS
    below, beyond = np.zeros(steps), 0.0
    below[0] = 1.0
    for mean, spread in zip(expected[rare].tolist(), variance[rare].tolist(), strict=True):
        numbers = np.arange(math.ceil(mean + math.sqrt(spread * statistic)) + BEYOND, dtype=np.float64)
        chance = label_numbers(numbers, mean, spread)
        with np.errstate(over="ignore"):  # what is infinitely far has reached the statistic
            part = (numbers - mean) ** 2 / spread / statistic
        step = np.where(part >= 1 - 1e-9, steps, np.minimum(np.rint(part * steps), steps - 1))
        below, lost = _added(
            below, np.bincount(step.astype(np.int64), weights=chance, minlength=steps + 1).astype(np.float64)
        )
        beyond += lost
    left = statistic * (1 - np.arange(steps) / steps)
    rest = gammaincc(degrees / 2, left / 2) if degrees else np.zeros(steps)
    return min(beyond + float(below @ rest), 1.0)


def _added(below: Floats, parts: Floats) -> tuple[Floats, float]:
    """The distribution of a sum below the statistic, and the probability of reaching it; the last of `parts` has
    already reached it."""
    steps = len(below)
    held = np.flatnonzero(parts[:steps])
    summed, tails = np.zeros(steps), np.append(0.0, np.cumsum(below[::-1]))
    for step, chance in zip(held.tolist(), parts[held].tolist(), strict=True):
        summed[step:] += chance * below[: steps - step]
    return summed, float(tails[steps] * parts[steps] + parts[held] @ tails[held])


def label_numbers(numbers: Floats, mean: float, variance: float) -> Floats:
    """The probability of each number of labels: binomial with this mean, and this variance up to rounding the number of
    trials; Poisson if the two are equal."""
    from scipy.special import gammaln, xlog1py, xlogy

    if variance >= mean * (1 - 1e-9):
        poisson: Floats = np.exp(xlogy(numbers, mean) - mean - gammaln(numbers + 1))
        return poisson
    trials = max(math.ceil(mean**2 / (mean - variance) - 1e-9), 1)
    p, possible = min(mean / trials, 1.0), np.minimum(numbers, trials)
    binomial: Floats = np.exp(
        gammaln(trials + 1)
        - gammaln(possible + 1)
        - gammaln(trials - possible + 1)
        + xlogy(possible, p)
        + xlog1py(trials - possible, -p)
    ) * (numbers <= trials)
    return binomial


# The test of calibration used in tables: Hosmer and Lemeshow's test over the bins, and a separate one for clusters.

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
