"""The systems to compare: targets and predictions of any kind, and several runs of a system."""

from __future__ import annotations

import enum
import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError, quote
from howsure.inputs.checks import Column, as_column, check_clusters, check_codes, check_same_length, is_missing
from howsure.inputs.long_form import one_per_item, rows_by_repetition
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Integers


@dataclass(frozen=True, slots=True)
class Problem:
    """A comparison: n items, their targets, and the predictions of two systems in each of their runs.

    With the task "hard", targets (n,) and predictions (runs, n) are codes, that is, indices in `labels`. With "soft",
    targets (n, K) and predictions (runs, n, K) are distributions. With "probabilistic", targets (n,) are codes, and
    predictions are probabilities (runs, n, K), or (runs, n, 1) if only the probabilities of class 1 are given. counts:
    the number of equal items that a row represents. averaged: the codes of the classes over which averages are
    computed; by default, the classes in the targets.
    """

    task: str
    targets: Any
    baseline: Any
    model: Any
    labels: tuple[str, ...] = ()
    clusters: Integers | None = None
    strata: Integers | None = None
    counts: Integers | None = None
    averaged: Integers | None = None

    @property
    def true_classes(self) -> Integers:
        """The codes of the classes in the targets."""
        return np.flatnonzero(np.bincount(self.targets, minlength=len(self.labels)))

    @property
    def averaged_classes(self) -> Integers:
        """The codes of the classes over which averages are computed, fixed before resampling."""
        return self.true_classes if self.averaged is None else self.averaged

    def code(self, label: object) -> int:
        if str(label) not in self.labels:
            raise InputError(
                f"the class {str(label)!r} does not occur; targets and predictions contain {shortened(self.labels)}."
            )
        return self.labels.index(str(label))


# Values of any kind, one value or one row per item, as an array.

LABELS = (str, bytes, bool, np.bool_, numbers.Real, enum.Enum)
NO_LABELS = "cmMV"  # numpy's kinds of complex numbers, times and records


def as_rows(values: object, name: str) -> Column:
    """Return an array with one or two dimensions from any container. A column of lists becomes rows, and rows with one
    value become a column.

    >>> as_rows([[0.0], [1.0]], "model")
    array([0., 1.])
    """
    if not isinstance(values, (np.ndarray, list, tuple)) and hasattr(values, "to_numpy"):
        values = np.asarray(values) if hasattr(values, "to_pylist") else values.to_numpy()  # Arrow, or a frame
    if isinstance(values, np.ndarray) and values.dtype.kind == "O" and values.ndim == 1:
        values = values.tolist() if len(values) and isinstance(values[0], (list, tuple, np.ndarray)) else values
    if isinstance(values, (list, tuple)) and len(values) and isinstance(values[0], (list, tuple, np.ndarray)):
        widths = [len(row) if isinstance(row, (list, tuple, np.ndarray)) else 0 for row in values]
        if len(set(widths)) != 1:
            row = next(k for k, width in enumerate(widths) if width != widths[0])
            raise InputError(
                f"{name} must have rows of the same length; row 0 has {widths[0]} values, `row {row}` has "
                f"{widths[row]}."
            )
        values = np.asarray(values)
    if (
        isinstance(values, (list, tuple))
        and len({isinstance(value, str) for value in values if value is not None}) == 2
    ):
        raise InputError(f"{name} contains text and numbers. Convert all values to one type first.")
    if isinstance(values, np.ndarray) and values.ndim == 2:
        if len(values) == 0:
            raise InputError(f"{name} is empty: there is nothing to compare.")
        return values[:, 0] if values.shape[1] == 1 else values
    return as_column(values, name=name)


def readable(array: Column, name: str) -> Column:
    """An array of numbers, text, or label objects, unchanged."""
    if array.dtype.kind in NO_LABELS:
        raise InputError(f"{name} must contain labels, numbers or text; its type is {array.dtype}.")
    if array.dtype.kind != "O":
        return array
    strange = {kind for kind in set(map(type, array.ravel())) if not issubclass(kind, LABELS)}
    for row, value in enumerate(array.ravel()) if strange else ():
        if type(value) in strange and not is_missing(value):
            wrong_value = f"`row {row}` is {quote(value)}, of type {type(value).__name__}"
            raise InputError(f"{name} must contain labels, numbers or text; {wrong_value}.")
    return array


GROUPINGS = ("clusters", "strata", "groups")  # what items belong to


def check_grouping(clusters: object, strata: object, *, n: int) -> tuple[Integers | None, Integers | None]:
    """The codes of clusters and strata, or None.

    >>> check_grouping(["a", "a", "b", "c"], [0, 0, 0, 0], n=4)
    (array([0, 0, 1, 2]), array([0, 0, 0, 0]))
    """
    cluster = None if clusters is None else check_clusters(clusters, n=n)
    if cluster is not None and cluster.max() == 0:
        raise InputError(
            "clusters must be two or more; all rows are in one cluster, so the variation between clusters is unknown. "
            "Provide more clusters, or leave clusters out if rows are independent."
        )
    if strata is None:
        return cluster, None
    stratum, names = check_codes(strata, n=n, name="strata")
    unit, kind = (np.arange(n), "item") if cluster is None else (cluster, "cluster")
    of_unit = np.zeros(int(unit.max()) + 1, dtype=np.int64)
    of_unit[unit] = stratum
    rows = np.flatnonzero(of_unit[unit] != stratum)
    if len(rows):
        raise InputError(
            f"a cluster must be in one stratum; the cluster of `row {rows[0]}` is in two. Correct clusters or strata."
        )
    single = np.flatnonzero(np.bincount(of_unit) == 1)
    if len(single):
        listed_strata = shortened((repr(names[code]) for code in single), limit=5)
        row = int(np.flatnonzero(stratum == single[0])[0])
        raise InputError(
            f"each of strata must contain two {kind}s or more; {listed_strata} (`row {row}`) has one, so its "
            "variation is unknown. Merge it with a similar stratum, or leave strata out."
        )
    return cluster, stratum


# Several runs of a system on the same items, for example trained with different seeds.


@dataclass(frozen=True, slots=True)
class Runs:
    """The predictions of several runs of one system on the same items, in the same order.

    >>> len(Runs([["a", "b"], ["a", "a"], ["b", "b"]]))
    3
    """

    predictions: Sequence[object]

    def __post_init__(self) -> None:
        if not isinstance(self.predictions, Iterable) or isinstance(self.predictions, (str, bytes)):
            raise InputError(
                f"Runs must contain the predictions of each run, as a list; it contains {self.predictions!r}."
            )
        runs = list(self.predictions.values()) if isinstance(self.predictions, Mapping) else list(self.predictions)
        if not runs:
            raise InputError("Runs must contain the predictions of at least one run; it is empty.")
        object.__setattr__(self, "predictions", tuple(runs))

    def __len__(self) -> int:
        return len(self.predictions)

    def __iter__(self) -> Iterator[object]:
        return iter(self.predictions)


@dataclass(frozen=True, slots=True)
class Items:
    """One row per item: targets, the runs of every system, and the item's clusters, strata or groups, by role."""

    targets: Any
    systems: Mapping[str, Runs]
    grouping: Mapping[str, Any]


def align_runs(
    y_true: object, systems: Mapping[str, object], *, run: object, id: object, grouping: Mapping[str, Any]
) -> Items:
    """Return one row per item, from rows that are items or combinations of item and run.

    With `run` and `id`, runs may be the folds of a cross-validation. Each item is then in one fold, or in as many folds
    as there are repetitions.
    """
    if run is None:
        if id is not None:
            _refuse_repeats(as_column(id, name="id"))
        runs_by_system = {
            name: predictions if isinstance(predictions, Runs) else Runs([predictions])
            for name, predictions in systems.items()
        }
        return Items(y_true, runs_by_system, grouping)
    if any(isinstance(system, Runs) for system in systems.values()):
        raise InputError(
            "give `run=...` with one row per item and run, or Runs([...]) with one row per item, not both."
        )
    named: dict[str, Any] = {name: as_rows(column, name) for name, column in {"y_true": y_true, **systems}.items()}
    n = check_same_length(**named, run=as_rows(run, "run"))
    run_codes, run_names = check_codes(run, n=n, name="run")
    table = _item_table(run_codes, run_names, named["y_true"], id, n)
    return Items(
        one_per_item(named["y_true"], table, "y_true"),
        {name: Runs([column[rows] for rows in table]) for name, column in named.items() if name != "y_true"},
        {
            role: None if column is None else one_per_item(as_rows(column, role), table, role)
            for role, column in grouping.items()
        },
    )


def _refuse_repeats(ids: Column) -> None:
    distinct, first, counts = np.unique(ids.astype(str), return_index=True, return_counts=True)
    if (counts > 1).any():
        k = int(np.argmax(counts > 1))
        raise InputError(
            f"`id` must be different in every row; {str(distinct[k])!r} occurs {counts[k]} times (first in `row "
            f"{first[k]}`). If there are several runs of the same items, give the run of each row: `run=...`"
        )


def _item_table(run_codes: Integers, names: tuple[str, ...], targets: Column, id: object, n: int) -> Integers:
    """Return row numbers (repetitions, items). A repetition is a run or, with `id`, possibly several folds."""
    if id is None:
        counts = np.bincount(run_codes, minlength=len(names))
        if (counts != counts[0]).any():
            unequal_run = int(np.flatnonzero(counts != counts[0])[0])
            raise InputError(
                f"every run must contain every item once; run {names[0]!r} has {counts[0]:,} rows, run "
                f"{names[unequal_run]!r} "
                f"has {counts[unequal_run]:,}. If runs are folds, identify the item of each row: `id=...`"
            )
        order = np.argsort(run_codes, kind="stable")
        targets_by_run = targets[order].reshape(len(names), -1, *targets.shape[1:])
        if (targets_by_run != targets_by_run[0]).any():
            raise InputError(
                "the runs do not have the same targets in the same order. Identify the item of each row: `id=...`"
            )
        return order.reshape(len(names), -1)
    codes, item_names = check_codes(id, n=n, name="id")
    table = rows_by_repetition(codes, run_codes)
    if table is not None:
        return table
    _, first, rows_in_run = np.unique([run_codes, codes], axis=1, return_index=True, return_counts=True)
    if rows_in_run.max() > 1:
        row = first[rows_in_run.argmax()]
        raise InputError(
            f"a run must contain an item once; run {names[run_codes[row]]!r} has {item_names[codes[row]]!r} twice."
        )
    counts = np.bincount(codes)
    most, least = int(counts.argmax()), int(counts.argmin())
    missing_run = next(name for run, name in enumerate(names) if run not in run_codes[codes == least])
    raise InputError(
        f"every item must be in all runs, or all items in the same number of folds; {item_names[most]!r} is in "
        f"{counts[most]} of {len(names)} runs, {item_names[least]!r} in {counts[least]}: it is not in run "
        f"{missing_run!r}."
    )
