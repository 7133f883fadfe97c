"""The effective number of clusters, and the warning when it is small: one rule for all chapters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FEW = 40  # clusters of equal size, below which intervals and p-values rest on few
NEARLY = 0.95


def kish(sizes: npt.NDArray[Any]) -> float:
    """The equivalent number of equal-sized clusters: (Σ n)² / Σ n², where n is the number of rows of a cluster or their
    weight (Kish 1965).

    >>> kish(np.array([10, 10])), round(kish(np.array([98, 1, 1])), 2)
    (2.0, 1.04)
    """
    shares = np.sort(sizes / sizes.max())
    return float(shares.sum() ** 2 / (shares**2).sum())


def degrees_of_freedom(rows: npt.NDArray[Any], squares: npt.NDArray[Any]) -> float:
    """The degrees of freedom of the equivalent number of equal-sized clusters, at least 1: N²/Σ N_h²/(G_h - 1) over
    strata of `rows` N_h, with G_h = N_h²/Σ n², where `squares` are the Σ n² of their clusters.

    >>> degrees_of_freedom(np.array([20.0]), np.array([200.0])), degrees_of_freedom(np.array([3.0]), np.array([3.0]))
    (1.0, 2.0)
    """
    free = rows**2 / squares - 1
    if (free <= 0).any():
        return 1.0
    return max(1.0, float(rows.sum() ** 2 / (rows**2 / free).sum()))


def few_clusters(sizes: npt.NDArray[Any]) -> str | None:
    """The warning for results based on the equivalent of fewer than 40 equal-sized clusters; None otherwise.

    >>> few_clusters(np.full(40, 5)) is None
    True
    >>> few_clusters(np.full(20, 5))
    'there are 20 clusters: below 40, intervals and p-values are rough; more clusters, not more rows, make them more
    precise'
    """
    number, equal = int(np.count_nonzero(sizes)), kish(sizes)
    if equal >= FEW:
        return None
    same = "" if equal > NEARLY * number else f" of unequal size, equivalent to {equal:.1f} equal ones"
    return (
        f"there are {number:,} clusters{same}: below {FEW}, intervals and p-values are rough; more clusters, not more "
        "rows, make them more precise"
    )
