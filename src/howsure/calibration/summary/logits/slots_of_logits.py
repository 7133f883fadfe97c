"""Logits and right classes, checked, and the sums of their pairs by slot, taken where the logits are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.calibration.summary.logits.of_arrays import slots_of_array
from howsure.calibration.summary.logits.of_tensors import slots_of_tensor
from howsure.calibration.summary.slots import Slots
from howsure.errors import InputError
from howsure.inputs.classes import CLASS_WISE, TOP_LABEL
from howsure.inputs.pairs import Integers

IGNORED = -100  # the target of a row that does not count, as in PyTorch
BFLOAT16 = "bfloat16"  # the type that other libraries lend to numpy


def slots_of_logits(
    logits: Any,
    targets: Any,
    *,
    reduce: object = CLASS_WISE,
    ignore: int = IGNORED,
    place: Callable[[int], str] = "row {:,}".format,
) -> Slots:
    """The slots of the pairs of rows of logits (…, V), with the number of the right class of each row, targets (…).

    "class-wise": V pairs a row, the probability of each class and whether it is the target. "top-label": one pair a
    row, the largest probability and whether its class is the target; ties go to the first class. Rows whose target is
    `ignore` make no pairs. Arrays are summed by numpy, tensors of torch by torch on their own device, both in float64;
    of the probabilities no more than some rows are kept.

    Raises InputError for what is no such input; rows are counted from 0 and called `place`.
    """
    if reduce not in (CLASS_WISE, TOP_LABEL):
        raise InputError(f"reduce must be {CLASS_WISE!r} or {TOP_LABEL!r}, not {reduce!r}.")
    if not isinstance(ignore, int) or isinstance(ignore, bool):
        raise InputError(f"ignore must be a whole number, the target of rows that do not count, not {ignore!r}.")
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(logits, torch.Tensor)
    matrix, numbers = _tensor(logits) if is_tensor else _array(logits), _targets(targets)
    if matrix.ndim < 2 or matrix.shape[-1] < 2 or tuple(matrix.shape[:-1]) != numbers.shape:
        raise InputError(
            "logits must have the shape (rows, classes) with two classes or more, and targets hold one number for each "
            f"row; their shapes are {tuple(matrix.shape)} and {numbers.shape}."
        )
    matrix, numbers = matrix.reshape(-1, matrix.shape[-1]), numbers.reshape(-1)
    counting = numbers != ignore
    wrong = counting & ((numbers < 0) | (numbers >= matrix.shape[1]))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"targets must be numbers of the {matrix.shape[1]:,} classes, from 0, or {ignore} for rows that do not "
            f"count; {place(row)} holds {numbers[row]}."
        )
    rows = np.flatnonzero(counting)
    found = (slots_of_tensor if is_tensor else slots_of_array)(matrix, rows, numbers[rows], reduce == TOP_LABEL)
    if isinstance(found, Slots):
        return replace(found, reduction=str(reduce))
    raise InputError(
        "logits must be numbers, finite or, for some classes of a row, -inf, the probability 0; "
        f"{place(found)} is not so. Set the target of such a row to {ignore}, and it does not count."
    )


def _array(logits: Any) -> Any:
    try:
        found = np.asarray(logits)
        if found.dtype.name == BFLOAT16:
            found = found.astype(np.float32)
    except (TypeError, ValueError, RuntimeError) as error:
        raise InputError(f"logits must be an array or a tensor of torch; numpy cannot read it ({error}).") from error
    if found.dtype.kind != "f":
        raise InputError(f"logits must be floating-point numbers; they are {found.dtype}.")
    if np.ma.is_masked(logits):
        raise InputError("logits must not be masked, and some are: give -inf for a class that cannot be.")
    return found


def _tensor(logits: Any) -> Any:
    if not logits.is_floating_point():
        raise InputError(f"logits must be floating-point numbers; they are {logits.dtype}.")
    if logits.device.type == "mps":
        raise InputError("logits lie on a device without float64 (mps), which exact sums need; give logits.cpu().")
    return logits.detach()


def _targets(targets: Any) -> npt.NDArray[np.int64]:
    """The numbers of the right classes, on the host."""
    held = targets.detach().cpu() if hasattr(targets, "detach") else targets
    try:
        found = np.asarray(held)
    except (TypeError, ValueError) as error:
        raise InputError(f"targets must be the numbers of the right classes, integers ({error}).") from error
    if found.dtype.kind not in "iu":
        raise InputError(f"targets must be the numbers of the right classes, integers; they are {found.dtype}.")
    numbers: Integers = found.astype(np.int64, copy=False)
    return numbers
