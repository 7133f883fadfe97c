"""A number with its uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from howsure.result import Result
from howsure.show.column import COUNT, NUMBER, WORDS, Column
from howsure.show.numbers import UNDEFINED, interval
from howsure.show.preformatted import preformatted


@dataclass(frozen=True, slots=True)
class Estimate(Result):
    """A value, its interval (None if the method gives none), and how both were computed.

    >>> print(Estimate(0.0412, 0.033, 0.049, level=0.95, method="debiased", n=1000))
    0.0412 [0.0330, 0.0490]
    """

    value: float
    low: float | None
    high: float | None
    level: float
    method: str
    n: int

    def __str__(self) -> str:
        if math.isnan(self.value):
            return UNDEFINED
        if self.low is None or self.high is None:
            return f"{self.value:.4f}"
        return f"{self.value:.4f} {interval(self.low, self.high)}"

    @property
    def recipe(self) -> dict[str, Any]:
        """How the value and its interval were computed: the method, the level, and the sample size."""
        return {"method": self.method, "level": self.level, "n": self.n}

    def columns(self) -> tuple[Column, ...]:
        """One row."""
        numbers = (Column(name, NUMBER) for name in ("value", "low", "high", "level"))
        return (*numbers, Column("method", WORDS), Column("n", COUNT))

    @property
    def words(self) -> str:
        """The value and its interval."""
        return str(self)

    def _repr_html_(self) -> str:
        return preformatted(str(self))
