"""Calibration curves as a figure: in one panel, or in one panel each where they are many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.calibration.corp.results import CorpCurve
from howsure.calibration.results import CalibrationCurve
from howsure.errors import InputError
from howsure.figures.calibration.curves import axis_words, curve_names, draw_background, draw_curves, draw_one
from howsure.figures.calibration.scales import AUTO, Scale, scale_of
from howsure.figures.style import LOOKS, Look, literal, look, new_figure, shortened_name, styled
from howsure.figures.width import wanted_width

AnyCurve = TypeVar("AnyCurve", CalibrationCurve, CorpCurve)
Drawn = TypeVar("Drawn", contravariant=True)
TOGETHER_UP_TO = len(LOOKS)
MOST_PANELS = 60
PANEL, SMALLEST_PANEL = 2.05, 1.4  # inches
NAME_LENGTH = 26


class DrawSmall(Protocol[Drawn]):
    """Draws a curve into one of many small panels; `lower` leaves the corner to the words of the background."""

    def __call__(self, ax: Axes, curve: Drawn, how: Look, scale: Scale, *, lower: bool) -> None:
        """Draw it."""


def curve_figure(
    curves: Sequence[CalibrationCurve],
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    panels: bool | None = None,
    axis: str = AUTO,
) -> Figure:
    """Calibration curves as a figure to save: up to eight in one panel, more in a grid of small ones.

    panels: True or False to decide that by hand. The figure is a plain matplotlib Figure; axis and all else as
    in `draw_curves`.

    Raises InputError if there is no curve, or more than can be seen.
    """
    names = curve_names(curves, labels)
    if panels if panels is not None else len(curves) > TOGETHER_UP_TO:
        return panel_figure(curves, names, title, scale_of(curves, axis), draw=_draw_small)
    if len(curves) > TOGETHER_UP_TO:
        raise InputError(f"panels=False shows at most {TOGETHER_UP_TO} curves; there are {len(curves):,}. Choose some.")
    figure = draw_curves(curves, labels=labels, title=title, axis=axis).figure
    assert isinstance(figure, Figure)
    return figure


def columns_of(panels: int) -> int:
    """How many panels stand side by side: a grid a little wider than high, with few places empty.

    >>> [columns_of(n) for n in (1, 4, 9, 14, 20)]
    [1, 2, 3, 5, 5]
    """
    square = math.ceil(math.sqrt(panels))
    return min((square, square + 1), key=lambda columns: (-(-panels // columns) * columns - panels, columns))


def _draw_small(ax: Axes, curve: CalibrationCurve, how: Look, scale: Scale, *, lower: bool) -> None:
    draw_one(ax, curve, how, scale, small=True, lower=lower)


def panel_figure(
    curves: Sequence[AnyCurve], names: Sequence[str], title: str | None, scale: Scale, *, draw: DrawSmall[AnyCurve]
) -> Figure:
    """A grid of small panels with a curve each, as `draw` draws it.

    Raises InputError for more than can be seen.
    """
    n = len(curves)
    if n > MOST_PANELS:
        raise InputError(
            f"A figure of curves shows at most {MOST_PANELS}; there are {n:,}. Choose some, or draw an error_figure."
        )
    wanted = wanted_width()
    columns = columns_of(n) if wanted is None else max(1, min(columns_of(n), int((wanted - 0.4) / SMALLEST_PANEL)))
    rows, panel = -(-n // columns), PANEL if wanted is None else (wanted - 0.4) / columns
    with styled():
        width, height = columns * panel + 0.4, rows * (panel + 0.45) + (0.7 if title else 0.4)
        figure = new_figure(width, height, keep="height")
        figure.set_layout_engine("constrained", w_pad=0.04, h_pad=0.07)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for i, ax in enumerate(grid.flat):
            if i >= n:
                ax.set_axis_off()
                continue
            draw_background(ax, scale, words=i == 0, apart=0.4)
            draw(ax, curves[i], look(0), scale, lower=i == 0)
            literal(ax.set_title("", fontsize=8.5), shortened_name(names[i], NAME_LENGTH))
            ax.tick_params(labelsize=7.5, labelbottom=True)
        across, upwards = axis_words(curves)
        literal(figure.supxlabel("", fontsize=9), f"{across}{scale.words()}")
        literal(figure.supylabel("", fontsize=9), upwards)
        if title is not None:
            literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)
    return figure
