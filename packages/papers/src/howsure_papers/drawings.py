"""Figures that only the reproductions draw: lines of any two quantities, paths of a setting, labels side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import Bbox

from howsure.figures.style import QUIET, dress, literal, literal_legend, look, new_figure, shortened_name, use_style
from howsure.inputs.pairs import Floats
from howsure.result import Estimate

MARKERS = 12
PANELS_PER_ROW = 2
FEW_DECADES = 2.5
THOUSANDS = 1_000  # from this value on, linear axes have few ticks, with commas
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
COLUMN = 0.13  # inches per label, so that fifty are readable on a printed page
SPREAD = 0.45  # fraction of a column over which its markers are spread
NAME_LENGTH = 16
NEAR, FAR = 8.0, 15.0  # points from the middle of the marker
SIDES = ((1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1), (0, 1), (0, -1))
ACROSS, UP = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
STEP = 4.0  # pixels between points of a line that a name should not cover
NAME, MARKER, LINE, DISTANT = 100.0, 20.0, 1.0, 3.0  # costs of covering a name, marker or line, and of being far away


@dataclass(frozen=True, slots=True)
class Series:
    """One line: points (x, y), and the band [low, high] around them if there is one."""

    label: str
    x: npt.ArrayLike
    y: npt.ArrayLike
    low: npt.ArrayLike | None = None
    high: npt.ArrayLike | None = None


def series_figure(
    panels: Sequence[tuple[str, Sequence[Series]]],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    legend_outside: bool = False,
) -> Figure:
    """Draw panels of lines, two in a row, with the same y axis. panels: the title and the series of each panel.

    legend_outside: draw one legend for all panels next to the last panel, because inside a panel it would cover lines.
    """
    with use_style():
        figure, axes = panels_in_rows(len(panels), 3.3, sharey=True)
        for place, (ax, (title, series)) in enumerate(zip(axes, panels, strict=True)):
            dress(ax, grid="y")
            ax.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
            handles = [_line(ax, i, line) for i, line in enumerate(series)]
            for logarithmic, axis in ((log_x, ax.xaxis), (log_y, ax.yaxis)):
                _ticks(axis, logarithmic)
            if len(series) > 1 and not (legend_outside and ax is not axes[-1]):
                literal_legend(ax, handles, [line.label for line in series], handlelength=3.2)
            literal(ax.xaxis.label, x_label)
            if place % PANELS_PER_ROW == 0:
                literal(ax.yaxis.label, y_label)
            literal(ax.set_title(""), title)
        legend = axes[-1].get_legend()
        if legend_outside and legend is not None:
            legend.set(loc="upper left", bbox_to_anchor=(1.0, 1.0), in_layout=len(panels) in {1, PANELS_PER_ROW})
    return figure


def panels_in_rows(panels: int, height: float, *, sharey: bool = False) -> tuple[Figure, list[Axes]]:
    """An empty figure with panels of this height, at most two in a row, so that they are readable in print."""
    rows, columns = -(-panels // PANELS_PER_ROW), min(panels, PANELS_PER_ROW)
    figure = new_figure(1.0 + 3.3 * columns, height * rows)
    axes = figure.subplots(rows, columns, sharey=sharey, squeeze=False).ravel().tolist()
    for spare in axes[panels:]:
        spare.remove()
    return figure, axes[:panels]


def _line(ax: Axes, i: int, series: Series) -> Line2D:
    """Draw the line of a series, with its band. Colour, marker and dashes distinguish it from other lines."""
    how, x, y = look(i), np.asarray(series.x), np.asarray(series.y)
    if series.low is not None and series.high is not None:
        ax.fill_between(x, np.asarray(series.low), np.asarray(series.high), color=how.colour, alpha=0.18, linewidth=0)
    (line,) = ax.plot(x, y, color=how.colour, linestyle=how.dashes, linewidth=1.4)
    line.set(marker=how.marker, markersize=4.5, markeredgecolor="white", markeredgewidth=0.4)
    line.set_markevery(max(1, len(x) // MARKERS))
    return line


def power_of_ten(value: float) -> str:
    """A tick of a logarithmic axis as plain text.

    >>> power_of_ten(0.05), power_of_ten(2000), power_of_ten(1e6), power_of_ten(2e-5)
    ('0.05', '2,000', '10⁶', '2·10⁻⁵')
    """
    exponent = math.floor(math.log10(value) + 1e-9)
    if -3 <= exponent <= 4:
        return f"{value:,.{max(0, -exponent)}f}"
    factor, power = round(value / 10.0**exponent), "10" + str(exponent).translate(SUPERSCRIPTS)
    return power if factor == 1 else f"{factor}·{power}"


def _ticks(axis: Axis, logarithmic: bool) -> None:
    """Format ticks as plain text, not as formulas. A logarithmic axis has ticks at powers of ten or, if it is short, at
    1, 2 and 5 times these; a linear axis that reaches thousands has only a few, with commas."""
    low, high = axis.get_view_interval()
    if logarithmic:
        few = high < low * 10**FEW_DECADES
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
        axis.set_minor_formatter(NullFormatter())
    elif max(abs(low), abs(high)) >= THOUSANDS:
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


@dataclass(frozen=True, slots=True)
class Setting:
    """The results of a model at one value of a setting: the value's name, both measures, and whether it was chosen."""

    name: str
    x: float
    y: Estimate
    chosen: bool = False


def path_figure(
    paths: Sequence[tuple[str, Sequence[Setting]]], *, x_label: str, y_label: str, setting: str, root_y: bool = False
) -> Figure:
    """Draw two measures of models for several values of a setting: one path of points with intervals per model.

    paths: the name of each model, and its results for each value of the setting. The points are named, and a ring marks
    the chosen value. root_y: use a square-root scale for y, so that small values are distinct.
    """
    with use_style():
        figure = new_figure(7.2, 4.6)
        ax = figure.add_subplot()
        dress(ax, grid="y")
        handles = []
        for i, (_, settings) in enumerate(paths):
            how, x, y = look(i), np.array([setting.x for setting in settings]), [setting.y for setting in settings]
            low, high = _ends(y)
            ax.vlines(x, low, high, color=how.colour, linewidth=1.2, alpha=0.45, zorder=2)
            (line,) = ax.plot(x, _values(y), color=how.colour, linestyle=how.dashes, linewidth=1.2, zorder=3)
            line.set(marker=how.marker, markersize=4.5, markeredgecolor="white", markeredgewidth=0.4)
            handles.append(line)
            for point in settings:
                if point.chosen:
                    ring: dict[str, Any] = {"markersize": 11, "markerfacecolor": "none", "color": how.colour}
                    ax.plot([point.x], [point.y.value], "o", zorder=3, **ring)
        if root_y:
            ax.set_yscale("function", functions=(_root, np.square))
        ax.set_ylim(bottom=0.0)
        literal_legend(ax, handles, [name for name, _ in paths], handlelength=3.2, title=setting, title_fontsize=8)
        literal(ax.xaxis.label, x_label)
        literal(ax.yaxis.label, y_label)
        points = [[(setting.x, setting.y.value, setting.name) for setting in settings] for _, settings in paths]
        name_points(ax, points, [look(i).colour for i in range(len(paths))])
    return figure


def _root(y: npt.ArrayLike) -> Floats:
    """Return square roots; negative values are drawn at 0."""
    return np.asarray(np.sqrt(np.maximum(np.asarray(y, dtype=np.float64), 0.0)))


def side_by_side_figure(
    labels: Sequence[str], models: Sequence[tuple[str, Sequence[Estimate]]], *, averages: int = 0, y_label: str
) -> Figure:
    """Draw each model's estimate of each label as a marker with its interval; undefined estimates are left out.

    labels: one per column. models: (name, estimates in the order of the labels). averages: how many of the last columns
    are averages, which are drawn separately.
    """
    with use_style():
        figure = new_figure(max(4.2, 1.1 + COLUMN * len(labels)), 3.0)
        ax = figure.add_subplot()
        dress(ax, grid="y")
        places = np.arange(len(labels), dtype=np.float64)
        places[len(labels) - averages :] += 0.6
        shifts = np.linspace(-SPREAD / 2, SPREAD / 2, len(models)) if len(models) > 1 else np.zeros(1)
        handles = []
        for i, ((_, estimates), shift) in enumerate(zip(models, shifts, strict=True)):
            how, x = look(i), places + shift
            low, high = _ends(estimates)
            ax.vlines(x, low, high, color=how.colour, linewidth=1.1, alpha=0.5, zorder=2)
            marked: dict[str, Any] = {"color": how.colour, "markersize": 4, "markeredgecolor": "white", "zorder": 3}
            (line,) = ax.plot(x, _values(estimates), how.marker, **marked)
            line.set_markeredgewidth(0.4)
            handles.append(line)
        if averages:
            edge = (places[-averages - 1] + places[-averages]) / 2
            ax.axvline(edge, color=QUIET, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
        ax.set_xticks(places, [shortened_name(label, NAME_LENGTH) for label in labels], rotation=90, fontsize=7)
        for tick in ax.get_xticklabels():
            tick.set_parse_math(False)
        ax.tick_params(axis="x", length=0)
        ax.set_xlim(places[0] - 0.7, places[-1] + 0.7)
        ax.set_ylim(bottom=0.0)
        above = {"ncols": len(models), "loc": "lower left", "bbox_to_anchor": (0, 1)}
        literal_legend(ax, handles, [name for name, _ in models], **above)
        literal(ax.yaxis.label, y_label)
    return figure


def _values(estimates: Sequence[Estimate]) -> Floats:
    return np.array([estimate.value for estimate in estimates])


def _ends(estimates: Sequence[Estimate]) -> list[Floats]:
    """The lower and the upper ends of the intervals; estimates without an interval are not drawn."""
    return [
        np.array([math.nan if end is None else end for end in ends])
        for ends in ([estimate.low for estimate in estimates], [estimate.high for estimate in estimates])
    ]


def name_points(ax: Axes, lines: Sequence[Sequence[tuple[float, float, str]]], colours: Sequence[str]) -> None:
    """Write a name next to each point (x, y, name) of the lines, in the colour of its line.

    The axes must have their limits and their legend; names keep off markers, lines, the legend and one another.
    """
    if ax.figure is not None:
        ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    pixels = [ax.transData.transform([(x, y) for x, y, _ in line]) for line in lines]
    markers, drawn = np.concatenate(pixels), np.concatenate([_points_along(pixel) for pixel in pixels])
    legend = ax.get_legend()
    boxes = [] if legend is None else [legend.get_window_extent()]
    for line, colour in zip(lines, colours, strict=True):
        for x, y, text in line:
            name = ax.annotate("", (x, y), (0, 0), textcoords="offset points", fontsize=7, color=colour, zorder=4)
            literal(name, text)
            boxes.append(_settle(name, boxes, markers, drawn, ax.bbox))


def _settle(name: Annotation, boxes: Sequence[Bbox], markers: Floats, drawn: Floats, within: Bbox) -> Bbox:
    """Move a name to the position with the lowest cost; if several positions have it, to the first."""
    costs = {}
    for far, distance in enumerate((NEAR, FAR)):
        for side in SIDES:
            box = _move(name, side, distance).padded(1.0)
            outside = not (within.x0 <= box.x0 and box.x1 <= within.x1 and within.y0 <= box.y0 and box.y1 <= within.y1)
            covered = outside + sum(box.overlaps(other) for other in boxes)
            inside = _count(box.padded(3.0), markers), _count(box, drawn)
            costs[side, distance] = NAME * covered + MARKER * inside[0] + LINE * inside[1] + DISTANT * far
    return _move(name, *min(costs, key=lambda place: costs[place]))


def _move(name: Annotation, side: tuple[int, int], distance: float) -> Bbox:
    across, up = side
    share = distance * (0.7 if across and up else 1.0)
    name.set(position=(across * share, up * share), ha=ACROSS[across], va=UP[up])
    return name.get_window_extent()


def _count(box: Bbox, places: Floats) -> int:
    return int(box.count_contains(places))


def _points_along(points: Floats) -> Floats:
    """Positions on the straight lines from each point to the next."""
    parts = [np.linspace(a, b, max(2, int(np.hypot(*(b - a)) / STEP))) for a, b in pairwise(points)]
    return np.concatenate([points[:1], *parts])
