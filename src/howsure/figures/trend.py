"""Results over dates: estimates with their intervals, the limit, and the verdicts."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from howsure.errors import InputError
from howsure.figures.style import QUIET, dress, literal, literal_legend, look, new_figure, shortened_name, styled
from howsure.significance.trend import Trend, TrendPoint

MOST_GROUPS, MOST_RULES = 8, 12
NAME_LENGTH = 60
BESIDE: Any = {"fontsize": 8, "loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
HEIGHT = 2.4  # inches of a panel
HOLLOW = "cannot tell"


def trend_figure(trend: Trend) -> Figure:
    """A panel for each rule.

    Raises InputError for more rules or groups than can be read.
    """
    rules = trend.rules
    if not 0 < len(rules) <= MOST_RULES:
        raise InputError(f"a figure holds 1 to {MOST_RULES} rules; there are {len(rules):,}. Draw one: plot(rule=...).")
    with styled():
        figure = new_figure(6.6, HEIGHT * len(rules))
        for place, rule in enumerate(rules, 1):
            draw_trend(trend.of(rule), title=rule, ax=figure.add_subplot(len(rules), 1, place))
    return figure


def draw_trend(points: Sequence[TrendPoint], *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """The estimates of one rule by date: filled where it passed, hollow where the data could not tell, a cross where it
    failed; the limit dashed.

    Raises InputError for more groups than can be told apart.
    """
    groups = list(dict.fromkeys(point.group for point in points))
    if len(groups) > MOST_GROUPS:
        raise InputError(f"a figure holds at most {MOST_GROUPS} groups; there are {len(groups):,}.")
    if ax is None:
        with styled():
            ax = new_figure(6.6, HEIGHT).subplots()
    dress(ax, grid="y")
    for k, group in enumerate(groups):
        _draw_group(ax, [point for point in points if point.group == group], k, len(groups))
    for limit in dict.fromkeys(point.limit for point in points):
        ax.axhline(limit, color=QUIET, linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    locator = AutoDateLocator(minticks=2, maxticks=8)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    literal(ax.set_title("", loc="left"), shortened_name(title or points[0].rule, NAME_LENGTH))
    if len(groups) > 1:
        handles = [Line2D([], [], color=look(k).colour, marker=look(k).marker) for k in range(len(groups))]
        literal_legend(ax, handles, [shortened_name(group or "all", 20) for group in groups], **BESIDE)
    return ax


def _draw_group(ax: Axes, points: Sequence[TrendPoint], k: int, groups: int) -> None:
    how = look(k)
    days = [datetime.date.fromisoformat(point.date) for point in points]
    x = np.asarray(date2num(days)) + 0.12 * (k - (groups - 1) / 2)  # type: ignore[no-untyped-call]
    y = np.array([point.estimate for point in points])
    ax.plot(x, y, color=how.colour, linestyle=how.dashes, linewidth=1.0, zorder=2)
    for at, point in zip(x, points, strict=True):
        if math.isfinite(point.low) and math.isfinite(point.high):
            ax.vlines(at, point.low, point.high, color=how.colour, alpha=0.5, linewidth=1.6, zorder=2)
        failed = point.outcome == "fail"
        ax.plot(
            [at], [point.estimate], "X" if failed else how.marker, color=how.colour, markersize=8 if failed else 5,
            markerfacecolor="white" if point.outcome == HOLLOW else how.colour, linestyle="none", zorder=3,
        )  # fmt: skip
