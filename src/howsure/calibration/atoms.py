"""The cells in which a boundary may fall, read once more: single predictions near it, sums of all others."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from howsure.calibration.grid import CELLS, LOWER, OFFSET_MASK, UNIT, ascending_cell, key_of
from howsure.calibration.sums import Sums, sums_of_atoms, sums_of_tallied
from howsure.calibration.tally import Tally, empty_columns
from howsure.stats.pairs import Floats, Integers, Labels, PairSource

BUCKETS = 1 << 17
NONE = -1
Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Windows:
    """For every cell the offsets, counted in ascending order of q, between which single predictions are wanted."""

    low: Integers
    high: Integers

    @classmethod
    def whole(cls) -> Windows:
        """All of every cell."""
        return cls(np.zeros(2 * CELLS, dtype=np.int64), np.full(2 * CELLS, OFFSET_MASK))


def _no_integers() -> Integers:
    return np.empty(0, dtype=np.int64)


@dataclass(slots=True)
class Atoms:
    """Distinct predictions with their numbers of pairs of each label, and the pairs below and above their windows.

    q, negatives, positives: the distinct predictions, ascending. known: the cells that were read. below: how many pairs
    of each such cell lie below its window. Pairs outside the windows are pooled: exact sums by cell, side and label.
    """

    q: Floats = field(default_factory=lambda: np.empty(0))
    negatives: Integers = field(default_factory=_no_integers)
    positives: Integers = field(default_factory=_no_integers)
    known: Marks = field(default_factory=lambda: np.zeros(2 * CELLS, dtype=np.bool_))
    below: Integers = field(default_factory=lambda: np.zeros(2 * CELLS, dtype=np.int64))
    pools: list[tuple[Integers, Tally]] = field(default_factory=list)
    pool_of: Integers = field(default_factory=lambda: np.full(2 * CELLS, NONE))

    def fetch(self, source: PairSource, wanted: Marks, windows: Windows) -> None:
        """Read the pairs once more, and keep what the wanted cells hold that is not known yet."""
        new = wanted & ~self.known
        near, cells = _buckets_of(new), np.flatnonzero(new)
        rank = np.full(2 * CELLS, NONE)
        rank[cells] = np.arange(len(cells))
        pool = Tally(*empty_columns(4 * len(cells)))
        parts = [(self.q, self.negatives, self.positives)]
        for probabilities, labels in source.chunks():
            rows = np.flatnonzero(near[(probabilities * BUCKETS).astype(np.int32)])
            q, y = probabilities[rows], labels[rows]
            key = key_of(q)
            cell = ascending_cell(key, q)
            here = np.flatnonzero(new[cell])
            q, y, cell, offset = q[here], y[here], cell[here], key[here] & OFFSET_MASK
            place = np.where(cell < CELLS, offset, OFFSET_MASK - offset)
            above = place > windows.high[cell]
            outside = above | (place < windows.low[cell])
            slot = 4 * rank[cell[outside]] + 2 * above[outside] + y[outside]
            pool.tally_all(slot, offset[outside].astype(np.float64))
            parts.append(_count_distinct(q[~outside], y[~outside]))
        self._keep(parts)
        self.pool_of[cells] = len(self.pools)
        self.pools.append((cells, pool))
        self.below[cells] = pool.count.reshape(-1, 2, 2)[:, 0].sum(axis=1)
        self.known |= new

    def forget(self, cell: int) -> None:
        """Drop what is known of a cell whose window was too narrow, so that all of it can be read."""
        stay = ascending_cell(key_of(self.q), self.q) != cell
        self.q, self.negatives, self.positives = self.q[stay], self.negatives[stay], self.positives[stay]
        self.known[cell], self.pool_of[cell] = False, NONE

    def _keep(self, parts: list[tuple[Floats, Integers, Integers]]) -> None:
        q, negatives, positives = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(q, kind="stable")
        q = q[order]
        starts = np.flatnonzero(np.append(True, q[1:] != q[:-1])) if len(q) else _no_integers()
        self.q = q[starts]
        self.negatives, self.positives = (
            np.add.reduceat(column[order], starts) if len(q) else column for column in (negatives, positives)
        )

    def sums_by_bin(self, edges: Floats) -> Sums:
        """Everything that was read, added up by the bins between the edges."""
        n = len(edges) + 1
        edge_cells = ascending_cell(key_of(edges), edges)
        total = sums_of_atoms(self.q, self.negatives, self.positives).into(np.searchsorted(edges, self.q), n)
        for number, (cells, pool) in enumerate(self.pools):
            valid = np.flatnonzero(self.pool_of[cells] == number)
            position = np.where(cells < CELLS, cells, 2 * CELLS - 1 - cells)
            r, rr = pool.sums(np.repeat(LOWER[position], 4), np.repeat(UNIT[position], 4))
            for side, which in ((0, "left"), (1, "right")):
                columns = (column.reshape(-1, 2, 2)[valid, side] for column in (pool.count, r, rr))
                sums = sums_of_tallied(*columns, lower_half=cells[valid] < CELLS)
                total += sums.into(np.searchsorted(edge_cells, cells[valid], side=which), n)  # type: ignore[call-overload]
        return total


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
