"""Two qualities of a model as one of its settings changes: a path through the plane, its points named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.errors import InputError
from howsure.figures.style import dress, literal, literal_legend, look, new_figure, styled
from howsure.inputs.pairs import Floats
from howsure.stats.estimate import Estimate
from howsure_papers.figures.names import name_points


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of the setting: its name, what it gives, and whether it was chosen."""

    name: str
    x: float
    y: Estimate
    chosen: bool = False


def path_figure(
    paths: Sequence[tuple[str, Sequence[Setting]]], *, x_label: str, y_label: str, setting: str, root_y: bool = False
) -> Figure:
    """A figure with the paths of several models, (name, settings) each, by `draw_paths`."""
    with styled():
        figure = new_figure(7.2, 4.6)
        draw_paths(paths, x_label=x_label, y_label=y_label, setting=setting, root_y=root_y, ax=figure.add_subplot())
    return figure


def draw_paths(
    paths: Sequence[tuple[str, Sequence[Setting]]],
    *,
    x_label: str,
    y_label: str,
    setting: str,
    ax: Axes,
    root_y: bool = False,
) -> Axes:
    """Draw a line through the settings of each model in their order, with intervals; a ring marks the chosen one.

    `root_y` draws square roots of y, so that small values are told apart and 0 has a place.

    Raises InputError if there is no path, or one without settings.
    """
    if not paths or not all(settings for _, settings in paths):
        raise InputError("paths must hold at least one (name, settings), and every path a setting.")
    dress(ax, grid="y")
    handles = []
    for i, (_, settings) in enumerate(paths):
        how = look(i)
        x, y = np.array([one.x for one in settings]), np.array([one.y.value for one in settings])
        low, high = (np.array([_end(one.y, end) for one in settings]) for end in ("low", "high"))
        ax.vlines(x, low, high, color=how.colour, linewidth=1.2, alpha=0.45, zorder=2)
        (line,) = ax.plot(x, y, color=how.colour, linestyle=how.dashes, linewidth=1.2, zorder=3)
        line.set(marker=how.marker, markersize=4.5, markeredgecolor="white", markeredgewidth=0.4)
        handles.append(line)
        for one in settings:
            if one.chosen:
                ax.plot([one.x], [one.y.value], "o", markersize=11, markerfacecolor="none", color=how.colour, zorder=3)
    if root_y:
        ax.set_yscale("function", functions=(_root, np.square))
    ax.set_ylim(bottom=0.0)
    literal_legend(ax, handles, [name for name, _ in paths], handlelength=3.2, title=setting, title_fontsize=8)
    literal(ax.xaxis.label, x_label)
    literal(ax.yaxis.label, y_label)
    points = [[(one.x, one.y.value, one.name) for one in settings] for _, settings in paths]
    name_points(ax, points, [look(i).colour for i in range(len(paths))])
    return ax


def _end(estimate: Estimate, end: str) -> float:
    value: float | None = getattr(estimate, end)
    return estimate.value if value is None else value


def _root(y: npt.ArrayLike) -> Floats:
    """Square roots; what lies below 0 is drawn at 0."""
    values: Floats = np.sqrt(np.maximum(np.asarray(y, dtype=np.float64), 0.0))
    return values
