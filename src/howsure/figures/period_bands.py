"""Lines in bands over periods, and the time axis below them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.ticker import MaxNLocator

from howsure.events.periods import period_end, period_start
from howsure.figures.style import Look

BAND = 0.22
DOTS = (0, (1, 1.2))
Array = np.ndarray[Any, np.dtype[np.float64]]


def places_of(periods: Sequence[str], by: str) -> Array:
    """The middle of each period on a time axis."""
    held: Array = date2num([_middle(period, by) for period in periods])  # type: ignore[no-untyped-call]
    return held


def draw_band(
    ax: Axes, periods: Sequence[str], held: tuple[Array, Array, Array], *, by: str, how: Look, small: bool
) -> None:
    """A line of values in its band from low to high."""
    value, low, high = held
    x = places_of(periods, by)
    ax.fill_between(x, low, high, color=how.colour, alpha=0.32 if small else BAND, linewidth=0, zorder=1)
    ax.plot(x, value, color=how.colour, linestyle=how.dashes, linewidth=0.7 if small else 1.4, zorder=3)


def mark_alone(
    ax: Axes, periods: Sequence[str], held: tuple[Array, Array, Array], *, by: str, how: Look, small: bool
) -> None:
    """A marker and a bar for points without a neighbour, which no line passes."""
    value, low, high = held
    alone = _alone(value)
    if alone.any():
        x = places_of(periods, by)[alone]
        ax.vlines(x, low[alone], high[alone], color=how.colour, alpha=BAND, linewidth=3, zorder=1)
        ax.plot(x, value[alone], how.marker, color=how.colour, markersize=2.5 if small else 4, zorder=3)


def draw_dots(ax: Axes, periods: Sequence[str], values: Array, *, by: str, colour: str, small: bool) -> None:
    """What stands beside a line: the 1-best count, or the raw one, as dots."""
    ax.plot(places_of(periods, by), values, color=colour, linestyle=DOTS, linewidth=0.6 if small else 1.1, zorder=4)


def date_axes(ax: Axes, first: str, last: str, *, by: str, share: bool, small: bool) -> None:
    """A time axis from the first to the last period, and whole numbers upwards unless they are shares."""
    ax.set_ylim(bottom=min(0.0, ax.dataLim.y0))
    ax.set_xlim(*date2num([period_start(first), period_end(last, by=by)]))  # type: ignore[no-untyped-call]
    locator = AutoDateLocator(minticks=2 if small else 4, maxticks=5 if small else 10)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    ax.yaxis.set_major_locator(MaxNLocator(4 if small else 5, integer=not share, steps=[1, 2, 5, 10]))
    ax.xaxis.get_offset_text().set_fontsize(7 if small else 8)


def _alone(values: Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """The points without a neighbour, which no line passes."""
    there = np.concatenate([[False], ~np.isnan(values), [False]])
    alone: np.ndarray[Any, np.dtype[np.bool_]] = there[1:-1] & ~there[:-2] & ~there[2:]
    return alone


def _middle(period: str, by: str) -> datetime.date:
    first = period_start(period)
    return first + (period_end(period, by=by) - first) / 2
