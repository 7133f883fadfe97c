"""Maps of one probability per row: temperature, Platt and beta, on its log-odds; and none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.parameters import Parameters, number, refuse_one_value, uncertain
from howsure.recalibration.scores import Binary, Scores
from howsure.stats.logistic import fit_logistic, sigmoid


@dataclass(frozen=True, slots=True)
class Unchanged:
    """q' = q."""

    method: ClassVar[str] = "none"
    formula: ClassVar[str] = "q' = q"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """There is nothing to fit."""
        return cls()

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        return cls()

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {}

    def apply(self, scores: Scores) -> Floats:
        """The probabilities that were given."""
        return scores.probabilities


# Temperature scaling of one probability per row: its log-odds divided by T.

SEPARATED = (
    "no temperature is best: every prediction is on the right side of 1/2, so that a lower one is always better. "
    "More rows, or rows of other data, would say more."
)
REVERSED = (
    "no temperature above 0 is best: the higher the probability, the rarer the label. Does the probability belong to "
    f"the other label? {parameter('method', 'platt')} may reverse the order."
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
        return sigmoid(scores.log_odds / self.temperature)


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
            return np.full(len(scores), float(sigmoid(np.array([self.intercept]))[0]))
        return sigmoid(self.intercept + self.slope * scores.log_odds)


# Beta calibration: log q and log(1 - q) with slopes of their own.

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
        return sigmoid(held)


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
