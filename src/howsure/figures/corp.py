"""Calibration curves without bins: isotonic steps, and the band in which those of a calibrated model would lie."""

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
    NAME_LENGTH,
    NARROW_NAME,
    TOGETHER_UP_TO,
    Scale,
    axis_words,
    below,
    curve_names,
    draw_background,
    draw_strip,
    name_curves,
    new_axes,
    panel_figure,
    scale_of,
)
from howsure.figures.style import FAINT, INK, Look, literal, look, shortened_name, styled
from howsure.figures.width import is_narrow
from howsure.inputs.pairs import Floats
from howsure.show.table import number, p_in_words

BAND = 0.55  # opacity of the band of a calibrated model


def corp_figure(
    curves: Sequence[CorpCurve], *, labels: Sequence[str] | None = None, title: str | None = None, axis: str = AUTO
) -> Figure:
    """Curves without bins as a figure to save: up to eight in one panel, more in a grid of small ones.

    Raises InputError if there is no curve, or more than can be seen.
    """
    if len(curves) > TOGETHER_UP_TO:
        names = curve_names(curves, labels)
        return panel_figure(curves, names, title, scale_of(curves, axis), draw=partial(_draw_alone, small=True))
    figure = draw_corp(curves, labels=labels, title=title, axis=axis).figure
    assert isinstance(figure, Figure)
    return figure


def draw_corp(
    curves: Sequence[CorpCurve],
    *,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    axis: str = AUTO,
) -> Axes:
    """Draw isotonic calibration curves, the diagonal, and where the predictions lie; new axes if `ax` is None.

    A single curve has two bands: grey, where the curve of a calibrated model would lie, and coloured, the interval of
    the true frequency. Up to eight curves can be told apart; a legend gives the miscalibration of each.

    Raises InputError if there is no curve, more than eight, or another number of labels than of curves.
    """
    names, scale = curve_names(curves, labels), scale_of(curves, axis)
    if len(curves) > TOGETHER_UP_TO:
        raise InputError(f"one panel shows at most {TOGETHER_UP_TO} curves; there are {len(curves):,}. Choose some.")
    with styled():
        axes = new_axes(len(curves)) if ax is None else ax
        draw_background(axes, scale)
        if len(curves) == 1:
            _draw_alone(axes, curves[0], look(0), scale)
            if labels is not None or curves[0].name is not None:
                title = title if title is not None else shortened_name(names[0], 48)
        else:
            handles = [_draw_steps(axes, curve, look(i), scale) for i, curve in enumerate(curves)]
            limit = NARROW_NAME if is_narrow() else NAME_LENGTH
            rows = [
                f"{shortened_name(name, limit)}\n{_figures(curve)}" for curve, name in zip(curves, names, strict=True)
            ]
            name_curves(axes, handles, rows, "miscalibration (Brier score)")
        across, upwards = axis_words(curves)
        literal(axes.set_xlabel(""), f"{across}{below(scale.words())}")
        literal(axes.set_ylabel("", y=0.57), upwards)
        if title is not None:
            literal(axes.set_title(""), title)
    return axes


def _draw_alone(
    ax: Axes, curve: CorpCurve, how: Look, scale: Scale, *, small: bool = False, lower: bool = True
) -> None:
    band, (x, y) = curve.band, _corners(curve, curve.steps.frequency)
    low, high = scale.clipped(band.low), scale.clipped(band.high)
    ax.fill_between(band.at, low, high, color=FAINT, alpha=BAND, linewidth=0, zorder=1.5)
    low, high = (scale.clipped(_corners(curve, end)[1]) for end in (curve.steps.low, curve.steps.high))
    ax.fill_between(x, low, high, color=how.colour, alpha=0.16, linewidth=0, zorder=2)
    ax.plot(x, scale.clipped(y), color=how.colour, linewidth=1.2 if small else 1.7, zorder=4)
    draw_strip(ax, curve, how, scale, named=not small)
    _print_figures(ax, curve, scale, small=small, lower=lower)


def _draw_steps(ax: Axes, curve: CorpCurve, how: Look, scale: Scale) -> Line2D:
    x, y = _corners(curve, curve.steps.frequency)
    (line,) = ax.plot(x, scale.clipped(y), color=how.colour, linewidth=1.3, linestyle=how.dashes, zorder=4)
    return line


def _corners(curve: CorpCurve, values: Floats) -> tuple[Floats, Floats]:
    """Both ends of every step, with a value of each."""
    return np.column_stack([curve.steps.lower, curve.steps.upper]).ravel(), np.repeat(values, 2)


def _figures(curve: CorpCurve) -> str:
    return f"{number(curve.brier.miscalibration.value, 5)}, {p_in_words(curve.p_value)}"


def _print_figures(ax: Axes, curve: CorpCurve, scale: Scale, *, small: bool, lower: bool) -> None:
    """The miscalibration and p, on the side of the diagonal where the curve is not."""
    steps = curve.steps
    above = float(steps.weight @ (steps.frequency - steps.mean_prob)) > 0
    room = (0.12 if small else 0.07) if lower else 0.0
    x, y, ha, va = (0.985, 0.02 + room, "right", "bottom") if above else (0.02, 0.985 - room, "left", "top")
    lines = [f"miscalibration {_figures(curve)}"]
    if small:
        lines += [f"n = {curve.n:,}"]
    else:
        lines += [f"n = {curve.n:,} in {len(steps):,} step{'s' if len(steps) > 1 else ''}"]
        lines += [f"grey: {100 * curve.by_chance.level:g} % of calibrated models"]
    size = 5.5 if small else 7 if is_narrow() else 8
    x, y = scale.place(x, y)
    ax.text(x, y, "\n".join(lines), ha=ha, va=va, fontsize=size, color=INK, linespacing=1.4, zorder=5)
