"""Results of a monitor: the current status of each group, its periods, and what an update added."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.parameter_types import Axes, Figure
from howsure.monitoring.bets import CellSums
from howsure.monitoring.error_sequence import error_sequence, period_error
from howsure.monitoring.group import Group
from howsure.monitoring.settings import Settings
from howsure.notes import FINDING, Note, footnote
from howsure.result import Estimate, Result, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import (
    COUNT,
    ESTIMATE,
    FRAME,
    MAX_ROWS,
    NUMBER,
    TABLE,
    UNDEFINED,
    WORDS,
    Column,
    Kind,
    in_a_line,
    number,
)

CALIBRATED, ALARM, NO_DATA = "no alarm", "alarm", "no data"
EXIT_CODES = {CALIBRATED: 0, ALARM: 1, NO_DATA: 3}
SERIES = ("period", "n", "predicted", "observed", "error", "low", "high", "e_value")
LARGEST = 700.0  # logarithms beyond this overflow


def capped_e_value(log_e: float) -> float:
    """Return the e-value for its logarithm, limited so that it does not overflow."""
    return math.exp(min(log_e, LARGEST))


def e_text(log_e: float | None) -> str:
    """Format an e-value with two digits.

    >>> e_text(0.0), e_text(math.log(34567)), e_text(None)
    ('1', '3.5e+04', '–')
    """
    return UNDEFINED if log_e is None else f"{capped_e_value(log_e):.2g}"


E_VALUE = Kind(lambda value: e_text(safe_log(value)))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GroupStatus(Result):
    """One group of a `MonitorStatus`.

    name: the group. error: the calibration error over all tested periods, with a band that is valid at all times
    simultaneously. latest: the error of the last period, with its own interval. gap: mean of y - q over the rows from
    `since` on, or over all rows if `since` is None. e_value: the current evidence. threshold: the e-value that raises
    an alarm. p_value: an anytime-valid p-value, 1 / (highest e-value so far), adjusted for the number of groups. alarm:
    first day of the period in which the alarm was raised; None without an alarm. since, bet: the estimated first day of
    the change, and the bet with most evidence for it, at the time of the alarm or, without an alarm, now.
    """

    name: str = as_json("group")
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
    recipe: dict[str, Any]

    derived: ClassVar = {"outcome": "group"}

    @property
    def outcome(self) -> str:
        """`alarm`, `no alarm` or `no data`."""
        return NO_DATA if self.n == 0 else CALIBRATED if self.alarm is None else ALARM

    def columns(self) -> Sequence[Column]:
        """One row."""
        return figure_columns(self.error.level)

    @property
    def description(self) -> str:
        """The name of the group, and its status in a sentence."""
        return f"{in_a_line(self.name)}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The status of the group in a sentence."""
        if self.n == 0:
            return "no data yet"
        if self.alarm is None:
            return f"no alarm after {counted(self.n, 'row')}; error {self.error}"
        how = "lower" if self.gap < 0 else "higher"
        return (
            f"no longer calibrated since about {self.since} (alarm in the period from {self.alarm}); since "
            f"then, the frequency of label 1 is {number(abs(self.gap))} {how} than predicted"
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MonitorStatus(Rows[GroupStatus]):
    """The result of `CalibrationMonitor.status`: one row per group; iterate, or index by name.

    e_value: the evidence against the calibration of all groups together, the weighted mean of their e-values. first,
    last: the first days of the first and the last added period; None before the first update. unlabelled: number of
    rows that had no label when their period was added; unlabelled_by_period: the same number by first day of the
    period. notes: caveats.
    """

    e_value: float
    first: str | None
    last: str | None
    unlabelled_by_period: dict[str, int]
    rows: tuple[GroupStatus, ...] = as_json("groups")
    notes: tuple[str, ...] = ()
    recipe: dict[str, Any]

    title = "Monitor"
    derived: ClassVar = {"outcome": "recipe", "unlabelled": "last"}

    @property
    def unlabelled(self) -> int:
        """The number of rows without a label in the added periods."""
        return sum(self.unlabelled_by_period.values())

    @property
    def outcome(self) -> str:
        """`alarm` if any group has an alarm, `no data` if no period was added yet, else `no alarm`."""
        outcomes = {row.outcome for row in self.rows}
        return ALARM if ALARM in outcomes else CALIBRATED if CALIBRATED in outcomes else NO_DATA

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 without an alarm, 1 with an alarm, 3 before any data."""
        return EXIT_CODES[self.outcome]

    def columns(self) -> Sequence[Column]:
        """One row per group."""
        return figure_columns(self.rows[0].error.level if self.rows else 0.95)

    @property
    def description(self) -> str:
        """A sentence before the first data; otherwise empty, and the table is printed."""
        return "" if self.rows else "no data yet"

    @property
    def answer(self) -> str | None:
        """A sentence on the groups with an alarm; for a single group, since when; None if there are no data yet."""
        alarms = [row for row in self.rows if row.alarm is not None]
        if not self.rows:
            return None
        if not alarms:
            return f"No alarm in {counted(len(self.rows), 'group')}." if len(self.rows) > 1 else "No alarm."
        if len(alarms) == 1:
            return f"{alarms[0].description}."
        names = shortened([row.name for row in alarms])
        return f"{len(alarms):,} of {counted(len(self.rows), 'group')} have an alarm: {names}."

    @property
    def provenance(self) -> str:
        """The periods, and the level of the bands."""
        periods = f"Periods from {self.first} to {self.last}. " if self.first else ""
        return f"{periods}{100 * self.rows[0].error.level:g}% bands." if self.rows else periods

    def footnotes(self) -> Sequence[str]:
        """The status of groups with an alarm, and the notes."""
        alarms = [Note(f"{row.description}.", FINDING) for row in self.rows if row.alarm is not None]
        return [*alarms, *map(footnote, self.notes)]


def figure_columns(level: float) -> Sequence[Column]:
    """The columns of the results of a group."""
    interval = f"{100 * level:g}%"
    return (
        Column("group", WORDS, get=lambda row: row.name),
        Column("n", COUNT),
        Column(
            "error",
            ESTIMATE,
            legend=f"calibration error over all periods, with a {interval} band for all times together",
        ),
        Column(
            "latest",
            ESTIMATE,
            "last period",
            legend=f"calibration error of the last period, with a {interval} interval",
        ),
        Column("gap", NUMBER, only=FRAME),
        Column(
            "e_value",
            E_VALUE,
            "e-value",
            legend="evidence against calibration; the alarm begins when it reaches `alarm at`",
        ),
        Column("threshold", E_VALUE, "alarm at", detail=True),
        Column("p_value", NUMBER, only=FRAME),
        Column("alarm", WORDS),
        Column("since", WORDS, only=FRAME),
        Column(
            "since",
            WORDS,
            legend="estimated first day of the change",
            only=TABLE,
            get=lambda row: row.since if row.alarm else None,
        ),
    )


def group_status(name: str, group: Group, settings: Settings, recipe: dict[str, Any]) -> GroupStatus:
    """Return the current status of a group."""
    has_reference = settings.reference is not None
    tested = [sums for sums, log_e in group.series.values() if log_e is not None]
    since, bet = group.process.suspected if group.alarm is None else (group.alarm.since, group.alarm.bet)
    recent = [s for p, (s, log_e) in group.series.items() if log_e is not None and p >= since]
    chosen = sum(recent, start=CellSums.zero())
    rows = float(chosen.n.sum())
    return GroupStatus(
        name=name or "all",
        n=int(group.total.n.sum()),
        error=error_sequence(group.total, level=settings.level),
        latest=period_error(tested[-1] if tested else CellSums.zero(), level=settings.level),
        gap=float((chosen.observed - chosen.predicted).sum()) / rows if rows else math.nan,
        e_value=capped_e_value(group.process.log_e),
        threshold=capped_e_value(group.threshold(settings)),
        p_value=min(1.0, math.exp(-group.process.highest) * (2.0 if has_reference else 1.0) / group.weight),
        alarm=None if group.alarm is None else group.alarm.period,
        since=since or None,
        bet=bet or None,
        recipe=recipe,
    )


def safe_log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MonitorSeries(Result):
    """The result of `CalibrationMonitor.series`: one entry per period with rows, as tuples of the same length.

    period: first day of the period. n: number of rows. predicted, observed: mean probability, and proportion of label
    1. error, low, high: the calibration error of the period with its own interval. e_value: the evidence after the
    period; None in the reference period. threshold, alarm, since: as in `GroupStatus`.
    """

    name: str | None = as_json("group", default=None)
    threshold: float
    alarm: str | None
    since: str | None
    period: tuple[str, ...] = as_json(None)
    n: tuple[int, ...] = as_json(None)
    predicted: tuple[float, ...] = as_json(None)
    observed: tuple[float, ...] = as_json(None)
    error: tuple[float, ...] = as_json(None)
    low: tuple[float, ...] = as_json(None)
    high: tuple[float, ...] = as_json(None)
    e_value: tuple[float | None, ...] = as_json(None)
    recipe: dict[str, Any]

    derived: ClassVar = {"periods": "since"}
    description = ""
    suggested: ClassVar = {"figure": "series.svg"}

    @property
    def answer(self) -> str:
        """A sentence that says since when the group is not calibrated, or that there is no alarm."""
        if self.alarm is None:
            return f"{self.name}: no alarm in {counted(len(self), 'period')}."
        return f"{self.name}: no longer calibrated since about {self.since} (alarm in the period from {self.alarm})."

    @property
    def n_last_rows(self) -> int:
        """The number of latest periods that are displayed."""
        return MAX_ROWS

    @property
    def provenance(self) -> str:
        """The rule for an alarm, and the level of the intervals."""
        return f"Alarm at an e-value of {e_text(safe_log(self.threshold))}. {100 * self.recipe['level']:g}% intervals."

    def __len__(self) -> int:
        return len(self.period)

    @property
    def periods(self) -> list[dict[str, Any]]:
        """The periods, each as an object."""
        rows = zip(*(getattr(self, column) for column in SERIES), strict=True)
        return [dict(zip(SERIES, row, strict=True)) for row in rows]

    def columns(self) -> Sequence[Column]:
        """One row per period."""
        spans = zip(self.error, self.low, self.high, self.n, strict=True)
        errors = [Estimate(value, low, high, self.recipe["level"], "period", n) for value, low, high, n in spans]
        return (
            Column("period", WORDS, values=self.period),
            Column("n", COUNT, values=self.n),
            Column("predicted", NUMBER, values=self.predicted),
            Column("observed", NUMBER, values=self.observed),
            Column("error", ESTIMATE, values=errors, only=TABLE),
            *(Column(name, NUMBER, values=getattr(self, name), only=FRAME) for name in ("error", "low", "high")),
            Column("e_value", E_VALUE, "e-value", values=self.e_value),
        )

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the error of each period with its band on matplotlib axes (new ones if None), and the alarm."""
        from howsure.figures.monitoring import draw_series

        return draw_series(self, ax=ax)

    def figure(self) -> Figure:
        """Two panels: the error of each period, and the evidence."""
        from howsure.figures.monitoring import series_figure

        return series_figure(self)


def build_series(name: str, group: Group, settings: Settings, recipe: dict[str, Any]) -> MonitorSeries:
    """Return the series of a group."""
    sums = [period_sums for period_sums, _ in group.series.values()]
    errors = [period_error(period_sums, level=settings.level) for period_sums in sums]
    rows = [float(period_sums.n.sum()) for period_sums in sums]
    alarm = group.alarm
    return MonitorSeries(
        period=tuple(group.series),
        n=tuple(map(int, rows)),
        predicted=tuple(float(period_sums.predicted.sum()) / n for period_sums, n in zip(sums, rows, strict=True)),
        observed=tuple(float(period_sums.observed.sum()) / n for period_sums, n in zip(sums, rows, strict=True)),
        error=tuple(error.value for error in errors),
        low=tuple(float(error.low or 0.0) for error in errors),
        high=tuple(float(error.high or 0.0) for error in errors),
        e_value=tuple(None if log_e is None else capped_e_value(log_e) for _, log_e in group.series.values()),
        threshold=capped_e_value(group.threshold(settings)),
        alarm=None if alarm is None else alarm.period,
        since=None if alarm is None else alarm.since,
        recipe=recipe,
        name=name or "all",
    )


@dataclass(frozen=True, slots=True, repr=False)
class MonitorUpdate(Result):
    """The result of `CalibrationMonitor.update`: what was added, and the numbers of rows that were not used.

    periods: first days of the added periods. n: rows in these periods. unlabelled: rows in these periods without a
    label, left out. already: rows of periods that were added before, left out. missed: rows of skipped periods, which
    can no longer be used, because later periods were added and periods must be added in order. late: additional
    labelled rows of periods that were added before, not used. changed: number of periods added before whose rows are
    different now. open: rows of periods that have not ended yet or wait for labels, to be passed again later. moved:
    rows counted in an earlier period, in which their cluster started. continued: rows of clusters that an earlier
    update added, left out. notes: how rows were read.
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
    recipe: dict[str, Any]
    notes: tuple[str, ...] = ()

    def columns(self) -> Sequence[Column]:
        """One row with the numbers of periods and rows."""
        names = ("n", "unlabelled", "already", "missed", "late", "changed", "open", "moved", "continued")
        periods = Column("periods", COUNT, get=lambda update: len(update.periods))
        return [periods, *(Column(name, COUNT) for name in names)]

    @property
    def description(self) -> str:
        """Sentences on what was added, and on why other rows were not."""
        summary = f"{counted(self.n, 'row')} of {counted(len(self.periods), 'new period')}"
        if self.periods:
            summary += f", {self.periods[0]} to {self.periods[-1]}"
        waiting = ", or still wait for labels" if self.recipe.get("wait") else ""
        parts = [
            summary,
            self.unlabelled and f"{counted(self.unlabelled, 'row')} without a label, left out",
            self.already and f"{counted(self.already, 'row')} of periods added before, left out",
            self.missed
            and f"{counted(self.missed, 'row')} of skipped periods: not used, because later periods were added and "
            "periods must be added in order; to use them, start a new state with all rows",
            self.late
            and f"{counted(self.late, 'label')} not used, because their periods were added before; wait longer",
            self.changed
            and f"{counted(self.changed, 'period')} added before with different rows; was the log changed?",
            self.open and f"{counted(self.open, 'row')} of periods that are not over yet{waiting}",
            self.moved and f"{counted(self.moved, 'row')} counted in the earlier period in which their cluster began",
            self.continued and f"{counted(self.continued, 'row')} of clusters added in an earlier update, left out",
            *(f"note: {note}" for note in self.notes),
        ]
        return "\n  ".join(str(part) for part in parts if part)
