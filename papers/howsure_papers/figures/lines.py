"""Lines of any two quantities, with bands: what the reproductions of papers are drawn with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from howsure.errors import InputError
from howsure.figures.style import dress, literal, literal_legend, look, new_figure, styled

MARKERS = 12
FEW_DECADES = 2.5
THOUSANDS = 1_000  # from here on the ticks of a linear axis are few, with commas
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


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
        axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
        handles = []
        for i, one in enumerate(series):
            how, x, y = look(i), np.asarray(one.x), np.asarray(one.y)
            if one.low is not None and one.high is not None:
                low, high = np.asarray(one.low), np.asarray(one.high)
                axes.fill_between(x, low, high, color=how.colour, alpha=0.18, linewidth=0)
            step = max(1, len(x) // MARKERS)
            (line,) = axes.plot(x, y, color=how.colour, linestyle=how.dashes, linewidth=1.4)
            line.set(marker=how.marker, markersize=4.5, markeredgecolor="white", markeredgewidth=0.4, markevery=step)
            handles.append(line)
        for logarithmic, axis in ((log_x, axes.xaxis), (log_y, axes.yaxis)):
            if logarithmic:
                _plain_log_ticks(axis)
            elif max(np.abs(axis.get_view_interval())) >= THOUSANDS:
                axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
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


def _plain_log_ticks(axis: Axis) -> None:
    """Ticks at powers of ten, or at 1, 2 and 5 times these where the axis is short, as text and not as formulas."""
    low, high = axis.get_view_interval()
    few = high < low * 10**FEW_DECADES
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few else (1.0,), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
    axis.set_minor_formatter(NullFormatter())
