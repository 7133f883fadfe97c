"""Sums of arrays, to compare those of files with."""

from __future__ import annotations

from howsure.calibration.slots import Slots, sum_by_slot
from howsure.inputs.pairs import Floats, Labels, Pairs


def slots_of_arrays(q: Floats, y: Labels, w: Floats | None = None) -> Slots:
    """The slots of pairs in memory."""
    return sum_by_slot(Pairs(y, q, w))
