"""How much clusters of unequal size say, and what must be said where that is little: one rule for all chapters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FEW = 40  # clusters of equal size, below which intervals and p-values rest on few
NEARLY = 0.95


def kish(sizes: npt.NDArray[Any]) -> float:
    """How many clusters of equal size would say as much: (Σ n)² / Σ n², n the rows of a cluster or their weight (Kish
    1965).

    >>> kish(np.array([10, 10])), round(kish(np.array([98, 1, 1])), 2)
    (2.0, 1.04)
    """
    shares = np.sort(sizes / sizes.max())
    return float(shares.sum() ** 2 / (shares**2).sum())


def few_clusters(sizes: npt.NDArray[Any]) -> str | None:
    """What must be said of results that rest on clusters worth fewer than 40 of equal size; None if they do not.

    >>> few_clusters(np.full(40, 5)) is None
    True
    >>> few_clusters(np.full(20, 5))
    'there are 20 clusters: below 40, intervals and p-values are rough; more clusters, not more rows, make them surer'
    """
    number, equal = int(np.count_nonzero(sizes)), kish(sizes)
    if equal >= FEW:
        return None
    same = "" if equal > NEARLY * number else f" of unequal size, worth {equal:.1f} equal ones"
    return (
        f"there are {number:,} clusters{same}: below {FEW}, intervals and p-values are rough; more clusters, not more "
        "rows, make them surer"
    )
