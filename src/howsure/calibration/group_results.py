"""Groups that are worse calibrated than the whole, as results, in words and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.calibration.scan import WHOLE
from howsure.calibration.words import OVERCONFIDENT, UNDERCONFIDENT
from howsure.inputs.naming import counted, shortened
from howsure.result import Result
from howsure.show.harmless import in_a_line
from howsure.show.numbers import all_digits, number, p_text
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate, finite_or_none

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Groups that are worse calibrated than the whole, in words and as a table.


def found_in_words(found: FoundGroups) -> str:
    """How many groups are worse than the whole, and a sentence for each."""
    tested = f"{counted(sum(found.tested), 'group')} of {_conditions(found)} tested"
    against = found.recipe["against"]
    than = "worse calibrated than the whole at the same predictions" if against == WHOLE else "miscalibrated"
    promise = f"with probability {found.recipe['level']:g}, none of the groups found is there by chance"
    if not found.rows:
        features, least = shortened(map(in_a_line, found.recipe["features"])), found.recipe["min_rows"]
        return f"No group is found to be {than}: {tested}, made by {features}, each of {least:,} rows or more."
    lines = [
        f"{counted(len(found.rows), 'group')} {'is' if len(found.rows) == 1 else 'are'} {than}: {tested}; {promise}."
    ]
    return "\n".join([*lines, *(group_in_words(row, against=against) for row in found.rows)])


def group_in_words(row: MiscalibratedGroup, *, against: str) -> str:
    """One group in a sentence."""
    beside = ""
    if against == WHOLE:
        same = _side(row.gap) == _side(row.whole_gap)
        side = "" if same else f"{_side(row.whole_gap)} "
        beside = f"; the whole, at the same predictions, {side}by {_size(row.whole_gap)}"
    explained = f" It explains {counted(len(row.explains), 'other group')}." if row.explains else ""
    return f"{_side(row.gap).capitalize()} by {_size(row.gap)} where {in_a_line(row.name)}{beside}.{explained}"


def groups_table(found: FoundGroups, *, exact: bool = False) -> Table:
    """One row per group found. `exact`: all digits, each end of an interval in its own column."""
    beyond = "beyond the whole" if found.recipe["against"] == WHOLE else "beyond 0"
    headings = ["group", "n", "predicted", "observed", "gap"]
    headings += [beyond, "low", "high", "error", "p"] if exact else [beyond, "error", "p"]
    rows = []
    for row in found.rows:
        if exact:
            values = (row.mean_prob, row.base_rate, row.gap, row.excess.value, row.excess.low, row.excess.high)
            cells = [all_digits(value) for value in (*values, row.error.value, row.p_adjusted)]
            rows.append([row.name, f"{row.n}", *cells])
        else:
            excess = f"{number(row.excess.value, 3, sign=True)} [{row.excess.low:+.3f}, {row.excess.high:+.3f}]"
            cells = [number(row.mean_prob, 3), number(row.base_rate, 3), number(row.gap, 3, sign=True), excess]
            rows.append([row.name, f"{row.n:,}", *cells, number(row.error.value, 3), p_text(row.p_adjusted)])
    level = 100 * found.recipe["level"]
    nothing = {} if rows else {"": found_in_words(found)}
    return Table(
        headings,
        rows,
        words=("group",),
        notes=[f"note: {note}" for note in found.notes],
        legend=nothing
        | {
            "gap": "mean prediction minus label frequency; positive: overconfident",
            beyond: "gap minus that of the whole at the same predictions"
            f", with an interval that holds for all groups at once ({level:g} %)"
            if found.recipe["against"] == WHOLE
            else f"the gap, with an interval that holds for all groups at once ({level:g} %)",
            "error": "debiased calibration error",
            "p": "adjusted for all groups tested",
        },
    )


def whole_in_words(found: FoundGroups) -> str:
    """All rows in a sentence."""
    whole = found.whole
    said = f"mean prediction {number(whole.mean_prob, 3)}, observed frequency {number(whole.base_rate, 3)}"
    return f"all {counted(whole.n, 'row')}: {said}, calibration error {whole.error}"


def _conditions(found: FoundGroups) -> str:
    return "one condition" if len(found.tested) == 1 else "one or two conditions"


def _side(gap: float) -> str:
    return OVERCONFIDENT if gap > 0 else UNDERCONFIDENT


def _size(gap: float) -> str:
    return number(abs(gap), 3)


# Groups that are worse calibrated than the whole, as results.


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
            "group": self.name,
            "conditions": list(self.conditions),
            "n": self.n,
            "share": self.share,
            "mean_prob": self.mean_prob,
            "base_rate": self.base_rate,
            "gap": self.gap,
            "whole_gap": self.whole_gap,
            "excess": self.excess.to_dict(),
            "error": self.error.to_dict(),
            "p_adjusted": self.p_adjusted,
            "explains": list(self.explains),
        }


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
            "recipe": self.recipe,
            "whole": self.whole.to_dict(),
            "tested": list(self.tested),
            "better": self.better,
            "left": self.left,
            "groups": [row.to_dict() for row in self.rows],
            "notes": list(self.notes),
        }

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
