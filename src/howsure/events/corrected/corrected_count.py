"""How often an actor acts in a period, or in all, estimated with the labels of read documents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from howsure.counts.results import CountEstimate
from howsure.show.numbers import interval, number

ALL = "all"


@dataclass(frozen=True, slots=True)
class CorrectedCount:
    """The number of documents of a period in which an actor acts, or their share, with its interval.

    period: its name, or "all". n: stored documents of the period; labelled: of these with labels; positives: of these
    in which the actor acts, as their readers say. method: how the number was estimated. NaN in a period without any
    document.
    """

    actor: str
    period: str
    n: int
    labelled: int
    positives: int
    estimate: float
    low: float
    high: float
    method: str

    @classmethod
    def of(
        cls, found: CountEstimate | None, actor: str, period: str, n_documents: int, *, share: bool
    ) -> CorrectedCount:
        """The count of a cell (None: no stored document), among n documents of which some were perhaps left out."""
        if n_documents == 0:
            return cls(actor, period, 0, 0, 0, math.nan, math.nan, math.nan, "")
        if found is None:
            return cls(actor, period, 0, 0, 0, 0.0, 0.0, 0.0, "exact")
        per = n_documents if share else 1
        values = (found.estimate / per, float(found.low) / per, float(found.high) / per)
        return cls(actor, period, found.n, found.labelled, found.positives, *values, found.method)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is undefined is None."""
        held = {name: getattr(self, name) for name in self.__slots__}
        return {name: None if isinstance(one, float) and math.isnan(one) else one for name, one in held.items()}

    def text(self, *, share: bool) -> tuple[str, str]:
        """The estimate and its interval as a reader sees them."""
        return number(self.estimate, 4 if share else 1), interval(self.low, self.high, 4 if share else 0)
