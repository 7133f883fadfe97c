"""Scores of classes on a log scale as probabilities: logits, and log-probabilities that need not sum to one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import way
from howsure.inputs.pairs import Floats

LOGITS, LOG_PROBABILITIES = "logits", "logprobs"
ROUNDING = 1e-6  # by which a log-probability may lie above 0


def softmax(matrix: npt.NDArray[Any], out: Floats | None = None) -> Floats:
    """Probabilities (n, K) in proportion to exp of the scores in each row, in float64; of -inf 0.

    >>> softmax(np.array([[0.0, math.log(3)], [-math.inf, 2.0]])).round(3).tolist()
    [[0.25, 0.75], [0.0, 1.0]]
    """
    found: Floats = np.subtract(matrix, matrix.max(axis=1, keepdims=True), out=out, dtype=np.float64)
    np.exp(found, out=found)
    found /= found.sum(axis=1, keepdims=True)
    return found


def first_fault_in_scores(matrix: Floats, names: tuple[str, ...], scale: str) -> tuple[int, str] | None:
    """The first row that holds no logits (finite numbers) or log-probabilities (at most 0, one above -inf), and why."""
    if scale == LOGITS:
        wrong = ~np.isfinite(matrix)
        rule, advice = (
            "not finite",
            f"Where a class is impossible, give log-probabilities: {way('logprobs')} takes -inf.",
        )
    else:
        wrong = ~(matrix <= ROUNDING)
        rule, advice = "not at most 0", f"Are these logits? {way('logits')} reads them."
    rows = wrong.any(axis=1) | (matrix.max(axis=1) == -math.inf)
    if not rows.any():
        return None
    row = int(rows.argmax())
    if not wrong[row].any():
        return row, "holds -inf for every class, and no class can be the answer. Leave such rows out first."
    column = int(wrong[row].argmax())
    return row, f"holds {float(matrix[row, column])!r} for {names[column]!r}, {rule}. {advice}"


def sigmoid_sql(number: str) -> str:
    """The probability that one logit means, in SQL; null if it is not finite."""
    return f"CASE WHEN isfinite({number}) THEN 1 / (1 + exp(-{number})) END"


def exp_sql(number: str) -> str:
    """The probability that one log-probability means, in SQL; null if it is above 0."""
    return f"CASE WHEN {number} <= {ROUNDING} THEN least(exp({number}), 1) END"
