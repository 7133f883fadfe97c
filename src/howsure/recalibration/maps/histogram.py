"""Histogram binning: the frequency of label 1 in each of some bins of equal size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.isotonic import at_each
from howsure.recalibration.maps.parameters import Parameters, numbers
from howsure.recalibration.scores import Binary, Scores

BINS = 15


@dataclass(frozen=True, slots=True)
class Histogram:
    """q' is the frequency of label 1 in the bin of q (Zadrozny & Elkan 2001).

    A bin holds the probabilities from its edge up to the next one. Bins have equal weight as nearly as ties allow, and
    none is empty: where ties join several, there are fewer.
    """

    edges: Floats
    values: Floats

    method: ClassVar[str] = "histogram"
    formula: ClassVar[str] = "q' = values[i], where i is how many of the edges are at most q"

    @classmethod
    def fit(cls, data: Labelled, *, bins: int = BINS) -> Self:
        """The frequencies in `bins` bins."""
        assert isinstance(data.scores, Binary)
        q, weight, positive = at_each(data.scores.probabilities, data.labels.astype(np.float64), data.weight)
        middle = np.cumsum(weight) - weight / 2.0
        place = np.minimum((middle / weight.sum() * bins).astype(np.int64), bins - 1)
        first = np.flatnonzero(np.diff(place, prepend=-1))
        edges = q[first[1:]]
        return cls(edges, np.add.reduceat(positive, first) / np.add.reduceat(weight, first))

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        edges = numbers(held, "edges", strictly=True, shares=True)
        return cls(edges, numbers(held, "values", n=len(edges) + 1, shares=True))

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {"edges": self.edges.tolist(), "values": self.values.tolist()}

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,)."""
        assert isinstance(scores, Binary)
        return np.asarray(self.values[np.searchsorted(self.edges, scores.probabilities, side="right")])
