"""Alignment of runs that were fed one by one, and names, rounding and printed form of results as in BooStSa."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.first_use import require
from howsure.significance.comparison import compare
from howsure.significance.results import Comparison, Difference
from howsure.significance.systems import Runs
from howsure.stats.p_values import adjust_p_values

# Names, rounding, stars and printed form of results, as in BooStSa.

HARD = {"f1": "macro_f1", "acc": "accuracy", "prec": "macro_precision", "rec": "macro_recall"}
SOFT = {
    "jsd": "jensen_shannon_distance",
    "ce": "clipped_cross_entropy",
    "sim": "entropy_similarity",
    "cor": "entropy_correlation",
}
OF_CLASS = {"tf1": "f1", "tprec": "precision", "trec": "recall"}
FULL = {
    "f1": "F-measure",
    "acc": "accuracy",
    "prec": "precision",
    "rec": "recall",
    "jsd": "Jensen-Shannon divergence",
    "ce": "cross-entropy",
    "sim": "entropy similarity",
    "cor": "entropy correlation",
    "tf1": "target F-measure",
    "tprec": "target precision",
    "trec": "target recall",
}
DIGITS = 4


def stars(p: float) -> str:
    """`**` for p up to .01, `*` up to .05; `!` from .95 and `!!` from .99 on: the baseline is better."""
    marks = ((p <= 0.01, "**"), (p <= 0.05, "*"), (p >= 0.99, "!!"), (p >= 0.95, "!"))
    return next((mark for holds, mark in marks if holds), "")


def value_text(value: float) -> float:
    """A value to 4 digits."""
    return round(float(value), DIGITS)


def difference_of(row: Difference) -> float:
    """The difference of the rounded values, to 4 digits."""
    return round(value_text(row.model_value) - value_text(row.against_value), DIGITS)


def columns_of(names: Sequence[str], *, spread: bool) -> list[str]:
    """The columns of a table of results; with `spread`, also the standard deviation of the first metric over runs."""
    columns = ["mean_epochs"]
    for k, name in enumerate(names):
        columns += [name, f"d_{name}", f"s_{name}"] + ([f"std_{name}"] if spread and k == 0 else [])
    return columns


def frame_of(columns: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> Any:
    """A pandas DataFrame with the conditions as its index.

    Raises MissingExtraError without pandas.
    """
    require("A table of howsure.significance.boostsa", "pandas", "pandas")
    import pandas as pd

    return pd.DataFrame(list(rows.values()), index=list(rows), columns=list(columns))


def block(
    systems: dict[str, Any], names: dict[str, str], result: Comparison, rows: dict[str, Difference], n_loops: int
) -> Iterator[str]:
    """The lines of output as in Figures 3 and 4 of the paper; `names` maps h0 and h1 to their names."""
    targets = np.asarray(systems["targs"])
    width = 1 if targets.ndim == 1 else targets.shape[1]
    yield f"data shape: {(len(targets), width)}"
    yield f"sample size: {int(len(targets) * result.recipe['sample_size'])}"
    yield f"h0: {names['h0']} - h1: {names['h1']}"
    for name, values in systems.items():
        yield _counts(name, values) if width == 1 else f"{name} distribution: {np.mean(values, axis=0)}"
    for name, row in rows.items():
        a, b, d = value_text(row.against_value), value_text(row.model_value), difference_of(row)
        what = f"{FULL[name]}:" if width > 1 else FULL[name].ljust(14, ".")
        yield f"{what} - h0: {a:.4f} - h1: {b:.4f} - diff: {d:.4f}"
    for name, row in rows.items():
        p = row.p_value
        shown = "undefined" if np.isnan(p) else f"{round(p * n_loops)} / {n_loops}".ljust(16) + f" p < {p:g} {stars(p)}"
        yield f"count sample diff {name} is twice tot diff {name}..... {shown}".rstrip()


def telling(lines: Iterator[str], tell: Callable[[str], None]) -> None:
    """Print the lines, one by one."""
    for line in lines:
        tell(line)


def _counts(name: str, values: Any) -> str:
    labels, counts = np.unique(np.asarray(values), return_counts=True)
    shown = [
        f"class {label} freq {count} perc {100 * count / len(values):.2f}%"
        for label, count in zip(labels, counts, strict=True)
    ]
    return f"{name} count: {shown}"


# Alignment of runs that were fed one by one.

Part = dict[str, list[Any]]
Outcomes = dict[str, dict[str, Any]]
KEYS = ("exp_idxs", "preds", "targs", "idxs", "epochs")


def empty_part() -> Part:
    """A condition without runs."""
    return {key: [] for key in KEYS}


def check_part(name: str, part: Part) -> None:
    """Check a condition read from a file.

    Raises InputError naming the condition and the run if a key is missing or lengths differ.
    """
    absent = [key for key in KEYS if key not in part]
    if absent:
        raise InputError(f"{name!r} has no {absent[0]!r}; a condition needs {', '.join(KEYS)}.")
    plain_epochs(part["epochs"])
    for run, columns in enumerate(zip(part["preds"], part["targs"], part["idxs"], strict=True)):
        lengths = [_length(rows, f"run {run} of {name!r}") for rows in columns]
        if len(set(lengths)) > 1:
            raise InputError(f"run {run} of {name!r} must have as many preds as targs and idxs; it has {lengths}.")


def plain_epochs(epochs: Any) -> list[Any]:
    """Epochs, given as one number, several, or None, as a plain list.

    Raises InputError if they are not finite numbers.
    """
    if epochs is None:
        return []
    try:
        values = np.atleast_1d(epochs)
        if values.ndim == 1 and (not values.size or (values.dtype.kind in "iuf" and np.isfinite(values).all())):
            return list(values.tolist())
    except ValueError:
        pass  # rows of several lengths
    raise InputError(f"epochs must be a number or a list of numbers; {epochs!r} is not.")


def check_one_kind(outcomes: Outcomes, *further: Any) -> None:
    """Raise InputError if labels and distributions are mixed; `further` are targets to be added."""
    parts = [part for control in outcomes.values() for part in (control, *control["h1"].values())]
    targets = [rows for part in parts for rows in part["targs"]]
    if len({_plain(rows[:1]).ndim for rows in (*targets, *further)}) > 1:
        raise InputError("targs must be labels in all runs or distributions in all; use one Bootstrap for each kind.")


def aligned(h0: str, control: Part, h1: str, treatment: Part) -> tuple[Any, list[Any], list[Any]]:
    """The targets, and the runs of the control and of the treatment, all in the order of the control's first run.

    Raises InputError if the items or targets of two runs are not the same.
    """
    for name, part in ((h0, control), (h1, treatment)):
        if not part.get("preds"):
            raise InputError(f"no predictions of {name!r} were fed; feed them before run().")
        check_part(name, part)
    control_ids = _plain(control["idxs"][0]).tolist()
    first = _plain(control["targs"][0])
    aligned_predictions: list[list[Any]] = []
    for part in (control, treatment):
        aligned_predictions.append([])
        for targets, indexes, predictions in zip(part["targs"], part["idxs"], part["preds"], strict=True):
            order = _order(_plain(indexes).tolist(), control_ids)
            if not np.array_equal(_plain(targets)[order], first):
                raise InputError(f"the targets of {h0!r} and {h1!r} must be the same in all runs; they differ.")
            aligned_predictions[-1].append(_plain(predictions)[order])
    return first, aligned_predictions[0], aligned_predictions[1]


def paired(h0: str, control: Part, h1: str, treatment: Part) -> dict[str, Any]:
    """The input of `compare`: all runs concatenated if both have the same number, else `Runs`, with a warning.

    Raises InputError as `aligned` does.
    """
    targets, baseline, model = aligned(h0, control, h1, treatment)
    same = len(baseline) == len(model)
    if max(len(baseline), len(model)) > 1:
        how = "concatenated" if same else "drawn by item, since the numbers of runs differ"
        warnings.warn(
            f"{h0} and {h1}: {len(baseline)} and {len(model)} runs on the same items are {how}; "
            "howsure.compare_models(..., Runs([...]), Runs([...])) does not count runs as additional items",
            stacklevel=3,
        )
    if not same:
        return {"targs": targets, "h0 preds": Runs(baseline), "h1 preds": Runs(model)}
    repeated = np.concatenate([targets] * len(baseline))
    return {"targs": repeated, "h0 preds": np.concatenate(baseline), "h1 preds": np.concatenate(model)}


def compare_outcomes(outcomes: Outcomes, *, adjust: str | None = "holm", **options: Any) -> Comparison:
    """Compare every treatment in an outcomes.json with its control; items are resampled with all their runs.

    Raises InputError as `compare` does, or if there is nothing to compare.
    """
    results = []
    for h0, control in outcomes.items():
        for h1, treatment in control["h1"].items():
            targets, baseline, model = aligned(h0, control, h1, treatment)
            results.append(compare(targets, {h0: Runs(baseline)}, {h1: Runs(model)}, adjust=None, **options))
    if not results:
        raise InputError("the file holds no treatment (h1) to compare with a control (h0).")
    rows = [row for result in results for row in result]
    adjusted = adjust_p_values([row.p_value for row in rows], method=adjust)
    rows = [replace(row, p_adjusted=float(p)) for row, p in zip(rows, adjusted, strict=True)]
    notes = dict.fromkeys(note for result in results for note in result.notes)
    return Comparison(recipe={**results[0].recipe, "adjust": adjust}, notes=tuple(notes), rows=tuple(rows))


def deviation(part: Part, name: str) -> Any:
    """The standard deviation over runs of a metric; nothing for one run."""
    if len(part["preds"]) < 2:
        return ""
    values = []
    for targets, predictions in zip(part["targs"], part["preds"], strict=True):
        plain_predictions = _plain(predictions)
        metric = {**HARD, **SOFT}[name]
        result = compare(
            _plain(targets), plain_predictions, plain_predictions, metrics=metric, n_resamples=1, interval=None, rng=0
        )
        values.append(result[0].model_value)
    return round(float(np.std(values)), 4)


def _plain(rows: Any) -> Any:
    array = np.asarray(rows)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _length(rows: Any, name: str) -> int:
    try:
        array = np.asarray(rows)
    except ValueError as error:
        raise InputError(f"{name} must have rows of the same length; they differ.") from error
    if array.ndim not in (1, 2) or not array.size:
        raise InputError(f"{name} must be a list with a value or a list of values for every item; it is not.")
    return len(array)


def _order(names: list[Any], control_ids: list[Any]) -> list[int]:
    """The positions in `names` of the items `control_ids`. Raises InputError if the items differ."""
    place = {name: row for row, name in enumerate(names)}
    if len(place) != len(control_ids) or any(name not in place for name in control_ids):
        raise InputError("idxs must name the same items in every run; they do not.")
    return [place[name] for name in control_ids]
