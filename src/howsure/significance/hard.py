"""Metrics of labels: accuracy, precision, recall, F1 (macro, micro, weighted, of one class), MCC.

All but accuracy are functions of three counts a class: right, predicted and true. A class that neither the targets nor
the predictions of a system hold is left out of its average, and a precision or recall with nothing below the line
counts as 0: scikit-learn's defaults, with the labels fixed once for every resample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.significance.metrics import Floats, Metric, mean, ratio, register
from howsure.significance.problem import Problem

Codes = npt.NDArray[np.int64]
Counts = tuple[Floats, Floats, Floats]


def correct_rows(targets: Codes, predictions: Codes, problem: Problem) -> Floats:
    """Right or wrong, and a one: (rows, 2)."""
    right = (targets == predictions).astype(np.float64)
    return np.stack([right, np.ones_like(right)], axis=-1)


def count_rows(targets: Codes, predictions: Codes, problem: Problem) -> Floats:
    """A one at the class if it is right, predicted, true: (rows, 3 classes)."""
    classes, rows = len(problem.labels), np.arange(len(targets))
    held = np.zeros((len(targets), 3, classes))
    held[rows, 0, targets] = targets == predictions
    held[rows, 1, predictions] = 1.0
    held[rows, 2, targets] = 1.0
    return held.reshape(len(targets), 3 * classes)


@dataclass(frozen=True)
class OneClassRows:
    """The counts of one class alone: right, predicted, true: (rows, 3)."""

    label: Any

    def __call__(self, targets: Codes, predictions: Codes, problem: Problem, /) -> Floats:
        code = problem.code(self.label)
        true, predicted = targets == code, predictions == code
        return np.stack([true & predicted, predicted, true], axis=-1).astype(np.float64)


def right(targets: Codes, predictions: Codes, problem: Problem) -> Floats:
    """1 in each row that is right."""
    return np.asarray(targets == predictions, dtype=np.float64)


def precision_of(right: Floats, predicted: Floats, true: Floats) -> Floats:
    """Right among the predicted, class by class; NaN for a class that does not occur."""
    return _zero_if_only_true(ratio(right, predicted), predicted, true)


def recall_of(right: Floats, predicted: Floats, true: Floats) -> Floats:
    """Right among the true, class by class; NaN for a class that does not occur."""
    return _zero_if_only_true(ratio(right, true), true, predicted)


def f1_of(right: Floats, predicted: Floats, true: Floats) -> Floats:
    """The harmonic mean of precision and recall, class by class; NaN for a class that does not occur."""
    return ratio(2 * right, predicted + true)


def _zero_if_only_true(values: Floats, below: Floats, other: Floats) -> Floats:
    return np.where((below == 0) & (other > 0), 0.0, values)


def _per_class(sums: Floats) -> Counts:
    right, predicted, true = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
    return right, predicted, true


def _mean_of_defined(values: Floats) -> Floats:
    undefined = np.isnan(values)
    if not undefined.any():
        averages: Floats = values.mean(axis=-1)
        return averages
    return ratio(np.where(undefined, 0.0, values).sum(axis=-1), (~undefined).sum(axis=-1).astype(np.float64))


def macro(one: Callable[..., Floats]) -> Callable[[Floats], Floats]:
    """The plain average over classes."""
    return lambda sums: _mean_of_defined(one(*_per_class(sums)))


def weighted(one: Callable[..., Floats]) -> Callable[[Floats], Floats]:
    """The average over classes, each weighing as many rows as are truly of it."""

    def value(sums: Floats) -> Floats:
        counts = _per_class(sums)
        return ratio(np.nansum(one(*counts) * counts[2], axis=-1), counts[2].sum(axis=-1))

    return value


def balanced_accuracy(sums: Floats) -> Floats:
    """The average recall of the classes that the targets hold."""
    right, _, true = _per_class(sums)
    return _mean_of_defined(ratio(right, true))


def matthews_correlation(sums: Floats) -> Floats:
    """Gorodkin's correlation of targets and predictions; undefined (NaN) if either holds one class only."""
    right, predicted, true = _per_class(sums)
    n = true.sum(axis=-1)
    shared = right.sum(axis=-1) * n - (predicted * true).sum(axis=-1)
    spread = (n**2 - (predicted**2).sum(axis=-1)) * (n**2 - (true**2).sum(axis=-1))
    return ratio(shared, np.sqrt(spread))


PER_CLASS: dict[str, Callable[..., Floats]] = {"precision": precision_of, "recall": recall_of, "f1": f1_of}


def of_class(name: str, label: Any) -> Metric:
    """The precision, recall or F1 of one class, given by its label; undefined where nothing is of that class.

    >>> of_class("f1", "spam").name
    'f1[spam]'
    """
    one = PER_CLASS[name]
    return Metric(
        f"{name}[{label}]",
        "hard",
        OneClassRows(label),
        lambda sums: one(sums[..., 0], sums[..., 1], sums[..., 2]),
        best=1.0,
        score=lambda targets, predictions, problem: (
            (targets == problem.code(label)) == (predictions == problem.code(label))
        ).astype(np.float64),
    )


register(Metric("accuracy", "hard", correct_rows, mean, best=1.0, score=right))
for _name, _one in PER_CLASS.items():
    register(Metric(f"macro_{_name}", "hard", count_rows, macro(_one), best=1.0, score=right))
for _name, _one in PER_CLASS.items():
    register(Metric(f"micro_{_name}", "hard", correct_rows, mean, best=1.0, score=right))
    register(Metric(f"weighted_{_name}", "hard", count_rows, weighted(_one), best=1.0, score=right))
register(Metric("balanced_accuracy", "hard", count_rows, balanced_accuracy, best=1.0, score=right))
register(Metric("mcc", "hard", count_rows, matthews_correlation, best=1.0, score=right))
