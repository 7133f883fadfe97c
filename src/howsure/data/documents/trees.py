"""Dependency trees: whether every word's chain of heads ends at the root."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from howsure.data.documents.document import Sentence


def first_cycle(sentences: Sequence[Sentence]) -> int | None:
    """The first sentence in which a word's heads go in a circle; None where all are trees (or have no heads).

    Every word jumps to its head, then twice as far at every step; after log2(longest) steps all must be at the root.

    >>> first_cycle([Sentence(("a", "dog"), heads=(1, -1)), Sentence(("a", "dog"), heads=(1, 0))])
    1
    """
    heads = [sentence.heads for sentence in sentences if sentence.heads is not None]
    lengths = np.array([len(one) for one in heads], dtype=np.intp)
    n = int(lengths.sum())
    if n == 0:
        return None
    local = np.fromiter(chain.from_iterable(heads), dtype=np.intp, count=n)
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    above = np.append(np.where(local < 0, n, local + starts), n)  # the root of all is the last, its own head
    for _ in range(int(lengths.max()).bit_length()):
        above = above[above]
    lost = np.flatnonzero(above[:n] != n)
    if lost.size == 0:
        return None
    wrong = int(np.searchsorted(np.cumsum(lengths), lost[0], side="right"))
    with_heads = [at for at, sentence in enumerate(sentences) if sentence.heads is not None]
    return with_heads[wrong]
