"""Sums of pairs by slot (a cell of the probability scale and a label), which replace very many pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import CHUNK_ROWS, Bools, Floats, Integers, Labels, Pairs

# The cells of the probability scale: narrow intervals, the same to the last bit on every machine and in every engine.
#
# With r = min(q, 1 - q) and t = r^(1/4) · 2¹⁵, the cell of q is floor(t) for q < ½, and LAST - floor(t) otherwise. This
# needs only comparison, subtraction, square roots and products with powers of two, which all engines round identically.
# The width of a cell is 1.5·10⁻⁴ r at r = ½, 4·10⁻⁴ r at 2⁻⁷ and 4·10⁻³ r at 2⁻²⁰; the lowest cell ends at 2⁻⁶⁰.

SCALE = 2.0**15
INTEGERS = 2.0**52  # above it, floats are integers
BITS_OF_INTEGERS = np.float64(INTEGERS).view(np.int64)
CELLS = math.floor(math.sqrt(math.sqrt(0.5)) * SCALE) + 1  # of each half
LAST = 2 * CELLS - 1
SLOTS = 4 * CELLS  # a slot is a cell and a label
FRACTION = 2.0**28  # steps within a cell
STEEP = 2048  # number of cells below r = 2⁻¹⁶; in these, the logarithms of wrong predictions are added up exactly
LOG_UNIT = 2.0**24
EXACT_UP_TO = 1 << 17  # pairs in the whole input; if there are more, predictions in the same cell count as ties


def write_roots(q: Floats, out: Floats) -> None:
    """Write t = min(q, 1 - q)^(1/4) · 2¹⁵ of each probability to `out`."""
    np.subtract(1.0, q, out=out)
    np.minimum(out, q, out=out)
    np.sqrt(out, out=out)
    np.sqrt(out, out=out)
    out *= SCALE


def assign_cells(q: Floats) -> Integers:
    """Return the cell of each probability; cells 0 … LAST are in ascending order of q.

    >>> assign_cells(np.array([0.0, 0.25, 0.5, 0.75, 1.0]))
    array([    0, 23170, 27555, 31939, 55109])
    """
    t = np.empty(len(q))
    write_roots(q, t)
    cell = t.astype(np.int64)
    return np.where(q < 0.5, cell, LAST - cell)


def folded_slots(q: Floats, y: Labels, slot: Integers, fraction: Floats) -> None:
    """Write the folded slot of each pair, 4·floor(t) + 2·(q ≥ ½) + y, and its position in the cell, t - floor(t).

    t is the result of `write_roots`. Folded slots are numbered by t, so that the cells of q and of 1 - q are next to
    each other.
    """
    write_roots(q, fraction)
    whole = np.floor(fraction)
    fraction -= whole
    half_and_label = (q >= 0.5).view(np.uint8)
    half_and_label += half_and_label
    half_and_label |= y
    whole *= 4.0
    whole += half_and_label
    whole += INTEGERS  # faster than a cast: the last bits of the sum are the integer
    np.subtract(whole.view(np.int64), BITS_OF_INTEGERS, out=slot)


@cache
def unfolded() -> Integers:
    """For every slot in ascending order of q (label 0 before label 1), its number as computed by `folded_slots`."""
    cell, label = np.divmod(np.arange(SLOTS), 2)
    upper = cell >= CELLS
    slots: Integers = 4 * np.where(upper, LAST - cell, cell) + 2 * upper + label
    slots.flags.writeable = False
    return slots


def last_of_cells(cells: Integers) -> Floats:
    """Return the largest prediction of each cell."""
    return np.nextafter(first_of_cells()[cells + 1], 0.0)


@cache
def first_of_cells() -> Floats:
    """Return the smallest prediction of each cell, in ascending order, followed by the smallest number above 1.

    Cells near 1 that contain no float64 number have the same start as the next cell.
    """
    edge = (np.arange(1, CELLS) / SCALE) ** 4
    guess = np.concatenate([edge, [0.5], 1.0 - edge[::-1]])
    cell = np.arange(1, 2 * CELLS)
    low, high = (np.minimum(guess * (1.0 + away), 1.0).view(np.int64) for away in (-(2.0**-36), 2.0**-36))
    while (high - low).max() > 1:  # bisection between a number below the cell and a number that is not below it
        middle = (low + high) // 2
        below = assign_cells(middle.view(np.float64)) < cell
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    edges = np.concatenate([[0.0], high.view(np.float64), [np.nextafter(1.0, 2.0)]])
    edges.flags.writeable = False
    return edges


COLUMNS = ("n", "offsets", "squares", "logs", "infinite")
MAX_SLOT_PAIRS = 2**35  # pairs in a slot; sums of offsets of more pairs would overflow 64 bits
WEIGHTS = ("w1", "w2", "w3", "w4", "fractions", "fraction_squares", "weighted_logs")


@dataclass(frozen=True, eq=False)
class Slots:
    """The nonempty slots, ascending, with their sums; `a + b` merges the slots of two sets of pairs.

    slot (k,): 2 · cell + label. sums (5, k), integers: the number n of pairs; offsets Σ floor(f · 2²⁸) and squares Σ
    floor(f² · 2²⁸), where f is the position of a pair in its cell, from 0 to 1; and two sums over wrong predictions
    within 2⁻¹⁶ of 0 or 1: logs Σ floor(-2²⁴ ln r + ½) over those with r > 0, and infinite, the number of those with r =
    0. weights (7, k), for weighted pairs: Σw, Σw², Σw³, Σw⁴, Σwf, Σwf², -Σw ln r; their offsets, squares and logs are
    then zero. weightless: number of pairs of weight 0, which are in no slot. positive, reduction: as in `Pairs`.
    """

    slot: Integers
    sums: Integers
    weights: Floats | None = None
    weightless: int = 0
    positive: str | None = None
    reduction: str | None = None

    @classmethod
    def none(cls) -> Slots:
        """Return sums without pairs."""
        return cls(np.empty(0, dtype=np.int64), np.empty((len(COLUMNS), 0), dtype=np.int64))

    @classmethod
    def from_rows(cls, cell: Any, label: Any, n: Any, offsets: Any, squares: Any, logs: Any, infinite: Any) -> Slots:
        """Build from rows of integers as an engine returns them, in any order; rows of the same slot are added up."""
        columns = [np.asarray(column, dtype=np.int64) for column in (n, offsets, squares, logs, infinite)]
        slot = 2 * np.asarray(cell, dtype=np.int64) + np.asarray(label, dtype=np.int64)
        return merge_slots(cls(slot, np.stack(columns)))

    def __len__(self) -> int:
        return int(self.count.sum())

    def __add__(self, other: Slots) -> Slots:
        """Merge two sets of slots. Raises InputError if weights, `positive` or `reduction` differ."""
        if not len(self.slot) or not len(other.slot):
            more = self if len(self.slot) else other
            return replace(
                more,
                weightless=self.weightless + other.weightless,
                positive=more.positive if len(more.slot) else self.positive or other.positive,
            )
        if (self.weights is None) != (other.weights is None):
            raise InputError(
                "one of the summaries has weights and the other has none. Give each pair of the other the weight 1."
            )
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights], axis=1)
        together = replace(
            self,
            slot=np.concatenate([self.slot, other.slot]),
            sums=np.concatenate([self.sums, other.sums], axis=1),
            weights=weights,
            weightless=self.weightless + other.weightless,
            positive=_common_setting("pos_label", self.positive, other.positive),
            reduction=_common_setting("reduction", self.reduction, other.reduction),
        )
        return merge_slots(together)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Slots) or (self.weights is None) != (other.weights is None):
            return False
        return all(
            np.array_equal(left, right) if isinstance(left, np.ndarray) else left == right
            for left, right in zip(self._parts(), other._parts(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _parts(self) -> tuple[Any, ...]:
        return self.slot, self.sums, self.weights, self.weightless, self.positive, self.reduction

    @property
    def count(self) -> Integers:
        return np.asarray(self.sums[0])

    @property
    def cell(self) -> Integers:
        return self.slot >> 1

    @property
    def label(self) -> Integers:
        return self.slot & 1

    @property
    def infinite_rows(self) -> int:
        """The number of pairs whose log loss is infinite."""
        return int(self.sums[4].sum())

    def powers(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return Σw, Σw², Σw³ and Σw⁴ of each slot; without weights, all four are the number of pairs."""
        if self.weights is None:
            number = self.count.astype(np.float64)
            return number, number, number, number
        return self.weights[0], self.weights[1], self.weights[2], self.weights[3]

    @cached_property
    def root(self) -> tuple[Floats, Floats]:
        """Return the mean and the variance of t in each slot.

        Offsets and squares were rounded down, by half a step on average. This is corrected unless they are 0.
        """
        below = np.minimum(self.cell, LAST - self.cell)
        if self.weights is None:
            first, second = (np.where(sums > 0, sums + self.count / 2, 0.0) for sums in self.sums[1:3])
            scale = self.count * FRACTION
        else:
            first, second, scale = self.weights[4], self.weights[5], self.weights[0]
        fraction = first / scale
        variance = np.maximum(second / scale - fraction**2, 0.0)
        return below + fraction, variance

    @cached_property
    def nearest(self) -> tuple[Floats, Floats]:
        """Return the mean and the variance of r = min(q, 1 - q) in each slot.

        r = (t / 2¹⁵)⁴ is expanded to second order around the mean of t; the remainder is below 10⁻¹⁴.
        """
        t, variance = self.root
        squared = (t / SCALE) ** 2
        return squared * (squared + 6 * variance / SCALE**2), 16 * squared**3 * variance / SCALE**2

    def wrong(self) -> Bools:
        """Whether the label of each slot is the less likely one."""
        return np.asarray((self.cell < CELLS) == (self.label == 1))

    def means(self) -> tuple[Floats, Floats, Floats]:
        """Return the mean of q, the mean of q - y (without cancellation) and the variance of q in each slot."""
        r, variance = self.nearest
        distance = np.where(self.wrong(), 1.0 - r, r)
        q = np.where(self.cell < CELLS, r, 1.0 - r)
        return q, np.where(self.label == 1, -distance, distance), variance

    def log_sum(self) -> float:
        """Return Σ -w log P(label) over the pairs with a finite log loss.

        The logarithm is expanded to second order around the mean of a slot, with an error below 2·10⁻¹¹ per pair. The
        logarithms of wrong predictions within 2⁻¹⁶ of 0 or 1 were added up row by row, in units of 2⁻²⁴.
        """
        (t, of_t), (r, of_r), wrong = self.root, self.nearest, self.wrong()
        steep = wrong & (np.minimum(self.cell, LAST - self.cell) < STEEP)
        low = np.where(wrong & ~steep, t, SCALE)
        of_wrong = -4 * np.log(low / SCALE) + 2 * of_t / low**2
        of_right = -np.log1p(-r) + of_r / (2 * (1.0 - r) ** 2)
        loss = np.where(steep, 0.0, np.where(wrong, of_wrong, of_right)) * self.powers()[0]
        logs = self.sums[3] / LOG_UNIT if self.weights is None else self.weights[6]
        return float(loss.sum()) + float(logs.sum())


def merge_slots(slots: Slots) -> Slots:
    """Sort slots, and add up the sums of a slot that occurs more than once."""
    order = np.argsort(slots.slot, kind="stable")
    slot = slots.slot[order]
    starts = np.flatnonzero(np.append(True, slot[1:] != slot[:-1])[: len(slot)])
    if not len(starts):
        return slots
    weights = None if slots.weights is None else np.add.reduceat(slots.weights[:, order], starts, axis=1)
    sums = checked_sums(np.add.reduceat(slots.sums[:, order], starts, axis=1))
    return replace(slots, slot=slot[starts], sums=sums, weights=weights)


def checked_sums(sums: Integers) -> Integers:
    """Return the sums unchanged. Raises InputError if a slot has too many pairs for 64-bit sums."""
    if sums[0].max(initial=0) >= MAX_SLOT_PAIRS or sums.min(initial=0) < 0:
        raise InputError(
            f"the sums of one cell and label are too large for 64 bits, which are enough for {MAX_SLOT_PAIRS:,} "
            "pairs, or fewer if predictions of almost 0 or 1 are wrong. Divide the pairs among several summaries."
        )
    return sums


def _common_setting(name: str, first: str | None, other: str | None) -> str | None:
    """Return the common value of `positive` or `reduction` in two summaries. Raises InputError if they differ."""
    if first == other:
        return first
    if name == "pos_label" and (first is None or other is None):
        return first or other
    raise InputError(f"the summaries differ in {name}: {first!r} and {other!r}. Keep a summary for each.")


# Add up pairs by slot, in one pass over any number of pairs and in constant memory.

BLOCK = 1 << 14  # rows processed at a time, so that they stay in the cache
OFFSET_PER_PAIR = 2.0**40  # added per pair to the float sum of offsets, which thus also counts up to 4,095 pairs
FULL = 4095 * OFFSET_PER_PAIR
HALF_FULL = FULL / 2  # more pairs of a slot in a chunk are counted separately
MAX_SORTED_PAIRS = 1 << 14  # up to this many pairs are sorted instead


class SlotAdder:
    """Accumulates the sums of all slots; `slots()` returns the nonempty slots.

    Without weights, all sums are integers. Therefore, they do not depend on the order of rows, or on how rows are
    divided into chunks.
    """

    def __init__(self) -> None:
        self._sums = np.zeros((len(COLUMNS), SLOTS), dtype=np.int64)  # by folded slot
        self._recent = np.zeros((2, SLOTS))  # counts combined with offsets, and squares, not yet added to the sums
        self._weights: Floats | None = None
        self._slot, self._column = np.empty(0, dtype=np.int64), np.empty((2, 0))

    def add(self, probabilities: Floats, labels: Labels, weights: Floats | None = None) -> None:
        """Add checked pairs: probabilities in [0, 1], labels 0 or 1, and positive weights for all pairs or none."""
        if len(labels) and (weights is not None) != (self._weights is not None):
            if self._sums[0].any() or self._recent.any():
                raise InputError("{parameter} must be given for all pairs of a summary, or for none.", "sample_weight")
            self._weights = np.zeros((len(WEIGHTS), SLOTS))
        for start in range(0, len(labels), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            q, y = probabilities[rows], labels[rows]
            if weights is None:
                self._add(q, y)
            else:
                self._add_weighted(q, y, weights[rows])

    def slots(self) -> Slots:
        """Return the slots that contain pairs."""
        self._move_recent()
        filled = np.flatnonzero(self._sums[0][unfolded()])
        folded = unfolded()[filled]
        weights = None if self._weights is None else self._weights[:, folded]
        return Slots(filled, checked_sums(self._sums[:, folded]), weights)

    def _buffers(self, n: int) -> tuple[Integers, Floats]:
        """Return reusable buffers for the slots (n,) of a chunk and for two columns (2, n)."""
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
            o += OFFSET_PER_PAIR
        counted, squares = np.bincount(slot, offset, SLOTS), np.bincount(slot, square, SLOTS)
        if counted.max() >= HALF_FULL:
            offset -= OFFSET_PER_PAIR
            self._sums[0] += np.bincount(slot, minlength=SLOTS)
            self._sums[1] += np.bincount(slot, offset, SLOTS).astype(np.int64)
            self._sums[2] += squares.astype(np.int64)
        else:
            self._recent[0] += counted
            self._recent[1] += squares
            if self._recent[0].max() >= HALF_FULL:
                self._move_recent()
        if has_steep(counted):
            steep_slots, r = steep_rows(slot, q)[1:]
            finite = r > 0.0
            logs = np.floor(-np.log(r[finite]) * LOG_UNIT + 0.5)
            np.add.at(self._sums[3], steep_slots[finite], logs.astype(np.int64))
            np.add.at(self._sums[4], steep_slots[~finite], 1)

    def _move_recent(self) -> None:
        """Move the recent counts, offsets and squares to the sums."""
        counted, squares = self._recent
        count = (counted / OFFSET_PER_PAIR).astype(np.int64)
        self._sums[0] += count
        self._sums[1] += (counted - count * OFFSET_PER_PAIR).astype(np.int64)
        self._sums[2] += squares.astype(np.int64)
        self._recent[:] = 0.0

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
            row, steep_slots, r = steep_rows(slot, q)
            finite = r > 0.0
            np.add.at(self._weights[6], steep_slots[finite], -np.log(r[finite]) * w[row[finite]])
            np.add.at(self._sums[4], steep_slots[~finite], 1)


def sum_by_slot(pairs: Pairs) -> Slots:
    """Add up checked pairs by slot; groups and clusters are ignored."""
    q, y, w, weightless = pairs.probabilities, pairs.labels, pairs.weights, 0
    if w is not None and w.min(initial=1.0) == 0.0:
        weighs = w > 0.0
        q, y, w, weightless = q[weighs], y[weighs], w[weighs], int(np.count_nonzero(~weighs))
    if len(y) <= MAX_SORTED_PAIRS:
        slots = _sum_sorted(q, y, w)
    else:
        adder = SlotAdder()
        adder.add(q, y, w)
        slots = adder.slots()
    return replace(slots, weightless=weightless, positive=pairs.positive, reduction=pairs.reduction)


def _sum_sorted(q: Floats, y: Labels, w: Floats | None) -> Slots:
    """Return the same result as a `SlotAdder`, for few pairs, without arrays over all slots.

    The result has one entry per pair; `merge_slots` sorts the entries and adds up those of the same slot.
    """
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
    return merge_slots(Slots(slot, sums, weights))


def has_steep(count: Integers | Floats) -> bool:
    """Whether any pair is a wrong prediction within 2⁻¹⁶ of 0 or 1, whose logarithm is added up separately."""
    near = count.reshape(CELLS, 2, 2)[:STEEP]
    return bool(near[:, 0, 1].any() or near[:, 1, 0].any())


def steep_rows(slot: Integers, q: Floats) -> tuple[Integers, Integers, Floats]:
    """Return the rows of wrong predictions within 2⁻¹⁶ of 0 or 1, with their folded slots and r = min(q, 1 - q)."""
    rows = np.flatnonzero(slot < 4 * STEEP)
    side = slot[rows] & 3
    rows = rows[(side == 1) | (side == 2)]
    return rows, slot[rows], np.minimum(q[rows], 1.0 - q[rows])
