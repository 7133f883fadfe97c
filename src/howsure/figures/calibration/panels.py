"""Calibration curves as a figure: in one panel, or in one panel each where they are many."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure

from howsure.calibration.results import CalibrationCurve
from howsure.errors import InputError
from howsure.figures.calibration.curves import curve_names, draw_background, draw_curves, draw_one
from howsure.figures.style import LOOKS, literal, look, new_figure, shortened_name, styled

TOGETHER_UP_TO = len(LOOKS)
MOST_PANELS = 60
PANEL = 2.05  # inches
NAME_LENGTH = 26


def curve_figure(
    curves: Sequence[CalibrationCurve],
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    panels: bool | None = None,
) -> Figure:
    """Calibration curves as a figure to save: up to eight in one panel, more in a grid of small ones.

    panels: True or False to decide that by hand. The figure is a plain matplotlib Figure; see `draw_curves`.

    Raises InputError if there is no curve, or more than can be seen.
    """
    names = curve_names(curves, labels)
    if panels if panels is not None else len(curves) > TOGETHER_UP_TO:
        return _grid(curves, names, title)
    if len(curves) > TOGETHER_UP_TO:
        raise InputError(f"panels=False shows at most {TOGETHER_UP_TO} curves; there are {len(curves):,}. Choose some.")
    figure = draw_curves(curves, labels=labels, title=title).figure
    assert isinstance(figure, Figure)
    return figure


def columns_of(panels: int) -> int:
    """How many panels stand side by side: a grid a little wider than high, with few places empty.

    >>> [columns_of(n) for n in (1, 4, 9, 14, 20)]
    [1, 2, 3, 5, 5]
    """
    square = math.ceil(math.sqrt(panels))
    return min((square, square + 1), key=lambda columns: (-(-panels // columns) * columns - panels, columns))


def _grid(curves: Sequence[CalibrationCurve], names: Sequence[str], title: str | None) -> Figure:
    n = len(curves)
    if n > MOST_PANELS:
        raise InputError(
            f"A figure of curves shows at most {MOST_PANELS}; there are {n:,}. Choose some, or draw an error_figure."
        )
    columns = columns_of(n)
    rows = -(-n // columns)
    with styled():
        figure = new_figure(columns * PANEL + 0.4, rows * (PANEL + 0.45) + (0.7 if title else 0.4))
        figure.set_layout_engine("constrained", w_pad=0.04, h_pad=0.07)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for i, ax in enumerate(grid.flat):
            if i >= n:
                ax.set_axis_off()
                continue
            draw_background(ax, words=i == 0)
            draw_one(ax, curves[i], look(0), small=True, lower=i == 0)
            literal(ax.set_title("", fontsize=8.5), shortened_name(names[i], NAME_LENGTH))
            ax.tick_params(labelsize=7.5, labelbottom=True)
            ax.set_xticks([0.0, 0.5, 1.0], ["0", ".5", "1"])
            ax.set_yticks([0.0, 0.5, 1.0], ["0", ".5", "1"])
        figure.supxlabel("predicted probability", fontsize=9)
        figure.supylabel("label frequency", fontsize=9)
        if title is not None:
            literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)
    return figure
