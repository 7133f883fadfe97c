"""Prediction–label pairs in memory, and what the classes they were made of say of each row."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

# What the probabilities of K classes say of each row, for the pairs that were made of them.

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClassScores:
    """Two numbers for the row that each pair comes from, one entry per pair.

    brier (n,): the sum over the K classes of (probability - 1 if the class is the label, else 0)². label_probability
    (n,): the probability of the label.
    """

    brier: Floats
    label_probability: Floats

    def only(self, rows: npt.NDArray[np.bool_] | Integers) -> ClassScores:
        """Those of some pairs."""
        return ClassScores(self.brier[rows], self.label_probability[rows])

    def tiled(self, k: int) -> ClassScores:
        """Those of k pairs per row, the rows of one class after those of another."""
        return ClassScores(np.tile(self.brier, k), np.tile(self.label_probability, k))

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
    return ClassScores(others + (1.0 - of_label) ** 2, of_label)


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
    need, `class_scores`. `positive` is what label 1 means, where that has a name.
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
