"""A mean loss before and after recalibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from howsure.stats.estimate import Estimate, finite_or_none


@dataclass(frozen=True, slots=True)
class Change:
    """A mean loss before and after recalibration, and the improvement, before - after, with its interval: above 0 is
    better."""

    before: float
    after: float
    improvement: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; what is undefined or infinite is None."""
        found = {"before": finite_or_none(self.before), "after": finite_or_none(self.after)}
        return found | {"improvement": self.improvement.to_dict()}
