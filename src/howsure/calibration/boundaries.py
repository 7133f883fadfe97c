"""Where the bins end: Algorithm 1 of Nguyen & O'Connor (2015) with one rule for ties.

A bin takes groups of equal predictions in ascending order until it holds at least `bin_size` pairs; then the next one
starts. What is left at the end and holds fewer joins the last bin. A boundary is the largest prediction of its bin.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from howsure.calibration.grid import CELLS, LOWER, cells_of
from howsure.stats.pairs import Floats, Integers, Labels, PairSource

ROWS_AT_ONCE = 1 << 21  # how many pairs of edge cells are held in memory at a time
BUCKETS = 1 << 17


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


@dataclass(slots=True)
class Atoms:
    """Distinct predictions of some cells of the grid, with their numbers of pairs of each label."""

    q: Floats = field(default_factory=lambda: np.empty(0))
    negatives: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    positives: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    known: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(2 * CELLS, dtype=np.bool_))

    def fetch(self, source: PairSource, wanted: npt.NDArray[np.bool_]) -> None:
        """Read the pairs once more and keep the distinct predictions of the wanted cells."""
        new = wanted & ~self.known
        near = _buckets_of(new)
        parts = [(self.q, self.negatives, self.positives)]
        for probabilities, labels in source.chunks():
            rows = np.flatnonzero(near[(probabilities * BUCKETS).astype(np.int32)])
            rows = rows[new[cells_of(probabilities[rows])]]
            parts.append(_count_distinct(probabilities[rows], labels[rows]))
        q, negatives, positives = (np.concatenate(column) for column in zip(*parts, strict=True))
        self.q, where = np.unique(q, return_inverse=True)
        self.negatives = _add_up(where, negatives, len(self.q))
        self.positives = _add_up(where, positives, len(self.q))
        self.known |= new


def _buckets_of(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which of the buckets of equal width hold a part of some cells: a cheap first sieve."""
    lower = np.concatenate([LOWER, 1.0 - np.append(LOWER[1:], 0.5)[::-1]])
    upper = np.append(lower[1:], 1.0)
    first = (lower[cells] * BUCKETS - 0.01).astype(np.int64)  # cell edges are rounded by far less than 0.01 buckets
    last = np.minimum((upper[cells] * BUCKETS + 0.01).astype(np.int64), BUCKETS)
    open_buckets = np.zeros(BUCKETS + 2, dtype=np.int64)
    np.add.at(open_buckets, np.maximum(first, 0), 1)
    np.add.at(open_buckets, last + 1, -1)
    return np.cumsum(open_buckets[:-1]) > 0


def _add_up(where: Integers, numbers: Integers, n: int) -> Integers:
    total = np.zeros(n, dtype=np.int64)
    np.add.at(total, where, numbers)
    return total


def _count_distinct(q: Floats, y: Labels) -> tuple[Floats, Integers, Integers]:
    """The distinct predictions in ascending order, and how many pairs of label 0 and of label 1 hold each."""
    ends = (q == 0.0) | (
        q == 1.0
    )  # counted apart: the great masses of predictions lie there, and sorting them is waste
    of_end = np.bincount(q[ends].astype(np.int64) * 2 + y[ends], minlength=4).reshape(2, 2)
    of_label = [np.sort(q[~ends & (y == label)]) for label in (0, 1)]
    inner = np.sort(np.concatenate(of_label), kind="stable")  # merges two sorted runs
    inner = inner[np.append(inner[1:] != inner[:-1], True)] if len(inner) else inner
    negatives, positives = (
        np.concatenate([of_end[:1, label], _number_of(inner, of_label[label]), of_end[1:, label]]) for label in (0, 1)
    )
    seen = negatives + positives > 0
    return np.concatenate([[0.0], inner, [1.0]])[seen], negatives[seen], positives[seen]


def _number_of(values: Floats, ascending: Floats) -> Integers:
    """How often each of the distinct values occurs in a sorted array."""
    return np.diff(np.searchsorted(ascending, values, side="right"), prepend=0)


class Walk:
    """Find the adaptive boundaries from the counts of the cells, reading only the cells in which one falls."""

    def __init__(self, counts: Integers, source: PairSource, *, bin_size: int) -> None:
        self.ends: Integers = np.cumsum(counts)
        self.counts = counts
        self.source = source
        self.bin_size = bin_size
        self.atoms = Atoms()
        self.overshoot, self.closed = 0, 0  # pairs that tie groups added to bins, and bins

    def boundaries(self) -> Floats:
        """The boundaries between bins, without the last bin's end."""
        n = int(self.ends[-1])
        start, found = 0, []
        while n - start >= 2 * self.bin_size:
            position = start + self.bin_size - 1
            cell = int(np.searchsorted(self.ends, position, side="right"))
            if not self.atoms.known[cell]:
                self._read_ahead(start)
            value, end = self._close(cell, position)
            if n - end < self.bin_size:
                break
            found.append(value)
            self.overshoot += end - position - 1
            self.closed += 1
            start = end
        return np.array(found)

    def _close(self, cell: int, position: int) -> tuple[float, int]:
        """The prediction of the tie group at a position in the sorted order, and where that group ends."""
        first, values, ends = self._cell(cell)
        within = int(np.searchsorted(ends, position - first, side="right"))
        return float(values[within]), first + int(ends[within])

    def _cell(self, cell: int) -> tuple[int, Floats, Integers]:
        low, high = self.cell_starts[cell], self.cell_starts[cell + 1]
        counts = self.atoms.negatives[low:high] + self.atoms.positives[low:high]
        return int(self.ends[cell] - self.counts[cell]), self.atoms.q[low:high], np.cumsum(counts)

    def _read_ahead(self, start: int) -> None:
        """Fetch the cells of the boundaries to come, foreseen from the ties met so far, within the memory allowed."""
        n = int(self.ends[-1])
        extra = self.overshoot / max(self.closed, 1)
        ahead = np.arange((n - start) // self.bin_size + 1)
        foreseen = start + self.bin_size - 1 + (ahead * (self.bin_size + extra)).astype(np.int64)
        margin = (2 * extra * np.sqrt(ahead)).astype(np.int64)
        touched = np.zeros(2 * CELLS + 1, dtype=np.int64)
        lowest = np.searchsorted(self.ends, np.minimum(foreseen - margin, n - 1), side="right")
        highest = np.searchsorted(self.ends, np.minimum(foreseen + margin, n - 1), side="right")
        np.add.at(touched, np.maximum(lowest, 0), 1)
        np.add.at(touched, highest + 1, -1)
        wanted = (np.cumsum(touched[:-1]) > 0) & ~self.atoms.known
        here = int(np.searchsorted(self.ends, start + self.bin_size - 1, side="right"))
        wanted[:here] = False
        within_memory = np.cumsum(np.where(wanted, self.counts, 0)) <= ROWS_AT_ONCE
        wanted &= within_memory
        wanted[here] = True
        self.atoms.fetch(self.source, wanted)
        cells = cells_of(self.atoms.q)
        self.cell_starts = np.searchsorted(cells, np.arange(2 * CELLS + 1)).tolist()
