"""Calibration curves on one pair of axes, or in one panel each if there are many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator, NullLocator

from howsure.calibration.corp import CorpCurve, CorpSteps
from howsure.calibration.curve_text import OVERCONFIDENT, UNDERCONFIDENT, kind_named
from howsure.calibration.results import Bins, CalibrationCurve
from howsure.errors import InputError
from howsure.figures.style import (
    FAINT,
    INK,
    LOOKS,
    QUIET,
    Look,
    dress,
    estimate_text,
    literal,
    literal_legend,
    look,
    new_figure,
    parent_figure,
    shortened_name,
    use_style,
)
from howsure.figures.width import is_narrow, wanted_width
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import CLASS_WISE, TOP_LABEL, Floats

# Scales of the axes of a calibration curve: all probabilities, a corner, or log-odds.

AUTO, LINEAR, ZOOM, LOGIT = "auto", "linear", "zoom", "logit"
AXES = (AUTO, LINEAR, ZOOM, LOGIT)
CORNER = 0.2  # if all bins are in this part of the axis, at either end, only the corner is drawn
NICE = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
MAX_NINES = 8
APART = 0.13  # minimum distance of ticks, as a proportion of the axis, at which their labels do not overlap


@dataclass(frozen=True, slots=True)
class Scale:
    """The probabilities from `low` to `high` on an axis, equally spaced or, if `logit`, equally spaced in log-odds."""

    low: float = 0.0
    high: float = 1.0
    logit: bool = False

    def at(self, share: float | Floats) -> Floats:
        """Return the probability at a position on the axis, from 0 at `low` to 1 at `high`."""
        if not self.logit:
            return np.asarray(self.low + np.asarray(share) * (self.high - self.low))
        a, b = _log_odds(self.low), _log_odds(self.high)
        return np.asarray(1.0 / (1.0 + np.exp(-(a + np.asarray(share) * (b - a)))))

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return the probabilities at a position (x, y) on both axes, from 0 to 1."""
        return float(self.at(x)), float(self.at(y))

    def share(self, probability: float) -> float:
        """Return the position of a probability on the axis, from 0 to 1."""
        if not self.logit:
            return (probability - self.low) / (self.high - self.low)
        a, b = _log_odds(self.low), _log_odds(self.high)
        return (_log_odds(probability) - a) / (b - a)

    def clipped(self, values: Floats) -> Floats:
        """Move probabilities beyond the axis to its ends."""
        return np.clip(values, self.low, self.high)

    def dress(self, ax: Axes, *, bottom: float, top: float, apart: float = APART) -> None:
        """Set this scale, its limits (bottom and top are positions on the axis), and ticks that do not overlap."""
        if self.logit:
            ax.set_xscale("logit", nonpositive="clip")
            ax.set_yscale("logit", nonpositive="clip")
        margin = top - 1.0
        ax.set(xlim=self.at(np.array([-margin, top])), ylim=self.at(np.array([bottom, top])))
        ticks = self.ticks(apart)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(FixedLocator(ticks))
            axis.set_major_formatter(FixedFormatter([_text(tick, ticks) for tick in ticks]))
            axis.set_minor_locator(NullLocator())

    def ticks(self, apart: float) -> list[float]:
        """Return round probabilities as ticks that are at least `apart` from each other on the axis."""
        if not self.logit:
            most = max(2, min(5, int(1 / apart)))
            tick_values = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]).tick_values(self.low, self.high)
            return [float(tick) for tick in tick_values if self.low - 1e-9 <= tick <= self.high + 1e-9]
        chosen: list[float] = []
        for tick in _candidates():
            if self.low <= tick <= self.high and all(abs(self.share(tick) - self.share(o)) >= apart for o in chosen):
                chosen.append(tick)
        return sorted(chosen)

    def words(self) -> str:
        """The part of an axis label that names the scale."""
        if self.logit:
            return " (log-odds scale)"
        return "" if (self.low, self.high) == (0.0, 1.0) else f" (from {self.low:g} to {self.high:g})"


def choose_scale(curves: Sequence[CalibrationCurve | CorpCurve], axis: str = AUTO) -> Scale:
    """Return the scale for some curves; "auto" shows a corner if all bins are below 0.2 or above 0.8, else [0, 1]."""
    if axis not in AXES:
        raise InputError(f"axis must be one of {', '.join(map(repr, AXES))}, not {axis!r}")
    if axis == LOGIT:
        return _log_odds_scale(curves)
    points = np.concatenate(
        [part for parts in map(bins_or_steps, curves) for part in (parts.mean_prob, parts.frequency)]
    )
    low, high = float(points.min()), float(points.max())
    cornered = high <= CORNER or low >= 1.0 - CORNER
    if axis == LINEAR or (axis == AUTO and not cornered):
        return Scale()
    return _round_range(low, high)


def bins_or_steps(curve: CalibrationCurve | CorpCurve) -> Bins | CorpSteps:
    return curve.steps if isinstance(curve, CorpCurve) else curve.bins


def _round_range(low: float, high: float) -> Scale:
    """Return the scale of the smallest part of [0, 1] with round ends that contains a range with some margin."""
    room = 0.08 * max(high - low, 0.002)
    step = next((step_size for step_size in NICE if step_size >= (high - low + 2 * room) / 6), NICE[-1])
    start = max(0.0, math.floor((low - room) / step + 1e-9) * step)
    end = min(1.0, math.ceil((high + room) / step - 1e-9) * step)
    start = 0.0 if start < 0.25 * end else start
    end = 1.0 if 1.0 - end < 0.25 * (1.0 - start) else end
    return Scale(round(start, 6), round(end, 6))


def _log_odds_scale(curves: Sequence[CalibrationCurve | CorpCurve]) -> Scale:
    for curve in curves:
        parts = bins_or_steps(curve)
        wrong = np.flatnonzero((parts.mean_prob <= 0.0) | (parts.mean_prob >= 1.0))
        if len(wrong):
            name = "" if curve.name is None else f" of {curve.name}"
            kind = "step" if isinstance(curve, CorpCurve) else "bin"
            raise InputError(
                f"`axis='logit'` shows no mean prediction of exactly 0 or 1; that of {kind} {wrong[0] + 1}{name} is "
                f"{parts.mean_prob[wrong[0]]:g}. Choose `axis='linear'` or `axis='zoom'`."
            )
    values = np.concatenate(
        [part for c in map(bins_or_steps, curves) for part in (c.mean_prob, c.frequency, c.low, c.high)]
    )
    inside = values[(values > 0.0) & (values < 1.0)]
    ends = sorted(_candidates())
    low = max((end for end in ends if end <= inside.min()), default=ends[0])
    high = min((end for end in ends if end >= inside.max()), default=ends[-1])
    return Scale(low, high if high > low else ends[-1], logit=True)


def _candidates() -> list[float]:
    """Probabilities for ticks of log-odds, in order of preference."""
    tails = [10.0**-nines for nines in range(1, MAX_NINES + 1)]
    between = [0.2, 0.05, 0.02]
    return [0.5, *_both(tails), *_both(between)]


def _both(tails: Iterable[float]) -> list[float]:
    return [end for tail in tails for end in (tail, 1.0 - tail)]


def _log_odds(probability: float) -> float:
    return math.log(probability / (1.0 - probability))


def _text(tick: float, ticks: Sequence[float]) -> str:
    """Format a tick, with as many decimals as the ticks need."""
    if len(ticks) > 1 and min(np.diff(ticks)) > 0.1 - 1e-9:
        return f"{tick:.1f}"
    return f"{tick:.10g}" if tick == 0.0 or tick >= 1e-3 else f"{tick:.0e}".replace("e-0", "e-")


POINTS_UP_TO = 60  # number of bins that are drawn as points; more are drawn as a line with a band
POINTS_OF_MANY = 25  # the same number if several curves share the axes, or the axes are small
INTERVALS_UP_TO = 3  # number of curves that are drawn with intervals, which would overlap for more
MANY_BINS = 200
MARKERS = 9  # markers along a line among many, to distinguish it from the others
ABOVE, BELOW = "#f4f7fb", "#f0ece6"
STRIP = (-0.155, -0.025)  # vertical position of the histogram of predictions below the curve
TOP = 1.02  # upper end of the axes, as a position on the scale
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
    """Draw calibration curves with the intervals of their bins, the diagonal, and the distribution of predictions.

    Up to eight curves can be distinguished; `curve_figure` draws more of them, each in its own panel. The strip below
    the curves is a histogram of the predictions, whose heights are square roots of proportions, so that thin tails are
    visible; for a single curve, label 1 is drawn upwards and label 0 downwards. ax: None for new axes. labels: names
    instead of the curves' own. axis: "linear" for [0, 1], "zoom" for the part with bins, "logit" for log-odds, or
    "auto", which zooms if all bins are below 0.2 or above 0.8.

    Raises InputError without a curve, if the numbers of labels and curves differ, and for log-odds of 0 or 1.
    """
    few = all(len(curve.bins) <= POINTS_OF_MANY for curve in curves)  # so that all curves are drawn in the same way
    return draw_together(
        curves,
        ax=ax,
        labels=labels,
        title=title,
        axis=axis,
        alone=draw_one,
        among=partial(_draw_one_of_many, many=len(curves), points=few),
        describe=lambda curve: estimate_text(curve.error),
        heading=lambda curve: f"error [{100 * curve.error.level:g}% interval]",
    )


def draw_together(
    curves: Sequence[AnyCurve],
    *,
    ax: Axes | None,
    labels: Sequence[str] | None,
    title: str | None,
    axis: str,
    alone: Callable[[Axes, AnyCurve, Look, Scale], None],
    among: Callable[[Axes, AnyCurve, Look, Scale], Line2D],
    describe: Callable[[AnyCurve], str],
    heading: Callable[[AnyCurve], str],
) -> Axes:
    """Draw a single curve with the function `alone`, or each of several with `among`, and with a legend.

    describe: returns the legend's text on a curve. heading: the legend's heading.
    """
    names, scale = curve_names(curves, labels), choose_scale(curves, axis)
    with use_style():
        axes = new_axes(len(curves)) if ax is None else ax
        draw_background(axes, scale, curves)
        if len(curves) == 1:
            alone(axes, curves[0], look(0), scale)
            if labels is not None or curves[0].name is not None:
                title = title if title is not None else shortened_name(names[0], 48)
        else:
            handles = [among(axes, curve, look(i), scale) for i, curve in enumerate(curves)]
            limit = NARROW_NAME if is_narrow() else NAME_LENGTH
            named = zip(curves, names, strict=True)
            rows = [f"{shortened_name(name, limit)}\n{describe(curve)}" for curve, name in named]
            name_curves(axes, handles, rows, heading(curves[0]))
        across, upwards = axis_words(curves)
        literal(axes.set_xlabel(""), f"{across}{below(scale.words())}")
        literal(axes.set_ylabel("", y=0.57), upwards)
        if title is not None:
            literal(axes.set_title(""), title)
    return axes


def new_axes(curves: int) -> Axes:
    """Return new axes with room for a legend of this many curves; a single curve needs no legend."""
    if curves == 1:
        return new_figure(4.8, 5.2, constrained=False).add_subplot()
    if is_narrow():
        inches = wanted_width() or 0.0
        return new_figure(inches, 1.06 * inches + LEGEND_ROW * curves + 0.2, keep="height").add_subplot()
    return new_figure(6.6, 4.6).add_subplot()


def axis_words(curves: Sequence[CalibrationCurve | CorpCurve]) -> tuple[str, str]:
    """Return the labels of both axes: the predicted probability, and the observed frequency.

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
    if len(curves) == 0:
        raise InputError("curves must contain at least one calibration curve; it is empty.")
    if labels is None:
        return [f"curve {i}" if curve.name is None else curve.name for i, curve in enumerate(curves, start=1)]
    if len(labels) != len(curves):
        raise InputError(f"labels must name every curve; there are {len(labels)} labels for {len(curves)} curves.")
    return [str(label) for label in labels]


def below(words: str) -> str:
    """Return the part of an axis label on the scale, on a separate line if there is little room."""
    return words.replace(" ", "\n", 1) if is_narrow() else words


def draw_background(ax: Axes, scale: Scale, curves: Sequence[AnyCurve] = (), *, apart: float = APART) -> None:
    """Draw the frame and the diagonal and, if curves are given, the meaning of points above and below it."""
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
    if curves:
        side: Any = {"color": QUIET, "fontstyle": "italic", "fontsize": 7 if is_narrow() else 8, "zorder": 1}
        ax.text(*scale.place(0.02, 0.985), kind_named(UNDERCONFIDENT, *curves), ha="left", va="top", **side)
        ax.text(*scale.place(0.985, 0.02), kind_named(OVERCONFIDENT, *curves), ha="right", va="bottom", **side)


def draw_one(
    ax: Axes, curve: CalibrationCurve, style: Look, scale: Scale, *, small: bool = False, lower: bool = True
) -> None:
    """Draw a single curve on the axes; `lower` keeps the corner free for the labels of the background."""
    points = len(curve.bins) <= (POINTS_OF_MANY if small else POINTS_UP_TO)
    _draw_intervals(ax, curve, style, scale, points=points)
    (line,) = _draw_line(ax, curve, style, scale, linewidth=0.8 if points or len(curve.bins) > MANY_BINS else 1.2)
    if points:
        line.set(marker=style.marker, markersize=2.6 if small else 4.0)
    draw_strip(ax, curve, style, scale, named=not small)
    lines = [f"error {estimate_text(curve.error)}"]
    print_on_empty_side(ax, curve, lines, "bin", scale, small=small, lower=lower, size=6.5 if small else 8)


def _draw_one_of_many(
    ax: Axes, curve: CalibrationCurve, style: Look, scale: Scale, *, many: int, points: bool
) -> Line2D:
    if many <= INTERVALS_UP_TO:
        _draw_intervals(ax, curve, style, scale, points=points)
    (line,) = _draw_line(ax, curve, style, scale, linewidth=1.2)
    step = max(1, round(len(curve.bins) / MARKERS)) if not points or many > INTERVALS_UP_TO else 1
    line.set(linestyle=style.dashes, marker=style.marker, markersize=4.2, markevery=(step // 2, step))
    heights = np.sqrt(curve.histogram.sum(axis=0))
    bottom, top = STRIP
    scaled = scale.at(bottom + (top - bottom) * heights / float(heights.max()))
    base = float(scale.at(bottom))
    outline = ax.stairs(scaled, _bar_edges(curve, scale), baseline=base, color=style.colour, linewidth=0.7, zorder=2)
    outline.set_linestyle(style.dashes)
    return line


def _draw_intervals(ax: Axes, curve: CalibrationCurve, style: Look, scale: Scale, *, points: bool) -> None:
    bins = curve.bins
    low, high = scale.clipped(bins.low), scale.clipped(bins.high)
    if points:
        ax.vlines(bins.mean_prob, low, high, color=style.colour, linewidth=1.0, alpha=0.45, zorder=3)
    else:
        ax.fill_between(bins.mean_prob, low, high, color=style.colour, alpha=0.25, linewidth=0, zorder=2)


def _draw_line(ax: Axes, curve: CalibrationCurve, style: Look, scale: Scale, *, linewidth: float) -> list[Line2D]:
    """Draw the mean predictions and label frequencies of bins; frequencies beyond the axis are hollow points."""
    x, y = curve.bins.mean_prob, scale.clipped(curve.bins.frequency)
    beyond = (curve.bins.frequency < scale.low) | (curve.bins.frequency > scale.high)
    if beyond.any():
        ax.plot(x[beyond], y[beyond], "o", color=style.colour, mfc="white", markersize=5.0, zorder=5, clip_on=False)
    return ax.plot(
        x, y, color=style.colour, linewidth=linewidth, markeredgecolor="white", markeredgewidth=0.4, zorder=4
    )


def draw_strip(ax: Axes, curve: CalibrationCurve | CorpCurve, style: Look, scale: Scale, *, named: bool) -> None:
    """Draw the distribution of predictions: label 1 upwards, label 0 downwards from the middle of the strip."""
    bottom, top = STRIP
    middle = (bottom + top) / 2
    heights = np.sqrt(curve.histogram / max(float(curve.histogram.max()), 1e-300)) * (top - bottom) / 2
    edges, base = _bar_edges(curve, scale), float(scale.at(middle))
    zero, positive_height = heights
    filled: Any = {"baseline": base, "fill": True, "linewidth": 0, "zorder": 2}
    ax.stairs(scale.at(middle + positive_height), edges, facecolor=style.colour, alpha=0.75, **filled)
    ax.stairs(scale.at(middle - zero), edges, facecolor=FAINT, **filled)
    ax.plot([scale.low, scale.high], [base, base], color=QUIET, linewidth=0.5, zorder=2)
    if named:
        for share, name in zip((middle + 0.035, middle - 0.035), _sides(curve), strict=True):
            text = ax.text(*scale.place(-0.035, share), "", fontsize=6.5, color=QUIET, ha="right", va="center")
            literal(text, name)


def _sides(curve: CalibrationCurve | CorpCurve) -> tuple[str, str]:
    """The labels of the upper and lower half of the strip."""
    if curve.reduction == TOP_LABEL:
        return "right", "wrong"
    return ("label 1", "label 0") if curve.positive is None else (f"“{shortened_name(curve.positive, 9)}”", "other")


def print_on_empty_side(
    ax: Axes,
    curve: CalibrationCurve | CorpCurve,
    text_lines: Sequence[str],
    part: str,
    scale: Scale,
    *,
    small: bool,
    lower: bool,
    size: float,
) -> None:
    """Print lines of text and the numbers of pairs and of bins or steps (`part`) on the empty side of the diagonal."""
    parts = bins_or_steps(curve)
    above = float(parts.weight @ (parts.frequency - parts.mean_prob)) > 0
    room = (0.12 if small else 0.07) if lower else 0.0
    x, y, ha, va = (0.985, 0.02 + room, "right", "bottom") if above else (0.02, 0.985 - room, "left", "top")
    first, *more = text_lines
    counts = f"n = {curve.n:,}" if small else f"n = {curve.n:,} in {counted(len(parts), part)}"
    size = min(size, 7) if is_narrow() else size
    x, y = scale.place(x, y)
    lines = [first, counts, *more]
    text = ax.text(x, y, "\n".join(lines), ha=ha, va=va, fontsize=size, color=INK, linespacing=1.4, zorder=5)
    if not small:  # axes that a user made may be smaller
        box, aspect = ax.get_window_extent(), ax.get_box_aspect() or ax.get_data_ratio()
        width = min(box.width, box.height / aspect) * TEXT_ROOM
        while text.get_window_extent().width > width and size > SMALLEST_TEXT:
            size -= 0.5
            text.set_fontsize(size)


def name_curves(ax: Axes, handles: Sequence[Line2D], rows: Sequence[str], heading: str) -> None:
    """Draw a legend to the right of the axes, or below them if there is little room."""
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


AnyCurve = TypeVar("AnyCurve", CalibrationCurve, CorpCurve)
Drawn = TypeVar("Drawn", contravariant=True)
TOGETHER_UP_TO = len(LOOKS)
MAX_PANELS = 60
TEXT_ROOM, SMALLEST_TEXT = 0.96, 4.0  # of the width of axes; points
PANEL, SMALLEST_PANEL = 2.05, 1.4  # inches
PANEL_NAME_LENGTH = 26


class DrawSmall(Protocol[Drawn]):
    """Draws a curve into one of many small panels; `lower` keeps the corner free for the labels of the background."""

    def __call__(self, ax: Axes, curve: Drawn, style: Look, scale: Scale, *, lower: bool) -> None:
        """Draw it."""


def curve_figure(
    curves: Sequence[CalibrationCurve],
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    panels: bool | None = None,
    axis: str = AUTO,
) -> Figure:
    """Return a matplotlib Figure of calibration curves: up to eight in one panel, more in a grid of small panels.

    panels: True for a grid, False for one panel; None chooses by the number of curves. The other parameters are those
    of `draw_curves`.
    """
    names = curve_names(curves, labels)
    if panels if panels is not None else len(curves) > TOGETHER_UP_TO:
        return panel_figure(curves, names, title, choose_scale(curves, axis), draw=partial(draw_one, small=True))
    if len(curves) > TOGETHER_UP_TO:
        raise InputError(f"panels=False shows at most {TOGETHER_UP_TO} curves; there are {len(curves):,}. Choose some.")
    return parent_figure(draw_curves(curves, labels=labels, title=title, axis=axis))


def grid_width(panels: int) -> int:
    """Return the number of panels in a row, for a grid that is slightly wider than high and has few empty cells.

    >>> [grid_width(n) for n in (1, 4, 9, 14, 20)]
    [1, 2, 3, 5, 5]
    """
    square = math.ceil(math.sqrt(panels))
    return min((square, square + 1), key=lambda columns: (-(-panels // columns) * columns - panels, columns))


def panel_figure(
    curves: Sequence[AnyCurve], names: Sequence[str], title: str | None, scale: Scale, *, draw: DrawSmall[AnyCurve]
) -> Figure:
    """Return a figure with a grid of small panels, in each of which `draw` draws one curve."""
    n = len(curves)
    if n > MAX_PANELS:
        raise InputError(
            f"A figure of curves shows at most {MAX_PANELS}; there are {n:,}. Choose some, or draw an error_figure."
        )
    target_width = wanted_width()
    columns = (
        grid_width(n)
        if target_width is None
        else max(1, min(grid_width(n), int((target_width - 0.4) / SMALLEST_PANEL)))
    )
    rows, panel = -(-n // columns), PANEL if target_width is None else (target_width - 0.4) / columns
    with use_style():
        width, height = columns * panel + 0.4, rows * (panel + 0.45) + (0.7 if title else 0.4)
        figure = new_figure(width, height, keep="height")
        figure.set_layout_engine("constrained", w_pad=0.04, h_pad=0.07)
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for i, ax in enumerate(grid.flat):
            if i >= n:
                ax.set_axis_off()
                continue
            draw_background(ax, scale, () if i else curves, apart=0.4)
            draw(ax, curves[i], look(0), scale, lower=i == 0)
            literal(ax.set_title("", fontsize=8.5), shortened_name(names[i], PANEL_NAME_LENGTH))
            ax.tick_params(labelsize=7.5, labelbottom=True)
        across, upwards = axis_words(curves)
        literal(figure.supxlabel("", fontsize=9), f"{across}{scale.words()}")
        literal(figure.supylabel("", fontsize=9), upwards)
        if title is not None:
            literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)
    return figure
