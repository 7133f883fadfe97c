"""Compare predicted with true labels, and check that a confidence belongs to the prediction of its row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.checks import as_column, check_same_length, is_missing
from howsure.inputs.label_spelling import spelling_notes
from howsure.inputs.numbers_and_names import counted, number_or_text
from howsure.inputs.pairs import LOG_PROBABILITIES, LOGITS, Floats, Integers, Labels

NO_ANSWER = "no answer"


def parse_label(value: Any) -> Any:
    """A label; strings that spell numbers or truth values are converted, so that "1.0" equals 1; but "01" is a text.

    >>> parse_label("1.0") == parse_label(True) == 1, parse_label("01"), parse_label("spam")
    (True, '01', 'spam')
    """
    if isinstance(value, list | dict | set | tuple):
        raise TypeError(value)
    if isinstance(value, str) and value.strip()[:1] == "0" and value.strip()[1:2].isdigit():
        return value.strip()
    return None if is_missing(value) else number_or_text(value)


def _spelled(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def code_labels(
    true: npt.NDArray[np.object_], predicted: npt.NDArray[np.object_]
) -> tuple[Integers, Integers, tuple[Any, ...], tuple[str, ...]]:
    """Return the true and predicted labels (n,) of rows as codes, and the parsed labels and their names by code.

    Equal labels have the same code. The parsed label of a missing prediction is None. Raises InputError for a missing
    true label, and for a value that is not a label, such as a list.
    """
    code_of_label, names = dict[Any, int](), list[str]()

    def coded(values: npt.NDArray[np.object_], name: str) -> Integers:
        code_of_value, codes = dict[Any, int](), np.empty(len(values), dtype=np.int64)
        for row, value in enumerate(values):
            try:
                codes[row] = code_of_value[value]
            except (KeyError, TypeError):
                try:
                    label = parse_label(value)
                except (ValueError, TypeError, OverflowError) as error:
                    raise InputError(
                        "{parameter} must contain a label; {row} is {value!r}.", name, value=value, row=row
                    ) from error
                if label is None and name == "y_true":
                    raise InputError(
                        "the true value must not be missing. This is the case in {row}.", row=row
                    ) from None
                if label not in code_of_label:
                    code_of_label[label] = len(names)
                    names.append(NO_ANSWER if label is None else _spelled(value))
                codes[row] = code_of_value[value] = code_of_label[label]
        return codes

    codes = coded(true, "y_true"), coded(predicted, "prediction")
    return *codes, tuple(code_of_label), tuple(names)


def right_answers(
    true: npt.NDArray[np.object_], predicted: npt.NDArray[np.object_], times: Any = None, *, name: str = "prediction"
) -> tuple[Labels, Integers, list[str]]:
    """Return whether each prediction is right (1 or 0), the code of each prediction (-1 if missing), and notes.

    A missing prediction is wrong. times: how often each pair of labels occurs (default: once). Raises InputError if no
    predicted label is a true label.

    >>> right_answers(np.array(["yes", "1.0"], object), np.array(["Yes", "1"], object))[0]
    array([0, 1], dtype=uint8)
    """
    true_codes, codes, labels, _ = code_labels(true, predicted)
    true_counts, counts = (
        Counter({labels[code]: int(n) for code, n in enumerate(np.bincount(column, times)) if n})
        for column in (true_codes, codes)
    )
    n_missing = counts.pop(None, 0)
    codes = np.where(codes == labels.index(None), -1, codes) if n_missing else codes
    if not counts:
        raise InputError("{parameter} must contain predictions, but it is empty in all rows.", name)
    notes = [*spelling_notes(true_counts, counts, name=name)]
    if n_missing:
        notes.append(f"{name} is empty in {counted(n_missing, 'row')}, counted as wrong.")
    return (true_codes == codes).astype(np.uint8), codes, notes


@dataclass(frozen=True, slots=True)
class Confidences:
    """The confidences in one predicted label: their number, smallest and largest value, mean, and how many are below
    one half."""

    n: int
    low: float
    high: float
    mean: float
    n_below: int


MAX_CHANCE = 0.01  # probability that confidences of two predictions are in separate ranges by chance
MAX_BELOW = 0.1  # proportion of confidences below one half
MAX_LABELS = 2


def half_on(scale: str | None) -> float:
    """A confidence of one half, on the scale of a column: probabilities (None), logits or log-probabilities."""
    return {LOGITS: 0.0, LOG_PROBABILITIES: math.log(0.5)}.get(scale or "", 0.5)


def confidences_by_prediction(codes: Integers, probabilities: Floats) -> list[Confidences]:
    """Return the confidences (n,) in each predicted label (codes, -1 if missing)."""
    labels = np.unique(codes[codes >= 0])
    parts = (probabilities[codes == code] for code in labels[: MAX_LABELS + 1])
    return [Confidences(len(q), q.min(), q.max(), q.mean(), int((q < 0.5).sum())) for q in parts]


def check_own_confidence(
    parts: Sequence[Confidences], *, name: str, prediction: str, scale: str | None = None
) -> Iterable[str]:
    """Yield a note if many confidences in one of two labels are below one half.

    parts: the confidences in each predicted label. Raises InputError if the column is the probability of one of two
    labels, whatever the prediction: all values for one prediction are then above all values for the other.
    """
    if len(parts) != MAX_LABELS:
        return
    lower, upper = sorted(parts, key=lambda part: part.mean)
    n, half = lower.n + upper.n, half_on(scale)
    log_chance = math.lgamma(lower.n + 1) + math.lgamma(upper.n + 1) - math.lgamma(n + 1)
    if lower.high <= upper.low and lower.mean < half and log_chance < math.log(MAX_CHANCE):
        raise InputError(
            "{parameter} must be the confidence in the prediction of its row, but it looks like the probability of one "
            "label: it is at most {low:.4g} for one prediction and at least {high:.4g} for the other. If so, leave "
            "`prediction` out, and name this label as `pos_label=...`.",
            name,
            low=lower.high,
            high=upper.low,
        )
    n_below = lower.n_below + upper.n_below
    if n_below > MAX_BELOW * n:
        yield (
            f"{name} is below one half in {counted(n_below, 'row')}, although there are only two predictions. "
            f"Is it the confidence in {prediction}, and not the probability of one label?"
        )


def refuse_positive(pos_label: object) -> None:
    """Raise InputError for a positive label of predictions, whose labels are 1 if they are right."""
    if pos_label is not None:
        raise InputError(
            "`pos_label=...` does not apply with `prediction=...`: the label of a row is 1 if its prediction is right. "
            "Leave one of the two out."
        )


def right_in_columns(y_true: Any, prediction: Any, names: Mapping[str, str]) -> tuple[Labels, Integers, list[str]]:
    """Return what `right_answers` does, for two columns. names: the names of both in messages, by parameter."""
    labels, answers = as_column(y_true, name=names["y_true"]), as_column(prediction, name=names["prediction"])
    n = check_same_length(y_true=labels, prediction=answers)
    true, predicted = (np.fromiter(column.tolist(), dtype=object, count=n) for column in (labels, answers))
    return right_answers(true, predicted, name=names["prediction"])
