"""The methods by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from howsure.errors import InputError, parameter
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Floats
from howsure.recalibration.labelled import Labelled
from howsure.recalibration.maps.beta import Beta
from howsure.recalibration.maps.class_temperature import ClassTemperature
from howsure.recalibration.maps.histogram import BINS, Histogram
from howsure.recalibration.maps.isotonic import Isotonic
from howsure.recalibration.maps.linear import Dirichlet, Vector
from howsure.recalibration.maps.parameters import Parameters
from howsure.recalibration.maps.platt import Platt
from howsure.recalibration.maps.temperature import Temperature
from howsure.recalibration.maps.unchanged import Unchanged
from howsure.recalibration.maps.venn_abers import VennAbers
from howsure.recalibration.scores import Scores

AUTO = "auto"
PENALTIES = (1e-1, 1e-2, 1e-3, 1e-4)  # of Dirichlet calibration, tried by cross-fitting


class ProbabilityMap(Protocol):
    """A map of one kind, fitted: from probabilities to probabilities."""

    method: ClassVar[str]
    formula: ClassVar[str]

    @classmethod
    def read(cls, held: Parameters, k: int) -> Self:
        """From the parameters of a file, for k classes.

        Raises InputError for any that it cannot have.
        """
        ...

    def parameters(self) -> dict[str, Any]:
        """As they stand in a file."""
        ...

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,), or of the classes (n, K)."""
        ...


BINARY: dict[str, Any] = {  # in the order of what each may do, the least first
    one.method: one for one in (Unchanged, Temperature, Platt, Beta, VennAbers, Isotonic, Histogram)
}
OF_CLASSES: dict[str, Any] = {one.method: one for one in (Unchanged, ClassTemperature, Vector, Dirichlet)}
SYNONYMS = {"matrix": "dirichlet", "identity": "none", "sigmoid": "platt"}
METHODS = (AUTO, *dict.fromkeys([*BINARY, *OF_CLASSES]))


@dataclass(frozen=True, slots=True)
class Method:
    """A method with what it is told: the number of bins, or the penalty."""

    name: str
    bins: int = BINS
    penalty: float | None = None

    def __str__(self) -> str:
        return self.name if self.penalty is None else f"{self.name} (penalty {self.penalty:g})"

    def fit(self, data: Labelled) -> ProbabilityMap:
        """The map of some rows.

        Raises InputError where the method has none for them.
        """
        kind = maps_of(data.is_binary)[self.name]
        told: dict[str, Any] = {"bins": self.bins} if self.name == Histogram.method else {}
        told |= {} if self.penalty is None else {"penalty": self.penalty}
        found: ProbabilityMap = kind.fit(data, **told)
        return found


def maps_of(binary: bool) -> dict[str, Any]:
    """The maps of one probability per row, or of several classes, by name."""
    return BINARY if binary else OF_CLASSES


def candidates(method: object, *, binary: bool, bins: int = BINS, penalty: float | None = None) -> tuple[Method, ...]:
    """The methods to choose from for a name: one, unless it is "auto", or a penalty is to be found.

    Raises InputError for a name that is none, or none for these rows.
    """
    known = maps_of(binary)
    name = SYNONYMS.get(str(method), str(method))
    if name not in METHODS:
        raise unknown_name("method", name, METHODS, place="howsure.recalibrate")
    if name != AUTO and name not in known:
        rows = "one probability per row" if binary else "several classes"
        other = ", ".join(known)
        raise InputError(f"{parameter('method', name)} is not for {rows}; for these there are auto, {other}.")
    _check_told(name, bins, penalty)
    several = PENALTIES if penalty is None else (penalty,)
    return tuple(
        Method(one, bins=bins, penalty=told)
        for one in (known if name == AUTO else (name,))
        for told in (several if one == Dirichlet.method else (None,))
    )


def _check_told(name: str, bins: int, penalty: float | None) -> None:
    if isinstance(bins, bool) or not isinstance(bins, (int, np.integer)) or not 1 <= bins <= 100_000:
        raise InputError(f"bins must be a whole number from 1 to 100,000; it is {bins!r}.")
    if bins != BINS and name not in (AUTO, Histogram.method):
        raise InputError(
            f"bins is for {parameter('method', 'histogram')}; with {parameter('method', name)}, leave bins out."
        )
    if penalty is None:
        return
    if isinstance(penalty, bool) or not isinstance(penalty, (int, float)) or not 0 < penalty < float("inf"):
        raise InputError(f"penalty must be a finite number above 0; it is {penalty!r}. Write 0.001, say.")
    if name not in (AUTO, Dirichlet.method):
        raise InputError(
            f"penalty is for {parameter('method', 'dirichlet')}; with {parameter('method', name)}, leave penalty out."
        )
