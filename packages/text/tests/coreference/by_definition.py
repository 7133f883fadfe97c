"""Posteriors by enumeration, and metrics and posteriors by their definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable
from fractions import Fraction
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
        probabilities: dict[tuple[int, ...], float] = {}
        for labels, p in zip(map(tuple, self.labels.tolist()), self.p.tolist(), strict=True):
            probabilities[labels] = probabilities.get(labels, 0.0) + p
        return probabilities


def recursion(matrix: np.ndarray) -> np.ndarray:
    """P(i ~ j) mention by mention, as the formula says."""
    together = np.eye(len(matrix))
    for j in range(1, len(matrix)):
        together[j, :j] = together[:j, j] = matrix[j, :j] @ together[:j, :j]
    return together


Clusters = list[frozenset[Hashable]]


def ratio(a: Fraction | int, b: Fraction | int) -> Fraction:
    return Fraction(a) / b if b else Fraction(0)


def muc_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    """|S| - |p(S)|, where p(S) is S cut into its parts in predicted clusters and single others, of |S| - 1."""
    right = total = 0
    for s in gold:
        parts = {s & p for p in predicted if s & p} | {frozenset([m]) for m in s if not any(m in p for p in predicted)}
        right += len(s) - len(parts)
        total += len(s) - 1
    return Fraction(right), Fraction(total)


def b_cubed_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    """Mention by mention: the share of its gold cluster that is in its predicted cluster."""
    shares = []
    for g in gold:
        for mention in g:
            cluster = next((p for p in predicted if mention in p), frozenset())
            shares.append(Fraction(len(g & cluster), len(g)))
    return sum(shares, Fraction(0)), Fraction(len(shares))


def lea_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    """Importance |g| times resolution: the share of the links of g, those in predicted clusters as well."""

    def links(cluster: frozenset[Hashable]) -> set[frozenset[Hashable]]:
        """Pairs; a cluster of one has the link of the mention with itself."""
        return {frozenset(pair) for pair in itertools.combinations(cluster, 2)} if len(cluster) > 1 else {cluster}

    right = total = Fraction(0)
    for g in gold:
        resolved = sum(len(links(g) & links(p)) for p in predicted)
        right += len(g) * Fraction(resolved, len(links(g)))
        total += len(g)
    return right, total


def pair_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    def together(clusters: Clusters) -> set[frozenset[Hashable]]:
        return {frozenset(pair) for c in clusters for pair in itertools.combinations(c, 2)}

    return Fraction(len(together(gold) & together(predicted))), Fraction(len(together(gold)))


def ceaf_e_similarity(gold: Clusters, predicted: Clusters) -> Fraction:
    """The best of all one-to-one alignments, by trying all of them."""
    few, many = sorted((gold, predicted), key=len)
    values = (
        sum((Fraction(2 * len(a & b), len(a) + len(b)) for a, b in zip(few, chosen, strict=True)), Fraction(0))
        for chosen in itertools.permutations(many, len(few))
    )
    return max(values, default=Fraction(0))


def sums(gold: Clusters, predicted: Clusters) -> dict[str, tuple[Fraction, Fraction, Fraction, Fraction]]:
    """What is right and what there is: of the predicted, of the gold."""
    fractions_of_metrics = {
        name: (*recall(predicted, gold), *recall(gold, predicted))
        for name, recall in (
            ("muc", muc_recall),
            ("b_cubed", b_cubed_recall),
            ("lea", lea_recall),
            ("pairwise", pair_recall),
        )
    }
    similarity = ceaf_e_similarity(gold, predicted)
    fractions_of_metrics["ceaf_e"] = (similarity, Fraction(len(predicted)), similarity, Fraction(len(gold)))
    return fractions_of_metrics


def precision_recall_f1(right_p: Fraction, of_p: Fraction, right_r: Fraction, of_r: Fraction) -> tuple[Fraction, ...]:
    p, r = ratio(right_p, of_p), ratio(right_r, of_r)
    return p, r, ratio(2 * p * r, p + r)
