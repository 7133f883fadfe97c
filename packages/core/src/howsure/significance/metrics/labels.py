"""Metrics of labels: accuracy, balanced accuracy, precision, recall, F1 (macro, micro, weighted, of one class), MCC.

All except accuracy are functions of three counts per class: rows that are correctly predicted as the class, rows that
are predicted as the class, and rows whose true class it is. Averages are over the classes in the targets, or over the
classes in the parameter `classes`. The classes are the same for both systems and in every resample. A class that is
missing from a resample counts as 0, as in scikit-learn with `labels` given and zero_division=0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.significance.metrics.metric import Floats, Metric, Quotient, mean, ratio, register
from howsure.significance.systems import Problem

Codes = npt.NDArray[np.int64]
MIN_FOR_INTERVAL = 5  # items of a class; with fewer, its own metrics have no interval
SHARE = (0.0, 1.0)  # the bounds of most metrics


def correct_rows(targets: Codes, predictions: Codes, problem: Problem) -> Floats:
    """Return two columns (rows, 2): 1 for a correct row and 0 for a wrong one; and ones."""
    right = (targets == predictions).astype(np.float64)
    return np.stack([right, np.ones_like(right)], axis=-1)


@dataclass(frozen=True)
class ClassRows:
    """Computes indicators of correct, predicted and true for each class, (rows, 3 · classes).

    classes: "averaged" (the classes over which averages are computed: precision, recall, F1), "true" (the classes in
    the targets: balanced accuracy) or "all" (MCC).
    """

    classes: str

    def __call__(self, targets: Codes, predictions: Codes, problem: Problem, /) -> Floats:
        kinds = {"averaged": problem.averaged_classes, "true": problem.true_classes}
        chosen = kinds[self.classes] if self.classes in kinds else np.arange(len(problem.labels))
        column_of_code = np.full(len(problem.labels), len(chosen))  # an extra column for the classes that are left out
        column_of_code[chosen] = np.arange(len(chosen))
        rows = np.arange(len(targets))
        indicators = np.zeros((len(targets), 3, len(chosen) + 1))
        indicators[rows, 0, column_of_code[targets]] = targets == predictions
        indicators[rows, 1, column_of_code[predictions]] = 1.0
        indicators[rows, 2, column_of_code[targets]] = 1.0
        return np.ascontiguousarray(indicators[:, :, :-1]).reshape(len(targets), 3 * len(chosen))


def micro_rows(targets: Codes, predictions: Codes, problem: Problem) -> Floats:
    """Indicators (rows, 3) of correct, predicted and true, pooled over the classes in `labels` (default: all)."""
    chosen = np.ones(len(problem.labels), dtype=bool)
    if problem.averaged is not None:
        chosen[:] = False
        chosen[problem.averaged] = True
    true, predicted = chosen[targets], chosen[predictions]
    return np.stack([true & (targets == predictions), predicted, true], axis=-1).astype(np.float64)


@dataclass(frozen=True)
class OneClassRows:
    """Computes indicators (rows, 3) of correct, predicted and true for a single class."""

    label: Any

    def __call__(self, targets: Codes, predictions: Codes, problem: Problem, /) -> Floats:
        code = problem.code(self.label)
        true, predicted = targets == code, predictions == code
        return np.stack([true & predicted, predicted, true], axis=-1).astype(np.float64)


def correctness(targets: Codes, predictions: Codes, problem: Problem) -> Floats:
    """1 for a correct row, else 0: (rows,)."""
    return np.asarray(targets == predictions, dtype=np.float64)


PER_CLASS = {
    "precision": Quotient((1, 0, 0), (0, 1, 0)),
    "recall": Quotient((1, 0, 0), (0, 0, 1)),
    "f1": Quotient((2, 0, 0), (0, 1, 1)),
}


@dataclass(frozen=True, slots=True)
class TotalOf:
    """Sizes of rows: the sum of some of their statistics."""

    columns: tuple[int, ...]

    def __call__(self, statistics: Floats, times: Codes | None = None, /) -> Floats:
        return np.asarray(statistics[:, self.columns].sum(axis=1))


def shares_of_classes(statistics: Floats, times: Codes | None = None) -> Floats:
    """Return the sizes of rows for a metric over classes: for each class, the proportion of all true and predicted
    occurrences that are in the row, summed over classes. times: how often each row occurs (default: once).

    >>> shares_of_classes(np.array([[0.0, 0, 1, 0, 1, 1], [0, 0, 0, 0, 0, 1]])).tolist()  # two classes
    [1.5, 0.5]
    """
    _, predicted, true = np.moveaxis(statistics.reshape(len(statistics), 3, -1), 1, 0)
    both = predicted + true
    totals = both.sum(axis=0) if times is None else times @ both
    return np.asarray((both / np.where(totals > 0, totals, 1.0)).sum(axis=1))


def squared_shares_of_classes(statistics: Floats, times: Codes | None = None) -> Floats:
    """Return the sizes of rows for a macro average: the variance of a row is proportional to its squared share."""
    return np.square(shares_of_classes(statistics, times))


def denominators(quotient: Quotient) -> TotalOf:
    """Sizes of rows for a ratio of counts: what they contribute to its denominator."""
    return TotalOf(tuple(np.flatnonzero(quotient.below).tolist()))


def _counts(sums: Floats) -> Floats:
    """Reshape sums to counts of correct, predicted and true: (…, 3, classes)."""
    return sums.reshape(*sums.shape[:-1], 3, -1)


def _values(quotient: Quotient, counts: Floats) -> Floats:
    values = quotient.values(counts)
    return np.where(np.isnan(values), 0.0, values)


def macro(name: str, quotient: Quotient, classes: str = "averaged") -> Metric:
    """The unweighted average of a per-class metric over classes."""

    def value(sums: Floats) -> Floats:
        values = _values(quotient, _counts(sums))
        return ratio(values.sum(axis=-1), np.asarray(values.shape[-1], dtype=np.float64))

    def slopes(sums: Floats) -> Floats:
        counts = _counts(sums)
        return np.asarray(quotient.slopes(counts, _values(quotient, counts)) / counts.shape[-1]).reshape(sums.shape)

    return Metric(
        name,
        "hard",
        ClassRows(classes),
        value,
        best=1.0,
        bounds=SHARE,
        score=correctness,
        slopes=slopes,
        sizes=squared_shares_of_classes,
        class_ratio=quotient,
    )


def rare_labels_note(true_counts: npt.NDArray[Any], *, kinds: tuple[str, str] = ("label", "labels")) -> str | None:
    """Return a note on an average over labels if some of them are true in fewer than 5 rows.

    >>> rare_labels_note(np.array([40, 4, 2, 0]))
    '2 of 3 labels have fewer than 5 items, which makes the interval wider and p larger'
    """
    occurring = true_counts[true_counts > 0]
    rare = int((occurring < MIN_FOR_INTERVAL).sum())
    have = "has" if rare == 1 else "have"
    few = f"{rare} of {counted(len(occurring), *kinds)} {have} fewer than {MIN_FOR_INTERVAL} items"
    return f"{few}, which makes the interval wider and p larger" if rare else None


def weighted(name: str, quotient: Quotient) -> Metric:
    """The average over classes, each weighted by its number of rows in the targets."""

    def value(sums: Floats) -> Floats:
        counts = _counts(sums)
        true = counts[..., 2, :]
        return ratio((_values(quotient, counts) * true).sum(axis=-1), true.sum(axis=-1))

    def slopes(sums: Floats) -> Floats:
        counts = _counts(sums)
        values, true = _values(quotient, counts), counts[..., 2, :]
        n = true.sum(axis=-1)[..., None]
        change = quotient.slopes(counts, values) * true[..., None, :]
        change[..., 2, :] += values - ratio((values * true).sum(axis=-1, keepdims=True), n)
        return np.asarray(change.reshape(sums.shape) / n)

    return Metric(name, "hard", ClassRows("averaged"), value, best=1.0, bounds=SHARE, score=correctness, slopes=slopes)


def micro(name: str, quotient: Quotient) -> Metric:
    """The metric of all averaged classes pooled. It equals accuracy if these are all classes."""
    return Metric(
        name,
        "hard",
        micro_rows,
        lambda sums: quotient.values(sums[..., None])[..., 0],
        best=1.0,
        bounds=SHARE,
        score=correctness,
        sizes=denominators(quotient),
        pooled_ratio=quotient,
    )


def matthews_correlation(sums: Floats) -> Floats:
    """Gorodkin's correlation of targets and predictions; undefined (NaN) if either contains only one class."""
    right, predicted, true = np.moveaxis(_counts(sums), -2, 0)
    n = true.sum(axis=-1)
    shared = right.sum(axis=-1) * n - (predicted * true).sum(axis=-1)
    spread = (n**2 - (predicted**2).sum(axis=-1)) * (n**2 - (true**2).sum(axis=-1))
    return ratio(shared, np.sqrt(spread))


def class_metric(name: str, label: Any) -> Metric:
    """The precision, recall or F1 of one class, given by its label; undefined if that class does not occur.

    >>> class_metric("f1", "spam").name
    'f1[spam]'
    """
    quotient = PER_CLASS[name]

    def value(sums: Floats) -> Floats:
        values = quotient.values(sums[..., None])[..., 0]
        return np.where(np.isnan(values) & ((sums[..., 1] > 0) | (sums[..., 2] > 0)), 0.0, values)

    return Metric(
        f"{name}[{label}]",
        "hard",
        OneClassRows(label),
        value,
        best=1.0,
        bounds=SHARE,
        score=lambda targets, predictions, problem: (
            (targets == problem.code(label)) == (predictions == problem.code(label))
        ).astype(np.float64),
        sizes=denominators(quotient),
        pooled_ratio=quotient,
    )


def metric_of_class(name: str, target_class: object) -> Metric:
    """The precision, recall or F1 of a class. Raises InputError without a class."""
    if target_class is None:
        raise InputError(
            f"{name!r} is a metric of one class. Give the class as `target_class`, or choose 'macro_{name}'."
        )
    return class_metric(name, target_class)


def class_not_used(metrics: Iterable[str | Metric]) -> InputError:
    """The error for a `target_class` with metrics that are not of one class."""
    names = ", ".join(str(getattr(metric, "name", metric)) for metric in metrics)
    return InputError(
        f"`target_class` is for {', '.join(PER_CLASS)} of labels; the metrics are {names}. Choose one of the first, or "
        "leave `target_class` out."
    )


register(Metric("accuracy", "hard", correct_rows, mean, best=1.0, bounds=SHARE, score=correctness))
for _name, _quotient in PER_CLASS.items():
    register(macro(f"macro_{_name}", _quotient))
for _name, _quotient in PER_CLASS.items():
    register(micro(f"micro_{_name}", _quotient))
    register(weighted(f"weighted_{_name}", _quotient))
register(macro("balanced_accuracy", PER_CLASS["recall"], "true"))
register(
    Metric(
        "mcc",
        "hard",
        ClassRows("all"),
        matthews_correlation,
        best=1.0,
        bounds=(-1.0, 1.0),
        score=correctness,
        sizes=shares_of_classes,
    )
)
