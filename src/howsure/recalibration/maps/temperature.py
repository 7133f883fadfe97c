"""Temperature scaling of one probability per row: its log-odds divided by T."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.log_odds import uncertain
from howsure.recalibration.maps.parameters import Parameters, number
from howsure.recalibration.scores import Binary, Scores, expit
from howsure.stats.logistic import fit_logistic

SEPARATED = (
    "no temperature is best: every prediction is on the right side of 1/2, so that a lower one is always better. "
    "More rows, or rows of other data, would say more."
)
REVERSED = (
    "no temperature above 0 is best: the higher the probability, the rarer the label. Does the probability belong to "
    "the other label? method='platt' may reverse the order."
)


@dataclass(frozen=True, slots=True)
class Temperature:
    """q' = σ(logit(q) / T), T > 0: above 1 it makes probabilities less extreme; 0, ½ and 1 stay as they are."""

    temperature: float

    method: ClassVar[str] = "temperature"
    formula: ClassVar[str] = "q' = 1 / (1 + exp(-log(q / (1 - q)) / T))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The T of the least log loss.

        Raises InputError where none is.
        """
        odds, labels, weight = uncertain(data)
        sign = np.where(labels == 1, odds, -odds)
        counted = weight > 0
        if not odds[counted].any():
            raise InputError(
                f"every probability is 1/2, and no temperature changes that. {parameter('method', 'platt')} may."
            )
        if (sign[counted] >= 0).all():
            raise InputError(SEPARATED)
        if weight @ sign <= 0:  # the slope of the log likelihood at 1 / T = 0
            raise InputError(REVERSED)
        zero = np.zeros(1)
        fit = fit_logistic(odds[:, None], labels.astype(np.float64), weight, penalty=zero, centre=zero)
        return cls(float(1.0 / fit.coefficients[0]))

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        return cls(number(held, "T", above=0.0))

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {"T": self.temperature}

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,)."""
        assert isinstance(scores, Binary)
        return expit(scores.log_odds / self.temperature)
