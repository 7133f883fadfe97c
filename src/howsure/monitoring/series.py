"""What a monitor tells of each period."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.monitoring.error_sequence import period_error
from howsure.monitoring.group import Group
from howsure.monitoring.results import e_of, e_text, log_of
from howsure.monitoring.settings import Settings
from howsure.result import Result
from howsure.show.numbers import interval, number
from howsure.show.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
            "recipe": self.recipe, "group": self.name, "threshold": self.threshold, "alarm": self.alarm,
            "since": self.since, "periods": [dict(zip(SERIES, row, strict=True)) for row in rows],
        }  # fmt: skip

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
