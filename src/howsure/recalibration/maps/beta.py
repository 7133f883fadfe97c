"""Beta calibration: log q and log(1 - q) with slopes of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.log_odds import refuse_one_value, uncertain
from howsure.recalibration.maps.parameters import Parameters, number
from howsure.recalibration.scores import Binary, Scores, expit
from howsure.stats.logistic import fit_logistic

LARGEST = 1e4  # a slope, of anything but separated labels


@dataclass(frozen=True, slots=True)
class Beta:
    """q' = σ(c + a log q - b log(1 - q)) with a, b ≥ 0, so that the order is kept (Kull, Silva Filho & Flach 2017)."""

    of_one: float
    of_zero: float
    intercept: float

    method: ClassVar[str] = "beta"
    formula: ClassVar[str] = "q' = 1 / (1 + exp(-(c + a * log(q) - b * log(1 - q))))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The a, b and c of the least log loss.

        Raises InputError where none are: too few different probabilities, or labels that a threshold separates.
        """
        odds, labels, weight = uncertain(data)
        refuse_one_value(odds[weight > 0], least=3, method=cls.method)
        _refuse_separated(odds[weight > 0], labels[weight > 0])
        fit = _slopes(odds, labels.astype(np.float64), weight)
        return cls(float(fit[1]), float(fit[2]), float(fit[0]))

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        return cls(number(held, "a", least=0.0), number(held, "b", least=0.0), number(held, "c"))

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {"a": self.of_one, "b": self.of_zero, "c": self.intercept}

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,)."""
        assert isinstance(scores, Binary)
        log_one, minus_log_zero = _logs(scores.log_odds)
        held = np.full(len(scores), self.intercept)
        for slope, column in ((self.of_one, log_one), (self.of_zero, minus_log_zero)):
            held += slope * column if slope > 0 else 0.0
        return expit(held)


def _logs(odds: Floats) -> tuple[Floats, Floats]:
    """log q and -log(1 - q), of log-odds."""
    return -np.logaddexp(0.0, -odds), np.logaddexp(0.0, odds)


def _slopes(odds: Floats, labels: Floats, weight: Floats) -> Floats:
    """Intercept, a and b of the least log loss with a, b ≥ 0.

    Where the minimum without these bounds lies outside of them (or nowhere), that within lies on a bound, since the
    loss is convex.
    """
    columns = np.column_stack([np.ones(len(odds)), *_logs(odds)])
    for faces in (((0, 1, 2),), ((0, 1), (0, 2)), ((0,),)):
        found = [_unbounded(columns, labels, weight, used) for used in faces]
        within = [one for one in found if one is not None and (one[1:] >= 0).all()]
        if within:
            return min(within, key=lambda one: _loss(columns @ one, labels, weight))
    raise AssertionError("an intercept alone has a minimum")


def _unbounded(columns: Floats, labels: Floats, weight: Floats, used: tuple[int, ...]) -> Floats | None:
    """The coefficients of some columns, 0 of the others; None where they have no minimum."""
    ones = float(weight @ labels)
    centre = np.zeros(len(used))
    centre[0] = np.log(ones / (weight.sum() - ones))
    try:
        fit = fit_logistic(columns[:, used], labels, weight, penalty=np.zeros(len(used)), centre=centre)
    except np.linalg.LinAlgError:
        return None
    found = np.zeros(3)
    found[list(used)] = fit.coefficients
    return found if np.abs(found).max() < LARGEST else None


def _loss(eta: Floats, labels: Floats, weight: Floats) -> float:
    return float(weight @ (np.logaddexp(0.0, eta) - labels * eta))


def _refuse_separated(odds: Floats, labels: Integers) -> None:
    """Raise InputError where every label 1 has a higher score than every label 0, or nearly: no slope is best."""
    ones, zeros = odds[labels == 1], odds[labels == 0]
    if ones.min() >= zeros.max():
        raise InputError(
            f"{parameter('method', 'beta')} has no best slopes: every row of label 1 has a probability at least as "
            "high as every row of "
            f"label 0. {parameter('method', 'platt')} has one."
        )
