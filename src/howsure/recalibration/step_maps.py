"""Maps without a formula: isotonic regression, Venn–Abers prediction, and histogram binning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.parameters import Parameters, numbers
from howsure.recalibration.scores import Binary, Scores

# Isotonic regression: the rising step function nearest to the labels, joined by lines.


@dataclass(frozen=True, slots=True)
class Isotonic:
    """q' lies on the lines between the points (x, y), and is constant beyond them (Zadrozny & Elkan 2002).

    The points are the ends of the blocks that the pool-adjacent-violators algorithm makes of all probabilities that
    occur; that of scikit-learn's IsotonicRegression.
    """

    x: Floats
    y: Floats

    method: ClassVar[str] = "isotonic"
    formula: ClassVar[str] = (
        "q' = linear interpolation between the points (x[i], y[i]); y[0] below x[0], and the last y above the last x"
    )

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The rising function of the least squared error, which is also that of the least log loss."""
        from scipy.optimize import isotonic_regression

        assert isinstance(data.scores, Binary)
        q, weight, positive = at_each(data.scores.probabilities, data.labels.astype(np.float64), data.weight)
        fitted = isotonic_regression(positive / weight, weights=weight)
        starts = fitted.blocks[:-1]
        ends = fitted.blocks[1:] - 1
        keep = np.unique(np.concatenate([starts, ends]))
        return cls(q[keep], np.clip(fitted.x[keep], 0.0, 1.0))

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        x = numbers(held, "x", strictly=True, shares=True)
        y = numbers(held, "y", n=len(x), rising=True, shares=True)
        if not len(x):
            raise InputError("the map's parameter x must hold one number or more; it is empty.")
        return cls(x, y)

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {"x": self.x.tolist(), "y": self.y.tolist()}

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,)."""
        assert isinstance(scores, Binary)
        return np.interp(scores.probabilities, self.x, self.y)


def at_each(q: Floats, labels: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """The probabilities that occur, ascending, the weight of the rows of each, and that of its labels 1.

    Those that weigh nothing are left out.

    >>> at_each(np.array([0.5, 0.2, 0.5]), np.array([1.0, 0.0, 0.0]), np.ones(3))
    (array([0.2, 0.5]), array([1., 2.]), array([0., 1.]))
    """
    distinct, place = np.unique(q, return_inverse=True)
    total = np.bincount(place, weights=weight).astype(np.float64)
    positive = np.bincount(place, weights=weight * labels).astype(np.float64)
    keep = total > 0
    return distinct[keep], total[keep], positive[keep]


# Inductive Venn–Abers prediction: two isotonic regressions, one for each label that a new row may have.

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class VennAbers:
    """q' = p₁ / (1 - p₀ + p₁), where p₀ and p₁ are what isotonic regression says of q once a row of it and label 0, or
    1, is added to the rows of the fit (Vovk, Petej & Fedorova 2015); never 0 or 1.

    Both are step functions: low[i], where i is how many of `from` are at most q; high[j], where j is how many of `upto`
    are below q.
    """

    starts: Floats
    low: Floats
    ends: Floats
    high: Floats

    method: ClassVar[str] = "venn-abers"
    formula: ClassVar[str] = (
        "q' = p1 / (1 - p0 + p1); p0 = low[i], where i is how many of from are at most q; "
        "p1 = high[j], where j is how many of upto are below q"
    )

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Both regressions, for every q that a new row may have."""
        assert isinstance(data.scores, Binary)
        q, weight, positive = at_each(data.scores.probabilities, data.labels.astype(np.float64), data.weight)
        high = with_label_one(weight, positive)
        low = 1.0 - with_label_one(weight[::-1], (weight - positive)[::-1])[::-1]
        last = np.flatnonzero(np.append(np.diff(high) > 0, True))
        first = np.flatnonzero(np.insert(np.diff(low) > 0, 0, True))
        return cls(q[first], np.concatenate([[0.0], low[first]]), q[last], np.concatenate([high[last], [1.0]]))

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        starts = numbers(held, "from", strictly=True, shares=True)
        ends = numbers(held, "upto", strictly=True, shares=True)
        low = numbers(held, "low", n=len(starts) + 1, rising=True, shares=True)
        high = numbers(held, "high", n=len(ends) + 1, rising=True, shares=True)
        found = cls(starts, low, ends, high)
        below, above = found.both(np.unique(np.concatenate([[0.0, 1.0], starts, ends])))
        if (below > above).any() or (below == 1.0).any() or (above == 0.0).any():
            raise InputError("the map's parameters low and high must leave p0 at most p1, p0 below 1 and p1 above 0.")
        return found

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {
            "from": self.starts.tolist(),
            "low": self.low.tolist(),
            "upto": self.ends.tolist(),
            "high": self.high.tolist(),
        }

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,), merged of both."""
        assert isinstance(scores, Binary)
        low, high = self.both(scores.probabilities)
        return np.asarray(high / (1.0 - low + high))

    def both(self, q: Floats) -> tuple[Floats, Floats]:
        """p₀ and p₁ of probabilities."""
        low = self.low[np.searchsorted(self.starts, q, side="right")]
        return np.asarray(low), np.asarray(self.high[np.searchsorted(self.ends, q, side="left")])


def with_label_one(weight: Floats, positive: Floats) -> Floats:
    """The isotonic regression at each of m ascending scores, once a row of this score, label 1 and weight 1 is added.

    weight, positive (m,): of the rows of a score, and of their labels 1. Algorithms 1 and 2 of Vovk, Petej & Fedorova
    (2015): the added row is a step (1, 1) of the path of sums, which moves to the right past one score at a time, while
    a stack holds the corners of the path's greatest convex minorant from where the step is.

    >>> with_label_one(np.ones(3), np.array([0.0, 1.0, 0.0])).round(3).tolist()
    [0.5, 0.667, 0.667]
    """
    x = np.concatenate([[0.0], np.cumsum(weight)]).tolist()
    y = np.concatenate([[0.0], np.cumsum(positive)]).tolist()
    stack = _corners([(-1.0, -1.0), *zip(x, y, strict=True)])
    found = np.empty(len(weight))
    for score in range(len(weight)):
        top, following = stack[-1], stack[-2]
        found[score] = (following[1] - top[1]) / (following[0] - top[0])
        point = (x[score + 1] - 1.0, y[score + 1] - 1.0)  # the path, where the step is past this score
        if _turn(top, point, following) <= 0:
            continue  # at or above the line
        stack.pop()
        while len(stack) > 1 and _turn(point, stack[-1], stack[-2]) <= 0:
            stack.pop()
        stack.append(point)
    return np.clip(np.maximum.accumulate(found), 0.0, 1.0)


def _corners(path: list[Point]) -> list[Point]:
    """The corners of the greatest convex minorant of a path, the last first."""
    stack: list[Point] = []
    for point in path:
        while len(stack) > 1 and _turn(stack[-2], stack[-1], point) <= 0:
            stack.pop()
        stack.append(point)
    return stack[::-1]


def _turn(first: Point, second: Point, third: Point) -> float:
    """Above 0 where the second of three points, from left to right, lies below the line of the others."""
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])


# Histogram binning: the frequency of label 1 in each of some bins of equal size.

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
    def fit(cls, data: Labelled, *, n_bins: int = BINS) -> Self:
        """The frequencies in `n_bins` bins."""
        assert isinstance(data.scores, Binary)
        q, weight, positive = at_each(data.scores.probabilities, data.labels.astype(np.float64), data.weight)
        middle = np.cumsum(weight) - weight / 2.0
        place = np.minimum((middle / weight.sum() * n_bins).astype(np.int64), n_bins - 1)
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
