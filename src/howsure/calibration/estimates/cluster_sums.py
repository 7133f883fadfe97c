"""The sums of a bin over each cluster's pairs, from which clustered estimates follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers, Pairs


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sums of the pairs of one cluster in one bin, for every (bin, cluster) that contains any; sorted by bin.

    n Σ1 · w Σw · ww Σw² of the pairs · u Σw(q - y) · y Σwy.
    """

    bin: Integers
    cluster: Integers
    n: Floats
    w: Floats
    ww: Floats
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
    columns = np.ones_like(w), w, w * w, w * (q - y), w * y
    n, w_sum, ww, u, wy = (np.add.reduceat(column.astype(np.float64), starts) for column in columns)
    return ClusterSums(bins[first], clusters[first], n, w_sum, ww, u, wy, n_bins, int(clusters.max()) + 1)
