"""What a notebook shows of a calibration curve."""

from __future__ import annotations

import hashlib
from html import escape

from howsure.calibration.results import CalibrationCurve
from howsure.calibration.words import figures_in_words, recipe_line, verdict
from howsure.figures.curves import curve_figure
from howsure.figures.files import inline_svg
from howsure.show.table import Table

HEADINGS = ("figure", "value")


def curve_html(curve: CalibrationCurve) -> str:
    """A curve's verdict, its figures as a table, and its picture as inline SVG; every text in it is escaped."""
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
