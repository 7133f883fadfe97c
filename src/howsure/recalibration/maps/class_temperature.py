"""Temperature scaling of the probabilities of several classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.classes import softmax
from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.log_odds import refuse_certain_errors
from howsure.recalibration.maps.parameters import Parameters, number
from howsure.recalibration.scores import Classes, Scores

STEPS = 100
TOLERANCE = 1e-12
SEPARATED = (
    "no temperature is best: in every row, no class is more probable than the label, so that a lower one is always "
    "better. More rows, or rows of other data, would say more."
)
REVERSED = (
    "no temperature above 0 is best: the labels are less probable than chance. Are the classes in the order of their "
    "columns? classes=[...] says so."
)


@dataclass(frozen=True, slots=True)
class ClassTemperature:
    """p'_k ∝ p_k^(1/T), T > 0 (Guo et al. 2017): the softmax of the logits divided by T; the order of classes stays."""

    temperature: float

    method: ClassVar[str] = "temperature"
    formula: ClassVar[str] = "p'[k] = exp(log(p[k]) / T) / (the sum over all classes j of exp(log(p[j]) / T))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The T of the least log loss.

        Raises InputError where none is.
        """
        assert isinstance(data.scores, Classes)
        logs, labels, weight = data.scores.logs, data.labels, data.weight
        counted = weight > 0
        own = logs[np.arange(len(labels)), labels]
        refuse_certain_errors(np.isneginf(own) & counted, "the label's probability is 0")
        most = logs.max(axis=1)
        if (own >= most)[counted].all():
            raise InputError(SEPARATED)
        possible = np.isfinite(logs)
        held = np.asfortranarray(np.where(possible, logs - most[:, None], 0.0))  # whose rows are summed faster
        own = own - most
        mean = np.where(possible, held, 0.0).sum(axis=1) / possible.sum(axis=1)
        if weight[counted] @ (own - mean)[counted] <= 0:
            raise InputError(REVERSED)
        return cls(float(1.0 / _inverse(held, possible, own, weight)))

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file."""
        return cls(number(held, "T", above=0.0))

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        return {"T": self.temperature}

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of the classes (n, K)."""
        assert isinstance(scores, Classes)
        return softmax(scores.logs / self.temperature)


def _inverse(held: Floats, possible: np.ndarray[Any, np.dtype[np.bool_]], own: Floats, weight: Floats) -> float:
    """The β = 1 / T at which the slope of the log loss in β, Σ w (E[s] - s of the label), is 0: it rises with β.

    Newton's method, within bounds that the signs of the slope narrow.
    """
    low, high, beta = 0.0, np.inf, 1.0
    everywhere = bool(possible.all())
    for _ in range(STEPS):
        raised = np.exp(beta * held)
        if not everywhere:
            raised *= possible
        raised /= raised.sum(axis=1, keepdims=True)
        mean = np.einsum("ij,ij->i", raised, held)
        spread = np.einsum("ij,ij,ij->i", raised, held, held) - mean**2
        slope, curve = float(weight @ (mean - own)), float(weight @ spread)
        low, high = (beta, high) if slope < 0 else (low, beta)
        moved = beta - slope / curve if curve > 0 else np.nan
        if not low < moved < high:
            moved = 2.0 * beta if high == np.inf else (low + high) / 2.0
        if abs(moved - beta) <= TOLERANCE * beta:
            return moved
        beta = moved
    return beta
