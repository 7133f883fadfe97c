"""Read again, of a stream of pairs, only those near given predictions; from memory, if they are few and passed last."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.inputs.pairs import Chunk, Floats, PairSource

BUCKETS = 1 << 17  # of equal width: a prediction's bucket is cheap to find
ROWS_KEPT = 3 << 20


class Sieve:
    """A source of pairs that can be read in parts."""

    def __init__(self, source: PairSource) -> None:
        self.source = source
        self.kept: list[Chunk] = []
        self.covered = np.zeros(BUCKETS + 1, dtype=np.bool_)  # the buckets whose pairs are kept

    def near(self, low: Floats, high: Floats) -> Iterator[Chunk]:
        """The pairs with low ≤ q < high for any of some intervals, and a few more around them."""
        opened = np.zeros(BUCKETS + 2, dtype=np.int64)
        np.add.at(opened, (low * BUCKETS).astype(np.int64), 1)
        np.add.at(opened, np.minimum(high * BUCKETS, BUCKETS).astype(np.int64) + 1, -1)
        wanted = np.cumsum(opened[:-1]) > 0
        from_memory = not (wanted & ~self.covered).any()
        chunks = iter(self.kept) if from_memory else self.source.chunks()
        if not from_memory:
            self.kept, self.covered = [], np.zeros_like(wanted)
        kept: list[Chunk] = []
        rows_kept = 0
        for probabilities, labels in chunks:
            rows = np.flatnonzero(wanted[(probabilities * BUCKETS).astype(np.int32)])
            chunk = probabilities[rows], labels[rows]
            rows_kept += len(rows)
            kept = [*kept, chunk] if rows_kept <= ROWS_KEPT else []
            yield chunk
        if not from_memory and rows_kept <= ROWS_KEPT:
            self.kept, self.covered = kept, wanted
