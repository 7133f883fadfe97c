"""The cells of the probability scale: narrow intervals, the same to the last bit on every machine and in every engine.

With r = min(q, 1 - q) and t = r^(1/4) · 2¹⁵, the cell of q is floor(t), counted from 0 at q = 0 in the lower half and
from the other end at q = 1 in the upper one. Comparison, subtraction, square root and products with powers of two are
all it takes, and every engine rounds these alike. A cell is 1.5·10⁻⁴ of r wide at r = ½, 4·10⁻⁴ at 2⁻⁷, 4·10⁻³ at 2⁻²⁰,
and the lowest one ends at 2⁻⁶⁰.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from howsure.inputs.pairs import Floats, Integers, Labels

SCALE = 2.0**15
CELLS = math.floor(math.sqrt(math.sqrt(0.5)) * SCALE) + 1  # of each half
LAST = 2 * CELLS - 1
SLOTS = 4 * CELLS  # a slot is a cell and a label
FRACTION = 2.0**28  # steps within a cell
STEEP = 2048  # cells below r = 2⁻¹⁶, in which the logarithm of a wrong prediction is added up row by row
LOG_UNIT = 2.0**24
EXACT_UP_TO = 1 << 17  # pairs of a whole input; of more, the predictions of a cell count as ties


def roots_of(q: Floats, out: Floats) -> None:
    """t of each probability."""
    np.subtract(1.0, q, out=out)
    np.minimum(out, q, out=out)
    np.sqrt(out, out=out)
    np.sqrt(out, out=out)
    out *= SCALE


def cells_of(q: Floats) -> Integers:
    """The cell of each probability in ascending order of q: 0 … LAST.

    >>> cells_of(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    array([    0, 23170, 27555, 31939, 55109])
    """
    t = np.empty(len(q))
    roots_of(q, t)
    cell = t.astype(np.int64)
    return np.where(q < 0.5, cell, LAST - cell)


def folded_slots(q: Floats, y: Labels, slot: Integers, fraction: Floats) -> None:
    """Write the folded slot of each pair, 4·floor(t) + 2·(q ≥ ½) + y, and where in its cell it lies, t - floor(t)."""
    roots_of(q, fraction)
    np.copyto(slot, fraction, casting="unsafe")
    fraction -= slot
    half_and_label = (q >= 0.5).view(np.uint8)
    half_and_label <<= 1
    half_and_label |= y
    slot <<= 2
    slot |= half_and_label


@cache
def unfolded() -> Integers:
    """The folded slot of every slot: in ascending order of q, label 0 before label 1."""
    cell, label = np.divmod(np.arange(SLOTS), 2)
    upper = cell >= CELLS
    found: Integers = 4 * np.where(upper, LAST - cell, cell) + 2 * upper + label
    found.flags.writeable = False
    return found


def last_of_cells(cells: Integers) -> Floats:
    """The largest prediction of each cell."""
    return np.nextafter(first_of_cells()[cells + 1], 0.0)


@cache
def first_of_cells() -> Floats:
    """The smallest prediction of each cell in ascending order of q; at the end the smallest number above 1.

    Cells at the upper end that hold no number of float64 begin where the next one does.
    """
    edge = (np.arange(1, CELLS) / SCALE) ** 4
    guess = np.concatenate([edge, [0.5], 1.0 - edge[::-1]])
    cell = np.arange(1, 2 * CELLS)
    low, high = (np.minimum(guess * (1.0 + away), 1.0).view(np.int64) for away in (-(2.0**-36), 2.0**-36))
    while (high - low).max() > 1:  # halving between a number below the cell and one that is not
        middle = (low + high) // 2
        below = cells_of(middle.view(np.float64)) < cell
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found = np.concatenate([[0.0], high.view(np.float64), [np.nextafter(1.0, 2.0)]])
    found.flags.writeable = False
    return found
