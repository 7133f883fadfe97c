"""Alignment of runs that were fed one by one, and names, rounding and printed form of results as in BooStSa."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers
from howsure.lazy_imports import require
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
    """Return `**` for p up to 0.01 and `*` up to 0.05; `!` from 0.95 and `!!` from 0.99 on: the baseline is better."""
    marks = ((p <= 0.01, "**"), (p <= 0.05, "*"), (p >= 0.99, "!!"), (p >= 0.95, "!"))
    return next((mark for holds, mark in marks if holds), "")


def value_text(value: float) -> float:
    """A value to 4 digits."""
    return round(float(value), DIGITS)


def rounded_difference(row: Difference) -> float:
    """The difference of the rounded values, to 4 digits."""
    return round(value_text(row.model_value) - value_text(row.against_value), DIGITS)


def table_columns(names: Sequence[str], *, spread: bool) -> list[str]:
    """The columns of a table of results; with `spread`, also the standard deviation of the first metric over runs."""
    columns = ["mean_epochs"]
    for k, name in enumerate(names):
        columns += [name, f"d_{name}", f"s_{name}"] + ([f"std_{name}"] if spread and k == 0 else [])
    return columns


def build_frame(columns: Sequence[str], rows: Mapping[str, Sequence[Any]]) -> Any:
    """A pandas DataFrame with the conditions as its index."""
    require("A table of howsure.significance.boostsa", "pandas", "pandas")
    import pandas as pd

    return pd.DataFrame(list(rows.values()), index=list(rows), columns=list(columns))


def block(
    systems: dict[str, Any],
    names: dict[str, str],
    result: Comparison,
    rows: dict[str, Difference],
    n_loops: int,
    *,
    verbose: bool,
) -> Iterator[str]:
    """Yield the lines that are printed for a comparison, as in Figures 3 and 4 of Fornaciari et al. (2022).

    names: the names of h0 and h1. rows: the differences by the short name of the metric. verbose: also yield the lines
    about classes and scores.
    """
    targets = np.asarray(systems["targs"])
    width = 1 if targets.ndim == 1 else targets.shape[1]
    yield f"data shape: {(len(targets), width)}"
    yield f"sample size: {int(len(targets) * result.recipe['sample_size'])}"
    if verbose:
        yield f"h0: {names['h0']} - h1: {names['h1']}"
        for name, values in systems.items():
            yield _counts(name, values) if width == 1 else f"{name} distribution: {np.mean(values, axis=0)}"
        for name, row in rows.items():
            a, b, d = value_text(row.against_value), value_text(row.model_value), rounded_difference(row)
            what = f"{FULL[name]}:" if width > 1 else FULL[name].ljust(14, ".")
            yield f"{what} - h0: {a:.4f} - h1: {b:.4f} - diff: {d:.4f}"
    for name, row in rows.items():
        p = row.p_value
        shown = "undefined" if np.isnan(p) else f"{round(p * n_loops)} / {n_loops}".ljust(16) + f" p < {p:g} {stars(p)}"
        yield f"count sample diff {name} is twice tot diff {name}..... {shown}".rstrip()


def print_lines(lines: Iterator[str], tell: Callable[[str], None]) -> None:
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
RUN_KEYS = ("exp_idxs", "preds", "targs", "idxs")
KEYS = (*RUN_KEYS, "epochs")


def empty_part() -> Part:
    return {key: [] for key in KEYS}


def check_part(name: str, part: Part) -> None:
    """Check a condition read from a file."""
    absent = [key for key in KEYS if key not in part]
    if absent:
        raise InputError(f"{name!r} has no {absent[0]!r}; a condition needs {', '.join(KEYS)}.")
    plain_epochs(part["epochs"])
    for run, columns in enumerate(zip(part["preds"], part["targs"], part["idxs"], strict=True)):
        lengths = [_length(rows, f"run {run} of {name!r}") for rows in columns]
        if len(set(lengths)) > 1:
            numbers = ", ".join(
                f"{length} {key}" for key, length in zip(("preds", "targs", "idxs"), lengths, strict=True)
            )
            raise InputError(f"run {run} of {name!r} must have as many preds as targs and idxs; it has {numbers}.")


def plain_epochs(epochs: Any) -> list[Any]:
    """Epochs, given as one number, several, or None, as a plain list."""
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
    """Raise InputError if some runs have labels, others distributions; `further`: targets of runs to be added."""
    parts = [part for control in outcomes.values() for part in (control, *control["h1"].values())]
    targets = [rows for part in parts for rows in part["targs"]]
    if len({_plain(rows[:1]).ndim for rows in (*targets, *further)}) > 1:
        raise InputError(
            "targs must be labels in all runs or distributions in all runs. Use one Bootstrap for labels and another "
            "for distributions."
        )


def merged_outcomes(outcomes: Outcomes, further: Outcomes) -> Outcomes:
    """Return the runs of both outcomes; a run that is in both occurs once."""
    merged: Outcomes = {}
    for h0 in dict.fromkeys([*outcomes, *further]):
        controls = [source[h0] for source in (outcomes, further) if h0 in source]
        treatments = [control["h1"] for control in controls]
        merged[h0] = {
            **_merged_part(h0, controls),
            "h1": {
                h1: _merged_part(h1, [source[h1] for source in treatments if h1 in source])
                for h1 in dict.fromkeys(name for source in treatments for name in source)
            },
        }
    check_one_kind(merged)
    return merged


def _merged_part(condition: str, parts: Sequence[Part]) -> Part:
    first, *others = parts
    merged = {key: list(first[key]) for key in KEYS}
    for part in others:
        fed_runs = list(zip(*(merged[key] for key in RUN_KEYS), strict=True))
        runs = list(zip(*(part[key] for key in RUN_KEYS), strict=True))
        new_runs = [run for run, values in enumerate(runs) if values not in fed_runs]
        for name in (part["exp_idxs"][run] for run in new_runs):
            if name is not None and name in merged["exp_idxs"]:
                raise InputError(f"run {name!r} of {condition!r} was already fed with other values; rename one.")
        for key in RUN_KEYS:
            merged[key] += [part[key][run] for run in new_runs]
        if len(part["epochs"]) == len(part["exp_idxs"]):
            merged["epochs"] += [part["epochs"][run] for run in new_runs]
        elif new_runs:
            merged["epochs"] += part["epochs"]
    return merged


@dataclass(frozen=True, slots=True)
class AlignedRuns:
    """The predictions of a control and of a treatment on the same items.

    targets: the targets of the n items. control, treatment: the predictions of each repetition, (n,) or (n, K). folds:
    a note on the folds, "" if every run predicts all items. folds_are_named: True if `idxs` identify the items of the
    folds; False if runs with different targets are taken as different folds.
    """

    targets: Any
    control: list[Any]
    treatment: list[Any]
    folds: str
    folds_are_named: bool


def aligned(h0: str, control: Part, h1: str, treatment: Part) -> AlignedRuns:
    """Match the runs of a control and of a treatment by item.

    Runs are repetitions if they predict the same items, and folds of a cross-validation if they predict different
    items. In a repeated cross-validation, there are both. Items are identified by `idxs`. If all `idxs` are row numbers
    from 0, runs with the same targets predict the same items, and runs with other targets are other folds.
    """
    for name, part in ((h0, control), (h1, treatment)):
        if not part.get("preds"):
            raise InputError(f"no predictions of {name!r} were fed. Feed them before run().")
        check_part(name, part)
    for key in ("preds", "targs"):
        widths = {_plain(rows).shape[1:] for part in (control, treatment) for rows in part[key]}
        if len(widths) > 1:
            raise InputError(f"{key} must have the same number of classes in all runs of {h0!r} and {h1!r}.")
    items = _Items([*control["idxs"], *treatment["idxs"]])
    repetitions = []
    for name, part in ((h0, control), (h1, treatment)):
        n_runs = len(part["preds"])
        rows = np.concatenate([items.rows(name, run, part, is_control=part is control) for run in range(n_runs)])
        counts = np.bincount(rows, minlength=len(items.targets))
        if (counts == 0).any():
            raise InputError(
                f"{h1!r} has no prediction of {items.name(int(counts.argmin()))}, which {h0!r} predicts; both must "
                "predict the same items."
            )
        if (counts != counts[0]).any():
            most, least = int(counts.argmax()), int(counts.argmin())
            raise InputError(
                f"{items.name(most)} is in {counted(int(counts[most]), 'run')} of {name!r}, {items.name(least)} in "
                f"{counts[least]}; runs must predict all items (repetitions) or different items (folds)."
                + ("" if items.has_names else " Name the items of each run: idxs=...")
            )
        predictions = np.concatenate([_plain(run_predictions) for run_predictions in part["preds"]])
        by_repetition = np.argsort(rows, kind="stable").reshape(-1, int(counts[0])).T
        repetitions.append([predictions[repetition] for repetition in by_repetition])
    folds, n_folds = "", len(control["preds"]) // len(repetitions[0])
    if n_folds > 1:
        folds = f"the runs of {h0} are {n_folds} folds, of {len(items.targets):,} items"
        if not items.has_names:
            folds += ", since their targets differ; if they predict the same items in another order, feed idxs"
    return AlignedRuns(np.array(items.targets), repetitions[0], repetitions[1], folds, items.has_names)


class _Items:
    """The items that the runs of a control predict, in the order in which they first occur, with their targets."""

    def __init__(self, idxs: list[Any]) -> None:
        self.targets: list[Any] = []
        self.has_names = any(_plain(run).tolist() != list(range(len(run))) for run in idxs)
        self._row: dict[Any, int] = {}
        self._folds: list[Any] = []  # the targets of each fold, if items have no names
        self._first_run: list[str] = []

    def rows(self, condition: str, run: int, part: Part, *, is_control: bool) -> Integers:
        """Return the item number of each prediction of a run. A treatment must have no items that the control lacks."""
        run_name = part["exp_idxs"][run]
        of_run = f"run {run if run_name is None else repr(run_name)} of {condition!r}"
        targets, names = _plain(part["targs"][run]), _plain(part["idxs"][run]).tolist()
        if len(set(names)) != len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"{of_run} has item {twice!r} twice in idxs; a run predicts an item once.")
        if not self.has_names:
            fold = self._fold(targets)
            if fold == len(self._folds):
                if not is_control:
                    raise InputError(
                        f"no run of the control has the targets of {of_run}; both must predict the same items. If "
                        "their order differs, name the items: idxs=..."
                    )
                self._folds.append(targets)
            names = [(fold, row) for row in names]
        for name, target in zip(names, targets, strict=True):
            if name not in self._row:
                if not is_control:
                    raise InputError(
                        f"{of_run} predicts item {name!r}, which no run of the control predicts. Both must predict the "
                        "same items."
                    )
                self._row[name] = len(self.targets)
                self.targets.append(target)
                self._first_run.append(of_run)
        rows = np.array([self._row[name] for name in names])
        differs = (np.array(self.targets)[rows] != targets).reshape(len(rows), -1).any(axis=1)
        if differs.any():
            row = int(np.flatnonzero(differs)[0])
            first_run = self._first_run[rows[row]]
            raise InputError(
                f"{self.name(int(rows[row]))} must have one target, but {first_run} and {of_run} have different "
                "targets."
            )
        return rows

    def _fold(self, targets: Any) -> int:
        """Return the number of the fold with these targets; if no fold has them, the number of a new fold."""
        known_folds = (fold for fold, fold_targets in enumerate(self._folds) if np.array_equal(fold_targets, targets))
        return next(known_folds, len(self._folds))

    def name(self, row: int) -> str:
        name = next(name for name, item_row in self._row.items() if item_row == row)
        return f"item {name!r}" if self.has_names else f"item {name[1]} of fold {name[0]}"


def paired(h0: str, control: Part, h1: str, treatment: Part) -> dict[str, Any]:
    """Return arguments of `compare`: all runs concatenated if equally many, otherwise `Runs`, with a warning."""
    runs = aligned(h0, control, h1, treatment)
    n_control, n_treatment = len(runs.control), len(runs.treatment)
    if runs.folds and not runs.folds_are_named:
        warnings.warn(runs.folds, stacklevel=3)
    if max(n_control, n_treatment) > 1:
        how = "concatenated" if n_control == n_treatment else "drawn by item, since the numbers of runs differ"
        warnings.warn(
            f"{h0} and {h1}: {n_control} and {n_treatment} runs on the same items are {how}; "
            "howsure.compare_models(..., Runs([...]), Runs([...])) does not count runs as additional items",
            stacklevel=3,
        )
    if n_control != n_treatment:
        return {"targs": runs.targets, "h0 preds": Runs(runs.control), "h1 preds": Runs(runs.treatment)}
    repeated = np.concatenate([runs.targets] * n_control)
    return {"targs": repeated, "h0 preds": np.concatenate(runs.control), "h1 preds": np.concatenate(runs.treatment)}


def compare_outcomes(outcomes: Outcomes, *, adjust: str | None = "holm", **options: Any) -> Comparison:
    """Compare every treatment in an outcomes.json with its control, by item; repetitions are not additional items."""
    results = []
    folds: dict[str, None] = {}
    for h0, control in outcomes.items():
        for h1, treatment in control["h1"].items():
            runs = aligned(h0, control, h1, treatment)
            models = {h0: Runs(runs.control)}, {h1: Runs(runs.treatment)}
            results.append(compare(runs.targets, *models, adjust=None, **options))
            if runs.folds:
                folds[f"{runs.folds[0].upper()}{runs.folds[1:]}."] = None
    if not results:
        raise InputError("the file has no treatment (h1) to compare with a control (h0).")
    rows = [row for result in results for row in result]
    adjusted = adjust_p_values([row.p_value for row in rows], method=adjust)
    rows = [replace(row, p_adjusted=float(p)) for row, p in zip(rows, adjusted, strict=True)]
    notes = folds | dict.fromkeys(note for result in results for note in result.notes)
    return Comparison(recipe={**results[0].recipe, "adjust": adjust}, notes=tuple(notes), rows=tuple(rows))


def run_lines(part: Part) -> Iterator[str]:
    """Yield a line for each run of a condition, with the value of the first metric."""
    name = "jsd" if _plain(part["targs"][0]).ndim == 2 else "f1"
    for run, value in zip(part["exp_idxs"], _values_of_runs(part, name), strict=True):
        yield f"{run!s:<60} {'F1' if name == 'f1' else name} {value:.4f}"


def deviation(part: Part, name: str, target_class: Any = None) -> Any:
    """The standard deviation of a metric over runs; "" for a single run, or if the target class is not in all runs."""
    if len(part["preds"]) < 2:
        return ""
    if name in OF_CLASS and not all((_plain(targets) == target_class).any() for targets in part["targs"]):
        return ""
    return round(float(np.std(_values_of_runs(part, name, target_class))), DIGITS)


def _values_of_runs(part: Part, name: str, target_class: Any = None) -> list[float]:
    options = {"target_class": target_class} if name in OF_CLASS else {}
    values = []
    for targets, predictions in zip(part["targs"], part["preds"], strict=True):
        systems = _plain(targets), _plain(predictions), _plain(predictions)
        metric = {**HARD, **SOFT, **OF_CLASS}[name]
        result = compare(*systems, metrics=metric, n_resamples=1, interval=None, rng=0, **options)
        values.append(result[0].model_value)
    return values


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
