"""Cox's test and the cumulative test, and both for clustered pairs, whose labels are correlated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.calibration.bins import sorted_rows
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs

# The sign test of sums over clusters: how large would they be if each cluster's sign were random?
#
# If each cluster's contribution has mean 0, give every cluster a random sign and count how often a statistic of the
# sums is as large: exact if clusters err equally often to either side, and asymptotically valid otherwise.

NUMBERS_AT_ONCE = 1 << 18  # what fits the cache is four times as fast
AS_LARGE = 1 - 1e-9  # what is equal but for rounding is as large
Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class SignTest:
    """A statistic, and its values with other signs: all of them (`exact`), or random ones."""

    value: float
    drawn: Floats
    exact: bool

    @property
    def p_value(self) -> float:
        """The share of signs with at least the statistic; random ones and that of the data: (c + 1) / (times + 1)."""
        as_large = int(np.count_nonzero(self.drawn >= self.value * AS_LARGE))
        return as_large / len(self.drawn) if self.exact else (as_large + 1) / (len(self.drawn) + 1)

    @property
    def p_error(self) -> float:
        """The Monte Carlo standard error of the p-value."""
        p = self.p_value
        return 0.0 if self.exact else math.sqrt(p * (1 - p) / (len(self.drawn) + 1))

    def critical(self, level: float) -> float:
        """The threshold that a statistic exceeds if and only if its p-value is at most 1 - level; infinite if none
        can."""
        size = (1 - level) * (1 + 1e-12)
        rank = int(size * len(self.drawn)) if self.exact else int(size * (len(self.drawn) + 1)) - 1
        return float(np.sort(self.drawn)[::-1][rank]) if rank >= 0 else math.inf


def sign_test(
    by_cluster: Any, statistic: Statistic, *, times: int, rng: np.random.Generator, stretch: float = 1.0
) -> SignTest:
    """A statistic of sums over clusters, with the signs of the clusters unchanged and changed.

    by_cluster (C, K), sparse or not: what each cluster adds to K sums. `statistic` gives a number for each of (R, K)
    sums. All 2^(C - 1) sign assignments are used if there are at most `times` + 1, else `times` random ones. Sums with
    changed signs are multiplied by `stretch`.
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
    """The signs encoded by the bits of some numbers; the last cluster keeps its own."""
    return (1 - 2 * ((numbers[:, None] >> np.arange(clusters)) & 1)).astype(np.float64)


# The cumulative test: do labels and predictions drift apart when summed from the lowest prediction upwards?

TERMS = 20


def cumulative_test(pairs: Pairs) -> tuple[float, float]:
    """The largest |Σ w (y - q)| / Σ w over the pairs up to any prediction, and its p-value for independent pairs.

    Under calibration the sums are a martingale whose variance at the end is σ² = Σ w² q (1 - q); divided by σ, they
    converge to a Brownian motion on [0, 1]. Source: Arrieta-Ibarra, Gujral, Tannen, Tygert & Xu (2022), ECCE-MAD.
    """
    q, y, weights = sorted_rows(pairs)
    w = np.ones(len(q)) if weights is None else weights
    last = np.append(q[1:] != q[:-1], True)  # of equal predictions; in between, the sum depends on their order
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


# Cox's test: do the labels require a different intercept or slope of the predictions' log-odds?

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


# The tests of calibration for clustered pairs, whose labels are correlated.
#
# The statistics are those of independent pairs. If the predictions are calibrated, a cluster's contribution to a sum of
# residuals w (y - q) has mean 0, however its labels depend on each other; the p-value is obtained by giving every
# cluster a random sign. Where labels hardly vary, all residuals of a sample may be small by luck, as if the model were
# better informed than it is: where Σ w² (y - q)² is less than its expectation Σ w² q (1 - q) by more than a share 1/√C,
# the sums with random signs are stretched accordingly.


@dataclass(frozen=True, slots=True)
class Surprises:
    """Pairs in an order that does not depend on that of the rows: prediction, weight, cluster (codes without gaps),
    value w (y - q) and known, its variance w² q (1 - q)."""

    q: Floats
    w: Floats
    cluster: Integers
    value: Floats
    known: Floats

    @classmethod
    def of(cls, pairs: Pairs) -> Surprises:
        """The same for pairs with clusters."""
        assert pairs.clusters is not None
        weights = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
        order = np.lexsort((weights, pairs.labels, pairs.probabilities, pairs.clusters))
        q, w = pairs.probabilities[order], weights[order]
        cluster = np.unique(pairs.clusters[order], return_inverse=True)[1]
        return cls(q, w, cluster, w * (pairs.labels[order] - q), w**2 * q * (1 - q))

    def sums(self, column: Integers, values: Floats) -> Any:
        """The values added up by cluster and column, (C, K), sparse."""
        from scipy.sparse import csr_array

        return csr_array((values, (self.cluster, column)))

    def stretch(self, lever: Floats | float = 1.0) -> float:
        """How much larger than the residuals, times `lever`, their spread should be according to the predictions."""
        expected_square, observed_square = (
            float((lever**2 * self.known).sum()),
            float(((lever * self.value) ** 2).sum()),
        )
        luck = 1 - 1 / math.sqrt(int(self.cluster[-1]) + 1)
        return math.sqrt(max(1.0, luck * expected_square / observed_square)) if observed_square > 0.0 else 1.0


def clustered_test(
    pairs: Pairs, method: str, *, edges: Floats | None, times: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The statistic of a method of `calibration_test`, its p-value from the signs of clusters, and its Monte Carlo
    error.

    edges: the largest prediction of each bin except the last, if the method has bins. "cox" uses the score sᵀ V⁻¹ s,
    with s = Σ w (y - q) z and V = Σ w² q (1 - q) z zᵀ, z being 1 and the standardised log-odds.
    """
    surprises, stretch = Surprises.of(pairs), None
    if method == "spiegelhalter":
        lever = 1 - 2 * surprises.q
        sums, stretch = (
            surprises.sums(np.zeros(len(pairs), dtype=np.int64), lever * surprises.value),
            surprises.stretch(lever),
        )
        statistic = _over(np.array([(lever**2 * surprises.known).sum()]))
    elif method == "cumulative":
        sums = surprises.sums(np.unique(surprises.q, return_inverse=True)[1], surprises.value)
        statistic = _furthest(surprises.w.sum())
    elif method == "cox":
        sums, statistic = _score(surprises)
    else:
        assert edges is not None
        column = np.searchsorted(edges, surprises.q)
        sums = surprises.sums(column, surprises.value)
        of_bins = surprises.known if method == "binned" else surprises.w * surprises.w.sum()
        statistic = _over(np.bincount(column, of_bins).astype(np.float64))
    stretch = surprises.stretch() if stretch is None else stretch
    test = sign_test(sums, statistic, stretch=stretch, times=times, rng=rng)
    value = math.copysign(math.sqrt(test.value), sums.sum()) if method == "spiegelhalter" else test.value
    return value, test.p_value, test.p_error


def _over(variance: Floats) -> Statistic:
    """Σ_b S_b² / variance_b; infinite where it is beyond all floats."""
    with np.errstate(over="ignore"):
        inverse = np.divide(1.0, variance, out=np.zeros_like(variance), where=variance > 0)
    np.minimum(inverse, np.finfo(np.float64).max, out=inverse)  # infinity times a sum of 0 would be no number

    def statistic(rows: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray(rows**2 @ inverse)

    return statistic


def _furthest(weight: float) -> Statistic:
    """The largest |Σ_{b ≤ t} S_b| / weight."""
    return lambda rows: np.abs(np.cumsum(rows, axis=1)).max(axis=1) / weight


def _score(surprises: Surprises) -> tuple[Any, Statistic]:
    from scipy.sparse import csr_array

    open_, z = log_odds_columns(surprises.q)  # there is a column: some surprise is not 0
    surprise = csr_array((surprises.value[open_], (surprises.cluster[open_], np.arange(len(z)))))
    inverse = _inverse((z.T * surprises.known[open_]) @ z)
    return csr_array(surprise @ z), lambda rows: np.einsum("ri,ij,rj->r", rows, inverse, rows)


def _inverse(information: Floats) -> Floats:
    """The inverse; of a matrix of which predictions of almost 0 and 1 leave only one direction, that of this one."""
    try:
        return np.asarray(np.linalg.inv(information), dtype=np.float64)
    except np.linalg.LinAlgError:
        scale = float(np.trace(information))
        if scale == 0.0:
            return np.zeros_like(information)
        return np.asarray(np.linalg.pinv(information / scale, hermitian=True) / scale, dtype=np.float64)
