"""A fixed grid of cells over [0, 1]: one pass over any number of pairs, and the sums of every cell, exactly.

A probability q is first folded to its distance from the nearer end, r = min(q, 1 - q), so that predictions near 1 are
resolved as finely as those near 0. The leading bits of the float r + 2⁻²⁰ are the cell (about 39,000 a half, each
2⁻¹¹ wide in relative terms), the next 36 bits are an integer offset within it. Sums of offsets and of their squares are
integers, so they depend neither on the order of the rows nor on how they were split into chunks, and two grids merge
by addition. What the rounding costs: 2⁻⁴⁸ of each probability, and 2⁻⁶⁸ absolutely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.stats.pairs import CHUNK_ROWS, Floats, Integers, Labels

FLOOR = 2.0**-20  # added to r, so that the grid ends at finitely many binades above zero
CELL_BITS = 11  # leading mantissa bits that choose the cell
OFFSET_BITS = 36  # mantissa bits that follow and are summed
DROPPED_BITS = 52 - CELL_BITS - OFFSET_BITS
EXACT = 2.0**53  # below this, sums of integers in float64 are exact
LIMB_BITS = 30


def _key(r: npt.ArrayLike) -> Integers:
    """The leading 47 mantissa bits of r + FLOOR with its exponent: monotone in r, cell and offset in one integer."""
    bits: Integers = np.add(r, FLOOR, dtype=np.float64).view(np.int64)
    bits += 1 << (DROPPED_BITS - 1)
    bits >>= DROPPED_BITS
    return bits


FIRST_CELL = int(_key(np.zeros(1))[0] >> OFFSET_BITS)
CELLS = int(_key(np.full(1, 0.5))[0] >> OFFSET_BITS) - FIRST_CELL + 1
HALVES, LABEL_VALUES = 2, 2
SLOTS = CELLS * HALVES * LABEL_VALUES

STEEP_CELLS = int(_key(np.full(1, 2.0**-20))[0] >> OFFSET_BITS) - FIRST_CELL  # cells below r = 2⁻²⁰

_lower_bits = ((np.arange(CELLS, dtype=np.int64) + FIRST_CELL) << (OFFSET_BITS + DROPPED_BITS)).view(np.float64)
LOWER: Floats = _lower_bits - FLOOR  # lower edge of each cell, on the scale of r
UNIT: Floats = np.exp2(np.floor(np.log2(_lower_bits)) - CELL_BITS - OFFSET_BITS)  # what one step of the offset is worth


def cells_of(probabilities: Floats) -> Integers:
    """The cell of each probability in ascending order of q: 0 … 2·CELLS - 1."""
    upper_half = probabilities >= 0.5
    cell = (_key(np.minimum(probabilities, 1.0 - probabilities)) >> OFFSET_BITS) - FIRST_CELL
    return np.where(upper_half, 2 * CELLS - 1 - cell, cell)


@dataclass(slots=True)
class Grid:
    """The sums of every (cell, half, label), as integers: counts, offsets, squared offsets (scaled by 2⁻³⁶).

    Offsets are kept in two limbs so that no number of rows overflows them.
    """

    count: Integers
    offset_high: Integers
    offset_low: Integers
    square_high: Integers
    square_low: Integers
    steep_log: dict[float, int]  # r -> rows: wrong side of a prediction so extreme that a cell is too wide for its log

    @classmethod
    def empty(cls) -> Grid:
        """A grid that holds no pairs."""
        zeros = [np.zeros(SLOTS, dtype=np.int64) for _ in range(5)]
        return cls(zeros[0], zeros[1], zeros[2], zeros[3], zeros[4], {})

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
        for start in range(0, len(labels), CHUNK_ROWS):
            self._add_chunk(probabilities[start : start + CHUNK_ROWS], labels[start : start + CHUNK_ROWS])

    def _add_chunk(self, probabilities: Floats, labels: Labels) -> None:
        r = np.subtract(1.0, probabilities, dtype=np.float64)
        np.minimum(r, probabilities, out=r)
        key = _key(r)
        slot = key >> OFFSET_BITS
        slot -= FIRST_CELL
        slot <<= 1
        slot += probabilities >= 0.5
        slot <<= 1
        slot += labels
        key &= (1 << OFFSET_BITS) - 1
        offset = key.astype(np.float64)
        offsets = np.bincount(slot, weights=offset, minlength=SLOTS)
        if offsets.max() >= EXACT:  # so many rows in one cell that the float sum may have been rounded
            half = len(labels) // 2
            self._add_chunk(probabilities[:half], labels[:half])
            self._add_chunk(probabilities[half:], labels[half:])
            return
        np.multiply(offset, offset, out=offset)
        offset *= 2.0**-OFFSET_BITS
        np.floor(offset, out=offset)
        counts = np.bincount(slot, minlength=SLOTS)
        self.count += counts
        _carry(offsets, self.offset_high, self.offset_low)
        _carry(np.bincount(slot, weights=offset, minlength=SLOTS), self.square_high, self.square_low)
        self._add_steep(counts, slot, r)

    def _add_steep(self, counts: Integers, slot: Integers, r: Floats) -> None:
        by_cell = counts.reshape(CELLS, HALVES, LABEL_VALUES)[:STEEP_CELLS]
        if not (by_cell[:, 0, 1].any() or by_cell[:, 1, 0].any()):
            return
        half_and_label = slot & 3
        wrong = (slot < 4 * STEEP_CELLS) & ((half_and_label == 1) | (half_and_label == 2))
        values, rows = np.unique(r[wrong], return_counts=True)
        for value, number in zip(values.tolist(), rows.tolist(), strict=True):
            self.steep_log[value] = self.steep_log.get(value, 0) + number

    def ascending(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Slots, as (2·CELLS, label) in ascending order of q."""
        by_cell = values.reshape(CELLS, HALVES, LABEL_VALUES)
        return np.concatenate([by_cell[:, 0], by_cell[::-1, 1]])

    def sums_of_r(self) -> tuple[Floats, Floats]:
        """Per slot, the sums of r and of r²."""
        cell = np.repeat(np.arange(CELLS), HALVES * LABEL_VALUES)
        lower, unit = LOWER[cell], UNIT[cell]
        offset = _join(self.offset_high, self.offset_low)
        square = _join(self.square_high, self.square_low) * 2.0**OFFSET_BITS
        r = self.count * lower + offset * unit
        rr = self.count * lower**2 + 2 * lower * unit * offset + unit**2 * square
        return r, rr


def _join(high: Integers, low: Integers) -> Floats:
    return (high + (low >> LIMB_BITS)) * 2.0**LIMB_BITS + (low & ((1 << LIMB_BITS) - 1))


def _carry(sums: npt.NDArray[Any], high: Integers, low: Integers) -> None:
    whole = sums.astype(np.int64)
    high += whole >> LIMB_BITS
    whole &= (1 << LIMB_BITS) - 1
    low += whole
