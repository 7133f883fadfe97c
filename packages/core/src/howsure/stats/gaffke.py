"""Gaffke's test and bound of the mean of bounded scores, also of scores in clusters.

For independent scores of 0 and 1 the interval is Clopper and Pearson's.

Sources: N. Gaffke (2005), Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
variable, Mathematical Methods of Statistics 14; E. Learned-Miller & P. S. Thomas (2019), A new confidence interval for
the mean of a bounded random variable, arXiv:1905.06208.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from howsure.inputs.pairs import Floats

# Paired differences of scores, without differences that are due to rounding.

ROUNDING = 1e-12  # as a proportion of the largest score


def paired_differences(first: Floats, second: Floats) -> Floats:
    """Paired differences first - second (n,), corrected for rounding.

    A difference of at most 1e-12 of the largest score becomes 0, and if all differences agree within this tolerance,
    they become equal. Otherwise, differences that only rounding separates, such as 0.7 - 0.6 and 0.8 - 0.7, would seem
    to vary. Infinite differences are unchanged.

    >>> paired_differences(np.array([0.1 + 0.2, 0.7]), np.array([0.3, 0.6]))[0]
    np.float64(0.0)
    >>> len(set(paired_differences(np.array([0.7, 0.8]), np.array([0.6, 0.7])).tolist()))
    1
    """
    with np.errstate(invalid="ignore"):
        differences: Floats = np.asarray(first - second, dtype=np.float64)
        finite = np.isfinite(differences)
        scores = np.maximum(np.abs(first), np.abs(second))
        rounding = ROUNDING * float(scores.max(initial=0.0, where=finite))
        differences[finite & (np.abs(differences) <= rounding)] = 0.0
        if len(differences) and np.ptp(differences) <= rounding:
            differences[:] = differences.min()
    return differences


def sorted_values(values: Floats) -> Floats:
    """The sorted values (n,), whose sums do not depend on the order of rows; the same array if it is sorted."""
    return values if (values[1:] >= values[:-1]).all() else np.sort(values)


STEP, COARSE = 0.1, 0.15  # steps of the integral for few and for many distinct units: relative error of p about 1e-6
MAX_FINE_UNITS = 10_000  # distinct units
MAX_EXACT, CELLS, EXTREMES = 512, 128, 8  # above MAX_EXACT distinct units, all but 8 at each end are put into cells
NEGLIGIBLE = 1e-17  # as a proportion of the integrand's maximum
CHUNK, BLOCK = 32, 2048  # points of the integral, and distinct units, that are computed at a time
FURTHEST = 40.0  # where even the integrand of a single unit is negligible
TINY, ALL_BUT_ONE = 1e-300, 1 - 1e-16
UNITS, HALVINGS, AGREE = 1_000, 5, 1e-7  # from 1,000 units on, the step is halved until results agree
MAX_STEPS, PEAK_TOLERANCE = 500, 0.05  # of the search for the peak; it ends within 0.05 of the peak's width


@dataclass(frozen=True, slots=True)
class UnitSums:
    """The sum of scores and the size of each cluster; identical pairs of sum and size are stored once.

    sums, sizes, times (distinct pairs,): each pair and how often it occurs. largest: the size of the largest cluster
    that could have been drawn, if it is larger than all clusters that were drawn.
    """

    sums: Floats
    sizes: Floats
    times: Floats
    largest: float = 0.0

    @classmethod
    def of(cls, sums: Floats, sizes: Floats, *, largest: float = 0.0) -> UnitSums:
        """Build from the sum and size of each cluster, (C,) each; scores without clusters are clusters of size 1.

        More than 512 distinct sums of clusters of equal size are approximated by `condense`.
        """
        if (sizes == sizes[0]).all():
            sums, times = _distinct_values(sorted_values(sums))
            if len(sums) > MAX_EXACT:
                sums, times = condense(sums, times)
            return cls(sums, np.full(len(sums), sizes[0]), times, largest)
        order = np.lexsort((sizes, sums))
        sums, sizes = sums[order], sizes[order]
        starts = np.flatnonzero(np.append(True, (sums[1:] != sums[:-1]) | (sizes[1:] != sizes[:-1])))
        times = np.diff(starts, append=len(sums)).astype(np.float64)
        return cls(sums[starts], sizes[starts], times, largest)

    @property
    def value(self) -> float:
        return float((self.times @ self.sums) / (self.times @ self.sizes))

    def negated(self) -> UnitSums:
        return UnitSums(-self.sums[::-1], self.sizes[::-1], self.times[::-1], self.largest)


def gaffke_p_value(scores: UnitSums, mean: float, *, low: float) -> float:
    """Return the p-value of "the mean of the scores is at most `mean`"; no score can be below `low`.

    The mean is the ratio E[sum] / E[size] over clusters. With z_c = sum_c - mean · size_c for each cluster c,
    z_0 = (low - mean) · largest size, the lowest possible z, and independent standard exponential variables E_c,

        p = P(Σ E_c z_c + E_0 z_0 ≤ 0).

    For scores of 0 and 1 without clusters, this is the exact binomial test; for scores of -1, 0, 1 and a mean of 0, the
    exact McNemar test. Validity (P(p ≤ u) ≤ u) for every distribution of bounded scores has been proved in special
    cases; in general it is a conjecture that no simulation has contradicted. Clusters are assumed to be drawn
    independently, and none to be larger than the largest in the sample or `scores.largest`.

    Source: Gaffke (2005); Learned-Miller & Thomas (2019).

    >>> from scipy.stats import binom
    >>> p = gaffke_p_value(UnitSums.of(np.repeat([1.0, 0.0], [9, 1]), np.ones(10)), 0.6, low=0.0)
    >>> round(p, 6), round(float(binom.sf(8, 10, 0.6)), 6)
    (0.046357, 0.046357)
    """
    from scipy.special import betainc

    if mean <= low:
        return 0.0
    z = scores.sums - mean * scores.sizes
    if z.max() <= 0.0:
        return 1.0
    lowest = (low - mean) * max(float(scores.sizes.max()), scores.largest)
    if len(z) == 1 or (len(z) == 2 and z[0] == lowest):  # the binomial test
        times_lowest = 1.0 + (float(scores.times[0]) if len(z) == 2 else 0.0)
        return float(betainc(scores.times[-1], times_lowest, lowest / (lowest - z[-1])))
    return _probability(np.append(z, lowest) / -lowest, np.append(scores.times, 1.0))


def gaffke_bound(scores: UnitSums, *, low: float, size: float) -> float:
    """Return the one-sided lower confidence bound of the mean: the mean for which `gaffke_p_value` is `size`.

    >>> round(gaffke_bound(UnitSums.of(np.ones(20), np.ones(20)), low=0.0, size=0.05), 9) == round(0.05 ** (1 / 20), 9)
    True
    """
    from scipy.special import ndtri

    highest = float((scores.sums / scores.sizes).max())
    if highest <= low:
        return low

    @cache
    def excess(mean: float) -> float:  # as normal quantiles, nearly linear
        p = gaffke_p_value(scores, mean, low=low)
        return float(ndtri(min(max(p, TINY), ALL_BUT_ONE)) - ndtri(size))

    near = scores.value
    ends = (low, near) if excess(near) > 0.0 else (near, highest)
    return find_zero(excess, *ends, within=max(1e-13 * (highest - low), TINY))


def gaffke_interval(scores: UnitSums, *, bounds: tuple[float, float], size: float) -> tuple[float, float]:
    """The one-sided lower and upper bound of the mean by tests of size `size`, for scores between `bounds`."""
    above = -gaffke_bound(scores.negated(), low=-bounds[1], size=size)
    return gaffke_bound(scores, low=bounds[0], size=size), above


def condense(values: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Approximate many sorted, distinct values (n,) and their counts (n,) by about 500 values and counts.

    The values are divided into cells at the borders of CELLS cells of equal count and CELLS cells of equal width. Each
    cell is replaced by the two points of Gauss quadrature, which preserve its count, mean, variance and third moment,
    so that Σ count · log(1 + s · value) changes only by terms of the fourth order. The EXTREMES smallest and largest
    values, on which small p-values depend, are unchanged. `benchmarks/bounded_scores.py` compares intervals with and
    without cells.

    >>> values, counts = condense(np.arange(1000.0), np.ones(1000))
    >>> len(values) < 520, round(float(counts.sum()), 9), round(float(counts @ values**3) / 249500250000, 12)
    (True, 1000.0, 1.0)
    """
    n = len(values)
    by_number = np.linspace(EXTREMES, n - EXTREMES, CELLS + 1).astype(np.int64)
    by_width = np.searchsorted(values, np.linspace(values[EXTREMES], values[n - EXTREMES - 1], CELLS + 1))
    ends = np.arange(EXTREMES)
    starts = np.unique(np.concatenate([ends, by_number, by_width, n - 1 - ends]))
    counted = np.add.reduceat(counts, starts)
    mean = np.add.reduceat(counts * values, starts) / counted
    lengths = np.diff(np.append(starts, n))
    deviations = values - np.repeat(mean, lengths)
    powers = counts * deviations
    powers *= deviations
    variance = np.add.reduceat(powers, starts) / counted
    powers *= deviations
    third = np.add.reduceat(powers, starts) / counted
    several = lengths > 1
    spread = np.sqrt(variance)
    half_skew = np.divide(third, 2 * variance * spread, out=np.zeros_like(third), where=several & (variance > 0))
    root = np.sqrt(1 + half_skew**2)
    lower, upper = mean + spread * (half_skew - root), mean + spread * (half_skew + root)
    share = (1 + half_skew / root) / 2  # of the lower point
    lower[~several], share[~several] = values[starts[~several]], 1.0
    points = np.stack([lower, np.minimum(upper, values[starts + lengths - 1])], axis=1).ravel()
    numbers = np.stack([counted * share, counted * (1 - share)], axis=1).ravel()
    kept = numbers > 0
    return np.maximum.accumulate(points[kept]), numbers[kept]


def _distinct_values(values: Floats) -> tuple[Floats, Floats]:
    """Return the distinct values of sorted values, and how often each occurs."""
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    return values[starts], np.diff(starts, append=len(values)).astype(np.float64)


def _probability(z: Floats, times: Floats) -> float:
    """P(Σ z E ≤ 0) for independent standard exponential E, where each z occurs `times` times.

    z must be at least -1 and include positive and negative values. The probability is the inverse Laplace transform
    1/2π ∫ Re exp(-Σ log(1 + s z)) / s du along the line s = τ + iu. τ > 0 is the saddle point, where the integrand is
    minimal on the real line. Along the line, its modulus decreases to both sides, so that no digits cancel even if the
    probability is tiny. With u = a sinh v, where a is the width of the peak, the trapezoidal rule converges
    geometrically.
    """
    kept = z != 0.0
    z, times = z[kept], times[kept]
    if len(z) > 2 * MAX_EXACT:  # only for clusters of unequal size: `UnitSums.of` has condensed equal ones
        order = np.argsort(z)
        z, times = condense(z[order], times[order])
    tau, width = _saddle(z, times)
    step = COARSE if len(z) > MAX_FINE_UNITS else STEP
    total = _integral(z, times, tau, width, step)
    integral = total * step
    if times.sum() > UNITS:  # if only few units matter, the integrand oscillates while it decreases
        for _ in range(HALVINGS):
            total += _integral(z, times, tau, width, step, first=step / 2)
            step, before, integral = step / 2, integral, total * step / 2
            if abs(integral - before) <= AGREE * integral:
                break
    return min(max(integral * width / math.pi, 0.0), 1.0)


def _integral(z: Floats, times: Floats, tau: float, width: float, step: float, *, first: float = 0.0) -> float:
    """Sum of the integrand at v = first, first + step, …, until it is negligible; the value at v = 0 is halved."""
    total, largest = 0.0, -math.inf
    for v, sinh, weight in _points(first, step):
        u = width * sinh
        log_modulus, angle = -np.log(np.hypot(tau, u)), -np.arctan2(u, tau)
        for start in range(0, len(z), BLOCK):  # of 1 + s z
            some, often = z[start : start + BLOCK], times[start : start + BLOCK]
            real, imaginary = 1.0 + tau * some, np.multiply.outer(u, some)
            angle -= np.arctan2(imaginary, real) @ often
            log_modulus -= np.log(real * real + imaginary * imaginary) @ often / 2
        largest = max(largest, float(log_modulus.max()))
        total += float((np.exp(log_modulus) * np.cos(angle) * weight).sum())
        if float(log_modulus[-1]) + float(v[-1]) < largest + math.log(NEGLIGIBLE):
            break
    return total


@cache
def _points(first: float, step: float) -> tuple[tuple[Floats, Floats, Floats], ...]:
    """The points v of the integral, CHUNK at a time, their sinh v, and their weights cosh v, halved at 0."""
    chunks = []
    for start in np.arange(first, FURTHEST, CHUNK * step):
        v = start + step * np.arange(CHUNK)
        chunks.append((v, np.sinh(v), np.where(v == 0.0, 0.5, 1.0) * np.cosh(v)))
    return tuple(chunks)


def _saddle(z: Floats, times: Floats) -> tuple[float, float]:
    """The minimum τ of g(τ) = -Σ log(1 + τ z) - log τ on (0, 1 / max(-z)), and the width 1 / √g''(τ) of the peak.

    g is convex and unbounded at both ends. Newton's method is used, with bisection where a step would leave the
    bracket. The starting point is the minimum of g with the sum replaced by its second-order expansion.
    """
    below, above = 0.0, 1.0 / float(-z.min())
    total, squares = float(times @ z), float(times @ z**2)
    tau = min((total + math.sqrt(total * total + 4 * squares)) / (2 * squares), above / 2)
    width = tau
    for _ in range(MAX_STEPS):
        pulls = z / (1.0 + tau * z)
        slope = -float(times @ pulls) - 1.0 / tau
        width = 1.0 / math.sqrt(float(times @ pulls**2) + 1.0 / tau**2)
        if abs(slope) * width < PEAK_TOLERANCE:
            break
        below, above = (tau, above) if slope < 0.0 else (below, tau)
        moved = tau - slope * width**2
        tau = moved if below < moved < above else (below + above) / 2
    return tau, width


def find_zero(of: Callable[[float], float], first: float, other: float, *, within: float) -> float:
    """Return the zero of a continuous function `of` that has different signs at `first` and `other`.

    Uses Anderson & Björck's (1973) variant of false position, which is fast if the function is not much steeper at one
    end. within: the precision of the result.

    >>> round(find_zero(lambda x: x**3 - 2, 0.0, 2.0, within=1e-12) ** 3, 9)
    2.0
    """
    at_one, at_other = of(first), of(other)
    for _ in range(200):
        before, other = (other, at_other), other - at_other * (other - first) / (at_other - at_one)
        at_other = of(other)
        if at_other * before[1] < 0.0:
            first, at_one = before
        else:
            part = 1.0 - at_other / before[1]
            at_one *= part if part > 0.0 else 0.5
        if at_other == 0.0 or abs(other - before[0]) <= within:
            break
    return other
