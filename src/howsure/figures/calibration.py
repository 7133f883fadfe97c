"""Figures of calibration, under one roof."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure

from howsure.calibration.corp_results import CorpCurve
from howsure.calibration.results import CalibrationCurve
from howsure.figures.compared_curves import comparison_figure, draw_comparison
from howsure.figures.corp import corp_figure, draw_corp
from howsure.figures.curves import AUTO, MOST_PANELS, curve_figure, draw_curves
from howsure.figures.distributions import draw_histogram, histogram_figure
from howsure.figures.groups import draw_errors, draw_groups, error_figure, groups_figure
from howsure.figures.notebook import curve_html

__all__ = [
    "comparison_figure",
    "corp_figure",
    "curve_figure",
    "curve_html",
    "curves_figure",
    "draw_comparison",
    "draw_corp",
    "draw_curves",
    "draw_errors",
    "draw_groups",
    "draw_histogram",
    "error_figure",
    "groups_figure",
    "histogram_figure",
]

MOST_ERRORS = 100  # rows of a figure of errors


def curves_figure(curves: Sequence[CalibrationCurve] | Sequence[CorpCurve], *, axis: str = AUTO) -> Figure:
    """Curves as a figure; of more than can be seen the errors alone, at most of those with most pairs."""
    corp = [curve for curve in curves if isinstance(curve, CorpCurve)]
    if corp:
        return corp_figure(corp, axis=axis)
    binned = [curve for curve in curves if isinstance(curve, CalibrationCurve)]
    if len(binned) <= MOST_PANELS:
        return curve_figure(binned, axis=axis)
    if len(binned) <= MOST_ERRORS:
        return error_figure(binned)
    shown = sorted(binned, key=lambda curve: -curve.n)[:MOST_ERRORS]
    return error_figure(shown, title=f"{MOST_ERRORS} of {len(binned):,} groups, those with most pairs")
