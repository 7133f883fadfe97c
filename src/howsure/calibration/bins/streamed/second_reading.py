"""A second reading of a stream: the pairs of cells divided by an edge between bins, and the sums of their parts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from howsure.calibration.bins.streamed.exact_sums import ExactSums, empty_columns
from howsure.calibration.bins.streamed.grid import (
    CELLS,
    LOWER,
    OFFSET_MASK,
    UNIT,
    ascending_cell,
    cells_of,
    first_of_cells,
    key_of,
)
from howsure.calibration.bins.sums import Sums, sums_of_slots
from howsure.inputs.pairs import Chunk, Floats, PairSource

BUCKETS = 1 << 17  # of equal width: a prediction's bucket is cheap to find
ROWS_KEPT = 3 << 20
NONE = -1


class SecondReading:
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


def sums_of_divided_cells(reading: SecondReading, edges: Floats) -> Sums:
    """The pairs of all cells that contain an edge, summed by the bins between the edges; an edge belongs to the bin
    below."""
    cells, edges_in = np.unique(cells_of(edges), return_counts=True)
    cell = np.repeat(cells, edges_in + 1)  # of each segment; with q both the cell and the bin rise, one at a time
    bins = np.arange(len(cell)) - np.repeat(np.arange(len(cells)), edges_in + 1)
    place = np.full(2 * CELLS, NONE)
    place[cells] = np.arange(len(cells))
    exact = ExactSums(*empty_columns(2 * len(cell)))
    first = first_of_cells()
    for probabilities, labels in reading.near(first[cells], first[cells + 1]):
        key = key_of(probabilities)
        of_row = place[ascending_cell(key, probabilities)]
        rows = np.flatnonzero(of_row != NONE)
        segment = of_row[rows] + edges.searchsorted(probabilities[rows])
        exact.add_all(2 * segment + labels[rows], (key[rows] & OFFSET_MASK).astype(np.float64))
    of_half = np.repeat(np.where(cell < CELLS, cell, 2 * CELLS - 1 - cell), 2)
    r, rr = (column.reshape(-1, 2) for column in exact.sums(LOWER[of_half], UNIT[of_half]))
    sums = sums_of_slots(exact.count.reshape(-1, 2), r, rr, lower_half=cell < CELLS)
    return sums.into(bins, len(edges) + 1)
