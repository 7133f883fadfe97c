"""What a monitor tells of each group: as of now, of each period, and of an update."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.inputs.naming import counted
from howsure.monitoring.bets import CellSums
from howsure.monitoring.error_sequence import error_sequence, period_error
from howsure.monitoring.group import Group
from howsure.monitoring.settings import Settings
from howsure.result import Result
from howsure.show.harmless import in_a_line
from howsure.show.numbers import UNDEFINED, interval, number
from howsure.show.preformatted import preformatted
from howsure.show.table import Table
from howsure.stats.estimate import Estimate, finite_or_none

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# What a monitor tells of each group as of now.

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
            "recipe": self.recipe,
            "group": self.name,
            "outcome": self.outcome,
            "n": self.n,
            "error": self.error.to_dict(),
            "latest": self.latest.to_dict(),
            "gap": finite_or_none(self.gap),
            "e_value": self.e_value,
            "threshold": self.threshold,
            "p_value": self.p_value,
            "alarm": self.alarm,
            "since": self.since,
            "bet": self.bet,
        }

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
            "recipe": self.recipe,
            "outcome": self.outcome,
            "e_value": self.e_value,
            "first": self.first,
            "last": self.last,
            "unlabelled": self.unlabelled,
            "unlabelled_by_period": self.unlabelled_by_period,
            "groups": [row.to_dict() for row in self.rows],
            "notes": list(self.notes),
        }

    def _columns(self) -> dict[str, Any]:
        """One row per group."""
        return columns_of(self.rows)

    def table(self) -> Table:
        """One row per group, what there is to say below."""
        headings = ["group", "n", "error", "last period", "e-value", "alarm at", "alarm", "since"]
        rows = [
            [
                row.name or "all",
                f"{row.n:,}",
                str(row.error),
                str(row.latest),
                e_text(log_of(row.e_value)),
                e_text(log_of(row.threshold)),
                row.alarm or UNDEFINED,
                row.since if row.alarm else UNDEFINED,
            ]
            for row in self.rows
        ]
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


# What a monitor tells of each period.

SERIES = ("period", "n", "predicted", "observed", "error", "low", "high", "e_value")


@dataclass(frozen=True, slots=True)
class MonitorSeries(Result):
    """The result of `CalibrationMonitor.series`: one entry per period with rows, in tuples of the same length.

    period: its first day. n: rows. predicted, observed: mean probability, and share of label 1. error, low, high: the
    calibration error of the period, with an interval for each period by itself. e_value: after the period, None in the
    reference. threshold, alarm, since: as in `GroupStatus`.
    """

    period: tuple[str, ...]
    n: tuple[int, ...]
    predicted: tuple[float, ...]
    observed: tuple[float, ...]
    error: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    e_value: tuple[float | None, ...]
    threshold: float
    alarm: str | None
    since: str | None
    recipe: dict[str, Any] = field(repr=False)
    name: str | None = None

    def __len__(self) -> int:
        return len(self.period)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        rows = zip(*(getattr(self, column) for column in SERIES), strict=True)
        return {
            "recipe": self.recipe,
            "group": self.name,
            "threshold": self.threshold,
            "alarm": self.alarm,
            "since": self.since,
            "periods": [dict(zip(SERIES, row, strict=True)) for row in rows],
        }

    def _columns(self) -> dict[str, Any]:
        """One row per period."""
        undefined = math.nan
        found: dict[str, Any] = {column: list(getattr(self, column)) for column in SERIES}
        return found | {"e_value": [undefined if one is None else one for one in self.e_value]}

    def table(self) -> Table:
        """One row per period."""
        headings = ["period", "n", "predicted", "observed", "error", "e-value"]
        rows = [
            [p, f"{n:,}", number(q), number(y), f"{number(e)} {interval(low, high)}", e_text(_log_or_none(evidence))]
            for p, n, q, y, e, low, high, evidence in zip(*(getattr(self, name) for name in SERIES), strict=True)
        ]
        return Table(headings, rows, words=("period",))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the error of each period with its band on matplotlib axes (new ones if None), and the alarm."""
        from howsure.figures.monitoring import draw_series

        return draw_series(self, ax=ax)

    def figure(self) -> Any:
        """Two panels: the error of each period, and the evidence."""
        from howsure.figures.monitoring import series_figure

        return series_figure(self)

    def __repr__(self) -> str:
        return str(self.table().shortened(24))

    def _repr_html_(self) -> str:
        return self.table().shortened(24).html()


def series_of(name: str, group: Group, settings: Settings, recipe: dict[str, Any]) -> MonitorSeries:
    """The series of a group."""
    sums = [one for one, _ in group.series.values()]
    errors = [period_error(one, level=settings.level) for one in sums]
    rows = [float(one.n.sum()) for one in sums]
    alarm = group.alarm
    return MonitorSeries(
        period=tuple(group.series),
        n=tuple(map(int, rows)),
        predicted=tuple(float(one.predicted.sum()) / n for one, n in zip(sums, rows, strict=True)),
        observed=tuple(float(one.observed.sum()) / n for one, n in zip(sums, rows, strict=True)),
        error=tuple(one.value for one in errors),
        low=tuple(float(one.low or 0.0) for one in errors),
        high=tuple(float(one.high or 0.0) for one in errors),
        e_value=tuple(None if log_e is None else e_of(log_e) for _, log_e in group.series.values()),
        threshold=e_of(group.threshold(settings.alpha, has_reference=settings.reference is not None)),
        alarm=None if alarm is None else alarm.period,
        since=None if alarm is None else alarm.since,
        recipe=recipe,
        name=name or "all",
    )


def _log_or_none(value: float | None) -> float | None:
    return None if value is None else log_of(value)


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
