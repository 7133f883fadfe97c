"""Sums by slot, a cell of the probability scale and a label: what stands for pairs when there are too many to keep."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.calibration.summary.cells import CELLS, FRACTION, LAST, LOG_UNIT, SCALE, STEEP
from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers

COLUMNS = ("n", "offsets", "squares", "logs", "infinite")
MOST = 2**35  # pairs of a slot: of more, the steps of their offsets do not add up in 64 bits
WEIGHTS = ("w1", "w2", "w3", "w4", "fractions", "fraction_squares", "weighted_logs")


@dataclass(frozen=True, eq=False)
class Slots:
    """The slots that hold pairs, ascending, with their sums. Those of two sets of pairs add up: `a + b`.

    slot (k,): 2 · cell + label. sums (5, k), whole numbers: n pairs; with f where in its cell a pair lies, offsets
    Σ floor(f · 2²⁸) and squares Σ floor(f² · 2²⁸); of wrong predictions nearer to 0 or 1 than 2⁻¹⁶, logs
    Σ floor(-2²⁴ ln r + ½) over r > 0, and infinite, the number of r = 0. weights (7, k), of weighted pairs, of which
    offsets, squares and logs are zero: Σw, Σw², Σw³, Σw⁴, Σwf, Σwf², -Σw ln r. weightless: pairs of weight 0, which are
    counted in no slot. positive, reduction: as of `Pairs`.
    """

    slot: Integers
    sums: Integers
    weights: Floats | None = None
    weightless: int = 0
    positive: str | None = None
    reduction: str | None = None

    @classmethod
    def none(cls) -> Slots:
        """No pairs."""
        return cls(np.empty(0, dtype=np.int64), np.empty((len(COLUMNS), 0), dtype=np.int64))

    @classmethod
    def from_rows(cls, cell: Any, label: Any, n: Any, offsets: Any, squares: Any, logs: Any, infinite: Any) -> Slots:
        """The slots of rows of whole numbers, as an engine returns them, in any order; rows of a slot add up."""
        columns = [np.asarray(column, dtype=np.int64) for column in (n, offsets, squares, logs, infinite)]
        slot = 2 * np.asarray(cell, dtype=np.int64) + np.asarray(label, dtype=np.int64)
        return added(cls(slot, np.stack(columns)))

    def __len__(self) -> int:
        """The number of pairs."""
        return int(self.count.sum())

    def __add__(self, other: Slots) -> Slots:
        """Raises InputError where only one of them is weighted, or they say different things by label 1."""
        if not len(self.slot) or not len(other.slot):
            more = self if len(self.slot) else other
            return replace(
                more,
                weightless=self.weightless + other.weightless,
                positive=more.positive if len(more.slot) else self.positive or other.positive,
            )
        if (self.weights is None) != (other.weights is None):
            raise InputError(
                "one of the summaries is weighted and the other is not: give each pair of the latter the weight 1."
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
            positive=_agreed("pos_label", self.positive, other.positive),
            reduction=_agreed("reduction", self.reduction, other.reduction),
        )
        return added(together)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Slots) or (self.weights is None) != (other.weights is None):
            return False
        return all(
            np.array_equal(one, beside) if isinstance(one, np.ndarray) else one == beside
            for one, beside in zip(self._parts(), other._parts(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _parts(self) -> tuple[Any, ...]:
        return self.slot, self.sums, self.weights, self.weightless, self.positive, self.reduction

    @property
    def count(self) -> Integers:
        """Pairs of each slot."""
        found: Integers = self.sums[0]
        return found

    @property
    def cell(self) -> Integers:
        """The cell of each slot."""
        return self.slot >> 1

    @property
    def label(self) -> Integers:
        """The label of each slot."""
        return self.slot & 1

    @property
    def infinite_rows(self) -> int:
        """Pairs whose log loss is infinite."""
        return int(self.sums[4].sum())

    def powers(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Σw, Σw², Σw³ and Σw⁴; without weights one array."""
        if self.weights is None:
            number = self.count.astype(np.float64)
            return number, number, number, number
        return self.weights[0], self.weights[1], self.weights[2], self.weights[3]

    @cached_property
    def root(self) -> tuple[Floats, Floats]:
        """The mean of t of each slot, and its variance.

        Offsets and squares are rounded down; on average by half a step where they are not 0.
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
        """The mean of r = min(q, 1 - q) of each slot, and its variance.

        r = (t / 2¹⁵)⁴ to second order around the mean of t; what is left out is below 10⁻¹⁴.
        """
        t, variance = self.root
        squared = (t / SCALE) ** 2
        return squared * (squared + 6 * variance / SCALE**2), 16 * squared**3 * variance / SCALE**2

    def wrong(self) -> npt.NDArray[np.bool_]:
        """Whether the label of each slot is the less likely one."""
        found: npt.NDArray[np.bool_] = (self.cell < CELLS) == (self.label == 1)
        return found

    def means(self) -> tuple[Floats, Floats, Floats]:
        """The mean prediction of each slot, the mean of q - y without cancellation, and the variance of q."""
        r, variance = self.nearest
        distance = np.where(self.wrong(), 1.0 - r, r)
        q = np.where(self.cell < CELLS, r, 1.0 - r)
        return q, np.where(self.label == 1, -distance, distance), variance

    def log_sum(self) -> float:
        """Σ -w log P(label) over the finite pairs.

        The logarithm is expanded to second order around the mean of a slot, which leaves less than 2·10⁻¹¹ of a pair;
        of wrong predictions nearer to 0 or 1 than 2⁻¹⁶ it was taken row by row, in whole units of 2⁻²⁴.
        """
        (t, of_t), (r, of_r), wrong = self.root, self.nearest, self.wrong()
        steep = wrong & (np.minimum(self.cell, LAST - self.cell) < STEEP)
        low = np.where(wrong & ~steep, t, SCALE)
        of_wrong = -4 * np.log(low / SCALE) + 2 * of_t / low**2
        of_right = -np.log1p(-r) + of_r / (2 * (1.0 - r) ** 2)
        loss = np.where(steep, 0.0, np.where(wrong, of_wrong, of_right)) * self.powers()[0]
        logs = self.sums[3] / LOG_UNIT if self.weights is None else self.weights[6]
        return float(loss.sum()) + float(logs.sum())


def added(slots: Slots) -> Slots:
    """The same slots, ascending, each once."""
    order = np.argsort(slots.slot, kind="stable")
    slot = slots.slot[order]
    starts = np.flatnonzero(np.append(True, slot[1:] != slot[:-1])[: len(slot)])
    if not len(starts):
        return slots
    weights = None if slots.weights is None else np.add.reduceat(slots.weights[:, order], starts, axis=1)
    sums = checked_sums(np.add.reduceat(slots.sums[:, order], starts, axis=1))
    return replace(slots, slot=slot[starts], sums=sums, weights=weights)


def checked_sums(sums: Integers) -> Integers:
    """The sums of slots. Raises InputError if there are more pairs in one than whole numbers of 64 bits add up."""
    if sums[0].max(initial=0) >= MOST or sums.min(initial=0) < 0:
        raise InputError(
            f"the sums of one cell and label are too large for 64 bits, which hold those of {MOST:,} pairs, or of "
            "fewer where predictions of almost 0 or 1 are wrong: keep a summary for each part of the pairs."
        )
    return sums


def _agreed(name: str, one: str | None, other: str | None) -> str | None:
    """What two summaries say of their label 1, or of how pairs were made of classes."""
    if one == other:
        return one
    if name == "pos_label" and (one is None or other is None):
        return one or other
    raise InputError(f"the summaries differ in {name}: {one!r} and {other!r}. Keep a summary for each.")
