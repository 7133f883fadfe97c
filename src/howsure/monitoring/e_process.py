"""The evidence against calibration over time: a mixture of bets, each begun at every possible date of a change.

A bet begun at the r-th period has the wealth Π over the periods since of what it gained. The e-value is the mean of
these wealths over all bets and all r, with weights that sum to 1 and are fixed beforehand; what is not begun yet
counts 1. Under the hypothesis its mean is at most 1 at any time at which one may stop, so that it exceeds 1 / alpha
ever with probability at most alpha (Ville), however often one looks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.monitoring.bets import NAMES, WEIGHTS

NEVER = -math.inf


@dataclass(slots=True)
class EProcess:
    """The state after some periods with rows.

    periods: their number. begun: by bet, the logarithm of the weighted sum of the wealths begun so far. stretch, since:
    by bet, the logarithm of the largest wealth that one begun at any period has now, and the first day of that period.
    highest: the largest logarithm of the e-value so far.
    """

    periods: int = 0
    begun: Floats = field(default_factory=lambda: np.full(len(NAMES), NEVER))
    stretch: Floats = field(default_factory=lambda: np.zeros(len(NAMES)))
    since: list[str] = field(default_factory=lambda: [""] * len(NAMES))
    highest: float = 0.0

    def take(self, gains: Floats, period: str) -> None:
        """Multiply by the gains of the bets in one more period, given as logarithms."""
        self.periods += 1
        entering = math.log(waiting(self.periods) - waiting(self.periods + 1))
        self.begun = np.logaddexp(self.begun, entering) + gains
        anew = self.stretch <= 0.0
        self.stretch = np.where(anew, 0.0, self.stretch) + gains
        self.since = [period if new else old for new, old in zip(anew.tolist(), self.since, strict=True)]
        self.highest = max(self.highest, self.log_e)

    @property
    def log_e(self) -> float:
        """The logarithm of the e-value."""
        mixed = float(np.logaddexp.reduce(self.begun + np.log(WEIGHTS)))
        return float(np.logaddexp(mixed, math.log(waiting(self.periods + 1))))

    @property
    def suspected(self) -> tuple[str, str]:
        """The first day of the stretch up to now in which a bet gained most, and that bet; ("", "") where none did.

        Stretches of all bets are compared after their weights: a shift of all probabilities needs less evidence than
        one of a single cell.
        """
        best = int(np.argmax(self.stretch + np.log(WEIGHTS)))
        return (self.since[best], NAMES[best]) if self.stretch[best] > 0.0 else ("", "")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "periods": self.periods,
            "begun": [None if one == NEVER else one for one in self.begun.tolist()],
            "stretch": self.stretch.tolist(),
            "since": self.since,
            "highest": self.highest,
        }

    @classmethod
    def from_dict(cls, held: dict[str, Any]) -> Self:
        """What `to_dict` made."""
        begun = np.array([NEVER if one is None else one for one in held["begun"]], dtype=np.float64)
        stretch = np.array(held["stretch"], dtype=np.float64)
        if not len(begun) == len(stretch) == len(held["since"]) == len(NAMES):
            raise ValueError(f"an e-process has {len(NAMES)} bets")
        return cls(int(held["periods"]), begun, stretch, [str(one) for one in held["since"]], float(held["highest"]))


def waiting(period: int) -> float:
    """The weight of all changes at this period or later, 1 / (1 + ln period): it falls slowly, and starts at 1."""
    return 1.0 / (1.0 + math.log(period))
