"""Calibration curves on one pair of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from howsure.calibration.corp.results import CorpCurve
from howsure.calibration.results import CalibrationCurve
from howsure.errors import InputError
from howsure.figures.calibration.scales import APART, AUTO, Scale, scale_of
from howsure.figures.style import (
    FAINT,
    INK,
    QUIET,
    Look,
    dress,
    estimate_text,
    literal,
    literal_legend,
    look,
    new_figure,
    shortened_name,
    styled,
)
from howsure.figures.width import is_narrow, wanted_width
from howsure.inputs.classes import CLASS_WISE, TOP_LABEL
from howsure.inputs.pairs import Floats

POINTS_UP_TO = 60  # bins; more are a line with a band
POINTS_OF_MANY = 25  # the same if several curves share the axes, or the axes are small
INTERVALS_UP_TO = 3  # curves; more intervals on one another show nothing
MANY_BINS = 200
MARKERS = 9  # of a line among many, to tell it from the others
ABOVE, BELOW = "#f4f7fb", "#f0ece6"
STRIP = (-0.155, -0.025)  # where, under the curve, the predictions are shown
TOP = 1.02  # of the axes, as a share of the scale
LEGEND_ROW = 0.2  # inches
NAME_LENGTH, NARROW_NAME = 32, 16


def draw_curves(
    curves: Sequence[CalibrationCurve],
    *,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    axis: str = AUTO,
) -> Axes:
    """Draw calibration curves with the intervals of their bins, the diagonal, and where the predictions lie.

    Up to eight curves can be told apart; `curve_figure` gives more of them a panel each. The strip under the curves is
    a histogram of the predictions (heights are square roots of shares, so that thin tails show); for a single curve
    label 1 points up and label 0 down. New axes if `ax` is None; labels: names instead of the curves' own. axis:
    "linear" for all of [0, 1], "zoom" for the part with bins, "logit" for log-odds, or "auto": zoomed where all bins
    lie below .2 or above .8.

    Raises InputError if there is no curve, another number of labels than of curves, or log-odds of 0 or 1.
    """
    names, scale = curve_names(curves, labels), scale_of(curves, axis)
    with styled():
        axes = new_axes(len(curves)) if ax is None else ax
        draw_background(axes, scale)
        if len(curves) == 1:
            draw_one(axes, curves[0], look(0), scale)
            if labels is not None or curves[0].name is not None:
                title = title if title is not None else shortened_name(names[0], 48)
        else:
            points = all(len(curve.bins) <= POINTS_OF_MANY for curve in curves)  # one way for all of them
            handles = [
                _draw_one_of_many(axes, curve, look(i), scale, len(curves), points=points)
                for i, curve in enumerate(curves)
            ]
            limit = NARROW_NAME if is_narrow() else NAME_LENGTH
            rows = [
                f"{shortened_name(name, limit)}\n{estimate_text(curve.debiased_error)}"
                for curve, name in zip(curves, names, strict=True)
            ]
            name_curves(axes, handles, rows, f"error [{100 * curves[0].debiased_error.level:g} % interval]")
        across, upwards = axis_words(curves)
        literal(axes.set_xlabel(""), f"{across}{below(scale.words())}")
        literal(axes.set_ylabel("", y=0.57), upwards)
        if title is not None:
            literal(axes.set_title(""), title)
    return axes


def new_axes(curves: int) -> Axes:
    """Axes with room for a legend of so many curves; a single one needs none."""
    if curves == 1:
        return new_figure(4.8, 5.2, constrained=False).add_subplot()
    if is_narrow():
        inches = wanted_width() or 0.0
        return new_figure(inches, 1.06 * inches + LEGEND_ROW * curves + 0.2, keep="height").add_subplot()
    return new_figure(6.6, 4.6).add_subplot()


def axis_words(curves: Sequence[CalibrationCurve | CorpCurve]) -> tuple[str, str]:
    """What the axes show: the probability of what, and how often it was so.

    >>> from howsure import calibration_curve, pairs_from_classes
    >>> axis_words([calibration_curve(pairs_from_classes([0, 1], [[0.9, 0.1], [0.6, 0.4]]), bin_size=1)])
    ('predicted probability of the first choice', 'accuracy')
    """
    kinds = {(curve.reduction, curve.positive) for curve in curves}
    if kinds == {(TOP_LABEL, None)}:
        return "predicted probability of the first choice", "accuracy"
    if len(kinds) == 1 and (name := curves[0].positive) is not None:
        quoted = f"“{shortened_name(name, 24)}”"
        return f"predicted probability of {quoted}", f"frequency of {quoted}"
    if kinds == {(CLASS_WISE, None)}:
        return "predicted probability of the class", "frequency of the class"
    return "predicted probability", "frequency of label 1"


def curve_names(curves: Sequence[CalibrationCurve | CorpCurve], labels: Sequence[str] | None) -> list[str]:
    """The names to show, one a curve."""
    if len(curves) == 0:
        raise InputError("curves must hold at least one calibration curve; it is empty.")
    if labels is None:
        return [f"curve {i}" if curve.name is None else curve.name for i, curve in enumerate(curves, start=1)]
    if len(labels) != len(curves):
        raise InputError(f"labels must name every curve; there are {len(labels)} labels for {len(curves)} curves.")
    return [str(label) for label in labels]


def below(words: str) -> str:
    """What a label says of its scale, on a line of its own where there is little room."""
    return words.replace(" ", "\n", 1) if is_narrow() else words


def draw_background(ax: Axes, scale: Scale, *, words: bool = True, apart: float = APART) -> None:
    """The square, the diagonal, and the two sides of it."""
    dress(ax)
    scale.dress(ax, bottom=STRIP[0] - 0.005, top=TOP, apart=apart)
    if scale.logit:
        ax.set_box_aspect((TOP - STRIP[0] + 0.005) / (2 * TOP - 1.0))
    else:
        ax.set_aspect("equal")
    ax.spines["left"].set_bounds(scale.low, scale.high)
    low, high = scale.low, scale.high
    ax.fill([low, low, high], [low, high, high], facecolor=ABOVE, edgecolor="none", zorder=0)
    ax.fill([low, high, high], [low, low, high], facecolor=BELOW, edgecolor="none", zorder=0)
    ax.plot([low, high], [low, high], color=QUIET, linewidth=0.9, linestyle=(0, (6, 3)), zorder=1)
    if words:
        side: Any = {"color": QUIET, "fontstyle": "italic", "fontsize": 7 if is_narrow() else 8, "zorder": 1}
        ax.text(*scale.place(0.02, 0.985), "underconfident", ha="left", va="top", **side)
        ax.text(*scale.place(0.985, 0.02), "overconfident", ha="right", va="bottom", **side)


def draw_one(
    ax: Axes, curve: CalibrationCurve, how: Look, scale: Scale, *, small: bool = False, lower: bool = True
) -> None:
    """A curve that has the axes to itself; `lower` leaves the corner to the words of the background."""
    points = len(curve.bins) <= (POINTS_OF_MANY if small else POINTS_UP_TO)
    _draw_intervals(ax, curve, how, scale, points=points)
    (line,) = _draw_line(ax, curve, how, scale, linewidth=0.8 if points or len(curve.bins) > MANY_BINS else 1.2)
    if points:
        line.set(marker=how.marker, markersize=2.6 if small else 4.0)
    draw_strip(ax, curve, how, scale, named=not small)
    _print_error(ax, curve, scale, small=small, lower=lower)


def _draw_one_of_many(ax: Axes, curve: CalibrationCurve, how: Look, scale: Scale, many: int, *, points: bool) -> Line2D:
    if many <= INTERVALS_UP_TO:
        _draw_intervals(ax, curve, how, scale, points=points)
    (line,) = _draw_line(ax, curve, how, scale, linewidth=1.2)
    step = max(1, round(len(curve.bins) / MARKERS)) if not points or many > INTERVALS_UP_TO else 1
    line.set(linestyle=how.dashes, marker=how.marker, markersize=4.2, markevery=(step // 2, step))
    heights = np.sqrt(curve.histogram.sum(axis=0))
    bottom, top = STRIP
    scaled = scale.at(bottom + (top - bottom) * heights / float(heights.max()))
    base = float(scale.at(bottom))
    outline = ax.stairs(scaled, _bar_edges(curve, scale), baseline=base, color=how.colour, linewidth=0.7, zorder=2)
    outline.set_linestyle(how.dashes)
    return line


def _draw_intervals(ax: Axes, curve: CalibrationCurve, how: Look, scale: Scale, *, points: bool) -> None:
    bins = curve.bins
    low, high = scale.clipped(bins.low), scale.clipped(bins.high)
    if points:
        ax.vlines(bins.mean_prob, low, high, color=how.colour, linewidth=1.0, alpha=0.45, zorder=3)
    else:
        ax.fill_between(bins.mean_prob, low, high, color=how.colour, alpha=0.25, linewidth=0, zorder=2)


def _draw_line(ax: Axes, curve: CalibrationCurve, how: Look, scale: Scale, *, linewidth: float) -> list[Line2D]:
    """The bins' mean predictions and label frequencies; a frequency without log-odds lies hollow at the edge."""
    x, y = curve.bins.mean_prob, scale.clipped(curve.bins.frequency)
    beyond = (curve.bins.frequency < scale.low) | (curve.bins.frequency > scale.high)
    if beyond.any():
        ax.plot(x[beyond], y[beyond], "o", color=how.colour, mfc="white", markersize=5.0, zorder=5, clip_on=False)
    return ax.plot(x, y, color=how.colour, linewidth=linewidth, markeredgecolor="white", markeredgewidth=0.4, zorder=4)


def draw_strip(ax: Axes, curve: CalibrationCurve | CorpCurve, how: Look, scale: Scale, *, named: bool) -> None:
    """Where the predictions lie: label 1 upwards, label 0 downwards from the middle of the strip."""
    bottom, top = STRIP
    middle = (bottom + top) / 2
    heights = np.sqrt(curve.histogram / max(float(curve.histogram.max()), 1e-300)) * (top - bottom) / 2
    edges, base = _bar_edges(curve, scale), float(scale.at(middle))
    zero, one = heights
    filled: Any = {"baseline": base, "fill": True, "linewidth": 0, "zorder": 2}
    ax.stairs(scale.at(middle + one), edges, facecolor=how.colour, alpha=0.75, **filled)
    ax.stairs(scale.at(middle - zero), edges, facecolor=FAINT, **filled)
    ax.plot([scale.low, scale.high], [base, base], color=QUIET, linewidth=0.5, zorder=2)
    if named:
        for share, name in zip((middle + 0.035, middle - 0.035), _sides(curve), strict=True):
            text = ax.text(*scale.place(-0.035, share), "", fontsize=6.5, color=QUIET, ha="right", va="center")
            literal(text, name)


def _sides(curve: CalibrationCurve | CorpCurve) -> tuple[str, str]:
    """What points up and down in the strip."""
    if curve.reduction == TOP_LABEL:
        return "right", "wrong"
    return ("label 1", "label 0") if curve.positive is None else (f"“{shortened_name(curve.positive, 9)}”", "other")


def _print_error(ax: Axes, curve: CalibrationCurve, scale: Scale, *, small: bool, lower: bool) -> None:
    """The error with its interval, on the side of the diagonal where the curve is not."""
    bins = curve.bins
    above = float(bins.weight @ (bins.frequency - bins.mean_prob)) > 0
    room = (0.12 if small else 0.07) if lower else 0.0
    x, y, ha, va = (0.985, 0.02 + room, "right", "bottom") if above else (0.02, 0.985 - room, "left", "top")
    error = f"error {estimate_text(curve.debiased_error)}"
    counts = f"n = {curve.n:,}" if small else f"n = {curve.n:,} in {len(bins):,} bin{'s' if len(bins) > 1 else ''}"
    size = 6.5 if small else 7 if is_narrow() else 8
    x, y = scale.place(x, y)
    ax.text(x, y, f"{error}\n{counts}", ha=ha, va=va, fontsize=size, color=INK, linespacing=1.4, zorder=5)


def name_curves(ax: Axes, handles: Sequence[Line2D], rows: Sequence[str], heading: str) -> None:
    """A legend beside the axes, or below where there is little room."""
    place: Any = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    if is_narrow():
        place = {"loc": "upper left", "bbox_to_anchor": (0.0, -0.16)}
        rows = [row.replace("\n", "  ") for row in rows]
    literal_legend(
        ax,
        handles,
        rows,
        **place,
        handlelength=3.2,
        labelspacing=0.4 if is_narrow() else 0.9,
        borderaxespad=0.4,
        title=heading,
        title_fontsize=8,
        alignment="left",
    )


def _bar_edges(curve: CalibrationCurve | CorpCurve, scale: Scale) -> Floats:
    return scale.clipped(np.linspace(0.0, 1.0, curve.histogram.shape[1] + 1))
