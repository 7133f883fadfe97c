"""The map of ordered levels: one temperature and a shift for each cut point, of the log-odds of a higher level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats
from howsure.recalibration.parameters import (
    Parameters,
    ProbabilityMap,
    number,
    numbers,
    refuse_certain_errors,
    refuse_one_value,
)
from howsure.recalibration.scores import Classes, Labelled, Scores
from howsure.stats.logistic import fit_logistic, sigmoid

LEAST = 1e-3  # of the probability of a level between cut points that cross
REVERSED = (
    "no temperature above 0 is best: the more probable a higher level, the rarer it is. Are the levels named from the "
    "lowest to the highest, in the order of their probabilities? `classes=...` says so."
)


@dataclass(frozen=True, slots=True)
class Ordered(ProbabilityMap):
    """P'(level > k) = σ(logit(P(level > k)) / T + s_k), T > 0, for each cut point k of K ordered levels.

    Fitted by the log loss of all cut points, whose labels count as in Platt scaling: with two levels, it is Platt
    scaling. Where shifts carry a cut point past the next, the level between them keeps a thousandth of its probability.
    """

    temperature: float
    shifts: Floats

    names: ClassVar = ("T", "s")
    method: ClassVar = "ordered"
    formula: ClassVar = (
        "p'[k] = m[k] / (the sum over all levels j of m[j]), m[k] = c[k - 1] - c[k] if that is above 0, or else p[k] / "
        "1000, c[k] = 1 / (1 + exp(-(s[k] + log(P[k] / (1 - P[k])) / T))), P[k] the sum of p[j] over all levels j > k, "
        "c[-1] = 1, c[K - 1] = 0"
    )

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The T and s that minimise the log loss summed over all cut points.

        Raises InputError if there is no minimum.
        """
        assert isinstance(data.scores, Classes)
        odds, cut = log_odds_above(data.scores), np.arange(data.k - 1)
        above = data.labels[:, None] > cut
        weight = np.repeat(data.weight[:, None], data.k - 1, axis=1)
        certain = np.isinf(odds)
        wrong = certain & ((odds > 0) != above) & (weight > 0)
        refuse_certain_errors(wrong.any(axis=1), "probabilities of a higher level are 0 or 1")
        refuse_one_value(odds[~certain], least=2, method=cls.method)
        ones, total = (weight * above).sum(axis=0), weight.sum(axis=0)
        targets = np.where(above, (ones + 1.0) / (ones + 2.0), 1.0 / (total - ones + 2.0))
        uncertain = ~certain
        design = np.column_stack([odds[uncertain], np.eye(data.k - 1)[np.nonzero(uncertain)[1]]])
        centre = np.append(0.0, np.log((ones + 1.0) / (total - ones + 1.0)))
        fit = fit_logistic(design, targets[uncertain], weight[uncertain], penalty=np.zeros(data.k), centre=centre)
        slope = float(fit.coefficients[0])
        if slope <= 0.0:
            raise InputError(f"`method={cls.method!r}`: {REVERSED}")
        return cls(1.0 / slope, fit.coefficients[1:])

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        return cls(number(parameters, "T", above=0.0), numbers(parameters, "s", n=k - 1))

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of the levels (n, K)."""
        assert isinstance(scores, Classes)
        above = sigmoid(log_odds_above(scores) / self.temperature + self.shifts)
        probabilities: Floats = -np.diff(above, axis=1, prepend=1.0, append=0.0)
        crossed = ~(probabilities > 0.0)
        probabilities[crossed] = LEAST * scores.probabilities[crossed]
        rows = crossed.any(axis=1)
        probabilities[rows] /= probabilities[rows].sum(axis=1, keepdims=True)
        return probabilities


def log_odds_above(scores: Classes) -> Floats:
    """The log-odds of a level above each cut point (n, K - 1); -inf and inf where it is impossible and certain."""
    below = np.cumsum(scores.probabilities, axis=1)[:, :-1]
    above = np.cumsum(scores.probabilities[:, ::-1], axis=1)[:, -2::-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(above) - np.log(below))
