"""The cells of the grid that an edge between bins divides, read once more: sums of their parts, exactly."""

from __future__ import annotations

import numpy as np

from howsure.calibration.bins.streamed.exact_sums import Tally, empty_columns
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
from howsure.calibration.bins.streamed.reread import Sieve
from howsure.calibration.bins.sums import Sums, sums_of_tallied
from howsure.inputs.pairs import Floats

NONE = -1


def sums_of_divided_cells(sieve: Sieve, edges: Floats) -> Sums:
    """The pairs of all cells that hold an edge, added up by the bins between the edges; an edge is in the bin below."""
    cells, edges_in = np.unique(cells_of(edges), return_counts=True)
    cell = np.repeat(cells, edges_in + 1)  # of each segment; with q both the cell and the bin rise, one at a time
    bins = np.arange(len(cell)) - np.repeat(np.arange(len(cells)), edges_in + 1)
    place = np.full(2 * CELLS, NONE)
    place[cells] = np.arange(len(cells))
    tally = Tally(*empty_columns(2 * len(cell)))
    first = first_of_cells()
    for probabilities, labels in sieve.near(first[cells], first[cells + 1]):
        key = key_of(probabilities)
        of_row = place[ascending_cell(key, probabilities)]
        rows = np.flatnonzero(of_row != NONE)
        segment = of_row[rows] + edges.searchsorted(probabilities[rows])
        tally.tally_all(2 * segment + labels[rows], (key[rows] & OFFSET_MASK).astype(np.float64))
    of_half = np.repeat(np.where(cell < CELLS, cell, 2 * CELLS - 1 - cell), 2)
    r, rr = (column.reshape(-1, 2) for column in tally.sums(LOWER[of_half], UNIT[of_half]))
    sums = sums_of_tallied(tally.count.reshape(-1, 2), r, rr, lower_half=cell < CELLS)
    return sums.into(bins, len(edges) + 1)
