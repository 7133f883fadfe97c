"""Paired differences of scores, in which rounding alone makes no difference."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
ROUNDING = 1e-12  # of the largest score


def paired_differences(first: Floats, second: Floats) -> Floats:
    """first - second of each item: 0 where only rounding tells both apart, and all alike where it alone tells them so.

    The mean of the same runs in another order differs in its last digit, and so do .7 - .6 and .8 - .7: with neither
    would a test by the spread of the differences know that nothing varies. What is infinite stays so.

    >>> paired_differences(np.array([0.1 + 0.2, 0.7]), np.array([0.3, 0.6]))[0]
    np.float64(0.0)
    >>> len(set(paired_differences(np.array([0.7, 0.8]), np.array([0.6, 0.7])).tolist()))
    1
    """
    with np.errstate(invalid="ignore"):
        differences: Floats = np.asarray(first - second, dtype=np.float64)
        finite = np.isfinite(differences)
        scores = np.maximum(np.abs(first), np.abs(second))
        rounding = ROUNDING * float(scores.max(initial=0.0, where=finite))
        differences[finite & (np.abs(differences) <= rounding)] = 0.0
        if len(differences) and np.ptp(differences) <= rounding:
            differences[:] = differences.min()
    return differences
