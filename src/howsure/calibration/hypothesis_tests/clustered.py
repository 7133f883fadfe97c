"""The tests of calibration for clustered pairs, whose labels are correlated.

The statistics are those of independent pairs. If the predictions are calibrated, a cluster's contribution to a sum of
residuals w (y - q) has mean 0, however its labels depend on each other; the p-value is obtained by giving every cluster
a random sign. Where labels hardly vary, all residuals of a sample may be small by luck, as if the model were better
informed than it is: where Σ w² (y - q)² is less than its expectation Σ w² q (1 - q) by more than a share 1/√C, the sums
with random signs are stretched accordingly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.calibration.hypothesis_tests.cox import log_odds_columns
from howsure.calibration.hypothesis_tests.sign_test import Statistic, sign_test
from howsure.inputs.pairs import Floats, Integers, Pairs


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
        known, seen = float((lever**2 * self.known).sum()), float(((lever * self.value) ** 2).sum())
        luck = 1 - 1 / math.sqrt(int(self.cluster[-1]) + 1)
        return math.sqrt(max(1.0, luck * known / seen)) if seen > 0.0 else 1.0


def clustered_test(
    pairs: Pairs, method: str, *, edges: Floats | None, times: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The statistic of a method of `calibration_test`, its p-value from the signs of clusters, and its Monte Carlo
    error.

    edges: the largest prediction of each bin except the last, if the method has bins. "cox" uses the score sᵀ V⁻¹ s,
    with s = Σ w (y - q) z and V = Σ w² q (1 - q) z zᵀ, z being 1 and the standardised log-odds.
    """
    found, stretch = Surprises.of(pairs), None
    if method == "spiegelhalter":
        lever = 1 - 2 * found.q
        sums, stretch = found.sums(np.zeros(len(pairs), dtype=np.int64), lever * found.value), found.stretch(lever)
        statistic = _over(np.array([(lever**2 * found.known).sum()]))
    elif method == "cumulative":
        sums = found.sums(np.unique(found.q, return_inverse=True)[1], found.value)
        statistic = _furthest(found.w.sum())
    elif method == "cox":
        sums, statistic = _score(found)
    else:
        assert edges is not None
        column = np.searchsorted(edges, found.q)
        sums = found.sums(column, found.value)
        of_bins = found.known if method == "binned" else found.w * found.w.sum()
        statistic = _over(np.bincount(column, of_bins).astype(np.float64))
    stretch = found.stretch() if stretch is None else stretch
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


def _score(found: Surprises) -> tuple[Any, Statistic]:
    from scipy.sparse import csr_array

    open_, z = log_odds_columns(found.q)  # there is a column: some surprise is not 0
    surprise = csr_array((found.value[open_], (found.cluster[open_], np.arange(len(z)))))
    inverse = _inverse((z.T * found.known[open_]) @ z)
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
