"""Adding pairs up by slot: one pass over any number of pairs, in memory that does not grow with them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from howsure.calibration.summary.cells import (
    CELLS,
    FRACTION,
    LAST,
    LOG_UNIT,
    SLOTS,
    STEEP,
    folded_slots,
    unfolded,
)
from howsure.calibration.summary.slots import COLUMNS, WEIGHTS, Slots, added, checked_sums
from howsure.errors import InputError, parameter
from howsure.inputs.pairs import CHUNK_ROWS, Floats, Integers, Labels, Pairs

BLOCK = 1 << 14  # rows worked on at a time, so that they stay in the cache
FEW = 1 << 14  # pairs, which are sorted


class SlotAdder:
    """The sums of every slot, to which pairs are added; `slots()` gives those that hold any.

    Of pairs without weights all sums are whole numbers: the same in any order and any division of the rows.
    """

    def __init__(self) -> None:
        self._sums = np.zeros((len(COLUMNS), SLOTS), dtype=np.int64)  # by folded slot
        self._weights: Floats | None = None
        self._slot, self._column = np.empty(0, dtype=np.int64), np.empty((2, 0))
        self._whole = np.empty(SLOTS, dtype=np.int64)  # what a chunk adds to a sum

    def add(self, probabilities: Floats, labels: Labels, weights: Floats | None = None) -> None:
        """Add checked pairs: probabilities in [0, 1] and labels 0 or 1 (n,), and positive weights of all or of none."""
        if len(labels) and (weights is not None) != (self._weights is not None):
            if self._sums[0].any():
                raise InputError(f"{parameter('sample_weight')} must be given for all pairs of a summary, or for none.")
            self._weights = np.zeros((len(WEIGHTS), SLOTS))
        for start in range(0, len(labels), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            q, y = probabilities[rows], labels[rows]
            if weights is None:
                self._add(q, y)
            else:
                self._add_weighted(q, y, weights[rows])

    def slots(self) -> Slots:
        """The slots that hold pairs."""
        held = np.flatnonzero(self._sums[0][unfolded()])
        folded = unfolded()[held]
        weights = None if self._weights is None else self._weights[:, folded]
        return Slots(held, checked_sums(self._sums[:, folded]), weights)

    def _buffers(self, n: int) -> tuple[Integers, Floats]:
        """Room for the slots of a chunk and for two columns beside them, used again and again."""
        if len(self._slot) < n:
            self._slot, self._column = np.empty(n, dtype=np.int64), np.empty((2, n))
        return self._slot[:n], self._column[:, :n]

    def _add(self, q: Floats, y: Labels) -> None:
        n = len(y)
        slot, (offset, square) = self._buffers(n)
        for start in range(0, n, BLOCK):
            rows = slice(start, min(start + BLOCK, n))
            o, s = offset[rows], square[rows]
            folded_slots(q[rows], y[rows], slot[rows], o)
            np.multiply(o, o, out=s)
            for column in (o, s):
                column *= FRACTION
                np.floor(column, out=column)
        count = np.bincount(slot, minlength=SLOTS)
        self._sums[0] += count
        for sums, column in zip(self._sums[1:3], (offset, square), strict=True):
            np.copyto(self._whole, np.bincount(slot, column, SLOTS), casting="unsafe")
            sums += self._whole
        if has_steep(count):
            place, r = steep_rows(slot, q)[1:]
            finite = r > 0.0
            logs = np.floor(-np.log(r[finite]) * LOG_UNIT + 0.5)
            np.add.at(self._sums[3], place[finite], logs.astype(np.int64))
            np.add.at(self._sums[4], place[~finite], 1)

    def _add_weighted(self, q: Floats, y: Labels, w: Floats) -> None:
        assert self._weights is not None
        n = len(y)
        slot, (fraction, column) = self._buffers(n)
        for start in range(0, n, BLOCK):
            rows = slice(start, min(start + BLOCK, n))
            folded_slots(q[rows], y[rows], slot[rows], fraction[rows])
        count = np.bincount(slot, minlength=SLOTS)
        self._sums[0] += count
        np.copyto(column, w)
        for power in range(4):
            self._weights[power] += np.bincount(slot, column, SLOTS)
            column *= w
        np.multiply(w, fraction, out=column)
        self._weights[4] += np.bincount(slot, column, SLOTS)
        column *= fraction
        self._weights[5] += np.bincount(slot, column, SLOTS)
        if has_steep(count):
            row, place, r = steep_rows(slot, q)
            finite = r > 0.0
            np.add.at(self._weights[6], place[finite], -np.log(r[finite]) * w[row[finite]])
            np.add.at(self._sums[4], place[~finite], 1)


def slots_of(pairs: Pairs) -> Slots:
    """The slots of checked pairs, whatever their groups and clusters."""
    q, y, w, weightless = pairs.probabilities, pairs.labels, pairs.weights, 0
    if w is not None and w.min(initial=1.0) == 0.0:
        weighs = w > 0.0
        q, y, w, weightless = q[weighs], y[weighs], w[weighs], int(np.count_nonzero(~weighs))
    if len(y) <= FEW:
        slots = _of_few(q, y, w)
    else:
        adder = SlotAdder()
        adder.add(q, y, w)
        slots = adder.slots()
    return replace(slots, weightless=weightless, positive=pairs.positive, reduction=pairs.reduction)


def _of_few(q: Floats, y: Labels, w: Floats | None) -> Slots:
    """The same by a sort of the pairs, which are fewer than the slots."""
    n = len(y)
    slot, fraction, sums = np.empty(n, dtype=np.int64), np.empty(n), np.zeros((len(COLUMNS), n), dtype=np.int64)
    folded_slots(q, y, slot, fraction)
    sums[0] = 1
    row, _, r = steep_rows(slot, q)
    logs = -np.log(np.where(r > 0.0, r, 1.0))
    sums[4][row] = r == 0.0
    weights = None
    if w is None:
        sums[1], sums[2] = np.floor(fraction * FRACTION), np.floor(fraction * fraction * FRACTION)
        sums[3][row] = np.floor(logs * LOG_UNIT + 0.5)
    else:
        weights = np.stack([w, w**2, w**3, w**4, w * fraction, w * fraction * fraction, np.zeros(n)])
        weights[6][row] = w[row] * logs
    cell, side = slot >> 2, slot & 3
    slot = 2 * np.where(side >= 2, LAST - cell, cell) + (side & 1)
    return added(Slots(slot, sums, weights))


def has_steep(count: Integers) -> bool:
    """Whether any pair is a wrong prediction so near to 0 or 1 that its logarithm is taken by itself."""
    near = count.reshape(CELLS, 2, 2)[:STEEP]
    return bool(near[:, 0, 1].any() or near[:, 1, 0].any())


def steep_rows(slot: Integers, q: Floats) -> tuple[Integers, Integers, Floats]:
    """The rows of such pairs, their folded slots, and r."""
    rows = np.flatnonzero(slot < 4 * STEEP)
    side = slot[rows] & 3
    rows = rows[(side == 1) | (side == 2)]
    return rows, slot[rows], np.minimum(q[rows], 1.0 - q[rows])
