"""Groups that are worse calibrated than the whole, as results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.calibration.subgroups.wording import found_in_words, groups_table
from howsure.result import Result
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate, finite_or_none

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class MiscalibratedGroup:
    """A group that is worse calibrated than the whole.

    name: its conditions in words, which are also in `conditions`. n: its rows; share: of the weight. mean_prob: the
    mean prediction, base_rate: the frequency of label 1, gap: their difference, positive where the model is
    overconfident. whole_gap: the gap of the whole at the same predictions (0 if the comparison is with perfect
    calibration). excess: gap - whole_gap, with an interval that holds for all groups tested at once. error: the
    debiased calibration error. p_adjusted: for all groups tested. explains: other groups found whose departure is this
    one's.
    """

    name: str
    conditions: tuple[str, ...]
    n: int
    share: float
    mean_prob: float
    base_rate: float
    gap: float
    whole_gap: float
    excess: Estimate
    error: Estimate
    p_adjusted: float
    explains: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "group": self.name, "conditions": list(self.conditions), "n": self.n, "share": self.share,
            "mean_prob": self.mean_prob, "base_rate": self.base_rate, "gap": self.gap, "whole_gap": self.whole_gap,
            "excess": self.excess.to_dict(), "error": self.error.to_dict(), "p_adjusted": self.p_adjusted,
            "explains": list(self.explains),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class WholeCalibration:
    """All rows: their number, the mean prediction, the frequency of label 1, the gap and the debiased error."""

    n: int
    mean_prob: float
    base_rate: float
    gap: float
    error: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        found = {"n": self.n, "mean_prob": self.mean_prob, "base_rate": self.base_rate, "gap": self.gap}
        return found | {"error": self.error.to_dict()}


@dataclass(frozen=True, slots=True)
class FoundGroups(Result):
    """The result of `find_groups`: iterate, index by name, or convert it.

    rows: the groups found, the strongest first; of groups that overlap, those that explain the others. whole: all rows.
    tested: the number of groups tested, by their number of conditions. better: significant groups that are better
    calibrated than the whole. left: groups found that are neither among the rows nor explained by them. notes: caveats.
    recipe: everything needed to repeat it.
    """

    rows: tuple[MiscalibratedGroup, ...]
    whole: WholeCalibration
    tested: tuple[int, ...]
    better: int
    left: int
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[MiscalibratedGroup]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> MiscalibratedGroup:
        """A group that was found, by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """The groups found, the whole, what was tested, and the recipe."""
        return {
            "recipe": self.recipe, "whole": self.whole.to_dict(), "tested": list(self.tested), "better": self.better,
            "left": self.left, "groups": [row.to_dict() for row in self.rows], "notes": list(self.notes),
        }  # fmt: skip

    def _columns(self) -> dict[str, Any]:
        """One row per group found."""
        rows = self.rows
        columns: dict[str, list[Any]] = {"group": [row.name for row in rows]}
        for name in ("n", "share", "mean_prob", "base_rate", "gap", "whole_gap"):
            columns[name] = [getattr(row, name) for row in rows]
        columns |= {"excess": [row.excess.value for row in rows], "low": [row.excess.low for row in rows]}
        columns |= {"high": [row.excess.high for row in rows]}
        columns |= {"error": [finite_or_none(row.error.value) for row in rows]}
        columns |= {"p_adjusted": [row.p_adjusted for row in rows]}
        return columns | {"explains": [len(row.explains) for row in rows]}

    def verdict(self) -> str:
        """What was found, a line per group."""
        return found_in_words(self)

    def table(self) -> Table:
        """One row per group found."""
        return groups_table(self)

    def __repr__(self) -> str:
        return f"{self.table()}\n\n{self.verdict()}" if self.rows else "\n".join([self.verdict(), *self.table().notes])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each group found departs by, with its interval, on matplotlib axes (new ones if None)."""
        from howsure.figures.calibration import draw_groups, groups_figure

        return groups_figure(self).axes[0] if ax is None else draw_groups(self, ax=ax)

    def _repr_html_(self) -> str:
        return (self.table().html() if self.rows else "") + preformatted(self.verdict())
