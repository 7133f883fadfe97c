"""Isotonic regression: the rising step function nearest to the labels, joined by lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.parameters import Parameters, numbers
from howsure.recalibration.scores import Binary, Scores


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
