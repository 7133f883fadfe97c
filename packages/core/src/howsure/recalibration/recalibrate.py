"""`recalibrate` fits a map to labels and probabilities; `recalibrate_file` writes a file with recalibrated columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.files.atomic_write import Place
from howsure.inputs.arguments import Randomness, check_arguments, seed_in_recipe
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import after
from howsure.recalibration.binary_maps import BINS, Histogram, Isotonic, Platt
from howsure.recalibration.class_maps import Vector
from howsure.recalibration.map_input import FOLDS, Labelled, as_scores, check_folds, labelled_read, separate_generator
from howsure.recalibration.methods import (
    AUTO,
    ERROR,
    MIN_ROWS,
    SHRUNK,
    Choice,
    Fitted,
    Method,
    candidates,
    check_fit,
    choose_method,
    fit,
    shrunk_candidates,
    small_groups,
)
from howsure.recalibration.results import RecalibrationMap

if TYPE_CHECKING:
    from howsure.data.sources import Files

MIN_LABEL_ROWS = 50  # if a label has fewer rows, a note is shown


def recalibrate(
    y_true: ArrayLike | Pairs | str | None = None,
    y_prob: ArrayLike | Probabilities | str | None = None,
    *,
    method: str = AUTO,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    sample_weight: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    folds: int = FOLDS,
    floor: float | None = None,
    small_groups: Literal["error", "pooled", "shrunk"] = ERROR,
    n_bins: int = BINS,
    penalty: float | None = None,
    rng: Randomness = 0,
    id: str | None = None,
    data: Source | IntoFrame | None = None,
) -> RecalibrationMap:
    """Fit a map from a model's probabilities to calibrated ones, from labelled rows.

    y_true (n,), y_prob (n,): labels 0 and 1 (or two values; `pos_label` is 1) and the probabilities of label
    1. Or y_true (n,), y_prob (n, K): one of K classes per row, by name or position, and the probabilities of all; or a
    data frame whose columns are the classes. y_prob=Probabilities("logits", ..., classes=[...]) names the classes and
    contains log-odds (n,), or any scores (n, K) whose softmax gives the probabilities. `Pairs` may replace y_true and
    y_prob.

    method: the kind of map; auto chooses by cross-fitted log loss, and may choose none. For one probability per row:
    temperature to histogram; for several classes: temperature, vector, dirichlet; for ordered levels: ordered.
    groups (n,): column of groups: one map for each; several: a,b.
    folds: folds of cross-fitting; rows of a cluster stay together.
    floor: first move probabilities into [floor, 1 - floor]; needed if some are exactly 0 or 1 and wrong.
    small_groups: what to do if a group has fewer than 20 rows of a label: raise an error, or use the map of all rows
        for it, or shrink the Platt maps of all groups towards the map of all rows, more strongly if they have fewer
        rows.
    n_bins: bins of equal size of `method` histogram.
    penalty: penalty of `method` dirichlet (default: found by cross-fitting).
    rng: seed of the folds.

    method="ordered" treats the classes as levels, from the lowest to the highest; "auto" does not try "ordered". "auto"
    chooses the simplest method whose cross-fitted log loss is at most one standard error above the log loss of the best
    method. This is "none" if no map helps. The `choice` of the result contains the log losses of all methods.
    "dirichlet" is matrix scaling of log-probabilities. clusters (n,) identify correlated rows; sample_weight (n,) are
    weights of rows. The floor is also used when the map is applied. Without a floor, methods that use log-odds leave
    probabilities of exactly 0 or 1 unchanged, and raise an error if one of them is wrong. With `data` (a data frame, or
    files by `howsure.read`), the arguments for rows are names of its columns; y_prob=Probabilities('logits', ...)
    combines several columns.

    The map looks better than it is on the rows that it was fitted to. Evaluate it on other rows by its method
    `evaluate`, or evaluate the method by cross-fitting on these rows with `evaluate_recalibration`.

    Raises InputError, which names the parameter, row and value, for an invalid input, or if a method has no optimal
    map.
    Sources: Platt (1999), Zadrozny & Elkan (2001, 2002), Vovk et al. (2015), Guo et al. (2017), Kull et al. (2017,
    2019).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.uniform(0.01, 0.99, 5000)
    >>> found = recalibrate(rng.random(5000) < 1 / (1 + (1 / q - 1) ** 0.5), q, method="temperature")
    >>> round(found.parameters["T"], 1), found.apply([0.2, 0.9]).round(2).tolist()
    (1.9, [0.32, 0.76])
    """
    check_arguments(recalibrate, locals())
    named: Any = {"groups": groups, "clusters": clusters, "sample_weight": sample_weight, "pos_label": pos_label}
    options: dict[str, Any] = {
        "method": method,
        "folds": folds,
        "floor": floor,
        "small": small_groups,
        "n_bins": n_bins,
    }
    options |= {"penalty": penalty, "rng": rng}
    with labelled_read(y_true, y_prob, data=data, id=id, floor=floor, **named) as (rows, provenance):
        tried = _methods(rows, method, small_groups, n_bins, penalty)
        steps = (
            data.progress(folds * len(tried), "folds") if isinstance(data, Source) else nullcontext(lambda done: None)
        )
        with steps as advance:
            recalibration = fit_recalibration(rows, advance=advance, **options)
    return replace(recalibration, recipe=provenance | dict(recalibration.recipe))


def fit_recalibration(
    data: Labelled,
    *,
    method: str = AUTO,
    folds: int = FOLDS,
    floor: float | None = None,
    small: str = ERROR,
    n_bins: int = BINS,
    penalty: float | None = None,
    rng: Randomness = 0,
    advance: Callable[[int], None] = lambda steps: None,
) -> RecalibrationMap:
    """Fit the map of `recalibrate` to checked rows; `advance` is called after every fold of every method."""
    methods = _methods(data, method, small, n_bins, penalty)
    folds, generator = check_folds(folds), separate_generator(rng)
    check_fit(data)
    pooled = small_groups(data, small)
    choice = None
    if len(methods) > 1:
        choice = choose_method(data, methods, folds=folds, small=pooled, rng=generator, advance=advance)
    used = methods[0] if choice is None else choice.method
    fitted = fit(data, used, pooled)
    recipe: dict[str, Any] = {
        "howsure": __version__,
        "method": used.name,
        "asked": None if choice is None else method,
        "n": len(data),
        "weighted": data.weights is not None,
        "clusters": None if data.clusters is None else len(np.unique(data.clusters)),
        "groups": len(data.group_names) or None,
        "pooled_groups": list(pooled) or None,
        "least_rows_of_a_group": MIN_ROWS if data.groups is not None and small != SHRUNK else None,
        "floor": floor,
        "bins": used.n_bins if used.name == Histogram.method else None,
        "penalty": used.penalty,
        "folds": folds if choice is not None else None,
        "seed": seed_in_recipe(rng) if choice is not None else None,
    }
    return RecalibrationMap(
        method=used.name,
        fitted=fitted,
        classes=data.classes,
        positive=data.positive,
        floor=floor,
        recipe={name: entry for name, entry in recipe.items() if entry is not None},
        notes=tuple(_notes(data, fitted, choice, pooled)),
        choice=choice,
    )


def _methods(data: Labelled, method: str, small: str, n_bins: int, penalty: float | None) -> tuple[Method, ...]:
    """The methods to choose from. If the maps of groups are shrunk, these are Platt scaling with several penalties."""
    methods = candidates(method, binary=data.is_binary, n_bins=n_bins, penalty=penalty)
    if small != SHRUNK or data.groups is None:
        return methods
    if not data.is_binary:
        raise InputError("`small_groups='shrunk'` is for one probability per row. With several classes, use 'pooled'.")
    return shrunk_candidates(method)


def _notes(data: Labelled, fitted: Fitted, choice: Choice | None, pooled: Sequence[str]) -> list[str]:
    notes = []
    if choice is not None and choice.method.name == "none" and choice.is_possible:
        notes.append(
            "no map is used, because no method lowers the cross-fitted log loss by more than one standard error"
        )
    if choice is not None:
        reasons = dict.fromkeys(candidate.refused for candidate in choice.candidates if candidate.refused)
        for reason in reasons:
            names = [candidate.method for candidate in choice.candidates if candidate.refused == reason]
            listed = " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]
            notes.append(after(f"{listed} {'was' if len(names) == 1 else 'were'} not possible: ", reason))
    counts = np.bincount(data.labels[data.weight > 0], minlength=data.k)
    few = [(name, int(n)) for name, n in zip(data.label_names(), counts, strict=True) if 0 < n < MIN_LABEL_ROWS]
    if few:
        notes.append(f"few rows of a label ({', '.join(f'{name}: {n}' for name, n in few)}), so the map is uncertain")
    notes += (
        [f"groups with too few rows for their own map use the map of all rows: {', '.join(pooled)}"] if pooled else []
    )
    notes += _certain(data, fitted)
    for name, fitted_map in zip(fitted.names or ("",), fitted.maps, strict=True):
        where = f" in {name}" if name else ""
        if (isinstance(fitted_map, Platt) and fitted_map.slope < 0) or (
            isinstance(fitted_map, Vector) and (fitted_map.scales < 0).any()
        ):
            notes.append(f"the map reverses the order{where}: a slope is below 0")
        values: Floats = (
            fitted_map.y
            if isinstance(fitted_map, Isotonic)
            else fitted_map.values
            if isinstance(fitted_map, Histogram)
            else np.zeros(0)
        )
        if len(values) and (values.min() == 0.0 or values.max() == 1.0):
            notes.append(
                f"the map gives probabilities of exactly 0 or 1{where}; one wrong prediction there makes the log loss "
                "infinite"
            )
    return notes


def _certain(data: Labelled, fitted: Fitted) -> list[str]:
    certain = (
        int((data.scores.probabilities == 0).any(axis=-1).sum())
        if not data.is_binary
        else int(((data.scores.probabilities == 0) | (data.scores.probabilities == 1)).sum())
    )
    keeps = {"temperature", "platt", "beta"} & {fitted_map.method for fitted_map in fitted.maps}
    if not certain or not keeps:
        return []
    return [f"{certain:,} rows have a probability of exactly 0 or 1, which the map keeps"]


@dataclass(frozen=True, slots=True)
class RecalibratedFile:
    """The result of `recalibrate_file`: `n` rows, of which `skipped` have no value, and the names of new `columns`."""

    path: str
    n: int
    skipped: int
    columns: tuple[str, ...]

    def __str__(self) -> str:
        empty = f", {self.skipped:,} of them without a value" if self.skipped else ""
        return f"{self.path}: {counted(self.n, 'row')}{empty}, with {', '.join(self.columns)}"


def recalibrate_file(
    map: RecalibrationMap,
    y_prob: str | Sequence[str] | Probabilities | None = None,
    *,
    groups: str | None = None,
    new_name: str = "recalibrated",
    output: Place,
    data: Files,
) -> RecalibratedFile:
    """Write a copy of a file of `howsure.read`, with recalibrated probabilities in new columns at the end.

    The file is CSV, TSV, JSON, JSON lines or Parquet. The output has the same format and order of rows; rows are read
    and written in blocks. Classes are matched by name, whatever the order of their columns.

    map: the map to apply, which recalibrate fit wrote.
    y_prob: column of the predicted probability.
    groups: column of groups, for a map of groups; several: a,b.
    new_name: name of the new column; with classes, of the columns NAME_CLASS.
    output: file to write.

    With the option `skip_missing` of a source, rows with a missing value are counted, and their new columns are empty.
    `format` is the format of the file, `encoding` its encoding; the output is UTF-8.

    >>> import howsure, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> old, new = (os.path.join(folder, name) for name in ("test.csv", "recalibrated.csv"))
    >>> with open(old, "w") as file:
    ...     _ = file.write("id,score\\na,0.9\\nb,0.2\\n")
    >>> found = howsure.recalibrate([0, 1, 0, 1] * 10, [0.1, 0.9, 0.6, 0.7] * 10, method="none")
    >>> howsure.recalibrate_file(found, "score", data=howsure.read(old), output=new).columns
    ('recalibrated',)
    >>> open(new).read().split()
    ['id,score,recalibrated', 'a,0.9,0.9', 'b,0.2,0.2']

    Raises InputError for a missing file or column, and for invalid values.
    """
    check_arguments(recalibrate_file, locals())
    if map.groups and groups is None:
        raise InputError("`groups='COL'` must name the column of groups: the map has one for each group.", "groups")
    with data.to_extend(y_prob, classes_wanted=map.classes, groups=groups, check_groups=map.check_groups) as rows:
        rows.check_output(output)
        names = [f"{new_name}_{name}" for name in map.classes] or [new_name]
        rows.check_new(names)
        with data.progress(rows.n, "rows") as advance:
            for chunk in rows.chunks():
                with rows.locating_errors(chunk.rows):
                    after = map.apply_rows(as_scores(chunk.scores, rows.scale, map.floor), chunk.groups, rows.groups)
                columns = [after] if after.ndim == 1 else list(after.T.copy())
                rows.add(chunk, dict(zip(names, columns, strict=True)))
                advance(chunk.length)
        rows.write(output)
        return RecalibratedFile(str(output), rows.n, rows.skipped, tuple(names))
