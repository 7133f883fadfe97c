"""Could the clustered estimate be noise? Its distribution if the sign of every cluster's gaps is random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from howsure.calibration.estimates.cluster_sums import ClusterSums
from howsure.inputs.pairs import Floats

BLOCK = 256


def sign_flip_p_value(cells: ClusterSums, value: float, couples: Floats, noise: float) -> float:
    """The probability of a debiased squared error of at least `value` if the model is calibrated.

    The value is Σ_c≠c' A_cc', A_cc' = Σ_b p_b U_bc U_bc' / couples_b, with U_bc the gaps of cluster c in bin b. If the
    model is calibrated, U_c has the mean 0, and the signs of whole clusters carry no information. Over all 2^C choices
    of them the sum has mean 0, variance 2 tr A² and third moment 8 tr A³; a chi-square of ν = (tr A²)³ / (tr A³)²
    degrees of freedom, shifted and scaled to the same three moments, gives the tail. Where labels hardly vary, clusters
    look alike for that reason alone: the variance is taken to be at least `noise`, computed from q (1 - q). couples
    (bins,): the denominators of θ, 0 for a bin that is left out.
    """
    from scipy.sparse import csr_array
    from scipy.special import gammaincc

    known = couples > 0
    total_w = np.where(known, cells.by_bin(cells.w), 0.0)
    scale = np.sqrt(np.divide(total_w / total_w.sum(), couples, out=np.zeros_like(couples), where=known))
    clusters, rows = np.unique(cells.cluster, return_inverse=True)
    matrix = csr_array((cells.u * scale[cells.bin], (rows, cells.bin)), shape=(len(clusters), cells.n_bins))
    squares, cubes = _traces_of_clusters(matrix) if len(clusters) <= cells.n_bins else _traces_of_bins(matrix)
    if squares <= 0.0 and noise <= 0.0:
        return 0.0 if value > 0.0 else 1.0
    if squares <= 0.0:
        return math.erfc(value / math.sqrt(2 * noise)) / 2
    value /= math.sqrt(max(noise / (2 * squares), 1.0))
    if cubes <= 1e-6 * squares**1.5:
        return math.erfc(value / math.sqrt(4 * squares)) / 2
    factor, degrees = cubes / squares, squares**3 / cubes**2
    return float(gammaincc(degrees / 2, max(value / factor + degrees, 0.0) / 2))


def _traces_of_clusters(matrix: Any) -> tuple[float, float]:
    """tr A² and tr A³ from blocks of rows of A, for few clusters."""
    own = _squares_of_rows(matrix)
    squares = cubes = 0.0
    for start in range(0, matrix.shape[0], BLOCK):
        rows = np.arange(start, min(start + BLOCK, matrix.shape[0]))
        block = (matrix[rows] @ matrix.T).toarray()
        block[rows - start, rows] = 0.0
        squares += float((block**2).sum())
        cubes += float((((block @ matrix) @ matrix.T - block * own) * block).sum())
    return squares, cubes


def _traces_of_bins(matrix: Any) -> tuple[float, float]:
    """The same from blocks of rows of M'M, for few bins: A is MM' without its diagonal D.

    tr A² = tr (MM')² - Σ D²; tr A³ = tr (MM')³ - 3 Σ_c (MM')²_cc D_c + 2 Σ D³.
    """
    own = _squares_of_rows(matrix)
    squares, cubes, diagonal = -float((own**2).sum()), 2 * float((own**3).sum()), np.zeros_like(own)
    across = matrix.T.tocsr()
    for start in range(0, across.shape[0], BLOCK):
        rows = across[start : start + BLOCK]
        block = (rows @ matrix).toarray()
        by_cluster = block @ across
        squares += float((block**2).sum())
        cubes += float(((by_cluster @ matrix) * block).sum())
        diagonal += rows.multiply(by_cluster).sum(axis=0)
    return squares, cubes - 3 * float(diagonal @ own)


def _squares_of_rows(matrix: Any) -> Floats:
    rows: Floats = np.asarray(matrix.multiply(matrix).sum(axis=1), dtype=np.float64)
    return rows
