"""What is checked, and what the rows say about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

BELOW, ABOVE = "below", "above"


class OneSidedTest(Protocol):
    """Tests of one quantity against any limit."""

    @property
    def value(self) -> float:
        """The estimate; NaN where there is none."""
        ...

    def p_below(self, limit: float) -> float:
        """The p-value of the hypothesis that the quantity is `limit` or more."""
        ...

    def p_above(self, limit: float) -> float:
        """The p-value of the hypothesis that the quantity is `limit` or less."""
        ...

    def bounds(self, size: float) -> tuple[float, float]:
        """The one-sided bounds of tests of this size."""
        ...

    def rows_needed(self, limit: float, size: float) -> int | None:
        """The rows that would probably give a verdict, if the quantity is as estimated."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """What must hold: the `quantity` lies on the `wanted` side of the limit, "below" or "above".

    check: the kind of check. against: the name of the other model or of the baseline, None for a limit alone.
    """

    check: str
    quantity: str
    wanted: str
    limit: float
    against: str | None = None

    def __str__(self) -> str:
        against = "" if self.against is None else f" against {self.against}"
        return f"{self.quantity} {'<' if self.wanted == BELOW else '>'} {self.limit:g}{against}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A rule, and the tests that the rows of a group (None: all rows) make of it.

    notes: what is to be said of it; caveats: the same, where it depends on the size of the tests.
    """

    rule: Rule
    group: str | None
    n: int
    test: OneSidedTest
    notes: tuple[str, ...] = ()
    caveats: Callable[[float], tuple[str, ...]] | None = None

    @property
    def p_kept(self) -> float:
        """The p-value of the hypothesis that the rule is broken: small where it is kept."""
        return self._p(kept=True)

    @property
    def p_broken(self) -> float:
        """The p-value of the hypothesis that the rule is kept: small where it is broken."""
        return self._p(kept=False)

    def _p(self, *, kept: bool) -> float:
        below = (self.rule.wanted == BELOW) == kept
        return self.test.p_below(self.rule.limit) if below else self.test.p_above(self.rule.limit)
