"""Where the bins end: Algorithm 1 of Nguyen & O'Connor (2015) with one rule for ties.

A bin takes groups of equal predictions in ascending order until it holds at least `bin_size` pairs; then the next one
starts. What is left at the end and holds fewer joins the last bin. A boundary is the largest prediction of its bin.
"""

from __future__ import annotations

import numpy as np

from howsure.calibration.atoms import Atoms, Windows
from howsure.calibration.grid import CELLS, OFFSET_MASK, STEEP_CELLS, cells_of
from howsure.stats.pairs import Floats, Integers, PairSource

ROWS_AT_ONCE = 1 << 20  # how many single predictions are held in memory at a time, about
SIGMAS = 5.0  # standard deviations by which a boundary may miss its foreseen place in a cell
UNEVEN = 0.01  # and the share of the cell by which uneven density may move it
MISSES_ALLOWED = 3  # windows too narrow before whole cells are read


def boundaries_of_sorted(q: Floats, *, bin_size: int) -> Floats:
    """The boundaries between bins of sorted predictions, without the last bin's end."""
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


class Walk:
    """Find the adaptive boundaries from the counts of the cells, reading only the cells in which one falls."""

    def __init__(self, counts: Integers, source: PairSource, *, bin_size: int) -> None:
        self.ends: Integers = np.cumsum(counts)
        self.counts = counts
        self.source = source
        self.bin_size = bin_size
        self.atoms = Atoms()
        self.overshoot, self.closed, self.missed = 0, 0, 0  # pairs that ties added to bins; bins; windows missed

    def boundaries(self) -> Floats:
        """The boundaries between bins, without the last bin's end."""
        n = int(self.ends[-1])
        start, found = 0, []
        while n - start >= 2 * self.bin_size:
            position = start + self.bin_size - 1
            value, end = self._close(start, position)
            if n - end < self.bin_size:
                break
            found.append(value)
            self.overshoot += end - position - 1
            self.closed += 1
            start = end
        return np.array(found)

    def _close(self, start: int, position: int) -> tuple[float, int]:
        """The prediction of the tie group at a position in the sorted order, and where that group ends."""
        cell = int(self.ends.searchsorted(position, side="right"))
        if not self.atoms.known[cell]:
            self._read_ahead(start)
        found = self._group(cell, position)
        if found is None:
            self.missed += 1
            self.atoms.forget(cell)
            self._read_ahead(start, whole=cell)
            found = self._group(cell, position)
        assert found is not None
        return found

    def _group(self, cell: int, position: int) -> tuple[float, int] | None:
        """The same within a cell that was read; None if the position lies outside its window."""
        low, high = self.cell_starts[cell], self.cell_starts[cell + 1]
        before = self.before[low : high + 1]  # pairs that were read before each single prediction
        first = int(self.ends[cell] - self.counts[cell] + self.atoms.below[cell])
        within = int(before.searchsorted(position - first + before[0], side="right")) - 1
        if position < first or within == high - low:
            return None
        return float(self.atoms.q[low + within]), first + int(before[within + 1] - before[0])

    def _read_ahead(self, start: int, *, whole: int | None = None) -> None:
        """Fetch the cells of the boundaries to come, foreseen from the ties met so far, within the memory allowed."""
        n = int(self.ends[-1])
        extra = self.overshoot / max(self.closed, 1)
        ahead = np.arange((n - start) // self.bin_size + 1)
        foreseen = start + self.bin_size - 1 + (ahead * (self.bin_size + extra)).astype(np.int64)
        margin = (2 * extra * np.sqrt(ahead)).astype(np.int64)
        touched = np.zeros(2 * CELLS + 1, dtype=np.int64)
        lowest = np.searchsorted(self.ends, np.minimum(foreseen - margin, n - 1), side="right")
        highest = np.searchsorted(self.ends, np.minimum(foreseen + margin, n - 1), side="right")
        np.add.at(touched, lowest, 1)
        np.add.at(touched, highest + 1, -1)
        wanted = (np.cumsum(touched[:-1]) > 0) & ~self.atoms.known
        here = int(np.searchsorted(self.ends, start + self.bin_size - 1, side="right"))
        wanted[:here] = False
        with_ties = self.overshoot > 0 or self.missed >= MISSES_ALLOWED
        windows = Windows.whole() if with_ties else self._windows(np.minimum(foreseen, n - 1))
        if whole is not None:
            windows.low[whole], windows.high[whole] = 0, OFFSET_MASK
        rows = np.where(wanted, self.counts * ((windows.high - windows.low) / OFFSET_MASK), 0.0)
        wanted &= np.cumsum(rows) <= ROWS_AT_ONCE
        wanted[here] = True
        self.atoms.fetch(self.source, wanted, windows)
        cells = cells_of(self.atoms.q)
        self.before = np.append(0, np.cumsum(self.atoms.negatives + self.atoms.positives))
        self.cell_starts = np.searchsorted(cells, np.arange(2 * CELLS + 1)).tolist()

    def _windows(self, positions: Integers) -> Windows:
        """Around each foreseen position, as much of its cell as chance may move it: pairs spread evenly in a cell."""
        cells = np.searchsorted(self.ends, positions, side="right")
        count = self.counts[cells]
        rank = positions - (self.ends[cells] - count)
        reach = SIGMAS * np.sqrt(rank * (count - rank) / count) + UNEVEN * count + SIGMAS
        windows = Windows(np.full(2 * CELLS, OFFSET_MASK), np.zeros(2 * CELLS, dtype=np.int64))
        low, high = ((rank + sign * reach) / count for sign in (-1, 1))
        np.minimum.at(windows.low, cells, (np.clip(low, 0, 1) * OFFSET_MASK).astype(np.int64))
        np.maximum.at(windows.high, cells, (np.clip(high, 0, 1) * OFFSET_MASK).astype(np.int64))
        untouched = windows.low > windows.high
        untouched[:STEEP_CELLS] = untouched[-STEEP_CELLS:] = True  # near 0 and 1 nothing is even
        windows.low[untouched], windows.high[untouched] = 0, OFFSET_MASK
        return windows
