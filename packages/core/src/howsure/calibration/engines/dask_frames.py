"""Sums of a Dask data frame: workers add up their partitions, and the partial sums are merged in a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.calibration.engines.lazy_frames import (
    FrameSums,
    LazyPairs,
    labels_refused,
    labels_unclear,
    weights_refused,
)
from howsure.calibration.slots import Slots, sum_by_slot
from howsure.errors import ColumnName, InputError
from howsure.inputs.checks import (
    GIVEN_PREFIX,
    Column,
    check_codes,
    check_labels,
    check_probabilities,
    check_weights,
    first_missing,
    missing,
)
from howsure.inputs.frames import columns_from
from howsure.inputs.numbers_and_names import natural_order
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs

MERGED_PER_TASK = 16  # partial sums that one task merges
MAX_LABELS = 100  # most distinct labels that are counted in a partition, for messages
GONE = "Dask's scheduler stopped or cancelled the work while partitions were added up. Check its log and try again."
LOST = {  # errors of the package distributed, by name because it need not be installed
    "KilledWorker": "Dask's workers stopped while they added up a partition: {}",
    "FutureCancelledError": GONE,
    "CommClosedError": GONE,
}


@dataclass(slots=True)
class PartSums:
    """Sums of some partitions: number of rows, sums by group, counts of labels, and the first invalid row's error."""

    n: int = 0
    by_group: dict[str, Slots] = field(default_factory=dict)
    labels: Counter[Any] = field(default_factory=Counter)
    fault: InputError | None = None

    def __add__(self, other: PartSums) -> PartSums:
        groups = dict(self.by_group)
        for name, slots in other.by_group.items():
            groups[name] = groups[name] + slots if name in groups else slots
        return PartSums(self.n + other.n, groups, self.labels + other.labels, self.fault or other.fault)


@dataclass(frozen=True, slots=True)
class PartitionSums:
    """The task that adds up one partition; the attributes are those of `LazyPairs`."""

    y_true: str
    y_prob: str
    sample_weight: str | None
    groups: str | None
    pos_label: Any

    def __call__(self, frame: Any, number: int) -> PartSums:
        """Add up a partition, a pandas data frame; an error in a row is returned as `fault`, not raised."""
        if not len(frame):
            return PartSums()
        try:
            return self._sums(frame)
        except InputError as error:
            return PartSums(len(frame), fault=error.at(lambda row: f"row {row} (counted from 0 in partition {number})"))

    def _sums(self, frame: Any) -> PartSums:
        column_names = (self.y_true, self.y_prob, self.sample_weight, self.groups)
        columns = dict(zip(filter(None, column_names), columns_from(frame, [*filter(None, column_names)]), strict=True))
        n, label_column = len(frame), columns[self.y_true]
        labels, y = _labels(label_column, self.pos_label, ColumnName(self.y_true, "y_true"))
        codes: Integers | None = None
        names: tuple[str, ...] = ()
        if self.groups is not None:
            name = ColumnName(self.groups, "groups")
            codes, names = check_codes(columns[self.groups], n=n, name=name, groups=True)
        q = check_probabilities(columns[self.y_prob], n=n, name=ColumnName(self.y_prob, "y_prob"), prefix=GIVEN_PREFIX)
        w = (
            None
            if self.sample_weight is None
            else _weights(columns[self.sample_weight], n, ColumnName(self.sample_weight, "sample_weight"))
        )
        positive = None if self.pos_label is None else str(self.pos_label)
        pairs = Pairs(y, q, w, codes, names, positive=positive)
        parts = [("", pairs)] if codes is None else pairs.by_group()
        return PartSums(n, {name: sum_by_slot(part) for name, part in parts}, labels)


def sums_of_dask(frame: Any, pairs: LazyPairs) -> FrameSums:
    """Add up the pairs of a Dask data frame, by group if they have groups."""
    import dask

    named = [name for name in (pairs.y_true, pairs.y_prob, pairs.sample_weight, pairs.groups) if name is not None]
    add = dask.delayed(PartitionSums(pairs.y_true, pairs.y_prob, pairs.sample_weight, pairs.groups, pairs.pos_label))
    parts = frame[list(dict.fromkeys(named))].to_delayed()
    sums = [add(part, number) for number, part in enumerate(parts)]
    while len(sums) > 1:
        sums = [dask.delayed(merge_sums)(sums[i : i + MERGED_PER_TASK]) for i in range(0, len(sums), MERGED_PER_TASK)]
    try:
        (total,) = dask.compute(sums[0])
    except Exception as error:
        if type(error).__name__ not in LOST:
            raise
        raise InputError(LOST[type(error).__name__].format(error)) from error
    by_group = {name: total.by_group[name] for name in sorted(total.by_group, key=natural_order)}
    return FrameSums(total.n, by_group, _refusal(total, pairs))


def merge_sums(parts: Sequence[PartSums]) -> PartSums:
    return sum(parts, start=PartSums())


def _refusal(total: PartSums, pairs: LazyPairs) -> Callable[[], InputError] | None:
    """Return a function that returns the error for an invalid row, the labels or the weights; None if all are valid."""
    if total.fault is not None:
        refusal = total.fault
    elif total.n and labels_unclear(set(total.labels), pairs.pos_label):
        refusal = labels_refused(total.labels, pairs.pos_label, name=pairs.column("y_true"))
    else:
        return weights_refused(total.by_group, pairs.column("sample_weight")) if total.n and pairs.is_weighted else None
    return lambda: refusal


def _weights(column: Column, n: int, name: str) -> Floats:
    """Check weights; unlike `check_weights`, all weights of a partition may be 0."""
    return check_weights(np.append(column, 1.0), n=n + 1, name=name)[:-1]


def _labels(column: Column, pos_label: Any, name: str) -> tuple[Counter[Any], Labels]:
    """Return the counts of labels in a partition, and the labels as 0 and 1.

    If a partition's labels alone are not valid, those equal to `pos_label` are 1 and all others 0. Whether the labels
    of all partitions together are valid is checked at the end.
    """
    row = first_missing(column)
    if row is not None:
        raise missing(name, row)
    try:
        labels = check_labels(column, pos_label=pos_label, name=name)
    except InputError as error:
        try:
            label_counts = Counter(column.tolist())
        except TypeError:  # labels are lists
            raise error from None
        labels = np.asarray(column == pos_label, dtype=np.bool_).view(np.uint8)
        return Counter(dict(label_counts.most_common(MAX_LABELS))), labels
    ones = int(labels.sum())
    counts = {0: len(labels) - ones, 1: ones}
    return Counter({column[labels == label][:1].tolist()[0]: count for label, count in counts.items() if count}), labels
