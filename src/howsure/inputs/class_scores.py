"""What the probabilities of K classes say of each row, for the pairs that were made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
