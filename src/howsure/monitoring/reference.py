"""A period of reference: what counts as calibrated is what was seen in it, as far as it is known."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from howsure.monitoring.bets import Tolerated
from howsure.monitoring.cells import N_CELLS, CellSums

LEAST = 10  # rows of a cell from which its gap is learned; cells with fewer are not tested


def tolerated_by(reference: CellSums, *, tolerance: float, alpha: float) -> Tolerated:
    """By cell, the interval of the gap in the reference, all of them together right with probability 1 - alpha, and
    the tolerance on both sides."""
    known = reference.n >= LEAST
    z = NormalDist().inv_cdf(1.0 - alpha / (2.0 * max(1, int(known.sum()))))
    n = np.maximum(reference.n, 1.0)
    gap = (reference.observed - reference.predicted) / n
    q = reference.predicted / n
    width = z * np.sqrt(np.maximum(reference.cluster_squares, q * (1.0 - q))) / n
    below = np.where(known, np.minimum(gap - width, 0.0) - tolerance, -1.0)
    above = np.where(known, np.maximum(gap + width, 0.0) + tolerance, 1.0)
    assert len(below) == N_CELLS
    return Tolerated(below, above)
