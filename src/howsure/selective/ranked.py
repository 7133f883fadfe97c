"""Answers in the order of their confidence, ties together: what every selective measure is computed from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.stats.clusters import carriers, kish


@dataclass(frozen=True, slots=True)
class Ranked:
    """Answers by their distinct confidences, the highest first.

    confidence (K,): the distinct values. n, errors (K,): the answers with this confidence, and how many of them are
    wrong. place (N,): for each answer, the position of its confidence. correct (N,): 1 where it is right. clusters
    (N,): codes 0 … C-1, each in use; None if every answer is its own.
    """

    confidence: Floats
    n: Integers
    errors: Integers
    place: Integers
    correct: Integers
    clusters: Integers | None

    @property
    def total(self) -> int:
        """The number of answers."""
        return len(self.place)

    @property
    def wrong(self) -> int:
        """The number of wrong answers."""
        return int(self.errors.sum())

    @property
    def n_clusters(self) -> int:
        """The number of clusters; of answers, if each is its own."""
        return self.total if self.clusters is None else int(self.clusters.max()) + 1

    @property
    def carriers(self) -> float:
        """The equivalent number of clusters that hold equally many of the right or of the wrong answers, whichever is
        smaller; of these answers, if each is its own cluster."""
        if self.clusters is None:
            return float(min(self.wrong, self.total - self.wrong))
        return min(carriers(self.by_kind(kind)) for kind in (0, 1))

    @property
    def cluster_share(self) -> float:
        """The share of all answers that is in a cluster, counted as clusters of equal size."""
        return 1 / self.total if self.clusters is None else 1 / kish(np.bincount(self.clusters))

    def by_kind(self, kind: int) -> Integers:
        """The number of right (1) or wrong (0) answers of each cluster."""
        assert self.clusters is not None
        return np.bincount(self.clusters[self.correct == kind], minlength=self.n_clusters)

    def by_cluster(self, values: Floats) -> Floats:
        """Values of the answers, which depend on their place and correctness alone, added up by cluster."""
        if self.clusters is None:
            return values
        order = np.lexsort((self.correct, self.place, self.clusters))  # whatever the order of the rows
        return np.bincount(self.clusters[order], weights=values[order]).astype(np.float64)


def ranked(pairs: Pairs) -> Ranked:
    """Rank checked pairs: the label says whether an answer is right, the probability how confident the model is.

    Raises InputError for weighted pairs.
    """
    if pairs.weights is not None:
        raise InputError(
            f"{parameter('sample_weight')} is not supported here: coverage and risk count answers, and the guarantee "
            "of a threshold "
            f"holds for counts. Leave {parameter('sample_weight')} out."
        )
    values, place = np.unique(-pairs.probabilities, return_inverse=True)
    correct = pairs.labels.astype(np.int64)
    n = np.bincount(place, minlength=len(values))
    right = np.bincount(place[correct == 1], minlength=len(values))
    return Ranked(np.abs(values), n, n - right, place.astype(np.int64), correct, _codes(pairs.clusters))


def _codes(clusters: Integers | None) -> Integers | None:
    if clusters is None:
        return None
    distinct, codes = np.unique(clusters, return_inverse=True)
    if len(distinct) == len(clusters):
        return None
    if len(distinct) == 1:
        raise InputError("clusters must be at least 2; all answers are in one, so nothing shows what chance does.")
    return codes.astype(np.int64)
