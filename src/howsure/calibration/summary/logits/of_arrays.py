"""The sums of the pairs of logits that numpy holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.calibration.summary.slot_adder import SlotAdder
from howsure.calibration.summary.slots import Slots
from howsure.inputs.classes import softmax
from howsure.inputs.pairs import CHUNK_ROWS, Floats, Integers

BLOCK = 1 << 15  # probabilities computed at a time, so that they stay in the cache


def slots_of_array(logits: npt.NDArray[Any], rows: Integers, targets: Integers, top_label: bool) -> Slots | int:
    """The slots of the pairs of some rows of logits (n, V), whose right classes are given; or the number of the first
    row that makes no probabilities."""
    adder = SlotAdder()
    width = logits.shape[1]
    n = max(1, min(CHUNK_ROWS // width, len(rows)))
    probabilities, labels = np.empty((n, width)), np.zeros((n, width), dtype=np.uint8)
    for start in range(0, len(rows), n):
        some, right = rows[start : start + n], targets[start : start + n]
        q, y, each = probabilities[: len(some)], labels[: len(some)], np.arange(len(some))
        fill(q, logits, some)
        wrong = np.isnan(q[:, 0])
        if wrong.any():
            return int(some[wrong.argmax()])
        if top_label:
            first = q.argmax(axis=1)
            adder.add(q[each, first], (first == right).view(np.uint8))
        else:
            y[each, right] = 1
            adder.add(q.ravel(), y.ravel())
            y[each, right] = 0
    return adder.slots()


def fill(q: Floats, logits: npt.NDArray[Any], rows: Integers) -> None:
    """Write the probabilities of some rows of logits, NaN for a row that makes none."""
    n = max(1, BLOCK // logits.shape[1])
    with np.errstate(invalid="ignore"):
        for start in range(0, len(rows), n):
            softmax(logits[_as_slice(rows[start : start + n])], out=q[start : start + n])


def _as_slice(rows: Integers) -> slice | Integers:
    """The same rows as a slice, of which numpy makes no copy, where none is left out."""
    return slice(int(rows[0]), int(rows[-1]) + 1) if rows[-1] - rows[0] == len(rows) - 1 else rows
