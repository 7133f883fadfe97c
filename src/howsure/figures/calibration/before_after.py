"""Calibration curves before and after a model was mended, a panel for each thing that it speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from howsure.calibration.results import CalibrationCurve
from howsure.errors import InputError
from howsure.figures.calibration.curves import draw_curves
from howsure.figures.style import literal, new_figure, styled
from howsure.figures.width import is_narrow, wanted_width

PANEL, LEGEND = 3.1, 1.95  # inches


def before_after_figure(panels: Mapping[str, Sequence[CalibrationCurve]]) -> Figure:
    """A panel for each name, with its curves by `draw_curves`.

    Raises InputError for no panel.
    """
    if not panels:
        raise InputError("panels must hold at least one pair of curves; it is empty.")
    with styled():
        narrow = is_narrow()
        rows, columns = (len(panels), 1) if narrow else (1, len(panels))
        width = wanted_width() or columns * (PANEL + LEGEND)
        height = rows * (1.3 * width if narrow else PANEL + 0.75)
        figure = new_figure(width, height, keep="height")
        figure.set_layout_engine("constrained", w_pad=0.2, h_pad=0.1)
        axes = figure.subplots(rows, columns, squeeze=False)
        for ax, (name, curves) in zip(axes.flat, panels.items(), strict=True):
            draw_curves(curves, ax=ax)
            literal(ax.set_title(""), name)
    return figure
