"""The sums of the pairs of logits that numpy holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.calibration.summary.slot_adder import SlotAdder
from howsure.calibration.summary.slots import Slots
from howsure.inputs.log_scale import softmax
from howsure.inputs.pairs import CHUNK_ROWS, Integers


def slots_of_array(logits: npt.NDArray[Any], rows: Integers, targets: Integers, top_label: bool) -> Slots | int:
    """The slots of the pairs of some rows of logits (n, V), whose right classes are given; or the number of the first
    row that makes no probabilities."""
    adder = SlotAdder()
    n = max(1, CHUNK_ROWS // logits.shape[1])
    for start in range(0, len(rows), n):
        some, right = rows[start : start + n], targets[start : start + n]
        block = logits[_as_slice(some)].astype(np.float64)
        largest = block.max(axis=1)
        if not np.isfinite(largest).all():
            return int(some[~np.isfinite(largest)][0])
        q = softmax(block)
        if top_label:
            first = q.argmax(axis=1)
            adder.add(q[np.arange(len(q)), first], (first == right).view(np.uint8))
        else:
            y = np.zeros(q.shape, dtype=np.uint8)
            y[np.arange(len(q)), right] = 1
            adder.add(q.ravel(), y.ravel())
    return adder.slots()


def _as_slice(rows: Integers) -> slice | Integers:
    """The same rows as a slice, of which numpy makes no copy, where none is left out."""
    return slice(int(rows[0]), int(rows[-1]) + 1) if rows[-1] - rows[0] == len(rows) - 1 else rows
