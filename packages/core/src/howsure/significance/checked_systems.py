"""Check targets and predictions of any kind, and convert them to arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, quote
from howsure.inputs.checks import (
    Coded,
    Column,
    check_codes,
    check_labels,
    check_probabilities,
    first_missing,
    probability_advice,
)
from howsure.inputs.classes import MAX_ABOVE_1, SHOWN, rounded_rows, sum_tolerance, without_rounding
from howsure.inputs.label_spelling import check_common_labels
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.significance.systems import Problem, Runs, align_runs, as_rows, check_grouping, readable

AsCodes = tuple[npt.NDArray[Any], dict[str, npt.NDArray[Any]], tuple[str, ...]]
LABELS = "biufUSTO"  # kinds of arrays: no complex numbers, dates, times or raw bytes
EXACT = 2.0**53  # whole numbers below it are exact as floats


@dataclass(frozen=True, slots=True)
class Systems:
    """Checked targets and the predictions of every system, of shape (runs, n) or (runs, n, K)."""

    task: str
    targets: Any
    predictions: Mapping[str, npt.NDArray[Any]]
    labels: tuple[str, ...]
    clusters: Integers | None = None
    strata: Integers | None = None
    averaged: Integers | None = None
    groups: Coded | None = None

    @property
    def n(self) -> int:
        return len(self.targets)

    def problem(self, baseline: str, model: str) -> Problem:
        """Return the targets and the predictions of one model and the baseline."""
        return Problem(
            self.task,
            self.targets,
            self.predictions[baseline],
            self.predictions[model],
            self.labels,
            self.clusters,
            self.strata,
            averaged=self.averaged,
        )

    def select_items(self, items: Integers) -> Systems:
        """Return the systems with only these items, given by their positions.

        Strata are dropped if one of them would have a single item or cluster."""
        clusters, strata = (
            None if codes is None else np.unique(codes[items], return_inverse=True)[1]
            for codes in (self.clusters, self.strata)
        )
        if strata is not None:
            first = slice(None) if clusters is None else np.unique(clusters, return_index=True)[1]
            strata = None if np.bincount(strata[first]).min() < 2 else strata
        predictions = {name: runs[:, items] for name, runs in self.predictions.items()}
        return replace(
            self, targets=self.targets[items], predictions=predictions, clusters=clusters, strata=strata, groups=None
        )


def read_systems(
    y_true: object,
    systems: Mapping[str, object],
    *,
    tasks: set[str],
    classes: Sequence[object] | None = None,
    run: object = None,
    id: object = None,
    **grouping: object,
) -> Systems:
    """Check targets and predictions, and return them as arrays.

    tasks: the kinds of predictions that the requested metrics need. grouping: clusters, strata and groups.
    """
    items = align_runs(y_true, systems, run=run, id=id, grouping=grouping)
    targets = readable(as_rows(items.targets, "y_true"), "y_true")
    columns = {
        name: [readable(as_rows(run, run_name(name, k, runs)), run_name(name, k, runs)) for k, run in enumerate(runs)]
        for name, runs in items.systems.items()
    }
    for name, arrays in columns.items():
        for k, array in enumerate(arrays):
            if len(array) != len(targets):
                raise unequal_rows(run_name(name, k, arrays), len(array), len(targets))
    task = _task(targets, columns, tasks)
    coded, predictions, names = _coded(task, targets, columns, classes)
    averaged = _averaged(classes, names) if task == "hard" and classes is not None else None
    return Systems(task, coded, predictions, names, averaged=averaged, **grouping_codes(items.grouping, len(targets)))


def grouping_codes(grouping: Mapping[str, Any], n: int) -> dict[str, Any]:
    """Return the codes of the clusters and strata of items, and the codes of groups with their names, by role."""
    groups = grouping.get("groups")
    clusters, strata = check_grouping(grouping.get("clusters"), grouping.get("strata"), n=n)
    named = None if groups is None else Coded(*check_codes(groups, n=n, name="groups", groups=True))
    return {"clusters": clusters, "strata": strata, "groups": named}


def unequal_rows(name: str, n: int, expected: int) -> InputError:
    """Error for a system with another number of rows than the targets."""
    return InputError(
        f"{name} must have as many rows as `y_true`; it has {n:,}, `y_true` has {expected:,}. Align them by their ids "
        "first."
    )


def check_predictions(values: object, *, name: str) -> npt.NDArray[Any]:
    """Labels (n,), probabilities of one class (n,) or of all (n, K), checked.

    >>> check_predictions([["0.2", 0.8]], name="predictions")
    array([[0.2, 0.8]])
    """
    array = as_rows(values, name)
    if array.ndim == 2:
        return _probabilities(array, name)
    if array.dtype.kind == "f" and not (array == np.floor(array)).all():
        return check_probabilities(array, name=name)
    return _plain_labels(array, name)


def _task(targets: Column, columns: Mapping[str, list[Column]], tasks: set[str]) -> str:
    widths = {name: {array.ndim for array in arrays} for name, arrays in columns.items()}
    for name, dimensions in widths.items():
        if dimensions != {1} and dimensions != {2}:
            raise InputError(f"all runs of {name} must be labels, or all must be rows of probabilities.")
    kinds = {dimension for dimensions in widths.values() for dimension in dimensions}
    if len(kinds) != 1:
        row_system = next(name for name, dimensions in widths.items() if dimensions != {1})
        raise InputError(
            f"all systems must give labels, or all must give rows of probabilities; {row_system} gives rows of "
            "probabilities, but another system gives labels."
        )
    if targets.ndim == 2:
        if kinds == {1}:
            raise InputError(
                "`y_true` contains probabilities (one row per item), but the predictions are labels. Give "
                "probabilities of the predictions, too."
            )
        return "soft"
    if kinds == {2} or "probabilistic" in tasks:
        return "probabilistic"
    return "hard"


def _coded(
    task: str, targets: Column, columns: Mapping[str, list[Column]], classes: Sequence[object] | None
) -> AsCodes:
    if task == "hard":
        return _hard(targets, columns)
    if task == "soft":
        if classes is not None:
            raise InputError(
                "`classes=...` is for labels as targets; leave it out if targets and predictions are "
                "rows of probabilities."
            )
        return _soft(targets, columns)
    return _probabilistic(targets, columns, classes)


def _hard(targets: Column, columns: Mapping[str, list[Column]]) -> AsCodes:
    parts = [_plain_labels(targets, "y_true")]
    for name, arrays in columns.items():
        parts += [_plain_labels(array, run_name(name, k, arrays)) for k, array in enumerate(arrays)]
    kinds = [part.dtype.kind in "biu" for part in parts]
    if len(set(kinds)) != 1:
        number, text = (parts[kinds.index(kind)][0] for kind in (True, False))
        raise InputError(
            f"labels must be of one type; some are numbers (row 0: {number.item()!r}), some text (row 0: '{text}'). "
            "Convert one column first."
        )
    n = len(targets)
    codes, names = check_codes(np.concatenate(parts), n=n * len(parts), name="labels")
    rows = codes.reshape(len(parts), n)
    predictions, start = {}, 1
    for name, arrays in columns.items():
        predictions[name] = rows[start : start + len(arrays)]
        start += len(arrays)
    if not any(kinds):
        _check_shared(rows[0], predictions, names)
    return rows[0], predictions, names


def _check_shared(targets: Integers, predictions: Mapping[str, Integers], names: tuple[str, ...]) -> None:
    """Raise InputError if no prediction of a system equals any target, which suggests a wrong column. Only for text."""
    true = [names[code] for code in np.unique(targets)]
    for name, runs in predictions.items():
        check_common_labels(true, [names[code] for code in np.unique(runs)], name=name)


def _averaged(classes: Sequence[object], names: tuple[str, ...]) -> Integers:
    """The codes of the classes over which averages are computed."""
    column = _plain_labels(as_rows(list(classes), "classes"), "classes")
    _, chosen = check_codes(column, n=len(column), name="classes")
    unknown = [name for name in chosen if name not in names]
    if unknown:
        raise InputError(
            f"`classes=...` must name classes of `y_true` or of predictions, {shortened(names)}; "
            f"{shortened(unknown)} is not among them. Leave out classes that do not occur."
        )
    return np.array(sorted(names.index(name) for name in chosen), dtype=np.int64)


def _soft(targets: Column, columns: Mapping[str, list[Column]]) -> AsCodes:
    true = _distributions(targets, "y_true")
    predictions = {
        name: np.stack([_distributions(array, run_name(name, k, arrays)) for k, array in enumerate(arrays)])
        for name, arrays in columns.items()
    }
    for name, array in predictions.items():
        if array.shape[-1] != true.shape[-1]:
            raise InputError(
                f"{name} must have as many columns as `y_true`; it has {array.shape[-1]}, `y_true` has "
                f"{true.shape[-1]}."
            )
    return true, predictions, ()


def _probabilistic(targets: Column, columns: Mapping[str, list[Column]], classes: Sequence[object] | None) -> AsCodes:
    predictions = {
        name: np.stack([_probabilities(array, run_name(name, k, arrays)) for k, array in enumerate(arrays)])
        for name, arrays in columns.items()
    }
    widths = {array.shape[-1] for array in predictions.values()}
    if len(widths) != 1:
        raise InputError(f"all systems must have the same number of columns; they have {sorted(widths)}.")
    width = widths.pop()
    if width == 1 and classes is None:
        return check_labels(targets).astype(np.int64), predictions, ("0", "1")
    names = [str(label) for label in (range(width) if classes is None else classes)]
    if len(set(names)) != max(width, 2):
        raise InputError(f"`classes` must name the {max(width, 2)} columns, each once; it contains {shortened(names)}.")
    codes, true_labels = check_codes(_plain_labels(targets, "y_true"), n=len(targets), name="y_true")
    unknown = [name for name in true_labels if name not in names]
    if unknown:
        row = int(np.flatnonzero(codes == true_labels.index(unknown[0]))[0])
        raise InputError(
            f"`y_true` `row {row}` is {unknown[0]!r}, which is not one of the columns {shortened(names)}. Name the "
            "columns in their order: `classes=...`."
        )
    return np.array([names.index(name) for name in true_labels])[codes], predictions, tuple(names)


def _plain_labels(column: Column, name: str) -> Column:
    """Return labels as integers or as strings. Raises InputError for non-finite numbers and missing values."""
    if column.dtype.kind not in LABELS:
        raise InputError(f"{name} must contain labels, numbers or text; its type is {column.dtype}.")
    row = first_missing(column)
    if row is not None:
        raise InputError(
            f"{name} must not have missing values; `row {row}` is {column[row]!r}. Leave such rows out first."
        )
    if column.dtype.kind == "S":
        column = np.char.decode(column, "utf-8")
    if column.dtype.kind == "O":
        texts = {isinstance(value, str) for value in column}
        if len(texts) == 2:
            raise InputError(f"{name} contains text and numbers; convert one of them first.")
        column = column.astype(str) if texts == {True} else np.asarray(column.tolist())
        container = next((value for value in column.ravel() if isinstance(value, (dict, list, set))), None)
        if column.dtype.kind not in LABELS or container is not None:
            what = f"its type is {column.dtype}" if container is None else f"it contains {quote(container)}"
            raise InputError(f"{name} must contain labels, numbers or text; {what}.")
    if column.dtype.kind == "f":
        whole = column == np.floor(column)
        if not whole.all():
            row = int(np.flatnonzero(~whole)[0])
            raise InputError(
                f"{name} must contain labels; `row {row}` is {float(column[row])!r}. If these are probabilities, "
                "choose metrics of probabilities, such as brier or log_loss."
            )
        large = np.flatnonzero(np.abs(column) >= EXACT)
        if len(large):
            raise InputError(f"{name} must contain labels; `row {large[0]}` is {float(column[large[0]])!r}.")
        return column.astype(np.int64)
    return column


def _probabilities(array: Column, name: str) -> Floats:
    if array.ndim == 2 and array.shape[1] > 1:
        return _distributions(array, name)
    return check_probabilities(array.reshape(-1), name=name).reshape(-1, 1)


def _distributions(array: Column, name: str) -> Floats:
    values = _numbers(array, name)
    if values.ndim != 2 or values.shape[1] < 2:
        raise InputError(f"{name} must have rows of two or more probabilities; its shape is {values.shape}.")
    wrong = ~((values >= 0) & (values <= 1 + MAX_ABOVE_1))
    if wrong.any():
        row, column = (int(place[0]) for place in np.nonzero(wrong))
        value = float(values[row, column])
        advice = (
            "Leave such rows out first."
            if np.isnan(value)
            else probability_advice(value, float(values.max()), transform="softmax")
        )
        raise InputError(f"{name} must be between 0 and 1; `row {row}` is {value!r} in column {column}. {advice}")
    sums = values.sum(axis=1)
    wrong = rounded_rows(values)
    if wrong.any() and (wrong := np.abs(sums - 1) > sum_tolerance(values) + SHOWN).any():
        row = int(wrong.argmax())
        raise InputError(
            f"{name} must have rows that sum to 1; `row {row}` sums to {sums[row]:.6g}. Divide each row by its sum."
        )
    return without_rounding(values) + 0.0


def _numbers(array: Column, name: str) -> Floats:
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be numbers; it contains {array.ravel()[0]!r}.") from error


def run_name(name: str, run: int, runs: Sequence[object] | Runs) -> str:
    return name if len(runs) == 1 else f"{name}, run {run}"


# The same predictions for metrics of another kind: the most probable label, or labels as distributions.

VIEWS = {
    "hard": ("hard",),
    "soft": ("soft", "hard", "probabilistic"),
    "probabilistic": ("probabilistic", "hard", "soft"),
    "score": ("score",),
    "document": ("document",),
}


def view_as(systems: Systems, task: str) -> Systems:
    """Return the systems with predictions in the form that metrics of `task` need, one of `VIEWS[systems.task]`.

    Probabilities become the label of the most probable class, or of the first of several such classes. A single column
    of probabilities becomes class 1 above 0.5. True labels become distributions with a single 1.
    """
    if task == systems.task:
        return systems
    predictions, targets, names = dict(systems.predictions), systems.targets, systems.labels
    if systems.task == "soft":
        targets, names = targets.argmax(axis=-1), tuple(map(str, range(targets.shape[-1])))
    if task == "hard":
        predictions = {name: _labels(runs) for name, runs in predictions.items()}
    elif task == "soft":
        targets = np.eye(max(len(names), 2))[targets]
        predictions = {name: _both_classes(runs) for name, runs in predictions.items()}
        names = ()
    return replace(systems, task=task, targets=targets, predictions=predictions, labels=names)


def view_notes(systems: Systems, tasks: set[str]) -> Iterator[str]:
    """Notes on the conversion of predictions and targets for metrics of another kind."""
    if "hard" in tasks - {systems.task}:
        tied = sum(_ties(runs) for runs in systems.predictions.values())
        ties = f"; in {counted(tied, 'row')} several classes are, and the first counts" if tied else ""
        yield f"metrics of labels use the most probable class{ties}."
    if systems.task == "soft" and tasks != {"soft"}:
        tied = _ties(systems.targets)
        ties = f"; in {counted(tied, 'row')} several classes are, and the first counts" if tied else ""
        yield f"metrics of labels and of probabilities use the most probable true class as the true label{ties}."
    if "soft" in tasks - {systems.task}:
        yield "metrics of distributions treat each true label as a distribution with a single 1."


def _labels(probabilities: Floats) -> Integers:
    if probabilities.shape[-1] == 1:
        return np.asarray(probabilities[..., 0] > 0.5, dtype=np.int64)
    return np.asarray(probabilities.argmax(axis=-1), dtype=np.int64)


def _both_classes(probabilities: Floats) -> Floats:
    if probabilities.shape[-1] > 1:
        return probabilities
    return np.concatenate([1 - probabilities, probabilities], axis=-1)


def _ties(probabilities: Floats) -> int:
    class_probabilities = _both_classes(probabilities)
    return int(((class_probabilities == class_probabilities.max(axis=-1, keepdims=True)).sum(axis=-1) > 1).sum())
