"""Exact sums by slot: integers that depend neither on the order of the rows nor on their division into chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers

OFFSET_BITS = 36  # an offset is a whole number below 2³⁶
EXACT = 2.0**53  # below this, sums of whole numbers in float64 are exact
LIMB_BITS = 30
BLOCK = 1 << 15  # rows worked on at a time, so that they stay in the cache


@dataclass(slots=True)
class ExactSums:
    """Per slot: the number of rows, the sum of their offsets, and the sum of the squared offsets (scaled by 2⁻³⁶).

    Sums are kept in two limbs, so that no number of rows overflows them. Sums of the same slots are additive.
    """

    count: Integers
    offset_high: Integers
    offset_low: Integers
    square_high: Integers
    square_low: Integers

    def add_rows(self, slot: Integers, offset: Floats) -> Integers | None:
        """Add rows: their slots and their offsets, whole numbers as float64, which are overwritten.

        Returns the rows of each slot; None, and nothing is added, if a sum may have been rounded: give fewer rows.
        """
        slots = len(self.count)
        if len(slot) == 0:
            return np.zeros(slots, dtype=np.int64)
        offsets = np.bincount(slot, weights=offset, minlength=slots)
        if offsets.max() >= EXACT:
            return None
        for start in range(0, len(offset), BLOCK):
            block = offset[start : start + BLOCK]
            block *= block
            block *= 2.0**-OFFSET_BITS
            np.floor(block, out=block)
        counts: Integers = np.bincount(slot, minlength=slots)
        self.count += counts
        _carry(offsets, self.offset_high, self.offset_low)
        _carry(np.bincount(slot, weights=offset, minlength=slots), self.square_high, self.square_low)
        return counts

    def add_all(self, slot: Integers, offset: Floats) -> None:
        """Add rows, in as many parts as exactness requires."""
        if self.add_rows(slot, offset) is None:
            half = len(slot) // 2
            self.add_all(slot[:half], offset[:half])
            self.add_all(slot[half:], offset[half:])

    def sums(self, lower: Floats, unit: Floats) -> tuple[Floats, Floats]:
        """Per slot, the sums of r and of r², where r = lower + offset · unit."""
        offset = _join(self.offset_high, self.offset_low)
        square = _join(self.square_high, self.square_low) * 2.0**OFFSET_BITS
        r = self.count * lower + offset * unit
        return r, self.count * lower**2 + 2 * lower * unit * offset + unit**2 * square


def empty_columns(slots: int) -> list[Integers]:
    """The five columns of sums without rows."""
    return [np.zeros(slots, dtype=np.int64) for _ in range(5)]


def _join(high: Integers, low: Integers) -> Floats:
    return (high + (low >> LIMB_BITS)) * 2.0**LIMB_BITS + (low & ((1 << LIMB_BITS) - 1))


def _carry(sums: npt.NDArray[Any], high: Integers, low: Integers) -> None:
    whole = sums.astype(np.int64)
    high += whole >> LIMB_BITS
    whole &= (1 << LIMB_BITS) - 1
    low += whole
