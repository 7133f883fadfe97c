"""What judge, people and both together say of each model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.figures.style import INK, QUIET, dress, literal, look, new_figure, shortened_name, styled
from howsure.figures.width import is_narrow

if TYPE_CHECKING:
    from howsure.judges.results import JudgedRow, JudgedScores
    from howsure.result import Estimate

MOST_ROWS = 40
NAME_LENGTH, NARROW_LENGTH = 28, 18
ROW, EDGES, WIDTH = 0.34, 1.2, 5.4  # inches
BESIDE = 0.22  # of a row


def judged_figure(result: JudgedScores) -> Figure:
    """A figure of `draw_judged`, as high as its rows need."""
    with styled():
        figure = _page(result.rows[:MOST_ROWS])
        draw_judged(result, ax=figure.subplots())
    return figure


def draw_judged(result: JudgedScores, *, ax: Axes | None = None) -> Axes:
    """Draw the corrected mean of each model with its interval, that of people alone below, the judge's as a cross.

    Of more than 40 models, the first are drawn, and the figure says so.
    """
    rows = result.rows[:MOST_ROWS]
    with styled():
        axes = _page(rows).subplots() if ax is None else ax
        for place, row in enumerate(rows):
            _draw(axes, row.corrected, place - BESIDE / 2, look(0).colour, "o")
            _draw(axes, row.people, place + BESIDE, QUIET, "s")
            axes.plot([row.judge.value], [place - BESIDE / 2], "x", color=INK, markersize=5)
        for marker, colour, name in (
            ("o", look(0).colour, "corrected"),
            ("s", QUIET, "people alone"),
            ("x", INK, "judge"),
        ):
            axes.plot([], [], marker, color=colour, markersize=4, label=name)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        length = NARROW_LENGTH if is_narrow() else NAME_LENGTH
        axes.set_yticks(range(len(rows)), [shortened_name(row.model or "all answers", length) for row in rows])
        for tick in axes.get_yticklabels():
            tick.set_parse_math(False)
        left = f"\n{len(rows)} of {len(result.rows):,} models" if len(result.rows) > len(rows) else ""
        literal(axes.set_xlabel(""), f"mean grade{left}")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)
        dress(axes, grid="x")
        axes.tick_params(axis="y", length=0)
    return axes


def _page(rows: Sequence[JudgedRow]) -> Figure:
    """An empty figure, as high as the rows need."""
    return new_figure(WIDTH, EDGES + ROW * len(rows), keep="height")


def _draw(axes: Axes, estimate: Estimate, place: float, colour: str, marker: str) -> None:
    if estimate.low is not None and estimate.high is not None:
        axes.plot([estimate.low, estimate.high], [place, place], color=colour, linewidth=1.2, solid_capstyle="butt")
    axes.plot([estimate.value], [place], marker, color=colour, markersize=3.5)
