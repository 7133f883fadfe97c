"""Time series of events: a few actors one under another (Figure 6 of the paper), or many on a page of small panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from howsure.errors import InputError
from howsure.events.series.event_series import EventSeries
from howsure.figures.calibration.panels import columns_of
from howsure.figures.corrected_events import draw_corrected
from howsure.figures.period_bands import BAND, DOTS, date_axes, draw_band, draw_dots, mark_alone
from howsure.figures.style import INK, Look, dress, literal, literal_legend, look, new_figure, shortened_name, styled
from howsure.inputs.naming import unknown_name

MOST_PANELS = 12
MOST_TOGETHER = 4
MOST_SMALL = 60
COLUMNS = 4
NAME_LENGTH = 24
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
        date_axes(
            ax, series.rows[0].period, series.rows[-1].period, by=series.by, share=series.unit == "share", small=small
        )
    return ax


def _draw_one(ax: Axes, series: EventSeries, actor: str, how: Look, small: bool, *, best_colour: str) -> None:
    rows, by = series.rows_of(actor), series.by
    periods = [row.period for row in rows]
    mean, low, high = (np.array([getattr(row, name) for row in rows]) for name in ("mean", "low", "high"))
    if series.corrected is not None:
        draw_dots(ax, periods, mean, by=by, colour=best_colour, small=small)
        if actor in series.corrected.titles:
            draw_corrected(series.corrected, ax=ax, actor=actor, how=how, small=small)
        return
    draw_band(ax, periods, (mean, low, high), by=by, how=how, small=small)
    best = np.array([np.nan if row.best is None else row.best for row in rows])
    draw_dots(ax, periods, best, by=by, colour=best_colour, small=small)
    mark_alone(ax, periods, (mean, low, high), by=by, how=how, small=small)


def _darker(colour: str) -> str:
    """The colour of a 1-best count in a panel of several actors, which must show on the line of its mean."""
    red, green, blue = to_rgb(colour)
    return to_hex((DARKER * red, DARKER * green, DARKER * blue))


def _finish(figure: Figure, series: EventSeries, title: str | None) -> None:
    """What the lines are, once for all panels, and the title."""
    counted = "share of the documents of" if series.unit == "share" else series.unit
    figure.supylabel(f"{counted} a {series.by}", fontsize=9)
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
