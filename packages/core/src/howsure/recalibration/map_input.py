"""The input of maps: probabilities of label 1 or of K classes, with labels for fitting; and folds of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError, renumbered_rows
from howsure.inputs.arguments import Randomness, check_row_order, generator_from
from howsure.inputs.checks import (
    GIVEN_PREFIX,
    check_clusters,
    check_codes,
    check_labels,
    check_probabilities,
    check_weights,
)
from howsure.inputs.classes import check_scores, class_columns, class_positions, softmax, without_rounding
from howsure.inputs.frames import Source, all_columns, columns_from, frame_columns, is_frame
from howsure.inputs.numbers_and_names import notes_on_percentages, shortened
from howsure.inputs.pairs import (
    LOG_PROBABILITIES,
    LOGITS,
    PROB,
    PROBS,
    Bools,
    Floats,
    Integers,
    Pairs,
    Probabilities,
    as_probabilities,
)
from howsure.inputs.pairs_from import check_scale, pairs_from
from howsure.inputs.repeated_items import frame_clusters
from howsure.stats.logistic import log_softmax, sigmoid

Rows = Bools | Integers | slice
HIGHEST_FLOOR = 0.1


@dataclass(frozen=True, slots=True)
class Binary:
    """The probabilities of label 1 (n,), and their log-odds (n,), infinite for 0 and 1."""

    probabilities: Floats
    log_odds: Floats

    def __len__(self) -> int:
        return len(self.probabilities)

    def select(self, rows: Rows) -> Binary:
        """The scores of some rows."""
        return Binary(self.probabilities[rows], self.log_odds[rows])


@dataclass(frozen=True, slots=True)
class Classes:
    """The probabilities of K classes (n, K), and their logarithms, -inf for 0."""

    probabilities: Floats
    logs: Floats

    def __len__(self) -> int:
        return len(self.probabilities)

    @property
    def k(self) -> int:
        """The number of classes."""
        return int(self.probabilities.shape[1])

    def select(self, rows: Rows) -> Classes:
        """The scores of some rows."""
        return Classes(self.probabilities[rows], self.logs[rows])


Scores = Binary | Classes


def scores_from(
    y_prob: Any, logits: Any, *, floor: float | None = None, classes: Sequence[str] | None = None
) -> tuple[Scores, tuple[str, ...]]:
    """Check probabilities or logits; return them as scores, with the names of the classes (() for a single column).

    Exactly one of `y_prob` and `logits` is given, as one number per row, a matrix (n, K), or a data frame whose columns
    are the classes. floor: probabilities are moved into [floor, 1 - floor]; with classes, they are raised to the floor
    and then normalised.
    """
    if isinstance(y_prob, Probabilities):
        if y_prob.way not in (PROB, PROBS, LOGITS) or y_prob.reduce is not None:
            raise InputError(
                "for arrays, {parameter} must be probabilities, or Probabilities('probs' or 'logits', ...) without "
                "reduce.",
                "y_prob",
            )
        classes = classes if y_prob.classes is None else [str(class_name) for class_name in y_prob.classes]
        y_prob, logits = (None, y_prob.values) if y_prob.way == LOGITS else (y_prob.values, logits)
    if y_prob is None and logits is None:
        raise InputError("{parameter} is missing: probabilities, or Probabilities('logits', ...).", "y_prob")
    if y_prob is not None and logits is not None:
        raise InputError("give either probabilities as `y_prob` or logits as `logits=...`, and not both.", "y_prob")
    name, values = ("y_prob", y_prob) if logits is None else ("logits", logits)
    if is_frame(values):
        columns, arrays = all_columns(values)
        classes = columns if classes is None else classes
        values = np.column_stack(arrays) if arrays else ()
    if _is_matrix(values):
        matrix = class_columns(values, name)
        names = _names(classes, matrix.shape[1])
        check_scores(matrix, names, None if logits is None else LOGITS, name=name)
        return class_scores(matrix + 0.0, logits=logits is not None, floor=floor), names
    if logits is None:
        return binary_scores(check_probabilities(values, prefix=GIVEN_PREFIX), floor=floor), ()
    return binary_scores(check_scale(values, LOGITS, name=name), logits=True, floor=floor), ()


def binary_scores(column: Floats, *, logits: bool = False, floor: float | None = None) -> Binary:
    """The scores of checked probabilities, or of checked log-odds."""
    if logits:
        bound = np.inf if floor is None else float(np.log(1.0 - floor) - np.log(floor))
        odds = np.clip(column, -bound, bound)
        return Binary(sigmoid(odds), odds)
    q = column if floor is None else np.clip(column, floor, 1.0 - floor)
    with np.errstate(divide="ignore"):
        return Binary(q, np.log(q) - np.log1p(-q))


def class_scores(matrix: Floats, *, logits: bool = False, floor: float | None = None) -> Classes:
    """Return the probabilities of classes and their logarithms, given checked rows (n, K) of probabilities or logits.

    A row of probabilities whose sum is not 1 because of rounding is divided by its sum. Probabilities below `floor` are
    raised to it, and each row is divided by its sum again.
    """
    matrix = matrix if logits else without_rounding(matrix)
    if floor is not None:
        raised = np.maximum(softmax(matrix) if logits else matrix, floor)
        matrix, logits = raised / raised.sum(axis=1, keepdims=True), False
    if logits:
        logs = log_softmax(matrix)
        return Classes(np.exp(logs), logs)
    with np.errstate(divide="ignore"):
        return Classes(matrix, np.log(matrix))


def as_scores(matrix: Floats, scale: str | None, floor: float | None) -> Scores:
    """The scores from checked numbers of a file, (n,) or (n, K)."""
    if matrix.ndim == 1:
        if scale == LOG_PROBABILITIES:
            return binary_scores(np.minimum(np.exp(matrix), 1.0), floor=floor)
        return binary_scores(matrix, logits=scale == LOGITS, floor=floor)
    return class_scores(matrix, logits=scale is not None, floor=floor)


def with_floor(scores: Scores, floor: float | None) -> Scores:
    """The scores with probabilities moved into [floor, 1 - floor], as maps with this floor expect.

    >>> with_floor(binary_scores(np.array([0.0, 0.5])), 0.1).probabilities.round(3).tolist()
    [0.1, 0.5]
    """
    if floor is None:
        return scores
    if isinstance(scores, Binary):
        return binary_scores(scores.log_odds, logits=True, floor=floor)
    return class_scores(scores.probabilities, floor=floor)


def check_floor(floor: float | None) -> float | None:
    """Check the smallest probability that is passed to a map, and return it: above 0 and at most 0.1."""
    if floor is None:
        return None
    if isinstance(floor, (int, float, np.number)) and not isinstance(floor, bool) and 0.0 < floor <= HIGHEST_FLOOR:
        return float(floor)
    raise InputError(
        f"floor must be greater than 0 and at most {HIGHEST_FLOOR}; it is {floor!r}. For example, write 1e-6."
    )


def _is_matrix(values: Any) -> bool:
    if isinstance(values, (list, tuple)) and len(values):
        return isinstance(values[0], (list, tuple, np.ndarray))
    return len(getattr(values, "shape", ())) == 2


def _names(classes: Sequence[str] | None, k: int) -> tuple[str, ...]:
    if classes is None:
        return tuple(str(number_) for number_ in range(k))
    names = tuple(str(class_name) for class_name in classes)
    if len(names) != k or len(set(names)) != k:
        raise InputError(
            f"classes must be {k} different names, one for each column of probabilities; it is {shortened(names)}."
        )
    return names


# Scores with their labels: the input for fitting a map.


@dataclass(frozen=True, slots=True)
class Labelled:
    """Scores (n rows) with their labels, which are 0 and 1 or indices of classes; optionally weights, groups and
    clusters.

    classes: the names of the columns, or () if the score is the probability of label 1. positive: the name of label 1.
    """

    scores: Scores
    labels: Integers
    weights: Floats | None = None
    groups: Integers | None = None
    group_names: tuple[str, ...] = ()
    clusters: Integers | None = None
    classes: tuple[str, ...] = ()
    positive: str | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def is_binary(self) -> bool:
        """Whether each row has one probability, that of label 1."""
        return not self.classes

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.classes) or 2

    @property
    def weight(self) -> Floats:
        """The weight of each row; 1 without weights."""
        return np.ones(len(self)) if self.weights is None else self.weights

    def select(self, rows: Rows) -> Labelled:
        """Return some of the rows; the names of groups remain complete."""
        parts: dict[str, Any] = {
            name: None if column is None else column[rows]
            for name, column in (("weights", self.weights), ("groups", self.groups), ("clusters", self.clusters))
        }
        return replace(self, scores=self.scores.select(rows), labels=self.labels[rows], **parts)

    def label_names(self) -> tuple[str, ...]:
        """The meaning of each label."""
        return self.classes or ("0", "1")


def label_probabilities(probabilities: Floats, labels: Integers) -> Floats:
    """The probability (n,) of each row's label, from probabilities of label 1 (n,) or of classes (n, K)."""
    if probabilities.ndim == 1:
        return np.where(labels == 1, probabilities, 1.0 - probabilities)
    return np.asarray(probabilities[np.arange(len(labels)), labels])


def labelled_from(
    y_true: Any,
    y_prob: Any = None,
    *,
    logits: Any = None,
    groups: Any = None,
    clusters: Any = None,
    sample_weight: Any = None,
    classes: Sequence[object] | None = None,
    pos_label: Any = None,
    floor: float | None = None,
) -> Labelled:
    """Check labels, scores, groups, clusters and weights, and return them together. `Pairs` may replace y_true and
    y_prob.
    """
    if isinstance(y_true, Pairs):
        pairs = pairs_from(y_true, y_prob, sample_weight=sample_weight, groups=groups, clusters=clusters)
        if logits is not None:
            raise InputError("logits must not be given with Pairs that contain probabilities; leave logits out.")
        return labelled_pairs(pairs, floor=floor)
    if isinstance(y_prob, Probabilities):
        classes = y_prob.classes if classes is None else classes
    predicted = y_prob.prediction if isinstance(y_prob, Probabilities) else None
    columns = {"y_true": y_true, "y_prob": y_prob, "logits": logits}
    check_row_order(columns | {"groups": groups, "clusters": clusters, "sample_weight": sample_weight})
    names = None if classes is None else [str(class_name) for class_name in classes]
    scores, classes_found = scores_from(y_prob, logits, floor=floor, classes=names)
    n = len(scores)
    roles: dict[str, Any] = {
        "weights": None if sample_weight is None else check_weights(sample_weight, n=n),
        "clusters": None if clusters is None else check_clusters(clusters, n=n),
    }
    if groups is not None:
        roles["groups"], roles["group_names"] = check_codes(groups, n=n, name="groups", groups=True)
    if isinstance(scores, Classes):
        if isinstance(y_prob, Probabilities):
            y_prob.refuse_prediction()
        if pos_label is not None:
            raise InputError(
                "{parameter} is for one probability per row; with several classes, leave `pos_label` out.", "pos_label"
            )
        codes, texts = check_codes(y_true, n=n, name="y_true")
        known_classes = (
            classes_found if names is not None or classes_found != tuple(map(str, range(scores.k))) else None
        )
        positions, classes_found = class_positions(texts, known_classes, scores.k, name="y_true")
        return Labelled(scores, positions[codes], classes=classes_found, **roles)
    if names is not None:
        raise InputError(
            "classes is for several probabilities per row, but there is one probability per row. Leave classes out."
        )
    if predicted is None:
        labels = check_labels(y_true, pos_label=pos_label)
    else:
        spec = Probabilities(PROB, scores.probabilities, prediction=predicted)
        labels = pairs_from(y_true, spec, pos_label=pos_label).labels
    if len(labels) != n:
        raise InputError(
            "{parameter} must have as many rows as the scores; it has {n_labels:,} rows, the scores have {n:,}.",
            "y_true",
            n_labels=len(labels),
            n=n,
        )
    positive = None if pos_label is None else str(pos_label)
    return Labelled(scores, labels.astype(np.int64), positive=positive, **roles)


@contextmanager
def labelled_read(
    y_true: Any, y_prob: Any = None, *, data: Any = None, id: Any = None, floor: float | None = None, **other_roles: Any
) -> Iterator[tuple[Labelled, dict[str, Any]]]:
    """A context that yields labelled scores from arrays, a data frame or files, and a description of the files.

    Errors that are raised inside the context name a row by its location, such as its file and line. other_roles: the
    other arguments of `labelled_from`.
    """
    check_floor(floor)
    if not isinstance(data, Source):
        notes: tuple[str, ...] = ()
        if data is not None:
            probabilities = as_probabilities(y_prob)
            if probabilities.way not in (PROB, PROBS, LOGITS):
                raise InputError(
                    "for a data frame, {parameter} must name one or several columns of probabilities or of logits.",
                    "y_prob",
                )
            if probabilities.way == PROB:
                pairs = pairs_from(y_true, probabilities, data=data, **other_roles)
                yield labelled_pairs(pairs, floor=floor), pairs.described
                return
            if other_roles.get("clusters") is None:
                in_use = [y_true, *probabilities.columns, other_roles.get("groups"), other_roles.get("sample_weight")]
                other_roles["clusters"], notes = frame_clusters(data, [other_roles.get("groups")], in_use)
            columns = columns_from(data, probabilities.columns)
            array = columns[0] if len(columns) == 1 else np.column_stack(columns)
            names = ("groups", "clusters", "sample_weight")
            roles = {name: other_roles.get(name) for name in names} | {"prediction": probabilities.prediction}
            y_true, *others, prediction = frame_columns(data, y_true=y_true, **roles)
            other_roles |= dict(zip(names, others, strict=True)) | {"classes": probabilities.classes}
            y_prob = replace(probabilities, values=array, reduce=None, classes=None, prediction=prediction)
        labelled = labelled_from(y_true, y_prob, floor=floor, **other_roles)
        values = y_prob.values if isinstance(y_prob, Probabilities) else y_prob
        notes += y_true.notes if isinstance(y_true, Pairs) else notes_on_percentages({"y_prob": values})
        yield labelled, {"notes": list(notes)} if notes else {}
        return
    roles = {name: other_roles.get(name) for name in ("groups", "clusters", "sample_weight", "pos_label")}
    reduced = None if y_prob is None else as_probabilities(y_prob).reduce
    with data.predictions(y_true, y_prob, id=id, keep_classes=reduced is None, find_items=True, **roles) as opened:
        predictions: Any = opened
        pairs, rows, positions = predictions.pairs(), predictions.class_rows, predictions.selection.positions()
        if rows is not None:
            scores = as_scores(rows.matrix, rows.scale, floor)
            held_by = (pairs.weights, pairs.groups, pairs.group_names, pairs.clusters)
            labelled = Labelled(scores, rows.codes, *held_by, rows.names)
            predictions.notes.pop("reduce", None)
        else:
            labelled = labelled_pairs(pairs, floor=floor)
            odds = _log_odds(predictions) if reduced is None else None
            if odds is not None:
                labelled = replace(labelled, scores=binary_scores(odds, logits=True, floor=floor))
            labelled = replace(labelled, positive=labelled.positive or roles["pos_label"])
        table = predictions.selection.table
        with renumbered_rows(lambda row: table.place_of(int(positions[row]))):
            yield labelled, predictions.describe()


def _log_odds(predictions: Any) -> Floats | None:
    """One logit per row if `predictions` are such logits, which are more precise than probabilities; otherwise None."""
    from howsure.data.predictions.selection import class_matrix

    name = predictions.columns.get(LOGITS)
    if not isinstance(name, str):
        return None
    selection = predictions.selection
    return class_matrix(selection, [selection.table.columns[name]], lists=False)[:, 0]


def labelled_pairs(pairs: Pairs, *, floor: float | None = None) -> Labelled:
    """Return the probabilities of label 1 in checked pairs as scores, with their labels."""
    return Labelled(
        binary_scores(pairs.probabilities, floor=floor),
        pairs.labels.astype(np.int64),
        pairs.weights,
        pairs.groups,
        pairs.group_names,
        pairs.clusters,
        positive=pairs.positive,
    )


@contextmanager
def rows_of_all(rows: Integers, *, before: str = "", remedy: str = "") -> Iterator[None]:
    """A context for work on a subset of the rows. Errors inside it number a row by its index among all rows.

    rows: for each row of the subset, its index among all rows. before, remedy: strings that are added to the message.

    >>> import numpy as np
    >>> with rows_of_all(np.array([4, 7]), before="group 'b': "):
    ...     raise InputError("{row} is wrong.", row=1)
    Traceback (most recent call last):
    howsure.errors.InputError: group 'b': row 7 is wrong. (Rows are counted from 0.)
    """
    try:
        yield
    except InputError as error:
        among_all = error.at(lambda row: int(rows[row]))
        raise InputError("{before}{error}", before=before, error=among_all, remedy=remedy) from error


# Folds: whole clusters, assigned so that every label and group is spread evenly over folds.

FOLDS = 5
MAX_FOLDS = 100


def check_folds(folds: object) -> int:
    """Check that the number of folds is a whole number from 2 to 100."""
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or not 2 <= folds <= MAX_FOLDS:
        raise InputError(f"folds must be a whole number from 2 to {MAX_FOLDS}; it is {folds!r}.")
    return int(folds)


def separate_generator(rng: Randomness) -> np.random.Generator:
    """A random generator from a seed, independent of data that were simulated with the same seed."""
    return generator_from(rng).spawn(1)[0]


def check_choice_in_folds(data: Labelled, folds: int) -> None:
    """Raise InputError if there are too few rows outside a fold to divide them into folds again."""
    what, n = _units(data)
    if folds <= n < (least := folds + 2):
        raise InputError(
            f"{n:,} {what} are too few to choose a method without each of {folds} folds: the {what} of the other folds "
            f"are divided into {folds} folds again. At least {least} are needed. Give more {what}, choose one method "
            "with `method`, or reduce `folds`."
        )


def _units(data: Labelled) -> tuple[str, int]:
    """Return what is assigned to folds as a whole, "rows" or "clusters", and their number."""
    return ("rows", len(data)) if data.clusters is None else ("clusters", len(np.unique(data.clusters)))


def assign_folds(data: Labelled, folds: int, rng: np.random.Generator) -> Integers:
    """Return the fold of each row (n,), from 0.

    Clusters are not divided. They are sorted by their rarest combination of label and group, in random order within
    equal combinations, and assigned to the folds in turn. So every label and group is spread over the folds as evenly
    as the clusters allow.
    """
    kind = data.labels if data.groups is None else data.groups * data.k + data.labels
    kinds, kind = np.unique(kind, return_inverse=True)
    unit = np.arange(len(data)) if data.clusters is None else np.unique(data.clusters, return_inverse=True)[1]
    what, n_units = _units(data)
    if n_units < folds:
        raise InputError(f"folds must be at most the number of {what}; it is {folds}, there are {n_units:,}.")
    sizes = np.bincount(kind, minlength=len(kinds))
    rank = np.empty(len(kinds), dtype=np.int64)
    rank[np.argsort(sizes, kind="stable")] = np.arange(len(kinds))
    stratum = np.full(n_units, len(kinds))
    np.minimum.at(stratum, unit, rank[kind])
    # Not from rng itself: rows drawn by a generator of the same seed would be assigned in the order of their values.
    shuffled = np.random.default_rng(rng.integers(1 << 62, size=4)).permutation(n_units)
    order = np.lexsort((shuffled, stratum))
    dealt = np.empty(n_units, dtype=np.int64)
    dealt[order] = np.arange(n_units) % folds
    fold: Integers = dealt[unit]
    _check_spread(data, fold, folds)
    return fold


def _check_spread(data: Labelled, fold: Integers, folds: int) -> None:
    """Raise InputError if all rows of a label are in one fold."""
    occurs = np.zeros((data.k, folds), dtype=bool)
    occurs[data.labels, fold] = True
    alone = np.flatnonzero(occurs.sum(axis=1) == 1)
    if len(alone):
        label = data.label_names()[int(alone[0])]
        what = "row" if data.clusters is None else "cluster"
        raise InputError(
            f"the label {label!r} is in only one {what}; cross-fitting needs it in two or more, because each map is "
            f"evaluated on {what}s that it was not fitted on."
        )
