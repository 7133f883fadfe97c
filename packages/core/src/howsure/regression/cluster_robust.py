"""CR2, a cluster-robust variance without bias from few clusters, and Satterthwaite's degrees of freedom for it.

Rows are scaled by the square roots of their weights, so that weighted least squares is plain least squares. With the
hat matrix H, the residuals of cluster g are (I - H)_g e: too small where the cluster has much leverage. CR2 multiplies
them by A_g = (I - H_gg)^(-1/2), which makes the variance of a coefficient unbiased where errors are independent and of
equal variance. Its degrees of freedom are those of a χ² distribution with the same mean and variance.

Sources: Bell & McCaffrey (2002); Imbens & Kolesár (2016); Pustejovsky & Tipton (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, dia_array, hstack, issparse

from howsure.inputs.pairs import Floats, Integers

SINGULAR = 1e-9  # of 1 - leverage in a direction: below, the residuals in that direction are always 0
MAX_EXACT_CLUSTERS = 200  # of largest variance, whose covariances count: with more, Student's t is nearly normal
MAX_IN_SERIES, NEGLIGIBLE = 0.05, 1e-18  # leverage of a cluster; terms of a power series, relative
MAX_BATCH = 4_000_000  # numbers in a batch of clusters of equal size


@dataclass(frozen=True, slots=True)
class Leverage:
    """The leverage of N scaled rows in clusters: how they determine their own fitted values.

    basis (N, K): an orthonormal basis of the columns. clusters (N,): codes from 0 without gaps. scale (N,): the square
    root of the weight of each row. absorbed (N,): codes of fixed effects whose means are already taken out of `basis`.
    """

    basis: Floats
    clusters: Integers
    scale: Floats
    absorbed: Integers | None = None

    def adjusted(self, contrasts: Floats) -> tuple[Floats, Floats]:
        """A_g' c_g of the rows of each cluster, for contrasts c (N, k) that are orthogonal to the absorbed effects, and
        the share (k,) of |c|² in directions where residuals are always 0, so that no variance can be estimated.

        With the columns E of the absorbed effects in a cluster and B of the basis, I - H_gg is D - B B' with
        D = I - E E'; A_g is (I - D^(-1/2) B B' D^(-1/2))^(-1/2) D^(-1/2).
        """
        basis, sizes = self._over_effects(self.basis), np.bincount(self.clusters)
        adjusted, unseen = np.empty_like(contrasts), np.zeros(contrasts.shape[1])
        if len(sizes) == len(self.clusters):  # rows on their own
            roots, unseen = _inverse_root(basis[:, None], contrasts[:, None])
            adjusted, sizes = roots[:, 0], sizes[:0]
        order, starts = np.argsort(self.clusters, kind="stable"), np.cumsum(sizes) - sizes
        for size in np.flatnonzero(np.bincount(sizes)).tolist():
            places = np.flatnonzero(sizes == size)
            batch = max(1, MAX_BATCH // (size * (basis.shape[1] + 1)))
            for first in range(0, len(places), batch):
                rows = order[starts[places[first : first + batch], None] + np.arange(size)]
                adjusted[rows], lost = _inverse_root(basis[rows], contrasts[rows])
                unseen += lost
        whole = np.maximum((contrasts**2).sum(axis=0), np.finfo(float).tiny)
        return np.asfortranarray(self._over_effects(adjusted)), unseen / whole

    def degrees_of_freedom(self, adjusted: Floats, variances: Floats) -> Floats:
        """(tr Ω)² / tr Ω² of each contrast (k,), with Ω = P' Ψ P: Ψ has the `variances` (N,) of independent errors, and
        column g of P is how the term of cluster g depends on each error: (I - H)[:, g] A_g' c_g, for `adjusted` (N, k).

        With H = U U', Ω is a diagonal less products of (clusters, K) matrices. Of clusters beyond the 200 of largest
        variance, only these variances count.
        """
        columns = self._columns()
        between = columns.T @ (
            dia_array((variances[None, :], [0]), shape=(len(variances),) * 2) @ columns
            if issparse(columns)
            else variances[:, None] * columns
        )
        return np.array([self._degrees(columns, between, contrast, variances) for contrast in adjusted.T])

    def _degrees(self, columns: Any, between: Any, adjusted: Floats, variances: Floats) -> float:
        of_clusters = np.bincount(self.clusters, variances * adjusted**2).astype(np.float64)
        exact = _largest(of_clusters, MAX_EXACT_CLUSTERS)
        place = np.full(len(of_clusters), -1)
        place[exact] = np.arange(len(exact))
        rows = np.flatnonzero(place[self.clusters] >= 0)
        cluster_columns, cluster = columns[rows], place[self.clusters[rows]]

        def sums(values: Floats) -> Any:
            return csr_array((values, (cluster, np.arange(len(rows))))) @ cluster_columns

        row_sums, crossed = sums(adjusted[rows]), sums(variances[rows] * adjusted[rows])
        products = crossed @ row_sums.T
        shared = row_sums @ (between @ row_sums.T) - products - products.T
        covariance = np.diag(of_clusters[exact]) + (shared.toarray() if issparse(shared) else shared)
        of_clusters[exact] = 0.0
        trace, squares = np.trace(covariance) + of_clusters.sum(), (covariance**2).sum() + (of_clusters**2).sum()
        return float(trace**2 / squares)

    def _over_effects(self, values: Floats) -> Floats:
        """D^(-1/2) v, with 0 in the directions in which D is 0."""
        if self.absorbed is None:
            return values
        levels = int(self.absorbed.max()) + 1
        _, cell = np.unique(self.clusters * levels + self.absorbed, return_inverse=True)
        inside = np.bincount(cell, self.scale**2)[cell]
        total = np.bincount(self.absorbed, self.scale**2)[self.absorbed]
        weighs = inside > 0.0  # a level that has no weight in a cluster takes nothing of it
        rest = 1.0 - np.divide(inside, total, out=np.zeros_like(inside), where=weighs)
        times = np.where(rest > SINGULAR, 1.0 / np.sqrt(np.maximum(rest, SINGULAR)), 0.0) - 1.0
        along = np.divide(self.scale, np.sqrt(inside), out=np.zeros_like(inside), where=weighs)
        inner = np.stack([np.bincount(cell, along * column) for column in values.T], axis=1)
        return np.asarray(values + (times * along)[:, None] * inner[cell])

    def _columns(self) -> Any:
        """An orthonormal basis of all columns; absorbed effects are included only if some have rows of several
        clusters, since the others do not change a contrast."""
        if self.absorbed is None:
            return self.basis
        cluster = np.zeros(int(self.absorbed.max()) + 1, dtype=np.int64)
        cluster[self.absorbed] = self.clusters
        if (cluster[self.absorbed] == self.clusters).all():
            return self.basis
        total = np.bincount(self.absorbed, self.scale**2)[self.absorbed]
        along = np.divide(self.scale, np.sqrt(total), out=np.zeros_like(total), where=total > 0.0)
        effects = csr_array((along, (np.arange(len(self.absorbed)), self.absorbed)))
        return hstack([csr_array(self.basis), effects]).tocsr()


def _largest(values: Floats, count: int) -> Integers:
    """The positions of the largest values, ascending; among equal values, the first ones."""
    if len(values) <= count:
        return np.arange(len(values))
    smallest = np.partition(values, -count)[-count]
    above, equal = np.flatnonzero(values > smallest), np.flatnonzero(values == smallest)
    return np.sort(np.concatenate([above, equal[: count - len(above)]]))


def _inverse_root(basis: Floats, values: Floats) -> tuple[Floats, Floats]:
    """(I - B B')^(-1/2) v, 0 in directions in which I - B B' is 0, and Σ v² (k,) there; B (m, n, K) and v (m, n, k) of
    m clusters.

    With S = B' B, it is v + B (1/2 + 3/8 S + 5/16 S² + …) B' v. Clusters whose leverage, the trace of S, is too large
    for this series have S or B B' decomposed.
    """
    leverage = np.einsum("mnK,mnK->m", basis, basis)
    if basis.shape[1] == 1:
        rest = 1.0 - leverage[:, None, None]
        is_seen = rest > SINGULAR
        roots = np.where(is_seen, 1.0 / np.sqrt(np.maximum(rest, SINGULAR)), 0.0)
        return roots * values, np.where(is_seen, 0.0, values**2).sum(axis=(0, 1))
    is_small = leverage < MAX_IN_SERIES
    roots, unseen = np.empty_like(values), np.zeros(values.shape[2])
    if is_small.any():
        roots[is_small] = _inverse_root_by_series(basis[is_small], values[is_small], float(leverage[is_small].max()))
    if not is_small.all():
        roots[~is_small], unseen = _inverse_root_by_directions(basis[~is_small], values[~is_small])
    return roots, unseen


def _inverse_root_by_series(basis: Floats, values: Floats, leverage: float) -> Floats:
    """`_inverse_root` by its power series, until terms are negligible at the largest leverage."""
    coefficients = [0.5]
    while leverage ** len(coefficients) > NEGLIGIBLE:
        order = len(coefficients) + 1
        coefficients.append(coefficients[-1] * (2 * order - 1) / (2 * order))
    transposed = basis.transpose(0, 2, 1)
    squares, inner = transposed @ basis, transposed @ values
    total = coefficients[-1] * inner
    for coefficient in coefficients[-2::-1]:
        total = coefficient * inner + squares @ total
    return np.asarray(values + basis @ total)


def _inverse_root_by_directions(basis: Floats, values: Floats) -> tuple[Floats, Floats]:
    if basis.shape[1] <= basis.shape[2]:
        squares, directions = np.linalg.eigh(basis @ basis.transpose(0, 2, 1))
    else:
        squares, vectors = np.linalg.eigh(basis.transpose(0, 2, 1) @ basis)
        length = np.sqrt(np.maximum(squares, 0.0))[:, None, :]
        directions = np.where(length > SINGULAR, (basis @ vectors) / np.maximum(length, SINGULAR), 0.0)
    rest = 1.0 - squares[:, :, None]
    inner = directions.transpose(0, 2, 1) @ values
    times = np.where(rest > SINGULAR, 1.0 / np.sqrt(np.maximum(rest, SINGULAR)), 0.0) - 1.0
    return values + directions @ (times * inner), np.where(rest > SINGULAR, 0.0, inner**2).sum(axis=(0, 1))
