"""The slow, obvious twin: every vector of antecedents with its probability and its clustering."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np


def random_matrix(m: int, rng: np.random.Generator, *, zeros: float = 0.3) -> np.ndarray:
    """Antecedent distributions (m, m), some links impossible, some rows certain."""
    weights = np.tril(rng.exponential(size=(m, m)) ** 2) * (np.tril(rng.random((m, m))) > zeros)
    for j in range(m):
        if weights[j].sum() == 0.0 or rng.random() < 0.1:
            weights[j] = 0.0
            weights[j, rng.integers(j + 1)] = 1.0
    return weights / weights.sum(axis=1, keepdims=True)


@cache
def vectors(m: int) -> tuple[np.ndarray, np.ndarray]:
    """All m! antecedent vectors (itself for "new") and the label of every mention, its entity's first mention."""
    choices = np.array(list(itertools.product(*(range(j + 1) for j in range(m)))), dtype=int).reshape(
        math.factorial(m), m
    )
    labels = np.empty_like(choices)
    for row, vector in enumerate(choices.tolist()):
        for j, antecedent in enumerate(vector):
            labels[row, j] = j if antecedent == j else labels[row, antecedent]
    return choices, labels


class Enumeration:
    """The exact answers for one matrix, summed over all antecedent vectors."""

    def __init__(self, matrix: np.ndarray) -> None:
        self.m = len(matrix)
        choices, self.labels = vectors(self.m)
        self.p = np.prod([matrix[j, choices[:, j]] for j in range(self.m)], axis=0) if self.m else np.ones(1)

    def mean(self, answers: np.ndarray) -> np.ndarray:
        """The expectation of one answer a vector."""
        return np.tensordot(self.p, answers.astype(float), axes=1)

    def together(self) -> np.ndarray:
        return self.mean(self.labels[:, :, None] == self.labels[:, None, :])

    def sizes(self) -> np.ndarray:
        return self.mean((self.labels[:, :, None] == self.labels[:, None, :]).sum(axis=2))

    def alone(self) -> np.ndarray:
        return self.mean((self.labels[:, :, None] == self.labels[:, None, :]).sum(axis=2) == 1)

    def first_mentions(self) -> np.ndarray:
        return self.mean(self.labels[:, :, None] == np.arange(self.m))

    def numbers(self) -> np.ndarray:
        counts = (self.labels == np.arange(self.m)).sum(axis=1)
        return np.bincount(counts, self.p, self.m + 1)

    def clusterings(self) -> dict[tuple[int, ...], float]:
        """The probability of every clustering."""
        found: dict[tuple[int, ...], float] = {}
        for labels, p in zip(map(tuple, self.labels.tolist()), self.p.tolist(), strict=True):
            found[labels] = found.get(labels, 0.0) + p
        return found


def recursion(matrix: np.ndarray) -> np.ndarray:
    """P(i ~ j) mention by mention, as the formula says."""
    together = np.eye(len(matrix))
    for j in range(1, len(matrix)):
        together[j, :j] = together[:j, j] = matrix[j, :j] @ together[:j, :j]
    return together
