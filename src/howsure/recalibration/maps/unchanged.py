"""No map: the probabilities as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.parameters import Parameters
from howsure.recalibration.scores import Scores


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
