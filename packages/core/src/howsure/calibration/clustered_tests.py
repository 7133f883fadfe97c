"""Cox's test and the cumulative test of calibration, and tests for pairs in clusters, whose labels are correlated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.calibration.bins import sorted_rows
from howsure.inputs.pairs import Bools, Floats, Integers, Labels, Pairs

# The sign-flip test of sums over clusters.
#
# Under the hypothesis that each cluster's contribution has mean 0, every cluster is given a random sign, and the
# p-value is the proportion of sign assignments with at least the observed statistic. The test is exact if the
# contributions are symmetric around 0, and asymptotically valid otherwise.

NUMBERS_AT_ONCE = 1 << 18  # blocks that fit the cache are four times as fast
TIE_FACTOR = 1 - 1e-9  # values that differ only by rounding count as equal
Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class SignTest:
    """A statistic and its values for all sign assignments (`exact`) or for random ones (`drawn`: (assignments,))."""

    value: float
    drawn: Floats
    exact: bool

    @property
    def p_value(self) -> float:
        """The proportion of sign assignments with at least the statistic; if random, (c + 1) / (times + 1)."""
        as_large = int(np.count_nonzero(self.drawn >= self.value * TIE_FACTOR))
        return as_large / len(self.drawn) if self.exact else (as_large + 1) / (len(self.drawn) + 1)

    @property
    def p_error(self) -> float:
        """The Monte Carlo standard error of the p-value."""
        p = self.p_value
        return 0.0 if self.exact else math.sqrt(p * (1 - p) / (len(self.drawn) + 1))

    def critical(self, level: float) -> float:
        """Return the largest statistic that is not significant (p > 1 - level); infinite if none can be significant."""
        size = (1 - level) * (1 + 1e-12)
        rank = int(size * len(self.drawn)) if self.exact else int(size * (len(self.drawn) + 1)) - 1
        return float(np.sort(self.drawn)[::-1][rank]) if rank >= 0 else math.inf


def sign_test(
    by_cluster: Any, statistic: Statistic, *, times: int, rng: np.random.Generator, stretch: float = 1.0
) -> SignTest:
    """Compute the sign-flip test of a statistic of sums over clusters.

    by_cluster (C, K), dense or sparse: the contribution of each of C clusters to each of K sums. statistic: maps sums
    (R, K) to R numbers. All 2^(C - 1) sign assignments are used if there are at most `times` + 1, else `times` random
    ones. Sums with changed signs are multiplied by `stretch`.
    """
    clusters, sums = by_cluster.shape
    value = float(statistic(np.asarray(by_cluster.sum(axis=0)).reshape(1, -1))[0])
    exact = clusters <= math.log2(times + 1) + 1
    number = 1 << (clusters - 1) if exact else times
    step = max(1, NUMBERS_AT_ONCE // max(sums, clusters))
    transposed, drawn = by_cluster.T, np.empty(number)
    for start in range(0, number, step):
        rows = np.arange(start, min(start + step, number))
        signs = _all_signs(rows, clusters) if exact else rng.integers(0, 2, size=(len(rows), clusters)) * 2.0 - 1.0
        drawn[rows] = statistic(stretch * (transposed @ signs.T).T)
    return SignTest(value, drawn, exact)


def _all_signs(numbers: np.typing.NDArray[np.int64], clusters: int) -> Floats:
    """The signs (numbers, clusters) encoded by the bits of the numbers; the sign of the last cluster is always +1."""
    return (1 - 2 * ((numbers[:, None] >> np.arange(clusters)) & 1)).astype(np.float64)


# The cumulative test: the largest difference between cumulative sums of labels and predictions, by prediction.

TERMS = 20


def cumulative_test(pairs: Pairs) -> tuple[float, float]:
    """Return the cumulative statistic, max_t |Σ_{q ≤ t} w (y - q)| / Σ w, and its p-value for independent pairs.

    Under calibration, the sums are a martingale with final variance σ² = Σ w² q (1 - q). Divided by σ, they converge to
    a Brownian motion on [0, 1]. Source: Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu (2022), ECCE-MAD.
    """
    q, y, weights = sorted_rows(pairs)
    w = np.ones(len(q)) if weights is None else weights
    # the last of equal predictions; before it, the sum would depend on their order
    last = np.append(q[1:] != q[:-1], True)
    most = float(np.abs(np.cumsum(w * (y - q))[last]).max())
    sigma = math.sqrt(float(w**2 @ (q * (1 - q))))
    return most / float(w.sum()), brownian_tail(most / sigma) if sigma > 0.0 else float(most == 0.0)


def brownian_tail(x: float) -> float:
    """P(the largest |B(t)| of a Brownian motion on [0, 1] exceeds x).

    >>> round(brownian_tail(2.2414), 4)
    0.05
    """
    if x < 1.0:
        odd = 2 * np.arange(TERMS) + 1
        exponent = (odd * math.pi) ** 2 / (8 * max(x, 0.01) ** 2)
        return 1.0 - 4 / math.pi * float(((-1.0) ** np.arange(TERMS) / odd * np.exp(-exponent)).sum())
    return 2 * math.fsum((-1.0) ** k * math.erfc((2 * k + 1) * x / math.sqrt(2)) for k in range(TERMS))


# Cox's test of the intercept and slope of the labels' log-odds on the predictions' log-odds.

STEPS = 60
ANGLES = 512


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The model log-odds(y = 1) = intercept + slope · log-odds(q), fitted to labels by maximum likelihood.

    statistic: twice the gain in log-likelihood over intercept 0 and slope 1. p_value: the probability of a statistic at
    least as large under calibration, for independent pairs. If the predictions separate the labels, a parameter is
    infinite; a parameter that is not identified is NaN.
    """

    statistic: float
    p_value: float
    intercept: float
    slope: float


def cox_test(pairs: Pairs) -> Recalibration:
    """Compute Cox's test: fit intercept and slope, and test intercept = 0 and slope = 1 by the likelihood ratio.

    With weights, the likelihood is weighted, and the statistic is distributed as λ₁ χ²₁ + λ₂ χ²₁. Here λ are the
    eigenvalues of A⁻¹B, with A = Σ w q (1 - q) z zᵀ and B = Σ w² q (1 - q) z zᵀ; without weights, both are 1. A
    prediction of exactly 0 or 1 is left out if it is correct; if it is wrong, the statistic is infinite and p is 0.
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


def log_odds_columns(q: Floats) -> tuple[Bools, Floats]:
    """Return a mask (n,) of the m predictions strictly between 0 and 1, and the regressors (m, k) of these predictions.

    The regressors are a column of 1 and the standardised log-odds. k is 1 if the m predictions are all equal, and 0 if
    m is 0.
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
    return np.asarray(np.log(q) - np.log1p(-q))


def _parameters(theta: Floats, odds: Floats) -> tuple[float, float]:
    if len(theta) == 1:
        return float(theta[0]), math.nan
    change = float(theta[1] / odds.std())
    return float(theta[0]) - change * float(odds.mean()), 1.0 + change


def _log_likelihood(eta: Floats, y: Labels, w: Floats) -> float:
    return -float(w @ np.logaddexp(0.0, np.where(y == 1, -eta, eta)))


def _newton(offset: Floats, z: Floats, y: Labels, w: Floats) -> Floats:
    """Maximise the concave log-likelihood of offset + z θ by Newton steps, each halved until it improves; return θ."""
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
    """Return the supremum of the log-likelihood, intercept and slope if the predictions separate the labels; else None.

    q must be ascending. The slope or intercept is then infinite; a parameter that is not identified is NaN.
    """
    ones, zeros = q[y == 1], q[y == 0]
    if not len(ones) or not len(zeros):
        return 0.0, math.inf if len(ones) else -math.inf, math.nan
    for slope, low, high in ((math.inf, zeros, ones), (-math.inf, ones, zeros)):
        if low[-1] <= high[0] and q[0] < q[-1]:
            tied = q == low[-1] if low[-1] == high[0] else np.zeros(len(q), dtype=np.bool_)
            return _entropy(y[tied], w[tied]), math.nan, slope
    return None


def _entropy(y: Labels, w: Floats) -> float:
    """Return the maximum log-likelihood of labels that all have one probability (at the maximum, their frequency)."""
    both = np.array([float(w[y == label].sum()) for label in (0, 1)])
    some = both[both > 0.0]
    return float((some * np.log(some / both.sum())).sum()) if len(some) else 0.0


def _eigenvalues(a: Floats, b: Floats, w: Floats) -> Floats:
    """Return the eigenvalues of A⁻¹B; if predictions near 0 or 1 make A singular, their upper bound, the largest w."""
    from scipy.linalg import LinAlgError, eigh

    try:
        return np.asarray(eigh(b, a, eigvals_only=True), dtype=np.float64)
    except LinAlgError:
        return np.full(len(a), w.max())


def _tail(statistic: float, weights: Floats) -> float:
    """Return P(Σ λ_i χ²₁ > statistic) for one or two λ; two: the average of exp(-statistic / 2 λ(φ)) over angles φ."""
    if len(weights) == 1:
        return math.erfc(math.sqrt(statistic / (2 * float(weights[0]))))
    angle = (np.arange(ANGLES) + 0.5) * (math.pi / 2 / ANGLES)
    along = weights[0] * np.cos(angle) ** 2 + weights[1] * np.sin(angle) ** 2
    return float(np.exp(-statistic / (2 * along)).mean())


# The tests of calibration for clustered pairs, whose labels are correlated.
#
# The statistics are those of the tests for independent pairs. If the predictions are calibrated, a cluster's
# contribution to a sum of residuals w (y - q) has mean 0, however its labels depend on each other; the p-value is
# obtained by giving every cluster a random sign. If labels hardly vary, the residuals of a sample may by chance be
# smaller than expected, which would make the test too sensitive. Therefore, if Σ w² (y - q)² is below 1 - 1/√C times
# its expectation Σ w² q (1 - q), with C clusters, the sums with random signs are multiplied by a factor (`stretch`).


@dataclass(frozen=True, slots=True)
class Surprises:
    """Pairs with their residuals, sorted by content so that results do not depend on the order of rows; arrays (n,).

    q: prediction. w: weight. cluster: code from 0, without gaps. value: residual w (y - q). known_variance:
    variance of the residual under calibration, w² q (1 - q).
    """

    q: Floats
    w: Floats
    cluster: Integers
    value: Floats
    known_variance: Floats

    @classmethod
    def of(cls, pairs: Pairs) -> Surprises:
        assert pairs.clusters is not None
        weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
        order = np.lexsort((weights, pairs.labels, pairs.probabilities, pairs.clusters))
        q, w = pairs.probabilities[order], weights[order]
        cluster = np.unique(pairs.clusters[order], return_inverse=True)[1]
        return cls(q, w, cluster, w * (pairs.labels[order] - q), w**2 * q * (1 - q))

    def sums(self, column: Integers, values: Floats) -> Any:
        """Add up the values by cluster and column; return a sparse matrix (C, K)."""
        from scipy.sparse import csr_array

        return csr_array((values, (self.cluster, column)))

    def stretch(self, lever: Floats | float = 1.0) -> float:
        """Return the factor for sums with random signs: √((1 - 1/√C) expected / observed sum of squares), at least 1.

        lever (n,): the factor of each residual in the statistic.
        """
        expected_square = float((lever**2 * self.known_variance).sum())
        observed_square = float(((lever * self.value) ** 2).sum())
        luck = 1 - 1 / math.sqrt(int(self.cluster[-1]) + 1)
        return math.sqrt(max(1.0, luck * expected_square / observed_square)) if observed_square > 0.0 else 1.0


def clustered_test(
    pairs: Pairs, method: str, *, edges: Floats | None, times: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Compute a method of `calibration_test` with clusters: statistic, sign-flip p-value and its Monte Carlo error.

    edges: the largest prediction of each bin except the last, if the method has bins. "cox" uses the score statistic sᵀ
    V⁻¹ s, with s = Σ w (y - q) z and V = Σ w² q (1 - q) z zᵀ, where z is 1 and the standardised log-odds.
    """
    surprises, stretch = Surprises.of(pairs), None
    if method == "spiegelhalter":
        lever = 1 - 2 * surprises.q
        sums = surprises.sums(np.zeros(len(pairs), dtype=np.int64), lever * surprises.value)
        stretch = surprises.stretch(lever)
        statistic = _chi_square_statistic(np.array([(lever**2 * surprises.known_variance).sum()]))
    elif method == "cumulative":
        sums = surprises.sums(np.unique(surprises.q, return_inverse=True)[1], surprises.value)
        statistic = _max_partial_sum(surprises.w.sum())
    elif method == "cox":
        sums, statistic = _score(surprises)
    else:
        assert edges is not None
        column = np.searchsorted(edges, surprises.q)
        sums = surprises.sums(column, surprises.value)
        of_bins = surprises.known_variance if method == "binned" else surprises.w * surprises.w.sum()
        statistic = _chi_square_statistic(np.bincount(column, of_bins).astype(np.float64))
    stretch = surprises.stretch() if stretch is None else stretch
    test = sign_test(sums, statistic, stretch=stretch, times=times, rng=rng)
    value = math.copysign(math.sqrt(test.value), sums.sum()) if method == "spiegelhalter" else test.value
    return value, test.p_value, test.p_error


def _chi_square_statistic(variance: Floats) -> Statistic:
    """Return a function that maps sums S to the statistic Σ_b S_b² / variance_b (infinite if it overflows)."""
    with np.errstate(over="ignore"):
        inverse = np.divide(1.0, variance, out=np.zeros_like(variance), where=variance > 0)
    np.minimum(inverse, np.finfo(np.float64).max, out=inverse)  # infinity times a sum of 0 would not be a number

    def statistic(rows: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(rows**2 @ inverse)

    return statistic


def _max_partial_sum(weight: float) -> Statistic:
    """Return a function that maps sums S to the statistic max_t |Σ_{b ≤ t} S_b| / weight."""
    return lambda rows: np.abs(np.cumsum(rows, axis=1)).max(axis=1) / weight


def _score(surprises: Surprises) -> tuple[Any, Statistic]:
    from scipy.sparse import csr_array

    open_, z = log_odds_columns(surprises.q)  # z has a column, because some residual is not 0
    surprise = csr_array((surprises.value[open_], (surprises.cluster[open_], np.arange(len(z)))))
    inverse = _inverse((z.T * surprises.known_variance[open_]) @ z)
    return csr_array(surprise @ z), lambda rows: np.einsum("ri,ij,rj->r", rows, inverse, rows)


def _inverse(information: Floats) -> Floats:
    """The inverse, or the pseudo-inverse if the matrix is singular because predictions are almost 0 or 1."""
    try:
        return np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        scale = float(np.trace(information))
        if scale == 0.0:
            return np.zeros_like(information)
        return np.asarray(np.linalg.pinv(information / scale, hermitian=True) / scale, dtype=np.float64)
