"""Common parts of all maps: parameters in files, rows with probability 0 or 1, errors if no optimum exists."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, TypeGuard

import numpy as np

from howsure.errors import InputError, quote
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.recalibration.map_input import Binary, Labelled, Scores
from howsure.result import plain

# The parameters of a map in a file, checked when they are read.

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProbabilityMap(ABC):
    """A fitted map of one kind, from probabilities to probabilities. names: the names of its fields in a file."""

    names: ClassVar[tuple[str, ...]] = ()
    method: ClassVar[str]
    formula: ClassVar[str]

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        """Create a map from the parameters in a file, for k classes."""
        return cls()

    def parameters(self) -> dict[str, Any]:
        """The parameters in the form of a file."""
        return {name: plain(getattr(self, spec.name)) for name, spec in zip(self.names, fields(self), strict=True)}

    @abstractmethod
    def apply(self, scores: Scores) -> Floats:
        """The probabilities of label 1 (n,), or of the classes (n, K)."""


def number(parameters: Parameters, name: str, *, least: float = -math.inf, above: float = -math.inf) -> float:
    """Return the parameter `name`, a finite number that is at least `least` and greater than `above`.

    >>> number({"T": 1.5}, "T", above=0)
    1.5
    """
    value = parameters.get(name)
    if is_number(value) and value >= least and value > above:
        return float(value)
    bound = f" above {above:g}" if above > -math.inf else f" of at least {least:g}" if least > -math.inf else ""
    raise InputError(f"the map's parameter {name} must be a finite number{bound}; it is {quote(value)}.")


def numbers(
    parameters: Parameters,
    name: str,
    *,
    n: int | None = None,
    rising: bool = False,
    strictly: bool = False,
    shares: bool = False,
) -> Floats:
    """Return the parameter `name`, a list of finite numbers, as an array.

    n: the required length. rising: whether the numbers must be in increasing order. strictly: whether they must differ.
    shares: whether they must be in [0, 1].
    """
    values = parameters.get(name)
    expected = f"a list of {'' if n is None else f'{n:,} '}finite numbers"
    if not isinstance(values, list) or not all(map(is_number, values)) or (n is not None and len(values) != n):
        raise InputError(f"the map's parameter {name} must be {expected}; it is {quote(values)}.")
    array = np.array(values, dtype=np.float64)
    steps = np.diff(array)
    if (rising and (steps < 0).any()) or (strictly and (steps <= 0).any()):
        raise InputError(f"the map's parameter {name} must be in rising order; it is {quote(values)}.")
    if shares and len(array) and not (array.min() >= 0.0 and array.max() <= 1.0):
        raise InputError(f"the map's parameter {name} must contain numbers from 0 to 1; it is {quote(values)}.")
    return array


def square(parameters: Parameters, name: str, *, k: int) -> Floats:
    """Return the parameter `name`, a matrix (k, k) in the form of k lists of k finite numbers."""
    rows = parameters.get(name)
    if not isinstance(rows, list) or len(rows) != k:
        raise InputError(f"the map's parameter {name} must be {k} lists of {k} finite numbers; it is {quote(rows)}.")
    return np.array([numbers({name: row}, name, n=k) for row in rows])


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value of a file is a finite number; truth values are not."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


# Common parts of maps of log-odds: rows of probability 0 or 1, and errors if no optimum exists.

OTHERWISE = "`method='isotonic'` does not use log-odds."


def uncertain(data: Labelled) -> tuple[Floats, Integers, Floats]:
    """The log-odds, labels and weights of the rows whose probability is neither 0 nor 1.

    A map of log-odds leaves 0 and 1 unchanged, so that rows with a correct probability of 0 or 1 do not affect the fit.
    """
    assert isinstance(data.scores, Binary)
    odds, labels, weight = data.scores.log_odds, data.labels, data.weight
    certain = np.isinf(odds)
    if not certain.any():
        return odds, labels, weight
    refuse_certain_errors(certain & ((odds > 0) != (labels == 1)) & (weight > 0), "probabilities are 0 or 1")
    if certain.all():
        raise InputError(f"every probability is 0 or 1, so there are no finite log-odds to recalibrate. {OTHERWISE}")
    return odds[~certain], labels[~certain], weight[~certain]


def refuse_certain_errors(wrong: Bools, what: str) -> None:
    """Raise InputError if any row is marked in `wrong` (n,), because its label has probability 0.

    what: the beginning of the message, the affected probabilities."""
    if not wrong.any():
        return
    row = int(np.flatnonzero(wrong)[0])
    raise InputError(
        f"{what} and wrong in {counted(int(wrong.sum()), 'row')}, the first of them `row {row}`: their log loss is "
        "infinite whatever the map does to log-odds. Give `floor=1e-6` to move all probabilities into [floor, 1 - "
        f"floor], or use another method: {OTHERWISE}"
    )


def refuse_one_value(odds: Floats, *, least: int, method: str) -> None:
    """Raise InputError if fewer than `least` log-odds are distinct, which do not determine the map's parameters."""
    n_values = len(np.unique(odds[:1000])) if len(odds) > 1000 else len(np.unique(odds))
    if n_values < least:
        n_values = len(np.unique(odds))
    if n_values < least:
        raise InputError(
            f"`method={method!r}` needs {least} different probabilities between 0 and 1 or more; there "
            f"{'is' if n_values == 1 else 'are'} {n_values}. `method='histogram'` gives the frequency of each."
        )
