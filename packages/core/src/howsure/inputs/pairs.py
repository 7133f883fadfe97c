"""Pairs of a probability and a label in memory, scores over all classes, and the forms of predictions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, parameter, quote
from howsure.inputs.numbers_and_names import check_choice, counted

# Scores over all K classes of a row, kept with the pairs that were made from the row.

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ClassScores:
    """Scores over all K classes of a row, with one entry for each pair that comes from the row.

    brier (n,): the multiclass Brier score of the row, Σ_k (p_k - y_k)², where y_k is 1 for the label's class, else 0.
    label_probability (n,): the probability of the label. has_zero (n,): whether some class has probability 0, so that
    the log loss would be infinite if that class were the label.
    """

    brier: Floats
    label_probability: Floats
    has_zero: npt.NDArray[np.bool_]

    def select(self, rows: npt.NDArray[np.bool_] | Integers | slice) -> ClassScores:
        """Return the scores of some pairs, selected by a mask, indices or a slice."""
        return ClassScores(self.brier[rows], self.label_probability[rows], self.has_zero[rows])

    def tiled(self, k: int) -> ClassScores:
        """Repeat the scores k times, for pairs that are ordered by class and then by row."""
        return ClassScores(np.tile(self.brier, k), np.tile(self.label_probability, k), np.tile(self.has_zero, k))

    def match_pairs(self, labels: npt.NDArray[np.uint8], probabilities: Floats) -> bool:
        """Whether the scores still belong to these pairs.

        A pair with label 1 must have its row's label probability, which is no longer true after a recalibration, for
        example.
        """
        true = labels == 1
        return len(labels) == len(self.brier) and np.array_equal(probabilities[true], self.label_probability[true])


def class_scores(codes: Integers, matrix: Floats) -> ClassScores:
    """Compute scores of rows. codes (n,): the column of the label in `matrix` (n, K), or -1 if no column is the label.

    >>> class_scores(np.array([0, 1]), np.array([[0.7, 0.2, 0.1], [0.7, 0.2, 0.1]])).brier.round(2)
    array([0.14, 1.14])
    """
    label_probability = np.where(codes >= 0, matrix[np.arange(len(matrix)), codes], 0.0) + 0.0
    others = np.maximum(np.einsum("ij,ij->i", matrix, matrix) - label_probability**2, 0.0)
    return ClassScores(others + (1.0 - label_probability) ** 2, label_probability, (matrix == 0.0).any(axis=1))


# `Pairs` are the input of every calibration function.

Labels = npt.NDArray[np.uint8]
NEGLIGIBLE_WEIGHT = 2.0**-250  # proportion of the largest weight below which a weight is negligible
MAX_UNSCALED_POWER = 4  # weights are not rescaled if the largest is between 2⁻⁴ and 2⁴
CHUNK_ROWS = 1 << 19


@dataclass(frozen=True, slots=True, repr=False)
class Pairs:
    """Checked pairs in memory: labels and probabilities, optionally with weights, groups and clusters.

    labels, probabilities, weights, groups, clusters: (n,) each. groups and clusters are integer codes starting at 0;
    `group_names[code]` is the user's name of a group. reduction: "top-label" or "class-wise" if the pairs come from
    several classes, otherwise None. class_scores: scores over all classes of each pair's row. positive: the name of
    label 1, if it has one. notes: remarks on how rows were read.
    """

    labels: Labels
    probabilities: Floats
    weights: Floats | None = None
    groups: Integers | None = None
    group_names: tuple[str, ...] = ()
    clusters: Integers | None = None
    reduction: str | None = None
    class_scores: ClassScores | None = None
    positive: str | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        base_rate, mean = (np.average(values, weights=self.weights) for values in (self.labels, self.probabilities))
        parts = [
            f"base rate {base_rate:.4f}",
            f"mean probability {mean:.4f}",
            "" if self.weights is None else "weighted",
            "" if self.groups is None else counted(len(self.group_names), "group"),
            "" if self.clusters is None else counted(len(np.unique(self.clusters)), "cluster"),
        ]
        return f"{counted(len(self), 'pair')}: {', '.join(filter(None, parts))}"

    @property
    def described(self) -> dict[str, Any]:
        """The notes, for the recipe of a result."""
        return {"notes": list(self.notes)} if self.notes else {}

    def by_group(self) -> Iterator[tuple[str, Pairs]]:
        """Iterate over (group name, pairs of the group) in the order of `group_names`; empty without groups."""
        if self.groups is None:
            return
        ends = np.cumsum(np.bincount(self.groups, minlength=len(self.group_names))).tolist()
        runs = zip(self.group_names, map(slice, [0, *ends], ends), strict=True)
        if bool((self.groups[1:] >= self.groups[:-1]).all()):  # sorted, as class-wise pairs are: no rows are copied
            for name, run in runs:
                yield name, self.select(run)
            return
        small = np.min_scalar_type(max(len(self.group_names) - 1, 0))  # numpy sorts these by radix sort
        order = np.argsort(self.groups.astype(small), kind="stable")
        for name, run in runs:
            yield name, self.select(order[run])

    def with_positive_weight(self) -> Pairs:
        """Return the pairs whose weight is more than 2⁻²⁵⁰ of `weight_unit`. Other pairs do not count in n.

        Weights are divided by `weight_unit`, so that their fourth powers neither overflow nor underflow.
        """
        if self.weights is None:
            return self
        pairs, unit = self, self.weight_unit
        if not self.weights.min() > unit * NEGLIGIBLE_WEIGHT:
            rows = np.flatnonzero(self.weights > unit * NEGLIGIBLE_WEIGHT)
            groups = None if self.groups is None else self.groups[rows]
            pairs = replace(self.select(rows), groups=groups, group_names=self.group_names)
        assert pairs.weights is not None
        return pairs if unit == 1.0 else replace(pairs, weights=pairs.weights / unit)

    @property
    def weight_unit(self) -> float:
        """The largest power of two that is at most the largest weight, or 1 if this power is between 1/16 and 16.

        Division by a power of two is exact.
        """
        power = 0 if self.weights is None else math.frexp(float(self.weights.max()))[1] - 1
        return 1.0 if -MAX_UNSCALED_POWER <= power <= MAX_UNSCALED_POWER else 2.0**power

    def select(self, rows: npt.NDArray[np.bool_] | Integers | slice) -> Pairs:
        """Select pairs by a mask, indices or a slice; drop groups, and drop clusters if each has a single pair."""
        clusters = None if self.clusters is None else self.clusters[rows]
        if clusters is not None and are_distinct(clusters):
            clusters = None
        weights = None if self.weights is None else self.weights[rows]
        scores = None if self.class_scores is None else self.class_scores.select(rows)
        return Pairs(
            self.labels[rows],
            self.probabilities[rows],
            weights,
            clusters=clusters,
            reduction=self.reduction,
            class_scores=scores,
            positive=self.positive,
        )


def are_distinct(codes: Integers) -> bool:
    """Whether no code occurs twice; this is fastest for codes in ascending order.

    >>> are_distinct(np.array([2, 0, 1])), are_distinct(np.array([0, 0, 1]))
    (True, False)
    """
    ascending = codes if bool((codes[1:] > codes[:-1]).all()) else np.sort(codes)
    return bool((ascending[1:] > ascending[:-1]).all())


# Forms of a model's predictions: one number per row, several classes, logits, or strings that state a confidence.

OTHER_PREDICTION = (
    "each model needs its own predictions. Name those of both, also in `against`: `Probabilities.prediction='COL'`."
)
PROB, PROBS, PROBS_COLUMN, VERBALISED = "prob", "probs", "probs_column", "verbalised"
UNNAMED = "unnamed"  # the log defines the columns of probabilities
LOGITS, LOG_PROBABILITIES = "logits", "logprobs"
ROUNDING = 1e-6  # tolerance for log-probabilities above 0
WAYS = (PROB, PROBS, PROBS_COLUMN, LOGITS, LOG_PROBABILITIES, VERBALISED, UNNAMED)
OF_ONE = (PROB, VERBALISED)
TOP_LABEL, CLASS_WISE = "top-label", "class-wise"
SCALE_RULES = {LOGITS: "not_a_logit", LOG_PROBABILITIES: "not_a_log_probability"}  # keys of error messages


@dataclass(frozen=True, slots=True)
class Probabilities:
    """The form of `y_prob`, if it is not simply one probability per row.

    way: the form. "prob": one probability per row. "probs": several columns of class probabilities. "probs_column": one
    column with a list of class probabilities per row. "logits" and "logprobs" (log-probabilities): several columns, one
    column of lists, or one number per row. "verbalised": a column of strings that state a confidence ("85 % sure").
    values: column names if the function has `data`, otherwise the values. reduce: for several classes, "top-label" (the
    default), "class-wise" or the name of one class. For "prob", only selective prediction accepts "top-label"; the
    confidence is then max(p, 1 - p). classes: the names of the classes, in the order of columns. prediction: the
    model's answers, if the probability of each row is the model's confidence in its answer; `y_true` is then the true
    answer, and the label of a row is 1 if both are equal, as in `score_models`.

    >>> Probabilities("logits", ["a", "b"]).columns
    ('a', 'b')

    Raises InputError for another `way`, for `reduce` or `classes` with one probability per row, for `prediction` with
    several, and for classes that the names of the columns contain in another order.
    """

    way: str
    values: Any
    reduce: str | None = None
    classes: Sequence[str] | None = None
    prediction: Any = None

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            check_choice(self.way, WAYS[:-1], name="way")
        if self.is_one and (self.classes is not None or not self.is_confidence):
            self.refuse_classes()
        if self.reduce is not None or self.classes is not None or not (self.is_one or self.scale is not None):
            self.refuse_prediction()
        names = self.values if isinstance(self.values, list | tuple) else ()
        if self.classes is not None and all(isinstance(name, str) for name in (*names, *self.classes)):
            _check_order(names, self.classes)

    @property
    def is_confidence(self) -> bool:
        """Whether each row's probability p counts for the likelier of two labels, with confidence max(p, 1 - p)."""
        return self.way == PROB and self.reduce == TOP_LABEL

    def refuse_prediction(self) -> None:
        """Raise InputError if there are predictions, although there are several probabilities per row."""
        if self.prediction is not None:
            raise InputError(
                "`prediction=...` is for one confidence per row. With the probabilities of several classes, the "
                "prediction is the most probable class. Leave it out."
            )

    def refuse_classes(self) -> None:
        """Raise InputError if `reduce` or `classes` is set, although there is one probability per row."""
        for name in ("reduce", "classes"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"`{name}` is for several classes, but `Probabilities.{self.way}=...` is one probability per row. "
                    "Leave it out."
                )

    def refuse_roles(self, *, pos_label: object = None, groups: object = None) -> None:
        """Raise InputError for a positive label of several classes, or for groups of class-wise pairs."""
        if pos_label is not None:
            raise InputError(
                "`pos_label=...` does not apply to several classes. To evaluate one class, give `reduce='CLASS'`."
            )
        if groups is not None and self.reduce == CLASS_WISE:
            raise InputError(
                "with class-wise pairs, each class is a group. Leave out `groups=...`, or name a class: "
                "`reduce='CLASS'`."
            )

    @property
    def is_one(self) -> bool:
        """Whether the form always has one probability per row; False for logits, where it depends on the column."""
        return self.way in OF_ONE

    @property
    def scale(self) -> str | None:
        """The scale of the values, "logits" or "logprobs"; None for probabilities."""
        return self.way if self.way in SCALE_RULES else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        Raises InputError if `values` is neither a column name nor a nonempty list of column names.
        """
        named = (self.values,) if isinstance(self.values, str) else tuple(self.values)
        if not named or not all(isinstance(name, str) for name in named):
            raise InputError(
                f"with `data=...`, `Probabilities.{self.way}=...` must name columns; it is {quote(self.values)}."
            )
        return named


def _check_order(columns: Sequence[str], classes: Sequence[str]) -> None:
    """Raise InputError if each column's name begins or ends with one class, and these are in another order."""
    by_column = [[name for name in classes if _names_class(column, name)] for column in columns]
    named = [matches[0] for matches in by_column if len(matches) == 1]
    if len(named) == len(columns) and sorted(named) == sorted(classes) and named != list(classes):
        column, name, right = next(pair for pair in zip(columns, classes, named, strict=True) if pair[1] != pair[2])
        raise InputError(
            f"`classes=...` must be in the order of the columns; {column} is given the class {name}, but its name "
            f"contains {right}. Give {parameter('classes', named)}; if the order is right, rename the columns."
        )


def _names_class(column: str, name: str) -> bool:
    """Whether a column is called like a class, perhaps with other words before or after it: p_joy, joy (score)."""
    escaped = re.escape(name)
    return re.search(rf"^{escaped}(?![^\W_])|(?<![^\W_]){escaped}$", column, re.IGNORECASE) is not None


def as_probabilities(y_prob: Any) -> Probabilities:
    """Wrap `y_prob` as `Probabilities`: a list of column names means class probabilities, anything else is "prob".

    >>> as_probabilities("score").way, as_probabilities(["p_no", "p_yes"]).way
    ('prob', 'probs')
    """
    if isinstance(y_prob, Probabilities):
        return y_prob
    several = (
        isinstance(y_prob, (list, tuple)) and len(y_prob) > 0 and all(isinstance(column, str) for column in y_prob)
    )
    return Probabilities(PROBS if several else PROB, y_prob)
