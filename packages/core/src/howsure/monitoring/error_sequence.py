"""The calibration error over cells (ranges of probability), with a band that is valid at all times simultaneously.

The band is a confidence sequence. Let S be the vector of Σ (y - q) by cell, which is a martingale after subtraction of
its conditional mean, and V a diagonal matrix that bounds its variance. A normal mixture of exp(λ'S - λ'Vλ / 2) with
precision Γ gives, with probability 1 - α at all times simultaneously,

    Σ_k e_k² n_k² / (V_k + Γ_k) ≤ 2 ln(1 / α) + Σ_k ln(1 + V_k / Γ_k),

where n_k is the number of rows in cell k, and e_k is the observed gap (mean of y - q) minus the true one (Robbins 1970;
de la Peña et al. 2004). This is exact for the true V and a fixed Γ. Here V is estimated, and Γ_k is the variance of the
cell's proportion of 2,000 rows, so the result is an asymptotic confidence sequence (Waudby-Smith et al. 2024). The band
extends from the smallest to the largest calibration error of all gaps in this ellipsoid.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.monitoring.bets import CellSums
from howsure.result import Estimate

MIXING_ROWS = 2_000.0  # number of rows for which the band is nearly as narrow as possible
STEPS = 80  # bisections
MIN_CELL_ROWS = 2.0  # number of effective rows needed to estimate the variance of a cell around its mean
METHOD, ONE_PERIOD = "normal mixture over cells", "noncentral chi-squared over cells"


def error_sequence(sums: CellSums, *, level: float = 0.95) -> Estimate:
    """Estimate the root-mean-square gap between probability and frequency over cells, debiased, with its band.

    The error is sqrt(Σ_k n_k / n · gap_k²), where gap_k is the mean of P(label 1) - q over the rows so far in cell k,
    and q is the predicted probability.

    >>> error_sequence(CellSums.of(np.tile(np.array([0, 1, 1], np.uint8), 1000), np.full(3000, 0.5), None))
    Estimate(value=0.166..., low=0.13..., high=0.19..., level=0.95, method='normal mixture over cells', n=3000)
    """
    total = int(sums.n.sum())
    if total == 0:
        return Estimate(math.nan, None, None, level, METHOD, 0)
    gaps, share, noise, _, floor = _parts(sums)
    value = math.sqrt(max(0.0, float((share * (gaps**2 - noise)).sum())))
    n, dominating = sums.n[sums.n > 0], sums.dominating[sums.n > 0]
    variance = np.maximum(dominating, n * floor * _pooled(sums.dominating, sums.squares))
    prior = MIXING_ROWS * share * variance / n
    radius = 2.0 * math.log(1.0 / (1.0 - level)) + float(np.log1p(variance / prior).sum())
    axes = n**2 / (variance + prior)
    low, high = _smallest(gaps, share, axes, radius), min(1.0, _largest(gaps, share, axes, radius))
    return Estimate(min(max(value, low), high), low, high, level, METHOD, total)


def period_error(sums: CellSums, *, level: float = 0.95) -> Estimate:
    """Estimate the error of a single period with a fixed number of rows, whose interval is narrower than the band.

    Let λ_k be the expected contribution of noise to the k-th term of Σ_k n_k / n · (observed gap)². This sum, divided
    by λ = Σ λ_k² / Σ λ_k, is approximately noncentral chi-squared with (Σ λ_k)² / Σ λ_k² degrees of freedom and
    noncentrality error² / λ. The interval contains the errors for which the observed sum is neither too large nor too
    small. A sum below its expectation under pure noise is replaced by that expectation.
    """
    total = int(sums.n.sum())
    if total == 0:
        return Estimate(math.nan, None, None, level, ONE_PERIOD, 0)
    gaps, share, noise, effective_rows, floor = _parts(sums)
    value = math.sqrt(max(0.0, float((share * (gaps**2 - noise)).sum())))
    expected_noise = share * np.maximum(noise, floor / (effective_rows + 1.0))
    scale = float((expected_noise**2).sum() / expected_noise.sum())
    freedom, observed = float(expected_noise.sum()) / scale, float((share * gaps**2).sum()) / scale
    low = _noncentrality(observed, freedom, (1.0 + level) / 2.0)
    high = _noncentrality(max(observed, freedom), freedom, (1.0 - level) / 2.0)
    low, high = (min(1.0, math.sqrt(scale * bound)) for bound in (low, high))
    return Estimate(min(max(value, low), high), low, high, level, ONE_PERIOD, total)


def _noncentrality(observed: float, freedom: float, p: float) -> float:
    """Return the noncentrality for which a value below the observed one has probability p; 0 if there is none."""
    from scipy.special import chndtr, chndtrinc  # imported here, because it is slow and not always needed

    return float(chndtrinc(observed, freedom, p)) if observed > 0.0 and chndtr(observed, freedom, 0.0) > p else 0.0


def _parts(sums: CellSums) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return quantities of the cells with rows.

    They are the gaps, the proportions of rows, the variances of the gaps, the effective numbers of rows, and the
    variances q (1 - q) of a row, which are lower bounds for cells whose few rows show no variation.
    """
    has_rows = sums.n > 0
    n = sums.n[has_rows]
    gaps = (sums.observed[has_rows] - sums.predicted[has_rows]) / n
    squares, q = sums.squares[has_rows], sums.predicted[has_rows] / n
    effective_rows = n / _pooled(sums.cluster_squares, sums.squares)
    variance = np.maximum(squares / n - gaps**2, 0.0) / np.maximum(effective_rows - 1.0, 1.0)
    noise = np.where(effective_rows > MIN_CELL_ROWS, variance, squares / n / effective_rows)
    return gaps, n / n.sum(), noise, effective_rows, np.maximum(q * (1.0 - q), 1e-6)


def _pooled(clustered: Floats, squares: Floats) -> float:
    """Return the factor by which clusters increase the variance; 1 without clusters.

    It is estimated over all cells together, because a single cell may have few clusters.
    """
    total = float(squares.sum())
    return max(1.0, float(clustered.sum()) / total) if total > 0.0 else 1.0


def _largest(gaps: Floats, share: Floats, axes: Floats, radius: float) -> float:
    """Return the largest calibration error if the observed gaps may be wrong by any e with Σ axes · e² ≤ radius.

    The error is sqrt(Σ share · (gap + e)²), with the proportion of rows (`share`) of each cell. With w = `share` and
    a = `axes`, the maximum is at e = w gap / (μ a - w), for a Lagrange multiplier μ above all w / a.
    """
    start = float((share / axes).max())

    def used(mu: float) -> float:
        return float((axes * (share * gaps / (mu * axes - share)) ** 2).sum())

    top = start * (1.0 + 1e-9)
    if used(top) < radius:  # what remains of the radius is added along the longest axis
        mu = top
        e = share * gaps / (mu * axes - share)
        k = int(np.argmax(share / axes))
        e[k] = math.copysign(math.sqrt((radius - used(mu) + axes[k] * e[k] ** 2) / axes[k]), gaps[k])
        return _norm(gaps + e, share)
    mu = _root(used, radius, top, start * 2.0)
    return _norm(gaps + share * gaps / (mu * axes - share), share)


def _smallest(gaps: Floats, share: Floats, axes: Floats, radius: float) -> float:
    """Return the smallest calibration error; the parameters are as in `_largest`.

    It is 0 if e = -gap is possible; otherwise, the minimum is at e = -w gap / (μ a + w).
    """
    if float((axes * gaps**2).sum()) <= radius:
        return 0.0

    def used(mu: float) -> float:
        return float((axes * (share * gaps / (mu * axes + share)) ** 2).sum())

    mu = _root(used, radius, 0.0, float((share / axes).max()))
    return _norm(gaps - share * gaps / (mu * axes + share), share)


def _root(falling: Callable[[float], float], level: float, low: float, high: float) -> float:
    """Return the argument at which a decreasing function has the value `level`."""
    while falling(high) > level:
        high *= 2.0
    for _ in range(STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if falling(middle) > level else (low, middle)
    return high


def _norm(gaps: Floats, share: Floats) -> float:
    return math.sqrt(float((share * gaps**2).sum()))
