"""The boundaries of bins: Algorithm 1 of Nguyen & O'Connor (2015), with a rule for ties.

A bin takes groups of equal predictions in ascending order until it contains at least `bin_size` pairs; then the next
one starts. A remainder that is too small is added to the last bin. A boundary is the largest prediction of its bin.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from howsure.inputs.pairs import Floats, Integers

Sorted = TypeVar("Sorted", Floats, Integers)


def boundaries_of_sorted(q: Sorted, *, bin_size: int) -> Sorted:
    """The boundaries between bins of sorted predictions, or of their cells, without the last bin's end."""
    n = len(q)
    last_of_group = np.append(np.flatnonzero(q[1:] != q[:-1]), n - 1)
    ends = last_of_group + 1
    if len(ends) == n:  # no ties: every bin but the last has exactly bin_size pairs
        return q[np.arange(1, n // bin_size) * bin_size - 1]
    boundaries = []
    start, tie_ends = 0, np.repeat(ends, np.diff(ends, prepend=0)).tolist()
    while n - start >= 2 * bin_size:
        end = tie_ends[start + bin_size - 1]
        if n - end < bin_size:
            break
        boundaries.append(end - 1)
        start = end
    return q[np.array(boundaries, dtype=np.int64)]
