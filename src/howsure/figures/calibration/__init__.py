"""Figures of calibration, under one roof."""

from __future__ import annotations

from howsure.figures.calibration.comparison import comparison_figure, draw_comparison
from howsure.figures.calibration.corp import corp_figure, draw_corp
from howsure.figures.calibration.curves import draw_curves
from howsure.figures.calibration.errors import draw_errors, error_figure
from howsure.figures.calibration.histogram import draw_histogram, histogram_figure
from howsure.figures.calibration.notebook import curve_html
from howsure.figures.calibration.panels import curve_figure
from howsure.figures.calibration.subgroups import draw_groups, groups_figure

__all__ = [
    "comparison_figure",
    "corp_figure",
    "curve_figure",
    "curve_html",
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
