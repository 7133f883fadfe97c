"""Coefficients of a regression, with predictions taken as labels and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.figures.marked_rows import MOST_ROWS, Mark, draw_rows, page_of_rows
from howsure.figures.style import INK, QUIET, look, styled

if TYPE_CHECKING:
    from howsure.regression.results import PredictedCoefficient, PredictedRegression

ROW = 0.36  # inches
BESIDE = 0.15  # of a row
INTERCEPT = "(intercept)"


def coefficients_figure(result: PredictedRegression) -> Figure:
    """A figure of `draw_coefficients`, as high as its rows need."""
    with styled():
        figure = page_of_rows(_drawn(result), ROW)
        draw_coefficients(result, ax=figure.subplots())
    return figure


def draw_coefficients(result: PredictedRegression, *, ax: Axes | None = None) -> Axes:
    """Draw each coefficient with both intervals, the corrected one above the naive one; the line is at 0.

    The intercept is left out where there are others. Of more than 40 coefficients, the first are drawn, and the figure
    says so.
    """
    rows = _drawn(result)
    marks = [
        Mark("corrected", lambda row: row.corrected, "o", look(0).colour, -BESIDE),
        Mark("predictions as labels", lambda row: row.naive, "s", QUIET, BESIDE),
    ]
    left = f"\n{len(rows)} of {len(result.rows):,} coefficients" if len(rows) == MOST_ROWS else ""
    unit = "coefficient, log odds" if result.recipe["method"] == "logit" else "coefficient"
    with styled():
        axes = page_of_rows(rows, ROW).subplots() if ax is None else ax
        axes.axvline(0.0, color=INK, linewidth=0.8)
        return draw_rows(axes, rows, [row.label for row in rows], marks, label=unit + left)


def _drawn(result: PredictedRegression) -> Sequence[PredictedCoefficient]:
    slopes = [row for row in result.rows if row.name != INTERCEPT]
    return (slopes or list(result.rows))[:MOST_ROWS]
