"""What a monitor is told once, before it sees any data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.naming import unknown_name
from howsure.inputs.numbers import check_whole, is_number
from howsure.monitoring.dates import PERIODS, as_day

MOST_WAITING = 3_650
LARGEST_TOLERANCE = 0.5


@dataclass(frozen=True, slots=True)
class Settings:
    """by: the length of a period. tolerance: how far the probability of label 1 may lie from the one predicted. level:
    1 minus the probability of any false alarm ever, and the level of the bands. wait: days for which labels may come.
    reference: the last day of the period of reference, as text, None without one."""

    by: str
    tolerance: float
    level: float
    wait: int
    reference: str | None

    @classmethod
    def checked(cls, *, by: str, tolerance: float, level: float, wait: int, reference: Any) -> Self:
        """The settings; InputError for one that cannot be."""
        if by not in PERIODS:
            raise unknown_name("period", str(by), PERIODS, place="a monitor")
        if not is_number(tolerance) or not 0.0 <= tolerance < LARGEST_TOLERANCE:
            raise InputError(
                f"tolerance must lie in [0, {LARGEST_TOLERANCE}); it is {tolerance!r}. Write 0.02 for two points of "
                "probability."
            )
        wait = check_whole(wait, name="wait", least=0, most=MOST_WAITING)
        day = None if reference is None else str(as_day(reference, name="reference"))
        return cls(by, float(tolerance), check_level(level), wait, day)

    @property
    def alpha(self) -> float:
        """The probability of any false alarm ever, at most."""
        return 1.0 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)
