"""The overlap of two clusterings: every coreference metric is a ratio of these sums, which add up over documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError, shown

Sums = tuple[float, float, float, float]  # what is right and what there is: of the predicted, of the gold


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two clusterings as sizes of clusters, and the numbers of mentions shared by gold and predicted clusters."""

    gold: tuple[int, ...]
    predicted: tuple[int, ...]
    shared: dict[tuple[int, int], int]

    def swapped(self) -> Overlap:
        """The same with gold and predicted exchanged."""
        return Overlap(self.predicted, self.gold, {(p, g): n for (g, p), n in self.shared.items()})


def overlap_of(gold: object, predicted: object, *, singletons: bool) -> Overlap:
    """Compare two clusterings, without clusters of one mention unless `singletons`.

    Raises InputError if one of them contains a mention twice, or is not a list of clusters.
    """
    golden, guessed = _clusters(gold, "gold", singletons), _clusters(predicted, "predicted", singletons)
    cluster_of = {mention: p for p, members in enumerate(guessed) for mention in members}
    shared = Counter(
        (g, cluster_of[mention]) for g, members in enumerate(golden) for mention in members if mention in cluster_of
    )
    return Overlap(tuple(map(len, golden)), tuple(map(len, guessed)), dict(shared))


def both_ways(recall: Callable[[Overlap], tuple[float, float]], overlap: Overlap) -> Sums:
    """The sums of a metric whose precision is its recall with gold and predicted exchanged."""
    return (*recall(overlap.swapped()), *recall(overlap))


def muc(overlap: Overlap) -> tuple[float, float]:
    """Links of a spanning tree of the gold clusters that the predicted clusters preserve: Σ |g| - parts(g), of Σ |g| -
    1."""
    parts = list(overlap.gold)  # a mention that is not predicted is a part of its own
    for (g, _), n in overlap.shared.items():
        parts[g] -= n - 1
    return sum(overlap.gold) - sum(parts), sum(overlap.gold) - len(overlap.gold)


def b_cubed(overlap: Overlap) -> tuple[float, float]:
    """For each gold mention, the share of its cluster that is also in its predicted cluster: Σ |g ∩ p|² / |g|, of Σ
    |g|."""
    return sum(n * n / overlap.gold[g] for (g, _), n in overlap.shared.items()), sum(overlap.gold)


def lea(overlap: Overlap) -> tuple[float, float]:
    """Gold clusters weighted by size, each with its share of links found; a singleton links to itself."""
    found = 0.0
    for (g, p), n in overlap.shared.items():
        size = overlap.gold[g]
        found += float(overlap.predicted[p] == 1) if size == 1 else size * _links(n) / _links(size)
    return found, sum(overlap.gold)


def pairwise(overlap: Overlap) -> tuple[float, float]:
    """Pairs of mentions linked in both, out of those linked in gold."""
    return sum(map(_links, overlap.shared.values())), sum(map(_links, overlap.gold))


def ceaf_e(overlap: Overlap) -> Sums:
    """The best one-to-one alignment of clusters, each pair scoring 2 |g ∩ p| / (|g| + |p|), out of the number of
    clusters."""
    from scipy.optimize import linear_sum_assignment

    similarity = np.zeros((len(overlap.gold), len(overlap.predicted)))
    for (g, p), n in overlap.shared.items():
        similarity[g, p] = 2 * n / (overlap.gold[g] + overlap.predicted[p])
    aligned = float(similarity[linear_sum_assignment(similarity, maximize=True)].sum())
    return aligned, len(overlap.predicted), aligned, len(overlap.gold)


def _links(n: int) -> int:
    return n * (n - 1) // 2


def _clusters(clusters: Any, name: str, singletons: bool) -> list[set[Hashable]]:
    if isinstance(clusters, (str, bytes, dict)) or not isinstance(clusters, Iterable):
        raise InputError(f"{name} must be a list of clusters, each a list or set of mentions; it is {shown(clusters)}.")
    found: list[set[Hashable]] = []
    seen: set[Hashable] = set()
    for number, members in enumerate(clusters):
        if isinstance(members, (str, bytes, dict)) or not isinstance(members, Iterable):
            raise InputError(f"{name} must hold lists or sets of mentions; cluster {number} is {shown(members)}.")
        cluster: set[Hashable] = set()
        for mention in members:
            if not isinstance(mention, Hashable):
                raise InputError(
                    f"{name} must hold mentions that have a hash, such as tuples; cluster {number} holds {mention!r}."
                )
            if mention in seen:
                raise InputError(f"{name} must hold a mention once; cluster {number} holds {mention!r} again.")
            seen.add(mention)
            cluster.add(mention)
        if len(cluster) > 1 or (cluster and singletons):
            found.append(cluster)
    return found
