"""Groups that are worse calibrated than the whole, as results, in words and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from howsure.calibration.scan import WHOLE
from howsure.calibration.words import OVERCONFIDENT, UNDERCONFIDENT
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.result import Estimate, Result, Rows, as_json, rows_read
from howsure.show.table import COUNT, FRAME, NUMBER, P_VALUE, WORDS, Column, Kind, digits, in_a_line, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from howsure.calibration.multicalibration import MulticalibrationError


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MiscalibratedGroup:
    """A group that is worse calibrated than the whole.

    name: its conditions in words, which are also in `conditions`. n: its rows; share: of the weight. mean_prob: the
    mean prediction, base_rate: the frequency of label 1, gap: their difference, positive where the model is
    overconfident. whole_gap: the gap of the whole at the same predictions (0 if the comparison is with perfect
    calibration). excess: gap - whole_gap, with an interval that holds for all groups tested at once. error: the
    debiased calibration error. p_adjusted: for all groups tested. explains: other groups found whose departure is this
    one's.
    """

    name: str = as_json("group")
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


@dataclass(frozen=True, slots=True)
class WholeCalibration:
    """All rows: their number, the mean prediction, the frequency of label 1, the gap and the debiased error."""

    n: int
    mean_prob: float
    base_rate: float
    gap: float
    error: Estimate


BEYOND = Kind(
    lambda one: f"{number(one.value, 3, sign=True)} [{one.low:+.3f}, {one.high:+.3f}]", ends=("", "_low", "_high")
)
SIGNED = digits(3, sign=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FoundGroups(Rows[MiscalibratedGroup]):
    """The result of `find_groups`: iterate, index by name, or convert it.

    whole: all rows. tested: the number of groups tested, by their number of conditions. better: significant groups that
    are better calibrated than the whole. left: groups found that are neither among the rows nor explained by them.
    rows: the groups found, the strongest first; of groups that overlap, those that explain the others. notes: caveats.
    multicalibration: the error over all groups, if asked for. recipe: everything needed to repeat it, and what was
    read.
    """

    whole: WholeCalibration
    tested: tuple[int, ...]
    better: int
    left: int
    rows: tuple[MiscalibratedGroup, ...] = as_json("groups")
    notes: tuple[str, ...] = ()
    multicalibration: MulticalibrationError | None = None
    recipe: dict[str, Any] = field(repr=False)

    title = "Groups that are worse calibrated than the whole"
    derived: ClassVar = {"skipped": "notes"}

    @property
    def skipped(self) -> int:
        """The rows of files that were left out because of missing values."""
        return sum(self.recipe.get("skipped", {}).values())

    def columns(self) -> Sequence[Column]:
        """One row per group found."""
        level, whole = f"{100 * self.recipe['level']:g} %", self.recipe["against"] == WHOLE
        gap = "mean prediction minus label frequency; positive: overconfident"
        excess = "gap minus that of the whole at the same predictions" if whole else "the gap"
        excess += f", with an interval that holds for all groups at once ({level})"
        return [
            Column("group", WORDS, get=lambda row: row.name),
            Column("n", COUNT),
            Column("share", NUMBER, only=FRAME),
            Column("mean_prob", digits(3), "predicted"),
            Column("base_rate", digits(3), "observed"),
            Column("gap", SIGNED, legend=gap),
            Column("whole_gap", SIGNED, only=FRAME),
            Column("excess", BEYOND, "beyond the whole" if whole else "beyond 0", legend=excess),
            Column("error", digits(3), legend="debiased calibration error", get=lambda row: row.error.value),
            Column("p_adjusted", P_VALUE, "p", legend="adjusted for all groups tested"),
            Column("explains", COUNT, get=lambda row: len(row.explains), only=FRAME),
        ]

    @property
    def what_was_read(self) -> str:
        """What was read, and all rows in a sentence."""
        return "\n\n".join(filter(None, [rows_read(self.recipe), whole_in_words(self)]))

    @property
    def words(self) -> str:
        """That nothing was found; else nothing, and the table is printed."""
        return "" if self.rows else "\n".join(self.below())

    def below(self) -> Sequence[str]:
        """The level of the intervals, a line per group, the error over all groups, and the notes."""
        level = f"In brackets: {100 * self.recipe['level']:g} % intervals, for all groups at once."
        error = [] if self.multicalibration is None else [repr(self.multicalibration)]
        return [*([level, ""] if self.rows else []), *self.verdict().splitlines(), *error, *Result.below(self)]

    def legend(self) -> Mapping[str, str]:
        """What the headings mean; of nothing, where it was looked for."""
        return ({} if self.rows else {"": self.verdict()}) | dict(Result.legend(self))

    def verdict(self) -> str:
        """What was found, a line per group."""
        return found_in_words(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each group found departs by, with its interval, on matplotlib axes (new ones if None)."""
        from howsure.figures.calibration import draw_groups, groups_figure

        return groups_figure(self).axes[0] if ax is None else draw_groups(self, ax=ax)
