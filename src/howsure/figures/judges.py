"""What judge, people and both together say of each model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.figures.marked_rows import MOST_ROWS, Mark, draw_rows, page_of_rows
from howsure.figures.style import INK, QUIET, look, styled

if TYPE_CHECKING:
    from howsure.judges.results import JudgedScores

ROW = 0.34  # inches
BESIDE = 0.22  # of a row


def judged_figure(result: JudgedScores) -> Figure:
    """A figure of `draw_judged`, as high as its rows need."""
    with styled():
        figure = page_of_rows(result.rows[:MOST_ROWS], ROW)
        draw_judged(result, ax=figure.subplots())
    return figure


def draw_judged(result: JudgedScores, *, ax: Axes | None = None) -> Axes:
    """Draw the corrected mean of each model with its interval, that of people alone below, the judge's as a cross.

    Of more than 40 models, the first are drawn, and the figure says so.
    """
    rows = result.rows[:MOST_ROWS]
    marks = [
        Mark("corrected", lambda row: row.corrected, "o", look(0).colour, -BESIDE / 2),
        Mark("people alone", lambda row: row.people, "s", QUIET, BESIDE),
        Mark("judge", lambda row: row.judge, "x", INK, -BESIDE / 2, bare=True),
    ]
    left = f"\n{len(rows)} of {len(result.rows):,} models" if len(result.rows) > len(rows) else ""
    names = [row.model or "all answers" for row in rows]
    with styled():
        axes = page_of_rows(rows, ROW).subplots() if ax is None else ax
        return draw_rows(axes, rows, names, marks, label=f"mean grade{left}")
