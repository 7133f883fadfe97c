"""CR2, a cluster-robust variance without bias from few clusters, and Satterthwaite's degrees of freedom for it.

Rows are scaled by the square roots of their weights, so that weighted least squares becomes ordinary least squares.
With the hat matrix H and the errors e, the residuals of cluster g are (I - H)_g e. They are too small if the cluster
has much leverage. CR2 multiplies them by A_g = (I - H_gg)^(-1/2). This makes the variance of a coefficient unbiased if
errors are independent and have equal variances. The degrees of freedom are those of a χ² distribution with the same
mean and variance as the estimated variance.

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
    """The leverage of N scaled rows in clusters, that is, the influence of rows on their own fitted values.

    basis (N, K): an orthonormal basis of the columns. clusters (N,): codes from 0 without gaps. scale (N,): the square
    root of the weight of each row. absorbed (N,): codes of fixed effects whose means are already taken out of `basis`.
    """

    basis: Floats
    clusters: Integers
    scale: Floats
    absorbed: Integers | None = None

    def adjusted(self, contrasts: Floats) -> tuple[Floats, Floats]:
        """Return A_g' c_g for the rows of each cluster g, and the proportion of each contrast that cannot be estimated.

        contrasts: c (N, k), orthogonal to the absorbed effects. The proportion (k,) is that of |c|² in directions in
        which the residuals are always 0, so that they show no variance.

        Let E be the columns of the absorbed effects, and B those of the basis, in the rows of a cluster. Then I - H_gg
        is D - B B' with D = I - E E', and A_g is (I - D^(-1/2) B B' D^(-1/2))^(-1/2) D^(-1/2).
        """
        basis, sizes = self._over_effects(self.basis), np.bincount(self.clusters)
        adjusted, unseen = np.empty_like(contrasts), np.zeros(contrasts.shape[1])
        if len(sizes) == len(self.clusters):  # every row is a cluster
            roots, unseen = _inverse_root(basis[:, None], contrasts[:, None])
            adjusted, sizes = roots[:, 0], sizes[:0]
        order, starts = np.argsort(self.clusters, kind="stable"), np.cumsum(sizes) - sizes
        for size in np.flatnonzero(np.bincount(sizes)).tolist():
            places = np.flatnonzero(sizes == size)
            batch = max(1, MAX_BATCH // (size * (basis.shape[1] + 1)))
            for first in range(0, len(places), batch):
                rows = order[starts[places[first : first + batch], None] + np.arange(size)]
                adjusted[rows], unseen_part = _inverse_root(basis[rows], contrasts[rows])
                unseen += unseen_part
        total = np.maximum((contrasts**2).sum(axis=0), np.finfo(float).tiny)
        return np.asfortranarray(self._over_effects(adjusted)), unseen / total

    def degrees_of_freedom(self, adjusted: Floats, variances: Floats) -> Floats:
        """Return the degrees of freedom (tr Ω)² / tr Ω² of the variance of each contrast (k,).

        adjusted (N, k): the result of the method `adjusted`. variances (N,): the assumed variances of independent
        errors, the diagonal of Ψ. Ω = P' Ψ P is the covariance matrix of the terms of the clusters: column g of P,
        (I - H)[:, g] A_g' c_g, has the effect of each error on the term of cluster g.

        With H = U U', Ω is a diagonal matrix minus products of (clusters, K) matrices. Covariances are used only
        between the 200 clusters with the largest variances.
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
        """Return D^(-1/2) v for columns v (see `adjusted`), with 0 in the directions in which D is 0."""
        if self.absorbed is None:
            return values
        levels = int(self.absorbed.max()) + 1
        _, cell = np.unique(self.clusters * levels + self.absorbed, return_inverse=True)
        cluster_weight = np.bincount(cell, self.scale**2)[cell]
        total = np.bincount(self.absorbed, self.scale**2)[self.absorbed]
        has_weight = cluster_weight > 0.0  # a level without weight in a cluster absorbs nothing of it
        remaining = 1.0 - np.divide(cluster_weight, total, out=np.zeros_like(cluster_weight), where=has_weight)
        factors = np.where(remaining > SINGULAR, 1.0 / np.sqrt(np.maximum(remaining, SINGULAR)), 0.0) - 1.0
        direction = np.divide(self.scale, np.sqrt(cluster_weight), out=np.zeros_like(cluster_weight), where=has_weight)
        inner = np.stack([np.bincount(cell, direction * column) for column in values.T], axis=1)
        return np.asarray(values + (factors * direction)[:, None] * inner[cell])

    def _columns(self) -> Any:
        """Return an orthonormal basis of all columns.

        Absorbed effects are included only if a level has rows in several clusters; otherwise they change no contrast.
        """
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
    """Return the ascending indices of the `count` largest values; of equal values, the first are chosen."""
    if len(values) <= count:
        return np.arange(len(values))
    smallest = np.partition(values, -count)[-count]
    above, equal = np.flatnonzero(values > smallest), np.flatnonzero(values == smallest)
    return np.sort(np.concatenate([above, equal[: count - len(above)]]))


def _inverse_root(basis: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return (I - B B')^(-1/2) v for m clusters of equal size, and Σ v² (k,) in the directions in which I - B B' is 0.

    basis: B (m, n, K). values: v (m, n, k). In the directions in which I - B B' is 0, the first result is 0, too.

    With S = B' B, the result is v + B (1/2 + 3/8 S + 5/16 S² + …) B' v. If the leverage of a cluster, the trace of S,
    is too large for this series, an eigendecomposition of S or B B' is used instead.
    """
    leverage = np.einsum("mnK,mnK->m", basis, basis)
    if basis.shape[1] == 1:
        eigenvalues = 1.0 - leverage[:, None, None]
        is_seen = eigenvalues > SINGULAR
        roots = np.where(is_seen, 1.0 / np.sqrt(np.maximum(eigenvalues, SINGULAR)), 0.0)
        return roots * values, np.where(is_seen, 0.0, values**2).sum(axis=(0, 1))
    is_small = leverage < MAX_IN_SERIES
    roots, unseen = np.empty_like(values), np.zeros(values.shape[2])
    if is_small.any():
        roots[is_small] = _inverse_root_by_series(basis[is_small], values[is_small], float(leverage[is_small].max()))
    if not is_small.all():
        roots[~is_small], unseen = _inverse_root_by_directions(basis[~is_small], values[~is_small])
    return roots, unseen


def _inverse_root_by_series(basis: Floats, values: Floats, leverage: float) -> Floats:
    """Compute `_inverse_root` by its power series, until the terms are negligible for the largest `leverage`."""
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
