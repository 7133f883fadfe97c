"""Lines of any two quantities, with bands: what the reproductions of papers are drawn with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.errors import InputError
from howsure.figures.style import dress, literal, literal_legend, look, new_figure, styled

MARKERS = 12


@dataclass(frozen=True, slots=True)
class Series:
    """One line: points (x, y), and the band [low, high] around them if there is one."""

    label: str
    x: npt.ArrayLike
    y: npt.ArrayLike
    low: npt.ArrayLike | None = None
    high: npt.ArrayLike | None = None


def draw_series(
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw lines with their bands, told apart by colour, marker and dashes; the names stand in a legend if several.

    Raises InputError if there is no series.
    """
    if len(series) == 0:
        raise InputError("series must hold at least one line; it is empty.")
    with styled():
        axes = new_figure(5.2, 3.4).add_subplot() if ax is None else ax
        dress(axes, grid="y")
        if log_x:
            axes.set_xscale("log")
        if log_y:
            axes.set_yscale("log")
        handles = []
        for i, one in enumerate(series):
            how, x, y = look(i), np.asarray(one.x), np.asarray(one.y)
            if one.low is not None and one.high is not None:
                axes.fill_between(x, np.asarray(one.low), np.asarray(one.high), color=how.colour, alpha=0.18, linewidth=0)
            step = max(1, len(x) // MARKERS)
            (line,) = axes.plot(x, y, color=how.colour, linestyle=how.dashes, linewidth=1.4)
            line.set(marker=how.marker, markersize=4.5, markeredgecolor="white", markeredgewidth=0.4, markevery=step)
            handles.append(line)
        if len(series) > 1:
            literal_legend(axes, handles, [one.label for one in series], handlelength=3.2)
        literal(axes.xaxis.label, x_label)
        literal(axes.yaxis.label, y_label)
        if title is not None:
            literal(axes.set_title(""), title)
    return axes


def series_figure(
    panels: Sequence[tuple[str, Sequence[Series]]],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    title: str | None = None,
) -> Figure:
    """Panels of lines side by side, each (its title, its series), with the same y axis.

    Raises InputError if there is no panel, or one without series.
    """
    if len(panels) == 0:
        raise InputError("panels must hold at least one (title, series); it is empty.")
    with styled():
        figure = new_figure(1.0 + 3.3 * len(panels), 3.3 + (0.3 if title else 0.0))
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for ax, (name, series) in zip(axes, panels, strict=True):
            draw_series(series, x_label=x_label, y_label=y_label, log_x=log_x, log_y=log_y, title=name, ax=ax)
            ax.label_outer()
        for ax in axes:
            ax.tick_params(labelbottom=True)
        if title is not None:
            literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)
    return figure
