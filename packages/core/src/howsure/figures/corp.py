"""Calibration curves without bins: isotonic steps, and the consistency band of a calibrated model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from howsure.calibration.corp import CorpCurve
from howsure.errors import InputError
from howsure.figures.curves import (
    AUTO,
    TOGETHER_UP_TO,
    Scale,
    choose_scale,
    curve_names,
    draw_strip,
    draw_together,
    panel_figure,
    print_on_empty_side,
)
from howsure.figures.style import FAINT, Look, parent_figure
from howsure.inputs.pairs import Floats
from howsure.show.table import number, p_in_words

BAND = 0.55  # opacity of the band of a calibrated model


def corp_figure(curves: Sequence[CorpCurve], *, title: str | None = None, axis: str = AUTO) -> Figure:
    """Curves without bins as a figure to save: up to eight in one panel, more in a grid of small ones.

    Raises InputError without a curve, and for more curves than a figure shows.
    """
    if len(curves) > TOGETHER_UP_TO:
        names = curve_names(curves, None)
        return panel_figure(curves, names, title, choose_scale(curves, axis), draw=partial(_draw_alone, small=True))
    return parent_figure(draw_corp(curves, title=title, axis=axis))


def draw_corp(
    curves: Sequence[CorpCurve], *, ax: Axes | None = None, title: str | None = None, axis: str = AUTO
) -> Axes:
    """Draw isotonic calibration curves, the diagonal, and the distribution of predictions; new axes if `ax` is None.

    A single curve has two bands: grey, where the curve of a calibrated model would lie, and coloured, the interval of
    the true frequency. Up to eight curves can be distinguished; a legend gives the miscalibration of each.
    """
    if len(curves) > TOGETHER_UP_TO:
        raise InputError(f"one panel shows at most {TOGETHER_UP_TO} curves; there are {len(curves):,}. Choose some.")
    return draw_together(
        curves,
        ax=ax,
        labels=None,
        title=title,
        axis=axis,
        alone=_draw_alone,
        among=_draw_steps,
        describe=_figures,
        heading=lambda curve: "miscalibration (Brier score)",
    )


def _draw_alone(
    ax: Axes, curve: CorpCurve, style: Look, scale: Scale, *, small: bool = False, lower: bool = True
) -> None:
    band, (x, y) = curve.band, _corners(curve, curve.steps.frequency)
    low, high = scale.clipped(band.low), scale.clipped(band.high)
    ax.fill_between(band.at, low, high, color=FAINT, alpha=BAND, linewidth=0, zorder=1.5)
    low, high = (scale.clipped(_corners(curve, end)[1]) for end in (curve.steps.low, curve.steps.high))
    ax.fill_between(x, low, high, color=style.colour, alpha=0.16, linewidth=0, zorder=2)
    ax.plot(x, scale.clipped(y), color=style.colour, linewidth=1.2 if small else 1.7, zorder=4)
    draw_strip(ax, curve, style, scale, named=not small)
    lines = [f"miscalibration {_figures(curve)}"]
    lines += [] if small else [f"grey: {100 * curve.by_chance.level:g} % of calibrated models"]
    print_on_empty_side(ax, curve, lines, "step", scale, small=small, lower=lower, size=5.5 if small else 8)


def _draw_steps(ax: Axes, curve: CorpCurve, style: Look, scale: Scale) -> Line2D:
    x, y = _corners(curve, curve.steps.frequency)
    (line,) = ax.plot(x, scale.clipped(y), color=style.colour, linewidth=1.3, linestyle=style.dashes, zorder=4)
    return line


def _corners(curve: CorpCurve, values: Floats) -> tuple[Floats, Floats]:
    """Return both ends of every step, and the value of the step at each end."""
    return np.column_stack([curve.steps.lower, curve.steps.upper]).ravel(), np.repeat(values, 2)


def _figures(curve: CorpCurve) -> str:
    return f"{number(curve.brier.miscalibration.value, 5)}, {p_in_words(curve.p_value)}"
