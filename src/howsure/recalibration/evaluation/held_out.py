"""Rows before and after recalibration, each after a map that was fitted without it, and what that makes uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from howsure.inputs.pairs import Floats, Integers, Pairs


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Pairs before recalibration, and after it by each of several maps, `after[k]` by the map that was fitted without
    the rows of fold k; `fold` (n,) is that of each row. With a single map, which none of these rows was used for, all
    are of fold 0."""

    before: Pairs
    after: Sequence[Pairs]
    fold: Integers

    @property
    def folds(self) -> int:
        """How many there are."""
        return len(self.after)

    @property
    def own(self) -> Pairs:
        """Each row after the map that was fitted without it."""
        first = self.after[0]
        if self.folds == 1:
            return first
        scores = first.class_scores
        if scores is not None:
            held = [one.class_scores for one in self.after]
            parts = {f.name: self._chosen([getattr(one, f.name) for one in held]) for f in fields(scores)}
            scores = replace(scores, **parts)
        labels = self._chosen([one.labels for one in self.after])
        chosen = self._chosen([one.probabilities for one in self.after])
        return replace(first, labels=labels, probabilities=chosen, class_scores=scores)

    def same_labels(self) -> bool:
        """Whether recalibration leaves the labels of the pairs as they are: it changes no first choice."""
        return all(np.array_equal(one.labels, self.before.labels) for one in self.after)

    def _chosen(self, columns: Sequence[Any]) -> Any:
        chosen = np.empty_like(columns[0])
        for k, column in enumerate(columns):
            chosen[self.fold == k] = column[self.fold == k]
        return chosen


def shared_variance(by_map: Floats) -> float:
    """The variance that the dependence between folds adds to Σ_k (what fold k says of its own map).

    by_map (K, K): entry (k, l) is what fold k says of the map that was fitted without fold l. To second order, the sum
    varies about what it estimates by Σ_k S_k' A Σ_{l≠k} S_l, where S_k is the noise of fold k: by 2 K (K - 1) v, v the
    variance of S_k' A S_l. Given their maps, the rows show half of it; the other half is here, and v is how much
    an entry of row k varies over the maps l ≠ k, which lack the noise of different folds. It is negligible beside what
    the rows show unless almost nothing is gained or lost (then the intervals would hold in only four of five data
    sets).
    """
    k = len(by_map)
    if k < 3:
        return 0.0
    others = by_map[~np.eye(k, dtype=bool)].reshape(k, k - 1)
    return k * (k - 1) * float(others.var(axis=1, ddof=1).mean())
