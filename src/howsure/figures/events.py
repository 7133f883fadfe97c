"""Time series of events, raw and corrected: a few actors one under another, or many on one axis."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from howsure.errors import InputError
from howsure.events.series.corrected_series import CorrectedSeries
from howsure.events.series.event_series import EventSeries
from howsure.figures.curves import columns_of
from howsure.figures.style import INK, Look, dress, literal, literal_legend, look, new_figure, shortened_name, styled
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.periods import period_end, period_start

# Lines in bands over periods, and the time axis below them.

BAND = 0.22
DOTS = (0, (1, 1.2))
Array = np.ndarray[Any, np.dtype[np.float64]]


def places_of(periods: Sequence[str]) -> Array:
    """The middle of each period on a time axis."""
    held: Array = date2num([_middle(period) for period in periods])  # type: ignore[no-untyped-call]
    return held


def draw_band(ax: Axes, periods: Sequence[str], held: tuple[Array, Array, Array], *, how: Look, small: bool) -> None:
    """A line of values in its band from low to high."""
    value, low, high = held
    x = places_of(periods)
    ax.fill_between(x, low, high, color=how.colour, alpha=0.32 if small else BAND, linewidth=0, zorder=1)
    ax.plot(x, value, color=how.colour, linestyle=how.dashes, linewidth=0.7 if small else 1.4, zorder=3)


def mark_alone(ax: Axes, periods: Sequence[str], held: tuple[Array, Array, Array], *, how: Look, small: bool) -> None:
    """A marker and a bar for points without a neighbour, which no line passes."""
    value, low, high = held
    alone = _alone(value)
    if alone.any():
        x = places_of(periods)[alone]
        ax.vlines(x, low[alone], high[alone], color=how.colour, alpha=BAND, linewidth=3, zorder=1)
        ax.plot(x, value[alone], how.marker, color=how.colour, markersize=2.5 if small else 4, zorder=3)


def draw_dots(ax: Axes, periods: Sequence[str], values: Array, *, colour: str, small: bool) -> None:
    """What stands beside a line: the 1-best count, or the raw one, as dots."""
    ax.plot(places_of(periods), values, color=colour, linestyle=DOTS, linewidth=0.6 if small else 1.1, zorder=4)


def date_axes(ax: Axes, first: str, last: str, *, share: bool, small: bool) -> None:
    """A time axis from the first to the last period, and whole numbers upwards unless they are shares."""
    ax.set_ylim(bottom=min(0.0, ax.dataLim.y0))
    ax.set_xlim(*date2num([period_start(first), period_end(last)]))  # type: ignore[no-untyped-call]
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


def _middle(period: str) -> datetime.date:
    first = period_start(period)
    return first + (period_end(period) - first) / 2


# Series corrected by labels: a line in its band.

MOST_TOGETHER = 4
NAME_LENGTH = 24


def corrected_axes(series: CorrectedSeries, *, ax: Axes | None = None, actors: Sequence[str] | None = None) -> Axes:
    """The corrected series of some actors, or of all, in one panel: on `ax`, or in a figure of its own.

    Raises InputError for more actors than can be told apart, none, or one without labels.
    """
    group = list(series.actors if actors is None else actors)
    if not 0 < len(group) <= MOST_TOGETHER:
        raise InputError(f"a panel shows 1 to {MOST_TOGETHER} actors; there are {len(group):,}. Choose some.")
    with styled():
        if ax is None:
            ax = new_figure(7.0, 2.6, keep="height").subplots()
        dress(ax, grid="y")
        for place, actor in enumerate(group):
            draw_corrected(series, ax=ax, actor=actor, how=look(place), small=False)
        rows = series.rows_of(group[0])
        share = series.unit == "share"
        date_axes(ax, rows[0].period, rows[-1].period, share=share, small=False)
        looks = [look(place) for place in range(len(group))]
        lines = [Line2D([], [], color=how.colour, linestyle=how.dashes, linewidth=1.4) for how in looks]
        literal_legend(ax, lines, [shortened_name(series.titles[actor], NAME_LENGTH) for actor in group], fontsize=8)
        ax.set_ylabel("share of documents, corrected" if share else f"documents a {series.recipe['period']}, corrected")
    return ax


def draw_corrected(series: CorrectedSeries, *, ax: Axes, actor: str, how: Look, small: bool) -> None:
    """The corrected counts of an actor as a line in the band of their intervals."""
    rows = series.rows_of(actor)
    value, low, high = (np.array([getattr(row, name) for row in rows]) for name in ("estimate", "low", "high"))
    periods = [row.period for row in rows]
    for draw in (draw_band, mark_alone):
        draw(ax, periods, (value, low, high), how=how, small=small)


# Time series of events: a few actors one under another (Figure 6 of the paper), or many on a page of small panels.

MOST_PANELS = 12
MOST_SMALL = 60
COLUMNS = 4
EVENT_LENGTH = 90
DARKER = 0.5
Groups = Sequence[Sequence[str]]


def event_figure(series: EventSeries, *, panels: Groups | None = None, title: str | None = None) -> Figure:
    """Series one under another, on one time axis: posterior mean, its interval as a band, and the 1-best count.

    With a corrected series beside it: the corrected count, its interval as a band, and the raw mean as dots.

    `panels` says which actors share a panel, such as [["USA"], ["YUG", "NATO"]]; without it each has one. Where there
    are no documents, there is a gap. Without a title the event stands above.

    Raises InputError for more panels, or more actors in one, than can be read, or an actor without series.
    """
    groups = [[actor] for actor in series.actors] if panels is None else [list(group) for group in panels]
    _check_groups(series, groups)
    with styled():
        figure = new_figure(7.0, 0.75 + 1.45 * len(groups) + 0.3, keep="height")
        axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
        for ax, group in zip(axes, groups, strict=True):
            draw_events(series, ax=ax, actors=group)
            _name_inside(ax, series, group)
        _finish(figure, series, title)
    return figure


def event_axes(series: EventSeries, *, ax: Axes | None = None, actors: Sequence[str] | None = None) -> Axes:
    """The series of some actors, or of all, in one panel with their names: on `ax`, or in a figure of its own."""
    group = list(series.actors if actors is None else actors)
    _check_groups(series, [group])
    if ax is None:
        return event_figure(series, panels=[group]).axes[0]
    with styled():
        draw_events(series, ax=ax, actors=group)
        _name_inside(ax, series, group)
    return ax


def event_page(series: EventSeries, *, title: str | None = None) -> Figure:
    """Each actor in a small panel of its own, with a scale of its own, on one time axis: the appendix's page.

    Raises InputError for more actors than fit.
    """
    actors = series.actors
    if len(actors) > MOST_SMALL:
        raise InputError(f"a page shows at most {MOST_SMALL} actors; there are {len(actors):,}. Choose some.")
    columns = min(COLUMNS, columns_of(len(actors)))
    rows = -(-len(actors) // columns)
    with styled():
        figure = new_figure(1.95 * columns + 0.4, 1.25 * rows + 0.6 + 0.3)
        grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
        for place, ax in enumerate(grid.flat):
            if place >= len(actors):
                ax.set_axis_off()
                continue
            draw_events(series, ax=ax, actors=[actors[place]], small=True)
            literal(ax.set_title("", fontsize=8, pad=3, loc="left"), _name(series, actors[place]))
            ax.tick_params(labelsize=7, labelbottom=place + columns >= len(actors))
        _finish(figure, series, title)
    return figure


def draw_events(series: EventSeries, *, ax: Axes, actors: Sequence[str], small: bool = False) -> Axes:
    """Draw the series of some actors into one panel: a line in a band each, and the 1-best count as dots."""
    with styled():
        dress(ax, grid="y")
        for place, actor in enumerate(actors):
            _draw_one(
                ax,
                series,
                actor,
                look(place),
                small,
                best_colour=INK if len(actors) == 1 else _darker(look(place).colour),
            )
        date_axes(ax, series.rows[0].period, series.rows[-1].period, share=series.unit == "share", small=small)
    return ax


def _draw_one(ax: Axes, series: EventSeries, actor: str, how: Look, small: bool, *, best_colour: str) -> None:
    rows = series.rows_of(actor)
    periods = [row.period for row in rows]
    mean, low, high = (np.array([getattr(row, name) for row in rows]) for name in ("mean", "low", "high"))
    if series.corrected is not None:
        draw_dots(ax, periods, mean, colour=best_colour, small=small)
        if actor in series.corrected.titles:
            draw_corrected(series.corrected, ax=ax, actor=actor, how=how, small=small)
        return
    draw_band(ax, periods, (mean, low, high), how=how, small=small)
    best = np.array([np.nan if row.best is None else row.best for row in rows])
    draw_dots(ax, periods, best, colour=best_colour, small=small)
    mark_alone(ax, periods, (mean, low, high), how=how, small=small)


def _darker(colour: str) -> str:
    """The colour of a 1-best count in a panel of several actors, which must show on the line of its mean."""
    red, green, blue = to_rgb(colour)
    return to_hex((DARKER * red, DARKER * green, DARKER * blue))


def _finish(figure: Figure, series: EventSeries, title: str | None) -> None:
    """What the lines are, once for all panels, and the title."""
    counted = "share of the documents of" if series.unit == "share" else series.unit
    figure.supylabel(f"{counted} a {series.period}", fontsize=9)
    handles: list[Any] = [
        Line2D([], [], color=look(0).colour, linewidth=1.4),
        Patch(color=look(0).colour, alpha=BAND, linewidth=0),
        Line2D([], [], color=INK, linestyle=DOTS, linewidth=1.1),
    ]
    names = ["posterior mean", f"{100 * series.level:g} % interval", "1-best"]
    if series.corrected is not None:
        names = ["corrected by labels", names[1], "raw: what the model finds"]
    figure.legend(handles, names, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    if title is None:
        literal(figure.suptitle("", fontsize=9), f"event: {shortened_name(series.event, EVENT_LENGTH)}")
    else:
        literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)


def _name_inside(ax: Axes, series: EventSeries, group: Sequence[str]) -> None:
    """The names of the actors above their panel, each in the colour of its line."""
    names = [shortened_name(_name(series, actor), NAME_LENGTH) for actor in group]
    lines = [Line2D([], [], color=look(i).colour, linestyle=look(i).dashes, linewidth=1.4) for i in range(len(group))]
    if len(group) == 1:
        literal(ax.set_title("", fontsize=9, pad=3, loc="left"), names[0])
        return
    literal(ax.set_title("", fontsize=9, pad=3, loc="left"), " and ".join(names))
    literal_legend(ax, lines, names, loc="best", handlelength=2.6)


def _name(series: EventSeries, actor: str) -> str:
    title, corrected = series.titles[actor], series.corrected
    named = actor if title == actor else f"{shortened_name(title, NAME_LENGTH)} ({actor})"
    return named if corrected is None or actor in corrected.titles else f"{named}, no labels"


def _check_groups(series: EventSeries, groups: Groups) -> None:
    if not 0 < len(groups) <= MOST_PANELS:
        raise InputError(f"a figure shows 1 to {MOST_PANELS} panels; there are {len(groups):,}. Choose some.")
    for group in groups:
        if not 0 < len(group) <= MOST_TOGETHER:
            raise InputError(f"a panel shows 1 to {MOST_TOGETHER} actors; one has {len(group):,}. Choose some.")
        for actor in group:
            if actor not in series.titles:
                raise unknown_name("actor", actor, series.actors, place="the series")
