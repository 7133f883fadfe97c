"""A number with its uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, its interval (None where the method gives none), and how both were made.

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
            return "undefined"
        if self.low is None or self.high is None:
            return f"{self.value:.4f}"
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"

    def to_dict(self) -> dict[str, float | str | None]:
        """The JSON form: `estimate`, `low`, `high`, `level`, `method`; what is undefined is None."""
        return {
            "estimate": None if math.isnan(self.value) else self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
        }
