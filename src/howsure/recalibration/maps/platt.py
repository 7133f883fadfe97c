"""Platt scaling: a logistic regression on the log-odds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.log_odds import refuse_one_value, uncertain
from howsure.recalibration.maps.parameters import Parameters, number
from howsure.recalibration.scores import Binary, Scores, expit
from howsure.stats.logistic import fit_logistic


@dataclass(frozen=True, slots=True)
class Platt:
    """q' = σ(a + b logit(q)); b below 0 reverses the order; for b > 0, 0 and 1 stay as they are.

    Labels 1 and 0 are fitted as (n₁ + 1) / (n₁ + 2) and 1 / (n₀ + 2), n₁ and n₀ their numbers (sums of weights), as in
    Platt (1999) and scikit-learn: so a fit exists even where a threshold separates the labels.
    """

    intercept: float
    slope: float

    method: ClassVar[str] = "platt"
    formula: ClassVar[str] = "q' = 1 / (1 + exp(-(a + b * log(q / (1 - q)))))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The a and b of the least log loss.

        Raises InputError where none are.
        """
        odds, labels, weight = uncertain(data)
        refuse_one_value(odds, least=2, method=cls.method)
        ones = float(weight @ labels)
        zeros = float(weight.sum()) - ones
        targets = np.where(labels == 1, (ones + 1.0) / (ones + 2.0), 1.0 / (zeros + 2.0))
        design = np.column_stack([np.ones(len(odds)), odds])
        centre = np.array([np.log((ones + 1.0) / (zeros + 1.0)), 0.0])
        fit = fit_logistic(design, targets, weight, penalty=np.zeros(2), centre=centre)
        return cls(float(fit.coefficients[0]), float(fit.coefficients[1]))

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        return cls(number(held, "a"), number(held, "b"))

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {"a": self.intercept, "b": self.slope}

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,)."""
        assert isinstance(scores, Binary)
        if self.slope == 0.0:
            return np.full(len(scores), float(expit(np.array([self.intercept]))[0]))
        return expit(self.intercept + self.slope * scores.log_odds)
