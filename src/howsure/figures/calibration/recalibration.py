"""Calibration curves before and after recalibration, and by how much the scores improve."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.calibration.scores.multiclass import MULTICLASS, score_words
from howsure.errors import InputError
from howsure.figures.calibration.comparison import curves_above_differences, draw_differences
from howsure.figures.calibration.curves import draw_curves
from howsure.figures.calibration.scales import AUTO
from howsure.figures.style import new_figure, shortened_name, styled
from howsure.figures.width import is_narrow

if TYPE_CHECKING:
    from howsure.recalibration.evaluation.results import RecalibrationEvaluation, RecalibrationTable
    from howsure.stats.estimate import Estimate

SIDES = ("worse", "recalibration is better")
MOST_ROWS = 100
NAME_LENGTH = 28


def recalibration_figure(result: RecalibrationEvaluation, *, axis: str = AUTO) -> Figure:
    """Both curves by `draw_curves`, and under them the improvements of the squared error and of the Brier scores with
    their intervals."""
    with styled():
        rows = _improvements(result)
        figure, above, below = curves_above_differences(len(result.curves), len(rows))
        draw_curves(result.curves, ax=above, axis=axis)
        draw_differences(below, rows, level=result.error_before.level, sides=SIDES)
    return figure


def draw_recalibration(result: RecalibrationEvaluation, *, ax: Axes | None = None, axis: str = AUTO) -> Axes:
    """Draw both curves by `draw_curves`."""
    return draw_curves(result.curves, ax=ax, axis=axis)


def improvements_figure(found: RecalibrationTable) -> Figure:
    """A figure of `draw_improvements`."""
    axes = draw_improvements(found)
    assert isinstance(axes.figure, Figure)
    return axes.figure


def draw_improvements(found: RecalibrationTable, *, ax: Axes | None = None) -> Axes:
    """Draw the improvement of the Brier score of each group and method with its interval.

    Raises InputError for more than 100 rows.
    """
    if len(found) > MOST_ROWS:
        raise InputError(f"a figure of improvements shows at most {MOST_ROWS} rows; there are {len(found):,}.")
    with styled():
        if ax is None:
            ax = new_figure(6.0, 1.1 + 0.27 * len(found), keep="height").add_subplot()
        rows = {
            shortened_name(name, NAME_LENGTH if not is_narrow() else NAME_LENGTH // 2): ends
            for name, row in zip(found.names, found.rows, strict=True)
            if (ends := _ends(row.deciding.improvement)) is not None
        }
        draw_differences(ax, rows, level=found.rows[0].error_before.level, sides=SIDES)
        ax.set_xlabel(f"improvement of the Brier score [{100 * found.rows[0].error_before.level:g} % interval]")
    return ax


def _improvements(result: RecalibrationEvaluation) -> dict[str, tuple[float, float, float]]:
    reduction = result.curves[0].reduction
    scores = {"squared error": result.squared_error, score_words("brier", reduction): result.brier}
    if result.multiclass_brier is not None:
        scores[score_words("brier", MULTICLASS)] = result.multiclass_brier
    return {name: ends for name, one in scores.items() if (ends := _ends(one.improvement)) is not None}


def _ends(e: Estimate) -> tuple[float, float, float] | None:
    if e.low is None or e.high is None or not math.isfinite(e.value):
        return None
    return e.value, e.low, e.high
