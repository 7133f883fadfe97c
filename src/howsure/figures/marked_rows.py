"""Rows with two estimates or three each, one below the other: corrected by people, and not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.figures.style import dress, literal, new_figure, shortened_name
from howsure.figures.width import is_narrow
from howsure.result import Estimate

MOST_ROWS = 40
EDGES, WIDTH = 1.2, 5.4  # inches
NAME_LENGTH, NARROW_LENGTH = 30, 19


@dataclass(frozen=True, slots=True)
class Mark:
    """An estimate of each row: how it is taken, drawn and called, and how far below the row's place, in rows.

    bare: without its interval, and larger.
    """

    name: str
    get: Callable[[Any], Estimate]
    marker: str
    colour: str
    below: float
    bare: bool = False


def page_of_rows(rows: Sequence[object], height: float) -> Figure:
    """An empty figure, as high as the rows need, in inches each."""
    return new_figure(WIDTH, EDGES + height * len(rows), keep="height")


def draw_rows(axes: Axes, rows: Sequence[Any], names: Sequence[str], marks: Sequence[Mark], *, label: str) -> Axes:
    """Draw the marks of each row with their intervals, the first row on top; label: of the axis."""
    for place, row in enumerate(rows):
        for mark in marks:
            found, at = mark.get(row), place + mark.below
            if not mark.bare and found.low is not None and found.high is not None:
                ends = [found.low, found.high]
                axes.plot(ends, [at, at], color=mark.colour, linewidth=1.2, solid_capstyle="butt")
            axes.plot([found.value], [at], mark.marker, color=mark.colour, markersize=5 if mark.bare else 3.5)
    for mark in marks:
        axes.plot([], [], mark.marker, color=mark.colour, markersize=4, label=mark.name)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    length = NARROW_LENGTH if is_narrow() else NAME_LENGTH
    axes.set_yticks(range(len(rows)), [shortened_name(name, length) for name in names])
    for tick in axes.get_yticklabels():
        tick.set_parse_math(False)
    literal(axes.set_xlabel(""), label)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(marks), frameon=False)
    dress(axes, grid="x")
    axes.tick_params(axis="y", length=0)
    return axes
