"""The calibration error over time with its bands, and the evidence against calibration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from howsure.figures.style import FAINT, INK, QUIET, dress, literal, look, new_figure, shortened_name, styled

if TYPE_CHECKING:
    from howsure.monitoring.series import MonitorSeries

WIDTH, HEIGHT = 6.6, 2.6
LONGEST_NAME = 48
POINTS_UP_TO = 60  # periods that are marked
LOWEST_E = 1e-3


def series_figure(series: MonitorSeries) -> Figure:
    """Two panels below each other: the error of each period, and the evidence."""
    with styled():
        figure = new_figure(WIDTH, 2 * HEIGHT)
        above, below = figure.subplots(2, 1, sharex=True)
        draw_series(series, ax=above)
        draw_evidence(series, ax=below)
    return figure


def draw_series(series: MonitorSeries, *, ax: Axes | None = None) -> Axes:
    """Draw the calibration error of each period with its interval, and the alarm."""
    with styled():
        axes = _new_axes(ax)
        days, how = np.array(series.period, dtype="datetime64[D]"), look(0)
        axes.fill_between(days, series.low, series.high, color=how.colour, alpha=0.18, linewidth=0)
        marker = how.marker if len(series) <= POINTS_UP_TO else ""
        axes.plot(days, series.error, color=how.colour, linewidth=1.3, marker=marker, markersize=3.2, zorder=3)
        _mark(axes, series)
        axes.set_ylim(0.0, 1.15 * max([*series.high, 0.02]))
        literal(axes.set_ylabel(""), "calibration error")
        if series.name not in (None, "all"):
            literal(axes.set_title(""), shortened_name(str(series.name), LONGEST_NAME))
        level = 100 * series.recipe["level"]
        literal(axes.text(0.01, 0.98, "", transform=axes.transAxes, va="top", fontsize=8, color=INK),
                f"band: {level:g} % for each {series.recipe['by']}{_alarm_text(series)}")  # fmt: skip
    return axes


def draw_evidence(series: MonitorSeries, *, ax: Axes | None = None) -> Axes:
    """Draw the e-value after each period, and the threshold of the alarm."""
    with styled():
        axes = _new_axes(ax)
        days, how = np.array(series.period, dtype="datetime64[D]"), look(1)
        values = [math.nan if one is None else max(one, LOWEST_E) for one in series.e_value]
        axes.axhline(series.threshold, color=QUIET, linewidth=1.0, linestyle=(0, (6, 3)), zorder=1)
        axes.plot(days, values, color=how.colour, linewidth=1.3, zorder=3)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        _mark(axes, series)
        literal(axes.set_ylabel(""), "e-value (evidence)")
    return axes


def _alarm_text(series: MonitorSeries) -> str:
    return "" if series.alarm is None else f"\nalarm {series.alarm} (line), since about {series.since} (shaded)"


def _mark(axes: Axes, series: MonitorSeries) -> None:
    """A line at the alarm, and a shade over the time since when."""
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
