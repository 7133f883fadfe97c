"""Antecedent distributions made sharper or blunter, and "new" more or less probable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.errors import InputError
from howsure.inputs.numbers import is_number
from howsure.stats.logistic import sigmoid

FURTHEST = 100.0  # of what is accepted; what is fitted stays nearer


@dataclass(frozen=True, slots=True)
class Sharpening:
    """Three numbers that change an antecedent distribution; 1, 1 and 0 change nothing.

    First, whether mention j is new: log odds of P(new), times `new`, plus `offset`. Then which antecedent it has, if it
    is not new: P(a_j = k)^links / Σ_k P(a_j = k)^links. A power is one over a temperature: above 1, probabilities move
    towards 0 and 1.

    Raises InputError for powers that are not above 0, and for numbers beyond ±100.
    """

    links: float = 1.0
    new: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            lowest = -FURTHEST if name == "offset" else 0.0
            if not (is_number(value) and lowest < value <= FURTHEST):
                raise InputError(f"{name} must be a number above {lowest:g}, at most {FURTHEST:g}; it is {value!r}.")
            object.__setattr__(self, name, float(value))

    def apply(self, antecedents: Antecedents) -> Antecedents:
        """The distributions changed. What is certain stays certain, what is impossible impossible."""
        if self == Sharpening():
            return antecedents
        odds, logs, sources = log_odds(antecedents)
        x = self.new * odds + (self.offset if self.offset else 0.0)
        new, old = sigmoid(x), sigmoid(-x)
        shares = np.exp(self.links * logs)
        p = shares * (old / np.maximum(np.bincount(sources, shares, len(antecedents)), 1.0))[sources]
        kept = p > 0.0
        counts = np.bincount(sources[kept], minlength=len(antecedents))
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])
        return Antecedents(new, starts, antecedents.antecedents[kept], p[kept])

    def to_dict(self) -> dict[str, float]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, held: Mapping[str, Any]) -> Self:
        """What `to_dict` gave. Raises KeyError, TypeError or InputError for something else."""
        return cls(links=held["links"], new=held["new"], offset=held["offset"])


def log_odds(antecedents: Antecedents) -> tuple[Any, Any, Any]:
    """log P(new) / P(not new) of each mention (M,); log P(a_j = k) less the highest of row j, of each link (L,); and
    the mention that each link starts from (L,)."""
    m, sources = len(antecedents), antecedents.sources()
    with np.errstate(divide="ignore"):
        logs = np.log(antecedents.probabilities)
        odds = np.log(antecedents.new) - np.log(np.bincount(sources, antecedents.probabilities, m))
    highest = np.full(m, -math.inf)
    np.maximum.at(highest, sources, logs)
    return odds, logs - highest[sources], sources
