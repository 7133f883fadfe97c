"""Figures of calibration, under one roof."""

from __future__ import annotations

from howsure.figures.compared_curves import comparison_figure, draw_comparison
from howsure.figures.corp import corp_figure, draw_corp
from howsure.figures.curves import curve_figure, draw_curves
from howsure.figures.distributions import draw_histogram, histogram_figure
from howsure.figures.groups import draw_errors, draw_groups, error_figure, groups_figure
from howsure.figures.notebook import curve_html

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
