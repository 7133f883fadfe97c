"""The sums of the pairs of logits that torch holds, taken on their device; some 55,000 cells come back.

The device counts every pair as one of label 0. The pairs that are otherwise (of each row the target's, and the largest
probability where a wrong one may be so near to 1 that its logarithm is taken by itself) come back as numbers and are
moved to where they belong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.calibration.summary.cells import FRACTION, LAST, SCALE
from howsure.calibration.summary.slot_adder import SlotAdder
from howsure.calibration.summary.slots import Slots
from howsure.inputs.pairs import Integers

AT_ONCE = {"cpu": 1 << 16, "cuda": 1 << 24}  # pairs: what fits the cache of a core, what keeps a GPU busy


def slots_of_tensor(logits: Any, rows: Integers, targets: Integers, top_label: bool) -> Slots | int:
    """The slots of the pairs of some rows of logits (n, V), whose right classes are given; or the number of the first
    row that makes no probabilities."""
    import torch

    device, width = logits.device, logits.shape[1]
    sums = torch.zeros((3, LAST + 1), dtype=torch.int64, device=device)
    everything = len(rows) == len(logits)
    looked_at = []
    n = max(1, AT_ONCE.get(device.type, AT_ONCE["cuda"]) // width)
    for start in range(0, len(rows), n):
        some = slice(start, start + n)
        block = logits[some] if everything else logits[torch.as_tensor(rows[some], device=device)]
        right = torch.as_tensor(targets[some], device=device)
        q = torch.softmax(block.to(torch.float64), dim=1)
        top, first = q.max(dim=1)
        if bool(top.isnan().any()):
            return int(rows[start + int(top.isnan().to(torch.uint8).argmax())])
        looked_at.append(torch.stack([q.gather(1, right[:, None])[:, 0], top, (first == right).to(top.dtype)]))
        if not top_label:
            _add(sums, q.ravel())
    if not looked_at:
        return Slots.none()
    of_target, top, is_right = torch.cat(looked_at, dim=1).cpu().numpy()
    if top_label:
        return _slots(top, is_right)
    missed = top[is_right == 0]
    moved = np.concatenate([of_target, missed])
    right_way = _slots(moved, np.concatenate([np.ones(len(of_target)), np.zeros(len(missed))]))
    as_counted = _slots(moved, np.zeros(len(moved)))
    left = sums.cpu().numpy()
    left[:, as_counted.cell] -= as_counted.sums[:3]
    held = np.flatnonzero(left[0])
    none = np.zeros(len(held), dtype=np.int64)
    n, offsets, squares = left[:, held]
    return Slots.from_rows(held, none, n, offsets, squares, none, none) + right_way


def _add(sums: Any, q: Any) -> None:
    """Count pairs of label 0 by cell, and add where in it they lie, in whole steps: exactly, in any order."""
    import torch

    t = torch.minimum(q, 1.0 - q).sqrt_().sqrt_().mul_(SCALE)
    cell = t.long()
    fraction = t.sub_(cell)
    upper = q >= 0.5
    cell = torch.where(upper, LAST - cell, cell)
    sums[0] += torch.bincount(cell, minlength=LAST + 1)
    sums[1].index_add_(0, cell, (fraction * FRACTION).long())
    sums[2].index_add_(0, cell, (fraction * fraction).mul_(FRACTION).long())


def _slots(q: Any, y: Any) -> Slots:
    adder = SlotAdder()
    adder.add(q, y.astype(np.uint8))
    return adder.slots()
