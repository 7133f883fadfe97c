"""Dependency trees: whether every word's chain of heads ends at the root."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter


def is_tree(heads: Sequence[int]) -> bool:
    """Whether the heads contain no cycle; `heads` are positions of governors, -1 for the root.

    Every word jumps to its head, then twice as far at every step; after log2(words) steps all must be at the root.

    >>> is_tree((1, -1)), is_tree((1, 0))
    (True, False)
    """
    above = (*heads, -1)  # the root stands last, at -1, and is its own head
    for _ in range(len(heads).bit_length()):
        if max(above) < 0:
            return True
        above = itemgetter(*above)(above)
    return max(above) < 0
