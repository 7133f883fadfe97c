"""Prediction–label pairs in memory, what the classes they were made of say of each row, and ways of giving them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import GIVEN, InputError, parameter, shown, way

# What the probabilities of K classes say of each row, for the pairs that were made of them.

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClassScores:
    """Two numbers for the row that each pair comes from, one entry per pair.

    brier (n,): the sum over the K classes of (probability - 1 if the class is the label, else 0)². label_probability
    (n,): the probability of the label. has_zero (n,): whether a class has probability 0, so that the log loss is
    infinite if that class is the label.
    """

    brier: Floats
    label_probability: Floats
    has_zero: npt.NDArray[np.bool_]

    def only(self, rows: npt.NDArray[np.bool_] | Integers) -> ClassScores:
        """Those of some pairs."""
        return ClassScores(self.brier[rows], self.label_probability[rows], self.has_zero[rows])

    def tiled(self, k: int) -> ClassScores:
        """Those of k pairs per row, the rows of one class after those of another."""
        return ClassScores(np.tile(self.brier, k), np.tile(self.label_probability, k), np.tile(self.has_zero, k))

    def are_of(self, labels: npt.NDArray[np.uint8], probabilities: Floats) -> bool:
        """Whether these pairs have the probabilities that the classes had: a pair of label 1 is that of its row's
        label. Pairs that were changed since, by a recalibration say, have not."""
        true = labels == 1
        return len(labels) == len(self.brier) and np.array_equal(probabilities[true], self.label_probability[true])


def class_scores(codes: Integers, matrix: Floats) -> ClassScores:
    """The scores of rows: `codes` (n) gives the column of `matrix` (n, K) that is the label, -1 a class without one.

    >>> class_scores(np.array([0, 1]), np.array([[0.7, 0.2, 0.1], [0.7, 0.2, 0.1]])).brier.round(2)
    array([0.14, 1.14])
    """
    of_label = np.where(codes >= 0, matrix[np.arange(len(matrix)), codes], 0.0) + 0.0
    others = np.maximum(np.einsum("ij,ij->i", matrix, matrix) - of_label**2, 0.0)
    return ClassScores(others + (1.0 - of_label) ** 2, of_label, (matrix == 0.0).any(axis=1))


# Prediction–label pairs: the input of every calibration function.

Labels = npt.NDArray[np.uint8]
NOTHING = 2.0**-250  # a share of the largest weight
NEAR = 4  # binades
CHUNK_ROWS = 1 << 19


@dataclass(frozen=True, slots=True)
class Pairs:
    """Checked pairs in memory: labels and probabilities, optionally with weights, groups and clusters.

    `groups` and `clusters` are integer codes starting at 0; `group_names[code]` is the user's name of the group. Pairs
    made of several classes say how by `reduction`, "top-label" or "class-wise", and keep what the classes' own scores
    need, `class_scores`. `positive` is what label 1 means, where that has a name. `notes` say how all rows were read.
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

    def by_group(self) -> Iterator[tuple[str, Pairs]]:
        """The pairs of every group, in the order of the groups' names; none if they have no groups."""
        if self.groups is None:
            return
        small = np.min_scalar_type(max(len(self.group_names) - 1, 0))  # numbers of 8 and 16 bits are sorted by digits
        order = np.argsort(self.groups.astype(small), kind="stable")
        ends = np.cumsum(np.bincount(self.groups, minlength=len(self.group_names)))
        for name, start, end in zip(self.group_names, np.append(0, ends), ends, strict=False):
            yield name, self.only(order[start:end])

    def that_weigh(self) -> Pairs:
        """The pairs without those of negligible weight (0, or less than 2⁻²⁵⁰ of the largest), which do not even count
        towards the size of their bin.

        Weights are divided by `weight_unit`, so that their fourth powers neither overflow nor underflow.
        """
        if self.weights is None:
            return self
        pairs, unit = self, self.weight_unit
        if not self.weights.min() > unit * NOTHING:
            rows = np.flatnonzero(self.weights > unit * NOTHING)
            groups = None if self.groups is None else self.groups[rows]
            pairs = replace(self.only(rows), groups=groups, group_names=self.group_names)
        assert pairs.weights is not None
        return pairs if unit == 1.0 else replace(pairs, weights=pairs.weights / unit)

    @property
    def weight_unit(self) -> float:
        """The largest power of two not above the largest weight, by which division is exact; 1 where that is near."""
        power = 0 if self.weights is None else math.frexp(float(self.weights.max()))[1] - 1
        return 1.0 if -NEAR <= power <= NEAR else 2.0**power

    def only(self, rows: npt.NDArray[np.bool_] | Integers) -> Pairs:
        """The pairs of some rows, without their groups, and without clusters if every row is its own cluster."""
        clusters = None if self.clusters is None else self.clusters[rows]
        if clusters is not None and len(np.unique(clusters)) == len(clusters):
            clusters = None
        weights = None if self.weights is None else self.weights[rows]
        scores = None if self.class_scores is None else self.class_scores.only(rows)
        return Pairs(
            self.labels[rows],
            self.probabilities[rows],
            weights,
            clusters=clusters,
            reduction=self.reduction,
            class_scores=scores,
            positive=self.positive,
        )


# Ways of giving a model's probabilities: one number per row, several classes, logits, or words that state them.

PROB, PROBS, PROBS_COLUMN, VERBALISED = "prob", "probs", "probs_column", "verbalised"
UNNAMED = "unnamed"  # a log names them
LOGITS, LOG_PROBABILITIES = "logits", "logprobs"
ROUNDING = 1e-6  # by which a log-probability may lie above 0
WAYS = (PROB, PROBS, PROBS_COLUMN, LOGITS, LOG_PROBABILITIES, VERBALISED, UNNAMED)
OF_ONE = (PROB, VERBALISED)
TOP_LABEL, CLASS_WISE = "top-label", "class-wise"
SCALE_RULES = {LOGITS: "not_a_logit", LOG_PROBABILITIES: "not_a_log_probability"}  # of errors


@dataclass(frozen=True, slots=True)
class Probabilities:
    """How `y_prob` is given, where it is not one probability per row.

    way: "probs", several columns of class probabilities; "probs_column", one column of lists of them; "logits" and
    "logprobs" (log-probabilities), several columns, one of lists, or one number per row; "verbalised", a column of
    texts that state a confidence ("85 % sure"); "prob", one probability per row. values: names of columns with `data`,
    else the values themselves. reduce: with classes, "top-label" (the default), "class-wise", or the name of one class;
    with "prob", selective answers take "top-label": the confidence is then the larger of p and 1 - p.
    classes: their names, in order.

    >>> Probabilities("logits", ["a", "b"]).columns
    ('a', 'b')

    Raises InputError for another way, and for classes where there are none.
    """

    way: str
    values: Any
    reduce: str | None = None
    classes: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            ways = ", ".join(map(repr, WAYS[:-1]))
            raise InputError("not_one_of", "way", options=ways, value=self.way)
        if self.is_one and (self.classes is not None or not self.of_the_likelier):
            self.refuse_classes()

    @property
    def of_the_likelier(self) -> bool:
        """Whether one probability per row stands for that of the likelier of two labels."""
        return self.way == PROB and self.reduce == TOP_LABEL

    def refuse_classes(self) -> None:
        """Raise InputError for what is asked of several classes, where there is one probability per row."""
        for name in ("reduce", "classes"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"{parameter(name)} is for several classes; with {way(self.way)}, there is one probability per row."
                )

    @property
    def is_one(self) -> bool:
        """Whether there is one probability per row, and no classes; of logits, that depends on their column."""
        return self.way in OF_ONE

    @property
    def scale(self) -> str | None:
        """On which scale the probabilities are, "logits" or "logprobs"; None: as they are."""
        return self.way if self.way in SCALE_RULES else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        Raises InputError if these are no names.
        """
        named = (self.values,) if isinstance(self.values, str) else tuple(self.values)
        if not named or not all(isinstance(name, str) for name in named):
            raise InputError(
                f"with {parameter('data', GIVEN)}, {way(self.way)} must name columns; it is {shown(self.values)}."
            )
        return named


def given_of(y_prob: Any) -> Probabilities:
    """How probabilities are given: names of several columns are those of classes.

    >>> given_of("score").way, given_of(["p_no", "p_yes"]).way
    ('prob', 'probs')
    """
    if isinstance(y_prob, Probabilities):
        return y_prob
    several = (
        isinstance(y_prob, (list, tuple)) and len(y_prob) > 0 and all(isinstance(column, str) for column in y_prob)
    )
    return Probabilities(PROBS if several else PROB, y_prob)
