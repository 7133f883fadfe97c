"""Calibration curves on one pair of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from howsure.calibration.results import CalibrationCurve
from howsure.errors import InputError
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
from howsure.inputs.pairs import Floats

POINTS_UP_TO = 60  # bins; more are a line with a band
POINTS_OF_MANY = 25  # the same if several curves share the axes, or the axes are small
INTERVALS_UP_TO = 3  # curves; more intervals on one another show nothing
MANY_BINS = 200
MARKERS = 9  # of a line among many, to tell it from the others
ABOVE, BELOW = "#f4f7fb", "#f0ece6"
STRIP = (-0.155, -0.025)  # where, under the curve, the predictions are shown
LIMITS = (-0.02, 1.02)
NAME_LENGTH = 32


def draw_curves(
    curves: Sequence[CalibrationCurve],
    *,
    ax: Axes | None = None,
    labels: Sequence[str] | None = None,
    title: str | None = None,
) -> Axes:
    """Draw calibration curves with the intervals of their bins, the diagonal, and where the predictions lie.

    Up to eight curves can be told apart; `curve_figure` gives more of them a panel each. The strip under the curves is
    a histogram of the predictions (heights are square roots of shares, so that thin tails show); for a single curve
    label 1 points up and label 0 down. New axes if `ax` is None; labels: names instead of the curves' own.

    Raises InputError if there is no curve, or another number of labels than of curves.
    """
    names = curve_names(curves, labels)
    with styled():
        axes = _new_axes(alone=len(curves) == 1) if ax is None else ax
        draw_background(axes)
        if len(curves) == 1:
            draw_one(axes, curves[0], look(0))
            if labels is not None or curves[0].name is not None:
                title = title if title is not None else shortened_name(names[0], 48)
        else:
            points = all(len(curve.bins) <= POINTS_OF_MANY for curve in curves)  # one way for all of them
            handles = [
                _draw_one_of_many(axes, curve, look(i), len(curves), points=points) for i, curve in enumerate(curves)
            ]
            rows = [
                f"{shortened_name(name, NAME_LENGTH)}\n{estimate_text(curve.debiased_error)}"
                for curve, name in zip(curves, names, strict=True)
            ]
            _name_curves(axes, handles, rows, f"error [{100 * curves[0].debiased_error.level:g} % interval]")
        axes.set_xlabel("predicted probability")
        axes.set_ylabel("label frequency", y=0.57)
        if title is not None:
            literal(axes.set_title(""), title)
    return axes


def _new_axes(*, alone: bool) -> Axes:
    figure = new_figure(4.8, 5.2, constrained=False) if alone else new_figure(6.6, 4.6)
    return figure.add_subplot()


def curve_names(curves: Sequence[CalibrationCurve], labels: Sequence[str] | None) -> list[str]:
    """The names to show, one a curve."""
    if len(curves) == 0:
        raise InputError("curves must hold at least one calibration curve; it is empty.")
    if labels is None:
        return [f"curve {i}" if curve.name is None else curve.name for i, curve in enumerate(curves, start=1)]
    if len(labels) != len(curves):
        raise InputError(f"labels must name every curve; there are {len(labels)} labels for {len(curves)} curves.")
    return [str(label) for label in labels]


def draw_background(ax: Axes, *, words: bool = True) -> None:
    """The square, the diagonal, and the two sides of it."""
    dress(ax)
    ax.set(xlim=LIMITS, ylim=(STRIP[0] - 0.005, LIMITS[1]), aspect="equal")
    ticks = np.linspace(0.0, 1.0, 6)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
    ax.spines["left"].set_bounds(0.0, 1.0)
    ax.fill([0, 0, 1], [0, 1, 1], facecolor=ABOVE, edgecolor="none", zorder=0)
    ax.fill([0, 1, 1], [0, 0, 1], facecolor=BELOW, edgecolor="none", zorder=0)
    ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.9, linestyle=(0, (6, 3)), zorder=1)
    if words:
        side: Any = {"color": QUIET, "fontstyle": "italic", "fontsize": 8, "zorder": 1}
        ax.text(0.02, 0.985, "underconfident", ha="left", va="top", **side)
        ax.text(0.985, 0.02, "overconfident", ha="right", va="bottom", **side)


def draw_one(ax: Axes, curve: CalibrationCurve, how: Look, *, small: bool = False, lower: bool = True) -> None:
    """A curve that has the axes to itself; `lower` leaves the corner to the words of the background."""
    points = len(curve.bins) <= (POINTS_OF_MANY if small else POINTS_UP_TO)
    _draw_intervals(ax, curve, how, points=points)
    (line,) = _draw_line(ax, curve, how, linewidth=0.8 if points or len(curve.bins) > MANY_BINS else 1.2)
    if points:
        line.set(marker=how.marker, markersize=2.6 if small else 4.0)
    _draw_strip(ax, curve, how, named=not small)
    _print_error(ax, curve, small=small, lower=lower)


def _draw_one_of_many(ax: Axes, curve: CalibrationCurve, how: Look, many: int, *, points: bool) -> Line2D:
    if many <= INTERVALS_UP_TO:
        _draw_intervals(ax, curve, how, points=points)
    (line,) = _draw_line(ax, curve, how, linewidth=1.2)
    step = max(1, round(len(curve.bins) / MARKERS)) if not points or many > INTERVALS_UP_TO else 1
    line.set(linestyle=how.dashes, marker=how.marker, markersize=4.2, markevery=(step // 2, step))
    heights = np.sqrt(curve.histogram.sum(axis=0))
    bottom, top = STRIP
    scaled = bottom + (top - bottom) * heights / float(heights.max())
    outline = ax.stairs(scaled, _bar_edges(curve), baseline=bottom, color=how.colour, linewidth=0.7, zorder=2)
    outline.set_linestyle(how.dashes)
    return line


def _draw_intervals(ax: Axes, curve: CalibrationCurve, how: Look, *, points: bool) -> None:
    bins = curve.bins
    low, high = np.clip(bins.low, 0.0, 1.0), np.clip(bins.high, 0.0, 1.0)
    if points:
        ax.vlines(bins.mean_prob, low, high, color=how.colour, linewidth=1.0, alpha=0.45, zorder=3)
    else:
        ax.fill_between(bins.mean_prob, low, high, color=how.colour, alpha=0.25, linewidth=0, zorder=2)


def _draw_line(ax: Axes, curve: CalibrationCurve, how: Look, *, linewidth: float) -> list[Line2D]:
    """The bins' mean predictions and label frequencies."""
    x, y = curve.bins.mean_prob, curve.bins.frequency
    return ax.plot(x, y, color=how.colour, linewidth=linewidth, markeredgecolor="white", markeredgewidth=0.4, zorder=4)


def _draw_strip(ax: Axes, curve: CalibrationCurve, how: Look, *, named: bool) -> None:
    """Where the predictions lie: label 1 upwards, label 0 downwards from the middle of the strip."""
    bottom, top = STRIP
    middle = (bottom + top) / 2
    heights = np.sqrt(curve.histogram / max(float(curve.histogram.max()), 1e-300)) * (top - bottom) / 2
    edges = _bar_edges(curve)
    zero, one = heights
    ax.stairs(middle + one, edges, baseline=middle, fill=True, facecolor=how.colour, alpha=0.75, linewidth=0, zorder=2)
    ax.stairs(middle - zero, edges, baseline=middle, fill=True, facecolor=FAINT, linewidth=0, zorder=2)
    ax.plot([0, 1], [middle, middle], color=QUIET, linewidth=0.5, zorder=2)
    if named:
        for y, name in ((middle + 0.035, "label 1"), (middle - 0.035, "label 0")):
            ax.text(-0.035, y, name, fontsize=6.5, color=QUIET, ha="right", va="center")


def _print_error(ax: Axes, curve: CalibrationCurve, *, small: bool, lower: bool) -> None:
    """The error with its interval, on the side of the diagonal where the curve is not."""
    bins = curve.bins
    above = float(bins.weight @ (bins.frequency - bins.mean_prob)) > 0
    room = (0.12 if small else 0.07) if lower else 0.0
    x, y, ha, va = (0.985, 0.02 + room, "right", "bottom") if above else (0.02, 0.985 - room, "left", "top")
    error = f"error {estimate_text(curve.debiased_error)}"
    counts = f"n = {curve.n:,}" if small else f"n = {curve.n:,} in {len(bins):,} bin{'s' if len(bins) > 1 else ''}"
    size = 6.5 if small else 8
    ax.text(x, y, f"{error}\n{counts}", ha=ha, va=va, fontsize=size, color=INK, linespacing=1.4, zorder=5)


def _name_curves(ax: Axes, handles: Sequence[Line2D], rows: Sequence[str], heading: str) -> None:
    literal_legend(
        ax,
        handles,
        rows,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        handlelength=3.2,
        labelspacing=0.9,
        borderaxespad=0.4,
        title=heading,
        title_fontsize=8,
        alignment="left",
    )


def _bar_edges(curve: CalibrationCurve) -> Floats:
    return np.linspace(0.0, 1.0, curve.histogram.shape[1] + 1)
