"""Cells of the predicted probability, and the sums over the rows in each of them, which add up over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from howsure.inputs.pairs import Floats, Integers, Labels

EDGES = np.array([0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0])
N_CELLS = len(EDGES) - 1
SUMS = ("n", "predicted", "observed", "squares", "cluster_squares", "dominating", "cluster_rows")


def cells_of(probabilities: Floats) -> Integers:
    """The cell of each probability: from its lower edge up to, not including, the upper one; the last holds 1.

    >>> cells_of(np.array([0.0, 0.05, 0.949, 1.0]))
    array([ 0,  2, 11, 13])
    """
    return np.minimum(np.searchsorted(EDGES, probabilities, side="right") - 1, N_CELLS - 1)


@dataclass(frozen=True, slots=True)
class CellSums:
    """Sums over the rows in each cell; those of two sets of rows without a common cluster add up.

    n: rows. predicted, observed: Σ q and Σ y. squares: Σ z² over rows, z = y - q. cluster_squares: Σ S² over clusters,
    S the sum of z over the rows of the cluster in the cell. dominating: Σ |S| Σ' |S'|, the second sum over all cells of
    the cluster: the diagonal matrix of these lies above the covariance of the sums of all cells, whatever the
    dependence within a cluster. cluster_rows: Σ m² over clusters, m their rows in the cell. Without clusters, every row
    is one.
    """

    values: Floats  # (len(SUMS), N_CELLS)

    @classmethod
    def zero(cls) -> Self:
        """No rows."""
        return cls(np.zeros((len(SUMS), N_CELLS)))

    @classmethod
    def of(cls, labels: Labels, probabilities: Floats, clusters: Integers | None) -> Self:
        """The sums of some rows."""
        cells = cells_of(probabilities)
        z = labels - probabilities

        def summed(weights: Floats | None) -> Floats:
            return np.bincount(cells, weights, N_CELLS).astype(np.float64)

        first = [summed(None), summed(probabilities), summed(labels.astype(np.float64)), summed(z * z)]
        if clusters is None:
            return cls(np.array([*first, first[3], first[3], first[0]]))

        def by_cluster(weights: Floats | None) -> Floats:
            shape = int(clusters.max()) + 1, N_CELLS
            found = np.bincount(clusters * N_CELLS + cells, weights, shape[0] * N_CELLS)
            return found.reshape(shape).astype(np.float64)

        sums, rows = by_cluster(z), by_cluster(None)
        absolute = np.abs(sums)
        dominating = (absolute * absolute.sum(axis=1)[:, None]).sum(axis=0)
        return cls(np.array([*first, (sums**2).sum(axis=0), dominating, (rows**2).sum(axis=0)]))

    def __add__(self, other: Self) -> Self:
        return type(self)(self.values + other.values)

    @property
    def n(self) -> Floats:
        """Rows by cell."""
        return self._sum(0)

    @property
    def predicted(self) -> Floats:
        """Sum of the probabilities by cell."""
        return self._sum(1)

    @property
    def observed(self) -> Floats:
        """Rows of label 1 by cell."""
        return self._sum(2)

    @property
    def squares(self) -> Floats:
        """Sum of (y - q)² by cell."""
        return self._sum(3)

    @property
    def cluster_squares(self) -> Floats:
        """Sum of the squares of the clusters' sums by cell."""
        return self._sum(4)

    @property
    def dominating(self) -> Floats:
        """What lies above the covariance of the cells' sums."""
        return self._sum(5)

    @property
    def cluster_rows(self) -> Floats:
        """Sum of the squares of the clusters' rows by cell."""
        return self._sum(6)

    def _sum(self, place: int) -> Floats:
        found: Floats = self.values[place]
        return found
