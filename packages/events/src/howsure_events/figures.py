"""Figures of raw and corrected series of events: points with intervals, for a few actors, or a page of many.

They are drawn like the explorer's charts (`howsure_events/explorer/page/chart.js`). Points of successive periods are
not connected. A period that may be incomplete has a hollow point. A count of 0 has no point if no label is positive but
its interval extends above 0. Bars below show the number of documents, and how many of them were labelled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.dates import date2num
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MaxNLocator

from howsure.errors import InputError
from howsure.figures.curves import grid_width
from howsure.figures.style import (
    FAINT,
    INK,
    QUIET,
    Look,
    dress,
    literal,
    literal_legend,
    look,
    new_figure,
    shortened_name,
    use_style,
)
from howsure.figures.width import NARROW, wanted_width
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.pairs import Bools
from howsure.inputs.periods import period_end, period_length, period_start
from howsure_events.series.corrected_series import CorrectedSeries
from howsure_events.series.event_series import EventSeries

BAND, WIDEST = 0.3, 5.0  # opacity of an interval, and its maximum width in points
YEARLY = {  # possible numbers of periods between two tick labels
    "week": (1, 2, 4, 13, 26, 52, 104, 260),
    "month": (1, 3, 6, 12, 24, 60, 120, 240),
    "quarter": (1, 2, 4, 8, 20, 40),
    "year": (1, 2, 5, 10, 20),
}
FIRST = re.compile("(-01|-Q1|-W01|^[0-9]{4})$")  # of a year
Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Places:
    """Periods on a time axis: middles and lengths in days, printer's points per period, and which points are hollow."""

    middle: Array
    days: Array
    points: float
    hollow: Bools

    @classmethod
    def of(cls, ax: Axes, periods: Sequence[str], incomplete: Sequence[str]) -> Places:
        """Compute the positions of periods in a panel; points of `incomplete` periods are hollow."""
        first, last = (date2num([of(period) for period in periods]) for of in (period_start, period_end))  # type: ignore[no-untyped-call]
        points = ax.get_position().width * ax.get_figure(root=True).get_size_inches()[0] * 72 / len(periods)  # type: ignore[union-attr]
        hollow = np.array([period in incomplete for period in periods])
        return cls((first + last + 1) / 2, last - first + 1, points, hollow)

    def shifted(self, shift: float) -> Array:
        """Return the middles, shifted to the right by `shift` times the width of an interval."""
        return self.middle + shift * self.days * min(0.22, WIDEST / self.points)


def draw_points(
    ax: Axes, positions: Places, estimates: tuple[Array, Array, Array], *, style: Look, shift: float = 0.0
) -> None:
    """Draw a point for each value, and its interval. estimates: value, low, high. shift: see `Places.shifted`."""
    value, low, high = estimates
    x = positions.shifted(shift)
    ax.vlines(
        x, low, high, color=style.colour, alpha=BAND, linewidth=max(0.8, min(WIDEST, 0.6 * positions.points)), zorder=1
    )
    size = max(1.2, min(4.5, 0.6 * positions.points))
    for chosen, inside in ((~positions.hollow, style.colour), (positions.hollow, "white")):
        if not chosen.any():  # an empty, unclipped artist would change the layout
            continue
        ax.plot(
            x[chosen],
            value[chosen],
            style.marker,
            color=style.colour,
            markerfacecolor=inside,
            markersize=size,
            markeredgewidth=0.8,
            zorder=3,
            clip_on=False,
        )


def draw_dashes(ax: Axes, places: Places, values: Array, *, colour: str, shift: float = 0.0) -> None:
    """Draw the 1-best counts, or the raw ones, as a dash next to each point."""
    size = max(1.5, min(7.0, 0.9 * places.points))
    ax.plot(places.shifted(shift), values, "_", color=colour, markersize=size, markeredgewidth=1, zorder=2)


def draw_documents(ax: Axes, places: Places, documents: Array, labelled: Array) -> None:
    """Draw bars with the numbers of documents and of labelled documents in each period."""
    dress(ax)
    for heights, colour in ((documents, FAINT), (labelled, QUIET)):
        ax.bar(places.middle, heights, width=0.8 * places.days, color=colour, linewidth=0)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    most = f"documents, at most {int(documents.max(initial=0)):,}"
    literal(ax.set_title("", fontsize=7, fontweight="normal", pad=2, loc="left", color=QUIET), most)


def period_axis(ax: Axes, periods: Sequence[str], *, small: bool) -> None:
    """Draw a time axis with as many names of periods as fit, at regular steps from the start of a year."""
    positions = Places.of(ax, periods, ())
    ax.set_xlim(positions.middle[0] - positions.days[0] / 2, positions.middle[-1] + positions.days[-1] / 2)
    fitting = max(1, int(positions.points * len(periods) / (38 if small else 48)))
    n_periods, steps = len(periods), YEARLY[period_length(periods[0])]
    every = next((step for step in steps if n_periods / step <= fitting), -(-n_periods // fitting))
    first = next((index for index, period in enumerate(periods) if FIRST.search(period)), 0)
    labelled = range(first % every, n_periods, every)
    ax.set_xticks(positions.middle[labelled], [periods[index] for index in labelled])


def count_axis(ax: Axes, *, share: bool, small: bool) -> None:
    """Draw a vertical axis from 0 with whole numbers, or per cent if `share`."""
    ax.set_ylim(bottom=min(0.0, ax.dataLim.y0))
    ax.yaxis.set_major_locator(MaxNLocator(3 if small else 4, integer=not share, steps=[1, 2, 5, 10]))
    if share:
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}%"))


# Series corrected by labels.

MAX_ACTORS_PER_PANEL = 4
NAME_LENGTH = 24


def corrected_axes(series: CorrectedSeries, *, ax: Axes | None = None, actors: Sequence[str] | None = None) -> Axes:
    """Draw the corrected series of some actors (None: all) in one panel, on `ax` or in a new figure."""
    group = list(series.actors if actors is None else actors)
    if not 0 < len(group) <= MAX_ACTORS_PER_PANEL:
        raise InputError(f"a panel shows 1 to {MAX_ACTORS_PER_PANEL} actors; there are {len(group):,}. Choose some.")
    share, rows = series.unit == "share", series.rows_of(group[0])
    with use_style():
        if ax is None:
            ax = new_figure(7.0, 2.6, keep="height").subplots()
        dress(ax, grid="y")
        for place, actor in enumerate(group):
            draw_corrected(series, ax=ax, actor=actor, style=look(place), shift=_shift(place, group))
        period_axis(ax, [row.period for row in rows], small=False)
        count_axis(ax, share=share, small=False)
        points = [legend_point(look(place)) for place in range(len(group))]
        literal_legend(ax, points, [shortened_name(series.titles[actor], NAME_LENGTH) for actor in group], fontsize=8)
        ax.set_ylabel("share of documents, corrected" if share else f"documents a {series.recipe['period']}, corrected")
    return ax


def draw_corrected(series: CorrectedSeries, *, ax: Axes, actor: str, style: Look, shift: float = 0.0) -> None:
    """Draw the corrected counts of an actor with their intervals."""
    rows = series.rows_of(actor)
    value, low, high = (np.array([getattr(row, name) for row in rows]) for name in ("estimate", "low", "high"))
    places = Places.of(ax, [row.period for row in rows], series.incomplete)
    value[[row.is_interval_only for row in rows]] = np.nan
    draw_points(ax, places, (value, low, high), style=style, shift=shift)


def _shift(place: int, group: Sequence[str]) -> float:
    """Return how far the points of the actor at index `place` are shifted to the right in a panel of several actors."""
    return 1.2 * (place - (len(group) - 1) / 2)


def legend_point(style: Look, **more: Any) -> Line2D:
    return Line2D(
        [], [], color=style.colour, marker=style.marker, linestyle="", markersize=4.5, markeredgewidth=0.8, **more
    )


MAX_PANELS = 12
MAX_SMALL_PANELS = 60
COLUMNS = 4
EVENT_LENGTH, LETTERS_PER_INCH = 90, 13  # at a font size of 9 points
PANEL_WIDTH, BESIDE = 1.6, 0.45  # minimum inches of a small panel, and of its margin next to the axes
DARKER = 0.5
Groups = Sequence[Sequence[str]]


def event_figure(series: EventSeries, *, panels: Groups | None = None, title: str | None = None) -> Figure:
    """Draw series in panels one below another on a common time axis, as in Figure 6 of the paper.

    A panel shows the posterior mean with its interval, and the 1-best count as a dash. If the series is corrected, it
    shows the corrected count with its interval, and the raw mean as a dash. Bars at the bottom show the documents of
    each period and, with labels, how many were labelled. Periods without documents are gaps.

    panels: the actors of each panel, such as [["USA"], ["YUG", "NATO"]]; by default one panel per actor. title: by
    default the name of the event.

    Raises InputError for more than 12 panels, for more than 4 actors in one, and for an actor without a series.
    """
    groups = [[actor] for actor in series.actors] if panels is None else [list(group) for group in panels]
    _check_groups(series, groups)
    heights = [*(1.45 + 0.2 * (len(group) > 2) for group in groups), 0.45]
    with use_style():
        figure = new_figure(7.0, 1.0 + sum(heights), keep="height")
        *axes, below = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        for ax, group in zip(axes, groups, strict=True):
            draw_events(series, ax=ax, actors=group)
            _name_inside(ax, series, group)
        highest = max(ax.get_ylim()[1] for ax in axes)
        for ax in axes:
            ax.set_ylim(top=highest)
        _documents(series, below)
        actors = [actor for group in groups for actor in group]
        _finish(figure, series, actors, title, scale="one scale" if len(axes) > 1 else "")
    return figure


def event_axes(series: EventSeries, *, ax: Axes | None = None, actors: Sequence[str] | None = None) -> Axes:
    """Draw the series of some actors (None: all) in one panel with their names, on `ax` or in a new figure."""
    group = list(series.actors if actors is None else actors)
    _check_groups(series, [group])
    if ax is None:
        return event_figure(series, panels=[group]).axes[0]
    with use_style():
        draw_events(series, ax=ax, actors=group)
        _name_inside(ax, series, group)
    return ax


def event_page(series: EventSeries, *, title: str | None = None) -> Figure:
    """Draw each actor in a small panel with its own scale, on a common time axis, as in the appendix of the paper.

    Bars at the bottom show the documents of each period. Raises InputError for more than 60 actors.
    """
    actors = series.actors
    if len(actors) > MAX_SMALL_PANELS:
        raise InputError(f"a page shows at most {MAX_SMALL_PANELS} actors; there are {len(actors):,}. Choose some.")
    columns = min(COLUMNS, grid_width(len(actors)))
    if (width := wanted_width()) is not None:
        columns = max(1, min(columns, int(width // PANEL_WIDTH)))
    heights = [*[1.25] * -(-len(actors) // columns), 0.4]
    with use_style():
        figure = new_figure(1.95 * columns + 0.4, sum(heights) + 0.9, keep="height")
        fitting = int(LETTERS_PER_INCH * (figure.get_size_inches()[0] / columns - BESIDE))
        grid = figure.subplots(len(heights), columns, sharex=True, squeeze=False, height_ratios=heights)
        for ax, actor in zip(grid[:-1].flat, actors, strict=False):
            draw_events(series, ax=ax, actors=[actor], small=True)
            literal(ax.set_title("", fontsize=8, pad=3, loc="left"), _short_name(series, actor, fitting))
            ax.tick_params(labelsize=7)
        for ax in grid[:-1].flat[len(actors) :]:
            ax.set_axis_off()
        for ax in grid[-1]:
            _documents(series, ax, small=True)
            ax.tick_params(labelsize=7)
        _finish(figure, series, actors, title, scale="own scales" if len(actors) > 1 else "")
    return figure


def draw_events(series: EventSeries, *, ax: Axes, actors: Sequence[str], small: bool = False) -> Axes:
    """Draw the series of some actors into the panel `ax`: points with intervals, and 1-best counts as dashes."""
    with use_style():
        dress(ax, grid="y")
        for place, actor in enumerate(actors):
            style, shift = look(place), _shift(place, actors)
            _draw_one(ax, series, actor, style, shift, best_colour=INK if len(actors) == 1 else _darker(style.colour))
        period_axis(ax, [row.period for row in series.rows_of(actors[0])], small=small)
        count_axis(ax, share=series.unit == "share", small=small)
    return ax


def _draw_one(ax: Axes, series: EventSeries, actor: str, style: Look, shift: float, *, best_colour: str) -> None:
    rows, corrected = series.rows_of(actor), series.corrected
    places = Places.of(ax, [row.period for row in rows], series.incomplete)
    mean, low, high = (np.array([getattr(row, name) for row in rows]) for name in ("mean", "low", "high"))
    if corrected is None:
        best = np.array([np.nan if row.best is None else row.best for row in rows])
        draw_dashes(ax, places, best, colour=best_colour, shift=shift)
        draw_points(ax, places, (mean, low, high), style=style, shift=shift)
        return
    draw_dashes(ax, places, mean, colour=best_colour, shift=shift)
    if actor in corrected.titles:
        draw_corrected(corrected, ax=ax, actor=actor, style=style, shift=shift)


def _documents(series: EventSeries, ax: Axes, *, small: bool = False) -> None:
    """Draw the numbers of documents and of labelled documents in each period."""
    rows = series.rows_of(series.actors[0])
    places = Places.of(ax, [row.period for row in rows], ())
    documents = np.array([row.n_documents for row in rows], dtype=np.float64)
    draw_documents(ax, places, documents, _labelled_documents(series))
    period_axis(ax, [row.period for row in rows], small=small)


def _labelled_documents(series: EventSeries) -> Array:
    """Return the number of labelled documents in each period."""
    corrected = series.corrected
    if corrected is None or not corrected.actors:
        return np.zeros(len(series.rows_of(series.actors[0])))
    return np.array([row.labelled for row in corrected.rows_of(corrected.actors[0])], dtype=np.float64)


def _has_interval_only(series: EventSeries, actors: Sequence[str]) -> bool:
    """Return whether a corrected count of these actors is drawn as an interval without a point."""
    corrected = series.corrected
    shown = [] if corrected is None else [actor for actor in actors if actor in corrected.titles]
    return corrected is not None and any(row.is_interval_only for actor in shown for row in corrected.rows_of(actor))


def _has_hollow_point(series: EventSeries, actors: Sequence[str]) -> bool:
    """Return whether a count of these actors is drawn as a point in a period that may be incomplete."""
    corrected = series.corrected
    if corrected is None:
        counts = [(row.period, row.mean) for actor in actors for row in series.rows_of(actor)]
    else:
        shown = [actor for actor in actors if actor in corrected.titles]
        rows = [row for actor in shown for row in corrected.rows_of(actor) if not row.is_interval_only]
        counts = [(row.period, row.estimate) for row in rows]
    return any(period in series.incomplete and not np.isnan(count) for period, count in counts)


def _darker(colour: str) -> str:
    """Return a darker colour, for the 1-best counts in a panel of several actors."""
    red, green, blue = to_rgb(colour)
    return to_hex((DARKER * red, DARKER * green, DARKER * blue))


def _finish(figure: Figure, series: EventSeries, actors: Sequence[str], title: str | None, *, scale: str) -> None:
    """Draw the axis label, the legend and the title. actors: those drawn. scale: a note on the panels' scale."""
    counted = "share of the documents of" if series.unit == "share" else series.unit
    figure.supylabel(f"{counted} a {series.period}{f' ({scale})' if scale else ''}", fontsize=9)
    width = figure.get_size_inches()[0]
    first, corrected = look(0), series.corrected is not None
    drawn: dict[str, Any] = {
        "corrected by labels" if corrected else "expected (posterior mean)": legend_point(first),
        f"{100 * series.level:g}% interval": Patch(color=first.colour, alpha=BAND, linewidth=0),
        "raw: what the model finds" if corrected else "1-best": Line2D([], [], color=INK, marker="_", linestyle=""),
    }
    if _has_hollow_point(series, actors):
        drawn["period may be incomplete"] = legend_point(first, markerfacecolor="white")
    if _has_interval_only(series, actors):
        drawn["no point: no positive label"] = Patch(color=first.colour, alpha=BAND, linewidth=0)
    drawn["documents"] = Patch(color=FAINT, linewidth=0)
    if _labelled_documents(series).any():
        drawn["of these labelled"] = Patch(color=QUIET, linewidth=0)
    _legend(figure, drawn)
    if title is None:
        fitting = min(EVENT_LENGTH, int(LETTERS_PER_INCH * width) - len("event: "))
        literal(figure.suptitle("", fontsize=9), f"event: {_shortened_end(series.event, fitting)}")
    else:
        literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)


def _legend(figure: Figure, drawn: Mapping[str, Any]) -> None:
    """Draw the legend below the panels, in as many columns as fit in the width of the figure."""
    narrow = figure.get_size_inches()[0] < NARROW
    how = {"fontsize": 7, "handlelength": 1.2, "columnspacing": 1.0} if narrow else {"fontsize": 8}
    for n_columns in (2, 1) if narrow else (3, 2, 1):
        legend = figure.legend(
            list(drawn.values()), list(drawn), loc="outside lower center", frameon=False, ncols=n_columns, **how
        )
        if n_columns == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return
        legend.remove()


def _name_inside(ax: Axes, series: EventSeries, group: Sequence[str]) -> None:
    """Write the names of the actors above their panel; if there are several, add a legend."""
    names = [shortened_name(_name(series, actor), NAME_LENGTH) for actor in group]
    titles = names if len(group) == 1 else [shortened_name(series.titles[actor], NAME_LENGTH) for actor in group]
    literal(ax.set_title("", fontsize=9, pad=3, loc="left"), shortened_name(" and ".join(titles), 2 * NAME_LENGTH))
    if len(group) > 1:
        literal_legend(ax, [legend_point(look(place)) for place in range(len(group))], names, loc="best")


def _name(series: EventSeries, actor: str) -> str:
    title, corrected = series.titles[actor], series.corrected
    named = actor if title == actor else f"{shortened_name(title, NAME_LENGTH)} ({actor})"
    return named if corrected is None or actor in corrected.titles else f"{named}, no labels"


def _short_name(series: EventSeries, actor: str, limit: int) -> str:
    """Return an actor's name for a small panel: title and code if both fit, else the title, shortened if necessary."""
    title = shortened_name(series.titles[actor], 2 * NAME_LENGTH)
    full = _name(series, actor)
    return full if len(full) <= limit else _shortened_end(title, limit)


def _shortened_end(name: str, limit: int) -> str:
    """Return a name on one line; a long one loses its end."""
    name = shortened_name(name, max(limit, len(name)))
    return name if len(name) <= limit else f"{name[: limit - 1].rstrip(' ,')}…"


def _check_groups(series: EventSeries, groups: Groups) -> None:
    if not 0 < len(groups) <= MAX_PANELS:
        raise InputError(f"a figure shows 1 to {MAX_PANELS} panels; there are {len(groups):,}. Choose some.")
    for group in groups:
        if not 0 < len(group) <= MAX_ACTORS_PER_PANEL:
            raise InputError(f"a panel shows 1 to {MAX_ACTORS_PER_PANEL} actors; one has {len(group):,}. Choose some.")
        for actor in group:
            if actor not in series.titles:
                raise unknown_name("actor", actor, series.actors, place="the series")
