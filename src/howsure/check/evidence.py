"""What rows say about a rule: the limits, the rule, one-sided tests, and what one check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from howsure.errors import GIVEN, InputError, parameter
from howsure.inputs.numbers import is_number

# The limits of a check, and how the other model is named: checked once.


def check_limit(value: object, *, name: str, low: float = 0.0, high: float = 1.0) -> float:
    """A limit strictly between two numbers.

    >>> check_limit(5, name="max_error")
    Traceback (most recent call last):
    howsure.errors.InputError: max_error must lie strictly between 0 and 1; it is 5. Write 0.05 for 5 %.
    """
    if is_number(value) and low < value < high:
        return float(value)
    if np.isfinite(low):
        raise InputError(f"{name} must lie strictly between {low:g} and {high:g}; it is {value!r}. Write 0.05 for 5 %.")
    raise InputError(f"{name} must be a finite number; it is {value!r}.")


def check_margin(value: object, *, most: float = 1.0) -> None:
    """Raise InputError for a margin that is no number from 0 to below `most`."""
    if value is not None and not (is_number(value) and 0.0 <= value < most):
        rule = "of 0 or more" + (f" and below {most:g}" if np.isfinite(most) else "")
        raise InputError(f"{parameter('not_worse_than')} must be a margin {rule}; it is {value!r}.")


def named_once(better_than: Any, against: Any, margin: Any, *, baseline: bool | None = None) -> Any:
    """The other model, named by one of two parameters; None if by neither.

    `baseline` says whether what a former run wrote is named too (None: it cannot be).

    Raises InputError if it is named twice, or needed and not named, or if a margin is missing.
    """
    check_margin(margin, most=np.inf)
    if better_than is not None and against is not None:
        raise InputError(
            f"{parameter('better_than', GIVEN)} and {parameter('against', GIVEN)} both name the other model; give one "
            "of them."
        )
    if margin is None and (against is not None or baseline):
        given = parameter("against", GIVEN) if against is not None else parameter("baseline", GIVEN)
        raise InputError(
            f"{given} needs the margin by which this model may be worse: {parameter('not_worse_than', 0.01)}."
        )
    if margin is not None and better_than is None and against is None and not baseline:
        former = "" if baseline is None else f", or what a former run wrote: {parameter('baseline', GIVEN)}"
        raise InputError(
            f"{parameter('not_worse_than', GIVEN)} needs the other model: {parameter('against', GIVEN)}{former}"
        )
    return against if better_than is None else better_than


# What is checked, and what the rows say about it.

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
