"""What a monitor tells of each group as of now."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.inputs.naming import counted
from howsure.monitoring.cells import CellSums
from howsure.monitoring.error_sequence import error_sequence, period_error
from howsure.monitoring.group import Group
from howsure.monitoring.settings import Settings
from howsure.result import Result
from howsure.show.harmless import in_a_line
from howsure.show.numbers import UNDEFINED, number
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate, finite_or_none

CALIBRATED, ALARM, NO_DATA = "no alarm", "alarm", "no data"
EXIT_CODES = {CALIBRATED: 0, ALARM: 1, NO_DATA: 3}
LARGEST = 700.0  # a logarithm beyond which a number is infinite


def e_of(log_e: float) -> float:
    """An e-value by its logarithm, as large as a number can be at most."""
    return math.exp(min(log_e, LARGEST))


def e_text(log_e: float | None) -> str:
    """An e-value in few letters.

    >>> e_text(0.0), e_text(math.log(34567)), e_text(None)
    ('1', '3.5e+04', '–')
    """
    return UNDEFINED if log_e is None else f"{e_of(log_e):.2g}"


@dataclass(frozen=True, slots=True)
class GroupStatus(Result):
    """One group of a `MonitorStatus`.

    error: the calibration error over all tested periods, with a band that holds at all times together. latest: that of
    the last period by itself, with an interval. gap: mean of y - q over the rows since `since`, or over all. e_value:
    the evidence now; threshold: at which there is an alarm. p_value: anytime-valid, 1 over the highest e-value so far,
    adjusted for all groups. alarm: the first day of the period of the alarm, None without one. since, bet: the first
    day of the stretch in which the evidence is largest, and the forecast that gained it: at the time of the alarm, or
    now. name: the group.
    """

    name: str | None
    n: int
    error: Estimate
    latest: Estimate
    gap: float
    e_value: float
    threshold: float
    p_value: float
    alarm: str | None
    since: str | None
    bet: str | None
    recipe: dict[str, Any] = field(repr=False)

    @property
    def outcome(self) -> str:
        """`alarm`, `no alarm` or `no data`."""
        return NO_DATA if self.n == 0 else CALIBRATED if self.alarm is None else ALARM

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "recipe": self.recipe, "group": self.name, "outcome": self.outcome, "n": self.n,
            "error": self.error.to_dict(), "latest": self.latest.to_dict(), "gap": finite_or_none(self.gap),
            "e_value": self.e_value, "threshold": self.threshold, "p_value": self.p_value, "alarm": self.alarm,
            "since": self.since, "bet": self.bet,
        }  # fmt: skip

    def _columns(self) -> dict[str, Any]:
        """One row."""
        return columns_of([self])

    def __repr__(self) -> str:
        return f"{in_a_line(self.name or 'all')}: {in_words(self)}"

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


@dataclass(frozen=True, slots=True)
class MonitorStatus(Result):
    """The result of `CalibrationMonitor.status`: one row per group; iterate, or index by name.

    e_value: the evidence against the calibration of all groups together, the weighted mean of theirs. first, last: the
    first day of the first and last period taken, None before the first. unlabelled: rows that had no label when their
    period was taken; unlabelled_by_period: the same by the first day of the period. notes: caveats.
    """

    rows: tuple[GroupStatus, ...]
    e_value: float
    first: str | None
    last: str | None
    unlabelled_by_period: dict[str, int]
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[GroupStatus]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> GroupStatus:
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    @property
    def unlabelled(self) -> int:
        """Rows without a label in the periods taken."""
        return sum(self.unlabelled_by_period.values())

    @property
    def outcome(self) -> str:
        """`alarm` if any group has one, `no data` if nothing was taken yet, else `no alarm`."""
        found = {row.outcome for row in self.rows}
        return ALARM if ALARM in found else CALIBRATED if CALIBRATED in found else NO_DATA

    @property
    def exit_code(self) -> int:
        """0 without an alarm, 1 with one, 3 before any data."""
        return EXIT_CODES[self.outcome]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "recipe": self.recipe, "outcome": self.outcome, "e_value": self.e_value, "first": self.first,
            "last": self.last, "unlabelled": self.unlabelled, "unlabelled_by_period": self.unlabelled_by_period,
            "groups": [row.to_dict() for row in self.rows],
            "notes": list(self.notes),
        }  # fmt: skip

    def _columns(self) -> dict[str, Any]:
        """One row per group."""
        return columns_of(self.rows)

    def table(self) -> Table:
        """One row per group, what there is to say below."""
        headings = ["group", "n", "error", "last period", "e-value", "alarm at", "alarm", "since"]
        rows = [
            [
                row.name or "all", f"{row.n:,}", str(row.error), str(row.latest), e_text(log_of(row.e_value)),
                e_text(log_of(row.threshold)), row.alarm or UNDEFINED, row.since if row.alarm else UNDEFINED,
            ]
            for row in self.rows
        ]  # fmt: skip
        cells = [[cell or UNDEFINED for cell in row] for row in rows]
        told = [f"{row.name or 'all'}: {in_words(row)}" for row in self.rows if row.alarm is not None]
        notes = [f"note: {note}" for note in self.notes]
        level = next((100 * row.error.level for row in self.rows), 95)
        legend = {
            "error": f"calibration error over all periods, with a {level:g} % band for all times together",
            "last period": f"that of the last period, with a {level:g} % interval",
            "e-value": "evidence against calibration; an alarm from `alarm at` on",
            "since": "first day of the stretch in which the evidence is largest",
        }
        return Table(headings, cells, words=("group",), notes=[*told, *notes], title="Monitor", legend=legend)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()


def group_status(name: str, group: Group, settings: Settings, recipe: dict[str, Any]) -> GroupStatus:
    """What is known of a group now."""
    has_reference = settings.reference is not None
    tested = [sums for sums, log_e in group.series.values() if log_e is not None]
    since, bet = group.process.suspected if group.alarm is None else (group.alarm.since, group.alarm.bet)
    recent = [s for p, (s, log_e) in group.series.items() if log_e is not None and p >= since]
    chosen = CellSums(sum((one.values for one in recent), start=np.zeros_like(group.total.values)))
    rows = float(chosen.n.sum())
    return GroupStatus(
        name=name or "all",
        n=int(group.total.n.sum()),
        error=error_sequence(group.total, level=settings.level),
        latest=period_error(tested[-1] if tested else CellSums.zero(), level=settings.level),
        gap=float((chosen.observed - chosen.predicted).sum()) / rows if rows else math.nan,
        e_value=e_of(group.process.log_e),
        threshold=e_of(group.threshold(settings.alpha, has_reference=has_reference)),
        p_value=min(1.0, math.exp(-group.process.highest) * (2.0 if has_reference else 1.0) / group.weight),
        alarm=None if group.alarm is None else group.alarm.period,
        since=since or None,
        bet=bet or None,
        recipe=recipe,
    )


def in_words(row: GroupStatus) -> str:
    """What is to be said of a group."""
    if row.n == 0:
        return "no data yet"
    if row.alarm is None:
        return f"no alarm after {counted(row.n, 'row')}; error {row.error}"
    how = "less" if row.gap < 0 else "more"
    return (
        f"no longer calibrated since about {row.since} (alarm in the period from {row.alarm}): label 1 is "
        f"{number(abs(row.gap))} {how} frequent than predicted since then"
    )


def columns_of(rows: Any) -> dict[str, Any]:
    """The columns of a data frame of groups."""
    columns: dict[str, list[Any]] = {"group": [row.name or "all" for row in rows], "n": [row.n for row in rows]}
    for name in ("error", "latest"):
        held = [getattr(row, name) for row in rows]
        columns |= {name: [one.value for one in held]}
        for end in ("low", "high"):
            columns |= {f"{name}_{end}": [_or_nan(getattr(one, end)) for one in held]}
    for name in ("gap", "e_value", "threshold", "p_value", "alarm", "since"):
        columns |= {name: [getattr(row, name) for row in rows]}
    for name in ("alarm", "since"):
        columns[name] = [held or "" for held in columns[name]]
    return columns


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def log_of(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
