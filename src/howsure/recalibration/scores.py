"""What a map is applied to: the probabilities of label 1, or of K classes, and their logarithms; checked on entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import GIVEN, InputError, at_row, parameter
from howsure.inputs.checks import check_numbers, check_probabilities
from howsure.inputs.classes import LOG_PROBABILITIES, LOGITS, first_fault, first_fault_in_scores, softmax
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.given import first_no_score, no_score
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.logistic import log_softmax, sigmoid

Rows = npt.NDArray[np.bool_] | Integers | slice
HIGHEST_FLOOR = 0.1


@dataclass(frozen=True, slots=True)
class Binary:
    """The probabilities of label 1 (n,), and their log-odds (n,), -inf and inf where they are 0 and 1."""

    probabilities: Floats
    log_odds: Floats

    def __len__(self) -> int:
        return len(self.probabilities)

    def only(self, rows: Rows) -> Binary:
        """Those of some rows."""
        return Binary(self.probabilities[rows], self.log_odds[rows])


@dataclass(frozen=True, slots=True)
class Classes:
    """The probabilities of K classes (n, K), and their logarithms, -inf where they are 0."""

    probabilities: Floats
    logs: Floats

    def __len__(self) -> int:
        return len(self.probabilities)

    @property
    def k(self) -> int:
        """The number of classes."""
        return int(self.probabilities.shape[1])

    def only(self, rows: Rows) -> Classes:
        """Those of some rows."""
        return Classes(self.probabilities[rows], self.logs[rows])


Scores = Binary | Classes


def scores_from(
    y_prob: Any, logits: Any, *, floor: float | None = None, classes: Sequence[str] | None = None
) -> tuple[Scores, tuple[str, ...]]:
    """The scores, and the names of their classes, () where there is one column: exactly one of `y_prob` and `logits` is
    given, one number per row, a matrix (n, K), or a data frame whose columns are the classes.

    `floor`: probabilities are moved into [floor, 1 - floor] (of classes: raised to it, and divided by their sum).

    Raises InputError naming the parameter, the row and the value.
    """
    if (y_prob is None) == (logits is None):
        raise InputError(
            f"give either {parameter('y_prob')}, probabilities, or {parameter('logits', GIVEN)}, numbers without "
            "bounds."
        )
    name, given = ("y_prob", y_prob) if logits is None else ("logits", logits)
    if is_frame(given):
        columns, arrays = all_columns(given)
        classes = columns if classes is None else classes
        given = np.column_stack(arrays) if arrays else ()
    if _is_matrix(given):
        matrix = _matrix(given, name)
        names = _names(classes, matrix.shape[1])
        return classes_of(_checked(matrix, names, name), logits=logits is not None, floor=floor), names
    column = _finite(given) if logits is not None else check_probabilities(given, scales=parameter)
    return binary_of(column, logits=logits is not None, floor=floor), ()


def binary_of(column: Floats, *, logits: bool = False, floor: float | None = None) -> Binary:
    """The scores of checked probabilities, or of checked log-odds."""
    if logits:
        bound = np.inf if floor is None else float(np.log(1.0 - floor) - np.log(floor))
        odds = np.clip(column, -bound, bound)
        return Binary(sigmoid(odds), odds)
    q = column if floor is None else np.clip(column, floor, 1.0 - floor)
    with np.errstate(divide="ignore"):
        return Binary(q, np.log(q) - np.log1p(-q))


def classes_of(matrix: Floats, *, logits: bool = False, floor: float | None = None) -> Classes:
    """The scores of checked rows of probabilities (n, K), or of logits."""
    if floor is not None:
        raised = np.maximum(softmax(matrix) if logits else matrix, floor)
        matrix, logits = raised / raised.sum(axis=1, keepdims=True), False
    if logits:
        logs = log_softmax(matrix)
        return Classes(np.exp(logs), logs)
    with np.errstate(divide="ignore"):
        return Classes(matrix, np.log(matrix))


def scores_of(held: Floats, scale: str | None, floor: float | None) -> Scores:
    """The scores of a file's numbers, (n,) or (n, K), which are already checked."""
    if held.ndim == 1:
        if scale == LOG_PROBABILITIES:
            return binary_of(np.minimum(np.exp(held), 1.0), floor=floor)
        return binary_of(held, logits=scale == LOGITS, floor=floor)
    return classes_of(held, logits=scale is not None, floor=floor)


def with_floor(scores: Scores, floor: float | None) -> Scores:
    """The scores with probabilities moved into [floor, 1 - floor], as maps of this floor are given them.

    >>> with_floor(binary_of(np.array([0.0, 0.5])), 0.1).probabilities.round(3).tolist()
    [0.1, 0.5]
    """
    if floor is None:
        return scores
    if isinstance(scores, Binary):
        return binary_of(scores.log_odds, logits=True, floor=floor)
    return classes_of(scores.probabilities, floor=floor)


def check_floor(floor: float | None) -> float | None:
    """The least probability that a map is given, above 0 and at most 0.1.

    Raises InputError for another value.
    """
    if floor is None:
        return None
    if isinstance(floor, (int, float, np.number)) and not isinstance(floor, bool) and 0.0 < floor <= HIGHEST_FLOOR:
        return float(floor)
    raise InputError(f"floor must lie above 0 and up to {HIGHEST_FLOOR}; it is {floor!r}. Write 1e-6, say.")


def _is_matrix(given: Any) -> bool:
    if isinstance(given, (list, tuple)) and len(given):
        return isinstance(given[0], (list, tuple, np.ndarray))
    return len(getattr(given, "shape", ())) == 2


def _matrix(given: Any, name: str) -> Floats:
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be numbers, one row per case and one column per class ({error}).") from error
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise InputError(
            f"{name} must have the shape (rows,), or (rows, classes) with two classes or more; it is {matrix.shape}."
        )
    if len(matrix) == 0:
        raise InputError(f"{name} is empty: there is nothing to recalibrate.")
    return matrix


def _names(classes: Sequence[str] | None, k: int) -> tuple[str, ...]:
    if classes is None:
        return tuple(str(one) for one in range(k))
    names = tuple(str(one) for one in classes)
    if len(names) != k or len(set(names)) != k:
        raise InputError(f"classes must name the {k} classes, each once; it is {shortened(names)}.")
    return names


def _checked(matrix: Floats, names: tuple[str, ...], name: str) -> Floats:
    on_logs = name == LOGITS
    fault = first_fault_in_scores(matrix, names, LOGITS) if on_logs else first_fault(matrix, names, scales=parameter)
    if fault is not None:
        held = "logits" if on_logs else "probabilities"
        raise InputError(f"{name} must hold the {held} of the classes; {at_row(fault[0])} {fault[1]}")
    return matrix + 0.0


def _finite(given: Any) -> Floats:
    values = check_numbers(given, name="logits")
    row = first_no_score(values, LOGITS)
    if row is not None:
        raise no_score(LOGITS, repr(float(values[row])), name="logits", row=row)
    return values
