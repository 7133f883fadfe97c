"""The debiased error when pairs come in clusters (the tokens of a sentence, the sentences of a document)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.calibration.error import UNDEFINED, SquaredError
from howsure.stats.pairs import Floats, Integers, Pairs

BLOCK = 256
NOTHING = 1e-12  # a share of a bin's squared weight that is rounding, not weight


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums of the pairs of one cluster in one bin, for every (bin, cluster) that holds any; sorted by bin.

    n Σ1 · w Σw · u Σw(q - y) · y Σwy.
    """

    bin: Integers
    cluster: Integers
    n: Floats
    w: Floats
    u: Floats
    y: Floats
    n_bins: int
    n_clusters: int

    def by_bin(self, values: Floats) -> Floats:
        """The values added up by bin."""
        return np.bincount(self.bin, weights=values, minlength=self.n_bins).astype(np.float64)

    def by_cluster(self, values: Floats) -> Floats:
        """The values added up by cluster."""
        return np.bincount(self.cluster, weights=values, minlength=self.n_clusters).astype(np.float64)


def cluster_sums(pairs: Pairs, bins: Integers, n_bins: int) -> ClusterSums:
    """Add the pairs up by bin and cluster, in an order that does not depend on that of the rows."""
    w = np.ones(len(pairs)) if pairs.weights is None else pairs.weights
    if pairs.clusters is None:  # every row is one, numbered in the order of the content
        clusters = np.empty(len(pairs), dtype=np.int64)
        clusters[np.lexsort((w, pairs.labels, pairs.probabilities))] = np.arange(len(pairs))
    else:
        clusters = pairs.clusters
    key = bins * (int(clusters.max()) + 1) + clusters
    order = np.lexsort((w, pairs.labels, pairs.probabilities, key))
    key, w, y, q = key[order], w[order], pairs.labels[order], pairs.probabilities[order]
    starts = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    first = order[starts]
    n, w_sum, u_sum, y_sum = (np.add.reduceat(column, starts) for column in (np.ones_like(w), w, w * (q - y), w * y))
    return ClusterSums(bins[first], clusters[first], n, w_sum, u_sum, y_sum, n_bins, int(clusters.max()) + 1)


def clustered_mse(cells: ClusterSums) -> SquaredError:
    """The squared calibration error from pairs of rows of *different* clusters, with a jackknife over clusters.

    θ_b = (S_b² - Σ_c S_bc²) / (w_b² - Σ_c w_bc²), S_bc = Σ w u over the pairs of cluster c in bin b. The jackknife
    leaves out one cluster from all bins at once; it counts the noise of products of noise twice, which is taken off.
    """
    total_w, total_u = cells.by_bin(cells.w), cells.by_bin(cells.u)
    couples, products = total_w**2 - cells.by_bin(cells.w**2), total_u**2 - cells.by_bin(cells.u**2)
    known = couples > NOTHING * total_w**2
    left_out = int(cells.by_bin(cells.n)[~known].sum())
    n = len(np.unique(cells.cluster))
    if not known.any() or n < 2:
        return SquaredError(*UNDEFINED, left_out)
    theta = np.divide(products, couples, out=np.zeros_like(couples), where=known)
    weight = np.where(known, total_w, 0.0)
    value = float(weight @ theta / weight.sum())
    without = without_each_cluster(cells)
    without = np.sort(without[~np.isnan(without)])
    jackknife = (n - 1) / n * float(((without - without.mean()) ** 2).sum()) if len(without) > 1 else 0.0
    least, noise, slope_below = _noise(cells, total_w, total_u, known)
    slope_above = 2 * least / noise if noise > 0 else 0.0
    return SquaredError(value, max(jackknife - least, least), slope_above, slope_below, least, left_out, n - 1)


def without_each_cluster(cells: ClusterSums) -> Floats:
    """The debiased squared error without each cluster, by its code; NaN where a cluster or what is left is empty."""
    total_w, total_u = cells.by_bin(cells.w), cells.by_bin(cells.u)
    squares_w, squares_u = cells.by_bin(cells.w**2), cells.by_bin(cells.u**2)
    couples, products = total_w**2 - squares_w, total_u**2 - squares_u
    known = couples > NOTHING * total_w**2
    weighted = np.divide(total_w * products, couples, out=np.zeros_like(couples), where=known)
    b, w, u = cells.bin, cells.w, cells.u
    rest_w, rest_u = total_w[b] - w, total_u[b] - u
    rest_couples, rest_products = rest_w**2 - (squares_w[b] - w**2), rest_u**2 - (squares_u[b] - u**2)
    still = known[b] & (rest_couples > NOTHING * total_w[b] ** 2)
    rest_weighted = np.divide(rest_w * rest_products, rest_couples, out=np.zeros_like(rest_w), where=still)
    sums = weighted.sum() + cells.by_cluster(rest_weighted - weighted[b])
    weights = total_w[known].sum() + cells.by_cluster(np.where(still, rest_w, 0.0) - np.where(known, total_w, 0.0)[b])
    useful = (cells.by_cluster(w) > 0) & (weights > NOTHING * total_w.sum())
    values: Floats = np.divide(sums, weights, out=np.full_like(sums, np.nan), where=useful)
    return values


def _noise(
    cells: ClusterSums, total_w: Floats, total_u: Floats, known: np.typing.NDArray[np.bool_]
) -> tuple[float, float, float]:
    """2 Σ p_b p_b' V_bb'², Σ p_b V_bb and 4 Σ p_b² V_bb; V is the covariance of the bins' mean gaps over clusters."""
    from scipy.sparse import csr_array

    residual = (cells.u - (total_u / total_w)[cells.bin] * cells.w) * known[cells.bin]
    scaled = residual / np.sqrt(total_w[cells.bin])
    shape = (cells.n_clusters, cells.n_bins)
    matrix = csr_array((scaled, (cells.cluster, cells.bin)), shape=shape)
    if shape[0] < shape[1]:
        matrix = csr_array(matrix.T)
    squares = 0.0
    for start in range(0, matrix.shape[1], BLOCK):
        block = (matrix.T[start : start + BLOCK] @ matrix).toarray()
        squares += float((block**2).sum())
    weight = float(total_w[known].sum())
    slope_below = 4 * float((residual**2).sum()) / weight**2
    return 2 * squares / weight**2, float((scaled**2).sum()) / weight, slope_below


def clustered_standard_errors(cells: ClusterSums) -> Floats:
    """The standard error of each bin's label frequency from its clusters."""
    total_w = cells.by_bin(cells.w)
    residual = cells.y - (cells.by_bin(cells.y) / total_w)[cells.bin] * cells.w
    n = np.bincount(cells.bin, minlength=cells.n_bins)
    correction = np.where(n > 1, n / np.maximum(n - 1, 1), 1.0)
    errors: Floats = np.sqrt(correction * cells.by_bin(residual**2)) / total_w
    return errors


def effective_numbers(cells: ClusterSums, squares: Floats, frequency: Floats, standard_error: Floats) -> Floats:
    """How many independent pairs would tell as much of a bin's label frequency as its pairs in clusters do.

    frequency (1 - frequency) / standard_error², never above (Σ w)² / Σ w² (`squares`). A bin whose labels are all equal
    has no standard error; its pairs count by the correlation ρ of the labels of a cluster in the other bins together:
    (Σ w)² / (Σ w² + ρ (Σ_c w_c² - Σ w²)). If no bin tells ρ, it is 1: a cluster counts once.
    """
    total_w, spread = cells.by_bin(cells.w), frequency * (1 - frequency)
    together = np.maximum(cells.by_bin(cells.w**2) - squares, 0.0)  # w w' of two pairs of one cluster
    known = (standard_error > 0) & (spread > 0)
    shared = float((spread * together)[known].sum())
    excess = float(((standard_error * total_w) ** 2 - spread * squares)[known].sum())
    correlation = min(max(excess / shared, 0.0), 1.0) if shared > 0 else 1.0
    pooled = total_w**2 / (squares + correlation * together)
    own = np.divide(spread, standard_error**2, out=pooled, where=known)
    numbers: Floats = np.minimum(total_w**2 / squares, np.maximum(own, 1.0))
    return numbers
