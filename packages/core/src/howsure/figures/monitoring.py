"""Figures over time: the calibration error of a monitor with its bands, and results of checks by date."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from howsure.errors import InputError
from howsure.figures.style import (
    FAINT,
    INK,
    QUIET,
    dress,
    literal,
    literal_legend,
    look,
    new_figure,
    shortened_name,
    use_style,
)
from howsure.significance.trend import Trend, TrendPoint

if TYPE_CHECKING:
    from howsure.monitoring.results import MonitorSeries


WIDTH, HEIGHT = 6.6, 2.6
LONGEST_NAME = 48
POINTS_UP_TO = 60  # number of periods up to which points are marked
LOWEST_E = 1e-3


def series_figure(series: MonitorSeries) -> Figure:
    """Two panels, one below the other: the error of each period, and the evidence."""
    with use_style():
        figure = new_figure(WIDTH, 2 * HEIGHT)
        above, below = figure.subplots(2, 1, sharex=True)
        draw_series(series, ax=above)
        draw_evidence(series, ax=below)
    return figure


def draw_series(series: MonitorSeries, *, ax: Axes | None = None) -> Axes:
    """Draw the calibration error of each period with its interval, and the alarm."""
    with use_style():
        axes = _new_axes(ax)
        days, style = np.array(series.period, dtype="datetime64[D]"), look(0)
        axes.fill_between(days, series.low, series.high, color=style.colour, alpha=0.18, linewidth=0)
        marker = style.marker if len(series) <= POINTS_UP_TO else ""
        axes.plot(days, series.error, color=style.colour, linewidth=1.3, marker=marker, markersize=3.2, zorder=3)
        _mark(axes, series)
        axes.set_ylim(0.0, 1.15 * max([*series.high, 0.02]))
        literal(axes.set_ylabel(""), "calibration error")
        if series.name not in (None, "all"):
            literal(axes.set_title(""), shortened_name(str(series.name), LONGEST_NAME))
        level = 100 * series.recipe["level"]
        literal(
            axes.text(0.01, 0.98, "", transform=axes.transAxes, va="top", fontsize=8, color=INK),
            f"band: {level:g} % for each {series.recipe['period']}{_alarm_text(series)}",
        )
    return axes


def draw_evidence(series: MonitorSeries, *, ax: Axes | None = None) -> Axes:
    """Draw the e-value after each period, and the threshold for an alarm."""
    with use_style():
        axes = _new_axes(ax)
        days, style = np.array(series.period, dtype="datetime64[D]"), look(1)
        values = [math.nan if e_value is None else max(e_value, LOWEST_E) for e_value in series.e_value]
        axes.axhline(series.threshold, color=QUIET, linewidth=1.0, linestyle=(0, (6, 3)), zorder=1)
        axes.plot(days, values, color=style.colour, linewidth=1.3, zorder=3)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        _mark(axes, series)
        literal(axes.set_ylabel(""), "e-value (evidence)")
    return axes


def _alarm_text(series: MonitorSeries) -> str:
    return "" if series.alarm is None else f"\nalarm {series.alarm} (line), since about {series.since} (shaded)"


def _mark(axes: Axes, series: MonitorSeries) -> None:
    """Draw a line at the alarm, and shading from the estimated start of the change."""
    if series.alarm is None or series.since is None:
        return
    alarm, since, last = (np.datetime64(day, "D") for day in (series.alarm, series.since, series.period[-1]))
    axes.axvspan(since, max(last, since), color=FAINT, alpha=0.35, linewidth=0, zorder=0)  # type: ignore[arg-type]
    axes.axvline(alarm, color=INK, linewidth=1.0, zorder=2)  # type: ignore[arg-type]


def _new_axes(ax: Axes | None) -> Axes:
    axes = new_figure(WIDTH, HEIGHT).subplots() if ax is None else ax
    dress(axes, grid="y")
    locator = AutoDateLocator(minticks=2, maxticks=8)  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    return axes


MAX_GROUPS, MAX_RULES = 8, 12
NAME_LENGTH = 60
BESIDE: Any = {"fontsize": 8, "loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
TREND_HEIGHT = 2.4  # inches of a panel
HOLLOW = "cannot tell"


def trend_figure(trend: Trend) -> Figure:
    rules = trend.rules
    if not 0 < len(rules) <= MAX_RULES:
        raise InputError(f"a figure shows 1 to {MAX_RULES} rules; there are {len(rules):,}. Draw one: plot(rule=...).")
    with use_style():
        figure = new_figure(6.6, TREND_HEIGHT * len(rules))
        for place, rule in enumerate(rules, 1):
            draw_trend(trend.of(rule), title=rule, ax=figure.add_subplot(len(rules), 1, place))
    return figure


def draw_trend(points: Sequence[TrendPoint], *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the estimates of one rule by date: filled if the rule passed, hollow if undecided, a cross if it failed.

    The limit is a dashed line. Raises InputError for too many groups.
    """
    groups = list(dict.fromkeys(point.group for point in points))
    if len(groups) > MAX_GROUPS:
        raise InputError(f"a figure shows at most {MAX_GROUPS} groups; there are {len(groups):,}.")
    if ax is None:
        with use_style():
            ax = new_figure(6.6, TREND_HEIGHT).subplots()
    dress(ax, grid="y")
    for k, group in enumerate(groups):
        _draw_group(ax, [point for point in points if point.group == group], k, len(groups))
    for limit in dict.fromkeys(point.limit for point in points):
        ax.axhline(limit, color=QUIET, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    locator = AutoDateLocator(minticks=2, maxticks=8)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    literal(ax.set_title("", loc="left"), shortened_name(title or points[0].rule, NAME_LENGTH))
    ax.set_xlabel("date of the check")
    ax.set_ylabel("estimate; limit dashed")
    if len(groups) > 1:
        handles = [Line2D([], [], color=look(k).colour, marker=look(k).marker) for k in range(len(groups))]
        literal_legend(ax, handles, [shortened_name(group or "all", 20) for group in groups], **BESIDE)
    return ax


def _draw_group(ax: Axes, points: Sequence[TrendPoint], k: int, groups: int) -> None:
    style = look(k)
    days = [datetime.date.fromisoformat(point.date) for point in points]
    x = np.asarray(date2num(days)) + 0.12 * (k - (groups - 1) / 2)  # type: ignore[no-untyped-call]
    y = np.array([point.estimate for point in points])
    ax.plot(x, y, color=style.colour, linestyle=style.dashes, linewidth=1.0, zorder=2)
    for at, point in zip(x, points, strict=True):
        if math.isfinite(point.low) and math.isfinite(point.high):
            ax.vlines(at, point.low, point.high, color=style.colour, alpha=0.5, linewidth=1.6, zorder=2)
        failed = point.outcome == "fail"
        ax.plot(
            [at],
            [point.estimate],
            "X" if failed else style.marker,
            color=style.colour,
            markersize=8 if failed else 5,
            markerfacecolor="white" if point.outcome == HOLLOW else style.colour,
            linestyle="none",
            zorder=3,
        )
