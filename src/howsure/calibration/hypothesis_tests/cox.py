"""Cox's test: do the labels require a different intercept or slope of the predictions' log-odds?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from howsure.calibration.bins.bins import sorted_rows
from howsure.inputs.pairs import Floats, Labels, Pairs

STEPS = 60
ANGLES = 512


@dataclass(frozen=True, slots=True)
class Recalibration:
    """log-odds(y = 1) = intercept + slope · log-odds(q), fitted to labels by maximum likelihood.

    statistic: twice the gain in log-likelihood over intercept 0 and slope 1; p_value: the probability of one as large,
    if the pairs are independent. Either parameter is infinite if the predictions separate the labels, and NaN if it is
    not identified.
    """

    statistic: float
    p_value: float
    intercept: float
    slope: float


def cox_test(pairs: Pairs) -> Recalibration:
    """Fit intercept and slope, and test 0 and 1.

    With weights the statistic is that of the weighted likelihood, and its distribution that of λ₁ χ²₁ + λ₂ χ²₁, with λ
    the eigenvalues of A⁻¹B, A = Σ w q (1 - q) z zᵀ, B = Σ w² q (1 - q) z zᵀ; without, both are 1. A prediction of
    exactly 0 or 1 carries no information about the parameters if it is correct; if it is wrong, calibration is
    impossible.
    """
    q, y, weights = sorted_rows(pairs)
    w = np.ones(len(q)) if weights is None else weights
    open_, z = log_odds_columns(q)
    if bool((q[~open_] != y[~open_]).any()):
        return Recalibration(math.inf, 0.0, *_fit(q[open_], z, y[open_], w[open_])[1:])
    if not z.shape[1]:
        return Recalibration(0.0, 1.0, math.nan, math.nan)
    q, y, w = q[open_], y[open_], w[open_]
    most, intercept, slope = _fit(q, z, y, w)
    statistic = max(2 * (most - _log_likelihood(_log_odds(q), y, w)), 0.0)
    spread = w * q * (1 - q)
    weight = np.ones(z.shape[1]) if weights is None else _eigenvalues((z.T * spread) @ z, (z.T * (spread * w)) @ z, w)
    return Recalibration(statistic, _tail(statistic, weight), intercept, slope)


def _fit(q: Floats, z: Floats, y: Labels, w: Floats) -> tuple[float, float, float]:
    """The maximum log-likelihood, intercept and slope."""
    if not z.shape[1]:
        return 0.0, math.nan, math.nan
    separated = _separated(q, y, w)
    if separated is not None:
        return separated
    odds = _log_odds(q)
    theta = _newton(odds, z, y, w)
    return _log_likelihood(odds + z @ theta, y, w), *_parameters(theta, odds)


def log_odds_columns(q: Floats) -> tuple[np.typing.NDArray[np.bool_], Floats]:
    """Which predictions have log-odds, and the columns of their regression: 1, and standardised log-odds if they vary.

    (n,) and (m, k) for the m predictions that have log-odds; k is 0 if none has, and 1 if all are equal.
    """
    open_ = (q > 0.0) & (q < 1.0)
    inside = q[open_]
    if not len(inside):
        return open_, np.empty((0, 0))
    ones = np.ones(len(inside))
    if inside.min() == inside.max():
        return open_, ones[:, None]
    odds = _log_odds(inside)
    return open_, np.stack([ones, (odds - odds.mean()) / odds.std()], axis=1)


def _log_odds(q: Floats) -> Floats:
    odds: Floats = np.log(q) - np.log1p(-q)
    return odds


def _parameters(theta: Floats, odds: Floats) -> tuple[float, float]:
    if len(theta) == 1:
        return float(theta[0]), math.nan
    change = float(theta[1] / odds.std())
    return float(theta[0]) - change * float(odds.mean()), 1.0 + change


def _log_likelihood(eta: Floats, y: Labels, w: Floats) -> float:
    return -float(w @ np.logaddexp(0.0, np.where(y == 1, -eta, eta)))


def _newton(offset: Floats, z: Floats, y: Labels, w: Floats) -> Floats:
    """The θ that maximises the concave likelihood of offset + z θ, by Newton steps, halved until they improve."""
    from scipy.special import expit

    theta = np.zeros(z.shape[1])
    value = _log_likelihood(offset, y, w)
    for _ in range(STEPS):
        p = expit(offset + z @ theta)
        gradient, curvature = z.T @ (w * (y - p)), (z.T * (w * p * (1 - p))) @ z
        step = np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        gained = _log_likelihood(offset + z @ (theta + step), y, w) - value
        while gained < 0.0 and float(np.abs(step).max()) > 1e-12:
            step /= 2
            gained = _log_likelihood(offset + z @ (theta + step), y, w) - value
        theta, value = theta + step, value + gained
        if float(np.abs(step).max()) <= 1e-10:
            break
    return theta


def _separated(q: Floats, y: Labels, w: Floats) -> tuple[float, float, float] | None:
    """The supremum of the log-likelihood, intercept and slope, if it is attained only at infinity; q ascending."""
    ones, zeros = q[y == 1], q[y == 0]
    if not len(ones) or not len(zeros):
        return 0.0, math.inf if len(ones) else -math.inf, math.nan
    for slope, low, high in ((math.inf, zeros, ones), (-math.inf, ones, zeros)):
        if low[-1] <= high[0] and q[0] < q[-1]:
            tied = q == low[-1] if low[-1] == high[0] else np.zeros(len(q), dtype=np.bool_)
            return _entropy(y[tied], w[tied]), math.nan, slope
    return None


def _entropy(y: Labels, w: Floats) -> float:
    """The log-likelihood of labels with a common probability, their own frequency."""
    both = np.array([float(w[y == label].sum()) for label in (0, 1)])
    some = both[both > 0.0]
    return float((some * np.log(some / both.sum())).sum()) if len(some) else 0.0


def _eigenvalues(a: Floats, b: Floats, w: Floats) -> Floats:
    """Those of A⁻¹B. None is above the largest weight, which stands for them if predictions of almost 0 and 1 leave A
    without an inverse."""
    from scipy.linalg import LinAlgError, eigh

    try:
        return np.asarray(eigh(b, a, eigvals_only=True), dtype=np.float64)
    except LinAlgError:
        return np.full(len(a), w.max())


def _tail(statistic: float, weights: Floats) -> float:
    """P(Σ λ_i χ²₁ > statistic) for one or two λ; for two, the mean over directions of exp(-statistic / 2 λ(φ))."""
    if len(weights) == 1:
        return math.erfc(math.sqrt(statistic / (2 * float(weights[0]))))
    angle = (np.arange(ANGLES) + 0.5) * (math.pi / 2 / ANGLES)
    along = weights[0] * np.cos(angle) ** 2 + weights[1] * np.sin(angle) ** 2
    return float(np.exp(-statistic / (2 * along)).mean())
