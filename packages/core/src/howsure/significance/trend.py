"""Results of checks by date, and their figure."""

from __future__ import annotations

import datetime
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, is_number, unknown_name
from howsure.inputs.parameter_types import Axes, Figure
from howsure.result import Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, FRAME, MAX_ROWS, NUMBER, TABLE, TEXT, WORDS, Column, interval


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """The result for one rule and one group (None: all rows) on one date (year-month-day).

    check: the name of the check. limit: what the estimate was compared with. outcome: the verdict.
    """

    date: str
    check: str
    rule: str
    group: str | None
    n: int
    estimate: float
    low: float
    high: float
    limit: float
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Trend(Rows[TrendPoint]):
    """Results by date, in chronological order; iterate over the points. Returned by `Experiments.trend`."""

    rows: tuple[TrendPoint, ...] = as_json("points")
    recipe: dict[str, Any]

    named = ""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules in the order of their first dates, preceded by the check's name if there are several."""
        return tuple(dict.fromkeys(map(self._named, self.rows)))

    def of(self, rule: str) -> tuple[TrendPoint, ...]:
        """The points of one rule.

        Raises InputError if the rule does not exist.
        """
        if rule not in self.rules:
            raise unknown_name("rule", rule, self.rules, place="the trend")
        return tuple(point for point in self.rows if self._named(point) == rule)

    @property
    def _several(self) -> bool:
        return len({point.check for point in self.rows}) > 1

    def _named(self, point: TrendPoint) -> str:
        return f"{point.check}: {point.rule}" if self._several else point.rule

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table: a row per point; the check is named only if there are several."""
        return [
            Column("date", WORDS),
            Column("check", WORDS, only="" if self._several else FRAME),
            Column("rule", WORDS),
            Column("group", WORDS, only=FRAME),
            Column("group", WORDS, get=lambda point: point.group or "all", only=TABLE),
            Column("n", COUNT),
            Column("estimate", NUMBER),
            Column("interval", TEXT, get=lambda point: interval(point.low, point.high), only=TABLE, answer=True),
            *(Column(name, NUMBER, only=FRAME) for name in ("low", "high", "limit")),
            Column("outcome", WORDS, "verdict"),
        ]

    @property
    def answer(self) -> str | None:
        """The verdicts of the last date; None without a point."""
        if not self.rows:
            return None
        latest = [point.outcome for point in self.rows if point.date == self.rows[-1].date]
        counts = [f"{latest.count(outcome):,} {outcome}" for outcome in dict.fromkeys(latest)]
        return f"{self.rows[-1].date}: {', '.join(counts)}; {counted(len(self.rows), 'verdict')} in all."

    @property
    def n_last_rows(self) -> int:
        """The latest verdicts are displayed."""
        return MAX_ROWS

    @checks_axes
    def plot(self, ax: Axes | None = None, *, rule: str | None = None) -> Axes:
        """Draw the estimates of one rule with their intervals by date, a line per group, on axes (new ones if None).

        Raises InputError if there is no such rule, or if there are several rules and `rule` is None.
        """
        from howsure.figures.monitoring import draw_trend

        if rule is None and len(self.rules) != 1:
            raise InputError(
                f"rule must be one of {', '.join(map(repr, self.rules))}. To draw all of them, use figure()."
            )
        named = self.rules[0] if rule is None else rule
        return draw_trend(self.of(named), title=named, ax=ax)

    def figure(self) -> Figure:
        """A panel for each rule."""
        from howsure.figures.monitoring import trend_figure

        return trend_figure(self)


def build_trend(points: Sequence[TrendPoint], *, source: str, howsure: str) -> Trend:
    """Sort points by date. Of several points with the same date, check, rule and group, the last one is used."""
    last = {(point.date, point.check, point.rule, point.group or ""): point for point in points}
    ordered = tuple(last[key] for key in sorted(last, key=lambda key: (key[0],)))
    recipe = {"howsure": howsure, "source": source, "points": len(ordered), "replaced": len(points) - len(ordered)}
    return Trend(rows=ordered, recipe=recipe)


def check_point(record: Any) -> TrendPoint:
    """A point from a record.

    Raises KeyError, TypeError or ValueError if `record` is not a point.
    """
    if not isinstance(record, dict):
        raise TypeError("it is not an object")
    for name in ("date", "check", "rule", "outcome"):
        if not isinstance(record[name], str):
            raise ValueError(f"its {name} must be a string")
    check_date(record["date"])
    if record["group"] is not None and not isinstance(record["group"], str):
        raise ValueError("its group must be a string or null")
    if type(record["n"]) is not int or record["n"] < 0:
        raise ValueError("its n must be a whole number")
    numbers = {}
    for name in ("estimate", "low", "high", "limit"):
        value = math.nan if record[name] is None else record[name]
        if not is_number(value) or abs(value) > sys.float_info.max:
            raise ValueError(f"its {name} must be a number or null")
        numbers[name] = float(value)
    return TrendPoint(
        record["date"],
        record["check"],
        record["rule"],
        record["group"],
        record["n"],
        **numbers,
        outcome=record["outcome"],
    )


def check_date(date: object) -> str:
    """A date as year-month-day.

    >>> check_date("22.11.2026")
    Traceback (most recent call last):
    howsure.errors.InputError: date must be a day like 2026-11-22; it is '22.11.2026'.
    """
    if isinstance(date, datetime.date):
        return date.strftime("%Y-%m-%d")
    try:
        day = datetime.date.fromisoformat(str(date))
    except ValueError:
        day = None
    if day is None or day.isoformat() != date:
        raise InputError(f"date must be a day like 2026-11-22; it is {date!r}.")
    return str(date)
