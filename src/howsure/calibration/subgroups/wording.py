"""Groups that are worse calibrated than the whole, in words and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from howsure.calibration.subgroups.residuals import WHOLE
from howsure.calibration.words.verdict import OVERCONFIDENT, UNDERCONFIDENT
from howsure.inputs.naming import counted, shortened
from howsure.show.harmless import in_a_line
from howsure.show.numbers import all_digits, number, p_text
from howsure.show.table import Table

if TYPE_CHECKING:
    from howsure.calibration.subgroups.results import FoundGroups, MiscalibratedGroup


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
