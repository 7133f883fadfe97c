"""Series corrected by labels: a line in its band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from howsure.errors import InputError
from howsure.events.series.corrected_series import CorrectedSeries
from howsure.figures.period_bands import date_axes, draw_band, mark_alone
from howsure.figures.style import Look, dress, literal_legend, look, new_figure, shortened_name, styled

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
        by, share = str(series.recipe["by"]), series.unit == "share"
        date_axes(ax, rows[0].period, rows[-1].period, by=by, share=share, small=False)
        looks = [look(place) for place in range(len(group))]
        lines = [Line2D([], [], color=how.colour, linestyle=how.dashes, linewidth=1.4) for how in looks]
        literal_legend(ax, lines, [shortened_name(series.titles[actor], NAME_LENGTH) for actor in group], fontsize=8)
        ax.set_ylabel("share of documents, corrected" if share else f"documents a {by}, corrected")
    return ax


def draw_corrected(series: CorrectedSeries, *, ax: Axes, actor: str, how: Look, small: bool) -> None:
    """The corrected counts of an actor as a line in the band of their intervals."""
    rows = series.rows_of(actor)
    value, low, high = (np.array([getattr(row, name) for row in rows]) for name in ("estimate", "low", "high"))
    periods, by = [row.period for row in rows], str(series.recipe["by"])
    for draw in (draw_band, mark_alone):
        draw(ax, periods, (value, low, high), by=by, how=how, small=small)
