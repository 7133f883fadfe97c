"""Figures of calibration curves, and the HTML with which a notebook shows a curve."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape

from matplotlib.figure import Figure

from howsure.calibration.corp import CorpCurve
from howsure.calibration.curve_text import figures_in_words, recipe_line, verdict
from howsure.calibration.results import CalibrationCurve
from howsure.figures.compared_curves import comparison_figure, draw_comparison
from howsure.figures.corp import corp_figure, draw_corp
from howsure.figures.curves import AUTO, MAX_PANELS, curve_figure, draw_curves
from howsure.figures.distributions import draw_histogram, histogram_figure
from howsure.figures.files import inline_svg
from howsure.figures.groups import draw_errors, draw_groups, error_figure, groups_figure
from howsure.show.table import Table

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

MAX_ERRORS = 100  # rows of a figure of errors


def curves_figure(curves: Sequence[CalibrationCurve] | Sequence[CorpCurve], *, axis: str = AUTO) -> Figure:
    """Return a figure of curves or, if there are too many, of the errors of the curves with the most pairs."""
    corp = [curve for curve in curves if isinstance(curve, CorpCurve)]
    if corp:
        return corp_figure(corp, axis=axis)
    binned = [curve for curve in curves if isinstance(curve, CalibrationCurve)]
    if len(binned) <= MAX_PANELS:
        return curve_figure(binned, axis=axis)
    if len(binned) <= MAX_ERRORS:
        return error_figure(binned)
    shown = sorted(binned, key=lambda curve: -curve.n)[:MAX_ERRORS]
    return error_figure(shown, title=f"{MAX_ERRORS} of {len(binned):,} groups, those with most pairs")


HEADINGS = ("figure", "value")


def curve_html(curve: CalibrationCurve) -> str:
    """Return a curve as HTML: its summary, a table of numbers, and its picture as inline SVG; all text is escaped."""
    sentence = verdict(curve)
    prefix = "c" + hashlib.sha256(repr(curve).encode()).hexdigest()[:8]
    picture = inline_svg(curve_figure([curve]), prefix=prefix, description=f"Calibration curve: {sentence}")
    notes = [f"Note: {note}" for note in curve.notes]
    figures = Table(HEADINGS, figures_in_words(curve), words=HEADINGS, notes=notes).html()
    heading = "" if curve.name is None else f"{escape(curve.name)}: "
    return (
        f'<div style="display: flex; flex-wrap: wrap; gap: 1.5em; align-items: flex-start"><div>{picture}</div>'
        f'<div style="max-width: 46em"><p><strong>{heading}{escape(sentence)}</strong></p>'
        f"{figures}"
        f'<p style="opacity: 0.7; font-size: 85%">{escape(recipe_line(curve))}</p></div></div>'
    )
