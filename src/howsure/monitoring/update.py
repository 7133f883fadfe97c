"""What an update of a monitor took, and what it left."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from howsure.inputs.naming import counted
from howsure.result import Result
from howsure.show.preformatted import preformatted


@dataclass(frozen=True, slots=True)
class MonitorUpdate(Result):
    """What `CalibrationMonitor.update` took.

    periods: first days of those taken now. n: rows in them. unlabelled: rows without a label in them, left out.
    already: rows of periods that were taken before. missed: rows of periods that were not taken while later ones were;
    they cannot be used any more, since periods are taken in order. late: how many rows more the taken ones have now;
    changed: how many of them hold other rows than then. Neither is used. open: rows of periods that are not over yet,
    or wait for labels; they come again.
    moved: rows of clusters that began in an earlier period and were taken with it. continued: rows of clusters that an
    earlier update took, left out.
    """

    periods: tuple[str, ...]
    n: int
    unlabelled: int
    already: int
    missed: int
    late: int
    changed: int
    open: int
    moved: int
    continued: int
    recipe: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"recipe": self.recipe, "periods": list(self.periods)} | self._counts()

    def _counts(self) -> dict[str, int]:
        names = ("n", "unlabelled", "already", "missed", "late", "changed", "open", "moved", "continued")
        return {name: getattr(self, name) for name in names}

    def _columns(self) -> dict[str, Any]:
        """One row."""
        return {"periods": [len(self.periods)]} | {name: [count] for name, count in self._counts().items()}

    def __repr__(self) -> str:
        taken = f"{counted(self.n, 'row')} of {counted(len(self.periods), 'new period')}"
        if self.periods:
            taken += f", {self.periods[0]} to {self.periods[-1]}"
        waiting = ", or still wait for labels" if self.recipe.get("wait") else ""
        parts = [
            taken,
            self.unlabelled and f"{counted(self.unlabelled, 'row')} without a label, left out",
            self.already and f"{counted(self.already, 'row')} of periods taken before, left out",
            self.missed
            and f"{counted(self.missed, 'row')} of periods that were never taken, though later ones were: not "
            "used, since periods are taken in order; begin another state with all of them",
            self.late and f"{counted(self.late, 'label')} came after its period was taken: not used; wait longer",
            self.changed and f"{counted(self.changed, 'period')} taken before with other rows: were they in two files?",
            self.open and f"{counted(self.open, 'row')} of periods that are not over yet{waiting}",
            self.moved and f"{counted(self.moved, 'row')} counted in the earlier period in which their cluster began",
            self.continued and f"{counted(self.continued, 'row')} of clusters taken in an earlier update, left out",
        ]
        return "\n  ".join(str(part) for part in parts if part)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))
