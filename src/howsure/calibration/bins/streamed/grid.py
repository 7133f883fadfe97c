"""A fixed grid of cells over [0, 1]: one pass over any number of pairs, and the sums of every cell, exactly.

A probability q is first folded to its distance from the nearer end, r = min(q, 1 - q), so that predictions near 1 are
resolved as finely as those near 0. The leading bits of the float r + 2⁻²⁰ are the cell (about 39,000 per half, each
with a relative width of 2⁻¹¹), the next 36 bits are an integer offset within it. Sums of offsets and of their squares
are integers, so they depend neither on the order of the rows nor on how they were split into chunks, and two grids
merge by addition. The rounding error is 2⁻⁴⁸ of each probability, and 2⁻⁶⁸ absolutely.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.calibration.bins.streamed.exact_sums import BLOCK, OFFSET_BITS, ExactSums, empty_columns
from howsure.inputs.pairs import CHUNK_ROWS, Floats, Integers, Labels

FLOOR = 2.0**-20  # added to r, so that the grid ends at finitely many binades above zero
CELL_BITS = 11  # leading mantissa bits that choose the cell; the offset's follow
DROPPED_BITS = 52 - CELL_BITS - OFFSET_BITS
OFFSET_MASK = (1 << OFFSET_BITS) - 1


def key_of(probabilities: Floats) -> Integers:
    """The leading 47 mantissa bits of r + FLOOR with its exponent: monotone in r, cell and offset in one integer."""
    x = np.subtract(1.0, probabilities, dtype=np.float64)
    np.minimum(x, probabilities, out=x)
    x += FLOOR
    bits: Integers = x.view(np.int64)
    bits += 1 << (DROPPED_BITS - 1)
    bits >>= DROPPED_BITS
    return bits


FIRST_CELL = int(key_of(np.zeros(1))[0] >> OFFSET_BITS)
CELLS = int(key_of(np.full(1, 0.5))[0] >> OFFSET_BITS) - FIRST_CELL + 1
HALVES, LABEL_VALUES = 2, 2
SLOTS = CELLS * HALVES * LABEL_VALUES
STEEP_CELLS = int(key_of(np.full(1, 2.0**-20))[0] >> OFFSET_BITS) - FIRST_CELL  # cells below r = 2⁻²⁰

_lower_bits = ((np.arange(CELLS, dtype=np.int64) + FIRST_CELL) << (OFFSET_BITS + DROPPED_BITS)).view(np.float64)
LOWER: Floats = _lower_bits - FLOOR  # lower edge of each cell, on the scale of r
UNIT: Floats = np.exp2(np.floor(np.log2(_lower_bits)) - CELL_BITS - OFFSET_BITS)  # what one step of the offset is worth


def cells_of(probabilities: Floats) -> Integers:
    """The cell of each probability in ascending order of q: 0 … 2·CELLS - 1."""
    return ascending_cell(key_of(probabilities), probabilities)


def ascending_cell(key: Integers, probabilities: Floats) -> Integers:
    """The cell, in ascending order of q, that a key belongs to."""
    cell = (key >> OFFSET_BITS) - FIRST_CELL
    return np.where(probabilities >= 0.5, 2 * CELLS - 1 - cell, cell)


@cache
def first_of_cells() -> Floats:
    """The smallest prediction of each cell in ascending order of q; at the end the smallest number above 1."""
    guess = np.concatenate([LOWER[1:], [0.5], 1.0 - LOWER[:0:-1]])
    cell = np.arange(1, 2 * CELLS)
    low, high = ((guess * (1.0 + away)).view(np.int64) for away in (-(2.0**-36), 2.0**-36))
    while (high - low).max() > 1:  # halving between a number below the cell and one that is not
        middle = (low + high) // 2
        below = cells_of(middle.view(np.float64)) < cell
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.concatenate([[0.0], high.view(np.float64), [np.nextafter(1.0, 2.0)]])


@dataclass(slots=True)
class Grid(ExactSums):
    """The exact sums of every (cell, half, label)."""

    steep_log: dict[float, int]  # r -> rows: wrong side of a prediction so extreme that a cell is too wide for its log

    @classmethod
    def empty(cls) -> Grid:
        """A grid without pairs."""
        columns = empty_columns(SLOTS)
        return cls(columns[0], columns[1], columns[2], columns[3], columns[4], {})

    def __add__(self, other: Grid) -> Grid:
        steep = dict(self.steep_log)
        for r, rows in other.steep_log.items():
            steep[r] = steep.get(r, 0) + rows
        return Grid(
            self.count + other.count,
            self.offset_high + other.offset_high,
            self.offset_low + other.offset_low,
            self.square_high + other.square_high,
            self.square_low + other.square_low,
            steep,
        )

    def add(self, probabilities: Floats, labels: Labels) -> None:
        """Add pairs: probabilities in [0, 1] (n,), labels 0 or 1 (n,)."""
        rows = min(CHUNK_ROWS, len(labels))
        slot, offset = np.empty(rows, dtype=np.int64), np.empty(rows)
        for start in range(0, len(labels), CHUNK_ROWS):
            chunk = probabilities[start : start + CHUNK_ROWS], labels[start : start + CHUNK_ROWS]
            self._add_chunk(*chunk, slot[: len(chunk[1])], offset[: len(chunk[1])])

    def _add_chunk(self, probabilities: Floats, labels: Labels, slot: Integers, offset: Floats) -> None:
        for start in range(0, len(labels), BLOCK):
            rows = slice(start, start + BLOCK)
            key, place = key_of(probabilities[rows]), slot[rows]
            key -= FIRST_CELL << OFFSET_BITS
            np.right_shift(key, OFFSET_BITS, out=place)
            place <<= 2
            half_and_label = (probabilities[rows] >= 0.5).view(np.uint8) << 1
            half_and_label |= labels[rows]
            place |= half_and_label
            key &= OFFSET_MASK
            offset[rows] = key
        counts = self.add_rows(slot, offset)
        if counts is None:
            half = len(labels) // 2
            for rows in (slice(half), slice(half, None)):
                self._add_chunk(probabilities[rows], labels[rows], slot[rows], offset[rows])
        else:
            self._add_steep(counts, slot, probabilities)

    def _add_steep(self, counts: Integers, slot: Integers, probabilities: Floats) -> None:
        by_cell = counts.reshape(CELLS, HALVES, LABEL_VALUES)[:STEEP_CELLS]
        if not (by_cell[:, 0, 1].any() or by_cell[:, 1, 0].any()):
            return
        steep = np.flatnonzero(slot < STEEP_CELLS * HALVES * LABEL_VALUES)
        half_and_label = slot[steep] & 3
        wrong = probabilities[steep[(half_and_label == 1) | (half_and_label == 2)]]
        values, rows = np.unique(np.minimum(wrong, 1.0 - wrong), return_counts=True)
        for value, number in zip(values.tolist(), rows.tolist(), strict=True):
            self.steep_log[value] = self.steep_log.get(value, 0) + number

    def ascending(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Slots, as (2·CELLS, label) in ascending order of q."""
        by_cell = values.reshape(CELLS, HALVES, LABEL_VALUES)
        return np.concatenate([by_cell[:, 0], by_cell[::-1, 1]])

    def sums_of_r(self) -> tuple[Floats, Floats]:
        """Per slot, the sums of r and of r²."""
        cell = np.repeat(np.arange(CELLS), HALVES * LABEL_VALUES)
        return self.sums(LOWER[cell], UNIT[cell])


def log_loss_of_grid(grid: Grid) -> tuple[float, int]:
    """The sum of -log P(label) over the finite pairs, and the number of pairs whose loss is infinite.

    Within a cell the logarithm is expanded to second order around the mean of its pairs (from the exact sums of r and
    r²), where the relative width of at most 2⁻¹⁰ leaves an error below 4·10⁻¹¹ per pair; pairs with a probability below
    2⁻²⁰ on the wrong side are kept individually.
    """
    count = grid.count.reshape(CELLS, 2, 2)
    r, rr = (column.reshape(CELLS, 2, 2) for column in grid.sums_of_r())
    n = count.astype(np.float64)
    mean = np.divide(r, n, out=np.full_like(r, 0.25), where=count > 0)
    spread = np.maximum(rr - r * mean, 0.0)
    wrong = np.zeros((CELLS, 2, 2), dtype=np.bool_)  # the label's probability is r, else 1 - r
    wrong[:, 0, 1] = wrong[:, 1, 0] = True
    steep = wrong.copy()
    steep[STEEP_CELLS:] = False
    used = (count > 0) & ~steep
    likely = np.where(wrong, mean, 1.0 - mean)[used]
    loss = np.where(wrong[used], -np.log(likely), -np.log1p(-mean[used])) * n[used] + spread[used] / (2 * likely**2)
    infinite = grid.steep_log.get(0.0, 0)
    extreme = math.fsum(-math.log(value) * rows for value, rows in sorted(grid.steep_log.items()) if value > 0.0)
    return float(loss.sum()) + extreme, infinite
