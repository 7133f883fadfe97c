"""A period of reference: what counts as calibrated is what was seen in it, as far as it is known."""

from __future__ import annotations

import numpy as np

from howsure.calibration.estimates.rare_labels import exact_interval
from howsure.monitoring.bets import Tolerated
from howsure.monitoring.cells import CellSums

LEAST = 10.0  # independent rows of a cell from which its gap is learned; cells with fewer are not tested


def tolerated_by(reference: CellSums, *, tolerance: float, alpha: float) -> Tolerated:
    """By cell, the interval of the gap in the reference, all of them together right with probability 1 - alpha, and
    the tolerance on both sides.

    The frequency has Clopper and Pearson's interval, so that rows without a surprise prove no more than they can. Rows
    of a cluster may all be one answer: those of a cell count as (Σ m)² / Σ m² rows, m the rows of a cluster (Kish).
    """
    n = np.maximum(reference.n, 1.0)
    worth = n**2 / np.maximum(reference.cluster_rows, 1.0)
    known = worth * (reference.n > 0) >= LEAST
    tail = alpha / (2.0 * max(1, int(known.sum())))
    low, high = exact_interval(reference.observed / n, worth, tail=tail)
    q = reference.predicted / n
    below = np.where(known, np.minimum(low - q, 0.0) - tolerance, -1.0)
    above = np.where(known, np.maximum(high - q, 0.0) + tolerance, 1.0)
    return Tolerated(below, above)
