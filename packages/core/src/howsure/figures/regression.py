"""Figure of regression coefficients: naive ones, with predictions used as labels, and corrected ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from howsure.figures.marked_rows import Mark, draw_rows
from howsure.figures.style import QUIET, look

if TYPE_CHECKING:
    from howsure.regression.results import PredictedRegression

BESIDE = 0.15  # distance of a mark from the middle of the row, as a proportion of its height
INTERCEPT = "(intercept)"


def draw_coefficients(result: PredictedRegression, *, ax: Axes | None = None) -> Axes:
    """Draw each coefficient with both intervals, the corrected one above the naive one; the line is at 0.

    The intercept is left out if there are other coefficients.
    """
    slopes = [row for row in result.rows if row.name != INTERCEPT]
    marks = [
        Mark("corrected", lambda row: row.corrected, "o", look(0).colour, -BESIDE),
        Mark("predictions as labels", lambda row: row.naive, "s", QUIET, BESIDE),
    ]
    unit = "coefficient, log odds" if result.recipe["method"] == "logit" else "coefficient"
    return draw_rows(
        slopes or result.rows, marks, name=lambda row: row.label, of="coefficients", label=unit, ax=ax, line=0.0
    )
