"""Drawing rows of estimates with their intervals, one below another, such as corrected and uncorrected means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes

from howsure.figures.style import INK, dress, literal, new_figure, shortened_name, use_style
from howsure.figures.width import is_narrow
from howsure.result import Estimate

MAX_ROWS = 40
EDGES, WIDTH, ROW = 1.2, 5.4, 0.34  # inches
NAME_LENGTH, NARROW_LENGTH = 30, 19


@dataclass(frozen=True, slots=True)
class Mark:
    """A kind of estimate that is drawn in each row.

    name: its name in the legend. get: returns the estimate of a row. below: distance below the middle of the row, as a
    proportion of its height. bare: draw it without its interval, and larger.
    """

    name: str
    get: Callable[[Any], Estimate]
    marker: str
    colour: str
    below: float
    bare: bool = False


def draw_rows(
    rows: Sequence[Any],
    marks: Sequence[Mark],
    *,
    name: Callable[[Any], str],
    of: str,
    label: str,
    ax: Axes | None = None,
    line: float | None = None,
) -> Axes:
    """Draw the marks of each row with their intervals, the first row at the top. ax: if None, new axes of a suitable
    height.

    Of more than 40 rows, only the first are drawn, and the figure says so. name: returns the name of a row. of: the
    word for rows, such as "models". label: the label of the axis. line: position of a vertical line.
    """
    shown = rows[:MAX_ROWS]
    left = f"\n{len(shown)} of {len(rows):,} {of}" if len(rows) > len(shown) else ""
    with use_style():
        axes = new_figure(WIDTH, EDGES + ROW * len(shown), keep="height").subplots() if ax is None else ax
        if line is not None:
            axes.axvline(line, color=INK, linewidth=0.8)
        _draw(axes, shown, marks)
        for mark in marks:
            axes.plot([], [], mark.marker, color=mark.colour, markersize=4, label=mark.name)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        length = NARROW_LENGTH if is_narrow() else NAME_LENGTH
        axes.set_yticks(range(len(shown)), [shortened_name(name(row), length) for row in shown])
        for tick in axes.get_yticklabels():
            tick.set_parse_math(False)
        literal(axes.set_xlabel(""), label + left)
        if len(marks) > 1:
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(marks), frameon=False)
        dress(axes, grid="x")
        axes.tick_params(axis="y", length=0)
    return axes


def _draw(axes: Axes, rows: Sequence[Any], marks: Sequence[Mark]) -> None:
    for place, row in enumerate(rows):
        for mark in marks:
            estimate, at = mark.get(row), place + mark.below
            if not mark.bare and estimate.low is not None and estimate.high is not None:
                ends = [estimate.low, estimate.high]
                axes.plot(ends, [at, at], color=mark.colour, linewidth=1.2, solid_capstyle="butt")
            axes.plot([estimate.value], [at], mark.marker, color=mark.colour, markersize=5 if mark.bare else 3.5)
