"""Metrics of labels (accuracy, macro F1, the F1 of a class …) of each model, from the codes of its labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.label_spelling import is_non_answer, spelling_notes
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.right_answers import code_labels, parse_label
from howsure.notes import marked_note
from howsure.scores.class_errors import ClassErrors
from howsure.significance.metrics.labels import ClassRows, OneClassRows, class_metric, correctness
from howsure.significance.metrics.metric import Metric
from howsure.significance.systems import Problem

LABELS = "hard"  # the task of metrics of labels
TRUTH_VALUES = ("true", "false")
MOST_STATISTICS = 100_000_000  # of the distinct pairs of labels in a metric over classes: 0.8 GB


@dataclass(frozen=True, slots=True)
class CodedLabels:
    """The true and predicted labels (n,) of rows as codes, which are indices in `names`.

    labels: the parsed labels in the order of their codes; None for a missing prediction.
    """

    true: Integers
    predicted: Integers
    labels: tuple[Any, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, true: npt.NDArray[np.object_], predicted: npt.NDArray[np.object_]) -> CodedLabels:
        """Raises InputError for a missing true label, and for a value that is not a label, such as a list."""
        return cls(*code_labels(true, predicted))

    def for_class(self, metric: Metric) -> Metric:
        """A metric of one class, with the class as these labels spell it. Raises InputError if it does not occur."""
        if not isinstance(metric.rows, OneClassRows):
            return metric
        spelled, label = str(metric.rows.label), parse_label(metric.rows.label)
        codes = [code for code, other in enumerate(self.labels) if other == label]
        if not codes and spelled.lower() in TRUTH_VALUES:
            codes = [code for code, name in enumerate(self.names) if name.lower() == spelled.lower()]
        if not codes:
            names = shortened(self.names)
            raise InputError(f"the class {spelled!r} does not occur; targets and predictions contain {names}.")
        one_class = class_metric(metric.name.partition("[")[0], self.names[codes[0]])
        return replace(one_class, name=metric.name)

    def row_scores(self, metric: Metric) -> Floats:
        """The value of each row in a metric that is a mean; for other metrics, 1 for each row that is right, else 0."""
        problem = Problem(LABELS, self.true, self.predicted, self.predicted, self.names)
        if metric.is_mean:
            return metric.rows(self.true, self.predicted, problem)[:, 0]
        return (metric.score or correctness)(self.true, self.predicted, problem)

    def scored(
        self, metric: Metric, rows: Integers, items: Integers | None, units: Integers | None
    ) -> tuple[Floats, Floats, ClassErrors | None]:
        """Return the jackknife contributions and sizes of some rows, and the errors of the classes in the metric.

        Whole clusters (codes `units` of these rows), or items with all their runs (codes `items`), are left out. An
        undefined value counts as 0, as in scikit-learn. If it is undefined without some row, all sizes are 0, so that
        there is no interval.
        """
        pairs, pair, times = np.unique(
            self.true[rows] * len(self.names) + self.predicted[rows], return_inverse=True, return_counts=True
        )
        true, predicted = np.divmod(pairs, len(self.names))
        if isinstance(metric.rows, ClassRows) and 3 * len(pairs) * len(self.names) > MOST_STATISTICS:
            raise InputError(
                f"{metric.name} is for fewer classes: there are {len(self.names):,}, in {len(pairs):,} pairs of true "
                "and predicted labels. Choose accuracy or a micro average."
            )
        statistics = metric.rows(true, predicted, Problem(LABELS, true, predicted, predicted, self.names))
        sizes = np.ones(len(pairs)) if metric.sizes is None else metric.sizes(statistics, times)
        item = np.arange(len(rows)) if items is None else np.unique(items, return_inverse=True)[1]
        unit = item if units is None else np.unique(units, return_inverse=True)[1]
        of_unit, counts = statistics, times
        if len(np.unique(unit)) == len(rows):
            unit = pair
        else:
            from scipy.sparse import csr_array

            ones = np.ones(len(rows))
            of_unit = np.asarray(csr_array((ones, (unit, pair)), shape=(unit.max() + 1, len(pairs))) @ statistics)
            counts = np.ones(len(of_unit), dtype=np.int64)
        value, parts, is_defined = _contributions(metric, of_unit, counts)
        if unit is not pair:
            first = np.unique(item, return_index=True)[1]
            items_of_unit = np.maximum(np.bincount(unit[first], minlength=len(of_unit)), 1)
            parts = value + (parts - value) * items_of_unit.sum() / (len(of_unit) * items_of_unit)
        errors = None
        if is_defined and metric.class_ratio is not None:
            errors = ClassErrors.of(metric.class_ratio, of_unit, counts)
        elif is_defined and metric.pooled_ratio is not None:
            errors = ClassErrors.of_pooled(metric.pooled_ratio, of_unit, counts)
        return parts[unit], sizes[pair] * is_defined, errors

    def notes(self, metrics: Sequence[Metric], rows: Any, *, name: str) -> Iterator[str]:
        """Yield notes on the predicted labels of a model that are never true.

        Raises InputError if none of its labels is a true label.
        """
        true, predicted = (
            Counter({self.labels[code]: times for code, times in enumerate(np.bincount(codes[rows]).tolist()) if times})
            for codes in (self.true, self.predicted)
        )
        predicted.pop(None, None)
        yield from spelling_notes(true, predicted, name=name)
        never_true = [label for label in predicted if label not in true]
        averages = [metric.name for metric in metrics if metric.class_ratio is not None]
        if not averages:
            never_true = [label for label in never_true if is_non_answer(label)]
        if never_true:
            names = shortened(repr(self.names[self.labels.index(label)]) for label in never_true)
            times = sum(predicted[label] for label in never_true)
            what = f"{name} predicts {names} in {counted(times, 'row')}, never a true label"
            outside = "; averages over classes leave such classes out" if averages else ""
            yield marked_note(f"{what}: counted as wrong{outside}.")


def _contributions(metric: Metric, statistics: Floats, times: Integers) -> tuple[float, Floats, bool]:
    """Return the value of a metric, the contributions of units with these statistics, each of which occurs several
    times, and whether the value is defined, also without any single unit."""
    sums, n = times @ statistics, int(times.sum())
    with np.errstate(invalid="ignore"):
        value, left = float(metric.value(sums)), metric.value(sums - statistics)
    is_defined = not (np.isnan(value) or np.isnan(left).any())
    value = 0.0 if np.isnan(value) else value
    parts = -(n - 1) * np.where(np.isnan(left), value, left)
    return value, np.asarray(parts - times @ parts / n + value), is_defined
