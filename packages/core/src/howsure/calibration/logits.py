"""Check logits and target classes, and add up their pairs by slot, in numpy or on the device of a torch tensor.

A slot is a narrow interval of the probability scale (a cell) together with a label (`calibration/slots.py`)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.calibration.slots import FRACTION, SCALE, SlotAdder, Slots, sum_by_slot
from howsure.errors import InputError
from howsure.inputs.classes import softmax
from howsure.inputs.pairs import CHUNK_ROWS, CLASS_WISE, TOP_LABEL, Floats, Integers, Pairs

# The sums of pairs from logits in numpy arrays.

BLOCK = 1 << 15  # probabilities computed at a time, so that they stay in the cache


def slots_of_array(logits: npt.NDArray[Any], rows: Integers, targets: Integers, top_label: bool) -> Slots | int:
    """Sum pairs from some rows of logits (n, V) with known targets; if a row is invalid, return its index instead."""
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
    """Write the probabilities of some rows of logits to q; NaN for a row whose softmax is undefined."""
    n = max(1, BLOCK // logits.shape[1])
    with np.errstate(invalid="ignore"):
        for start in range(0, len(rows), n):
            softmax(logits[_as_slice(rows[start : start + n])], out=q[start : start + n])


def _as_slice(rows: Integers) -> slice | Integers:
    """Return contiguous rows as a slice, which numpy does not copy, and other rows unchanged."""
    return slice(int(rows[0]), int(rows[-1]) + 1) if rows[-1] - rows[0] == len(rows) - 1 else rows


# The sums of pairs from a torch tensor. Its device computes and returns sums for some 55,000 cells.
# The device counts every pair as if its label were 0 and its probability below one half. This is wrong for up to three
# pairs in each row: the target, the largest probability if it is not the target, and a second probability of one half.
# These pairs are returned as numbers and moved to their correct slots.

WIDEST = int(SCALE)  # the cell of q = 1
PAIRS_PER_BLOCK = {"cpu": 1 << 16, "cuda": 1 << 24}  # as many as fit the cache of a core, or keep a GPU busy


def slots_of_tensor(logits: Any, rows: Integers, targets: Integers, top_label: bool) -> Slots | int:
    """Sum pairs from some rows of logits (n, V) with known targets; if a row is invalid, return its index instead."""
    import torch

    device, width = logits.device, logits.shape[1]
    sums = torch.zeros((WIDEST + 1, 3), dtype=torch.int64, device=device)
    everything = len(rows) == len(logits)
    looked_at, halves = [], 0
    n = max(1, PAIRS_PER_BLOCK.get(device.type, PAIRS_PER_BLOCK["cuda"]) // width)
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
            halves += int((q[top == 0.5] == 0.5).sum())
            _add(sums, q.ravel())
    if not looked_at:
        return Slots.none()
    of_target, top, is_right = torch.cat(looked_at, dim=1).cpu().numpy()
    if top_label:
        return _slots(top, is_right)
    moved = np.concatenate([of_target, top[is_right == 0]])
    moved = np.append(moved, np.full(halves - np.count_nonzero(moved == 0.5), 0.5))
    right_way = _slots(moved, np.arange(len(moved)) < len(of_target))
    left = sums.cpu().numpy()
    cell, fraction = _cell_and_position(moved)
    steps = np.stack([np.ones(len(moved)), fraction * FRACTION, fraction * fraction * FRACTION], axis=1)
    np.subtract.at(left, cell, steps.astype(np.int64))
    left = left.T
    filled = np.flatnonzero(left[0])
    counted = np.zeros((len(right_way.sums), len(filled)), dtype=np.int64)
    counted[:3] = left[:, filled]
    return Slots(2 * filled, counted) + right_way


def _add(sums: Any, q: Any) -> None:
    """Add pairs to the three sums of their cell (count, offset, squared offset), in whole steps; q is overwritten.

    Integer sums are exact in any order. The three sums of a cell are adjacent in memory, which is faster.
    """
    import torch

    t = q.sqrt_().sqrt_().mul_(SCALE)
    cell = t.long()
    fraction = t.sub_(cell)
    steps = torch.empty((len(q), 3), dtype=torch.int64, device=q.device)
    steps[:, 0] = 1
    steps[:, 1] = fraction * FRACTION
    steps[:, 2] = fraction.square_().mul_(FRACTION)
    sums.index_add_(0, cell, steps)


def _cell_and_position(q: Floats) -> tuple[Integers, Floats]:
    """Return the cell of each probability, as the device numbers cells, and the position within the cell (0 to 1)."""
    t = np.sqrt(np.sqrt(q)) * SCALE
    cell = t.astype(np.int64)
    return cell, t - cell


def _slots(q: Any, y: Any) -> Slots:
    return sum_by_slot(Pairs(y.astype(np.uint8), q))


IGNORED = -100  # the target of rows that are ignored, as in PyTorch
BFLOAT16 = "bfloat16"  # a numpy dtype that other libraries register


def slots_of_logits(
    logits: Any,
    targets: Any,
    *,
    reduce: object = CLASS_WISE,
    ignore: int = IGNORED,
    place: Callable[[int], str] = "row {:,}".format,
) -> Slots:
    """Sum pairs by slot, from logits (…, V) and the index of each row's target class, `targets` (…).

    reduce: "class-wise" makes V pairs per row, the probability of each class and whether it is the target; "top-label"
    makes one pair per row, the largest probability and whether its class is the target (ties go to the first class).
    Rows whose target is `ignore` are left out. Arrays are processed by numpy, and torch tensors by torch on their own
    device, both in float64 and in blocks of rows.
    """
    if reduce not in (CLASS_WISE, TOP_LABEL):
        raise InputError(f"reduce must be {CLASS_WISE!r} or {TOP_LABEL!r}, not {reduce!r}.")
    if not isinstance(ignore, int) or isinstance(ignore, bool):
        raise InputError(f"ignore must be a whole number, the target that marks rows to leave out, not {ignore!r}.")
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(logits, torch.Tensor)
    matrix, numbers = _tensor(logits) if is_tensor else _array(logits), _targets(targets)
    if matrix.ndim < 2 or matrix.shape[-1] < 2 or tuple(matrix.shape[:-1]) != numbers.shape:
        raise InputError(
            "logits must have the shape (rows, classes) with two classes or more, and targets must have one number for "
            f"each row; their shapes are {tuple(matrix.shape)} and {numbers.shape}."
        )
    matrix, numbers = matrix.reshape(-1, matrix.shape[-1]), numbers.reshape(-1)
    counting = numbers != ignore
    wrong = counting & ((numbers < 0) | (numbers >= matrix.shape[1]))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"targets must be indices of the {matrix.shape[1]:,} classes, from 0, or {ignore} for rows to leave out; "
            f"{place(row)} is {numbers[row]}."
        )
    rows = np.flatnonzero(counting)
    slots = (slots_of_tensor if is_tensor else slots_of_array)(matrix, rows, numbers[rows], reduce == TOP_LABEL)
    if isinstance(slots, Slots):
        return replace(slots, reduction=str(reduce))
    raise InputError(
        f"logits must be finite, or -inf (probability 0) for some classes of a row; {place(slots)} has other values. "
        f"Set the target of such a row to {ignore} to leave it out."
    )


def _array(logits: Any) -> Any:
    try:
        array = np.asarray(logits)
        if array.dtype.name == BFLOAT16:
            array = array.astype(np.float32)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"logits must be an array or a tensor of torch; numpy cannot read it ({error}).") from error
    if array.dtype.kind != "f":
        raise InputError(f"logits must be floating-point numbers; they are {array.dtype}.")
    if np.ma.is_masked(logits):
        raise InputError("logits must not be masked, but some values are. Give -inf for an impossible class.")
    return array


def _tensor(logits: Any) -> Any:
    if not logits.is_floating_point():
        raise InputError(f"logits must be floating-point numbers; they are {logits.dtype}.")
    if logits.device.type == "mps":
        raise InputError("logits are on a device without float64 (mps), which exact sums need. Give logits.cpu().")
    return logits.detach()


def _targets(targets: Any) -> npt.NDArray[np.int64]:
    """Convert target classes to an integer array in host memory. Raises InputError if they are not integers."""
    values = targets.detach().cpu() if hasattr(targets, "detach") else targets
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError(f"targets must be integers, the indices of the right classes ({error}).") from error
    if array.dtype.kind not in "iu":
        raise InputError(f"targets must be integers, the indices of the right classes; they are {array.dtype}.")
    return np.asarray(array, dtype=np.int64)
