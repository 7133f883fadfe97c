"""Histograms of predictions by true class, and of posterior quantiles."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from howsure.calibration.quantiles import QuantileCalibration
from howsure.calibration.results import CalibrationCurve
from howsure.figures.curves import axis_words
from howsure.figures.style import FAINT, GRID, INK, QUIET, dress, literal, look, new_figure, use_style
from howsure.figures.width import is_narrow
from howsure.inputs.pairs import TOP_LABEL, Floats
from howsure.show.table import p_in_words

TICKS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
MIN_REACH = 0.1  # minimum height of one side relative to the other, so that there is room for its name
NEAREST = 0.07  # minimum distance of ticks, as a proportion of the axis, at which their labels do not overlap


def histogram_figure(curve: CalibrationCurve, *, title: str | None = None) -> Figure:
    """Return a figure with the histogram of the predictions of each true class (`draw_histogram`)."""
    with use_style():
        figure = new_figure(5.0, 3.2, constrained=False)
        draw_histogram(curve, ax=figure.add_subplot())
        if title is not None:
            literal(figure.axes[0].set_title(""), title)
    return figure


def draw_histogram(curve: CalibrationCurve, *, ax: Axes) -> Axes:
    """Draw the distribution of predictions of each true class in 64 bars over [0, 1]: label 1 upwards, label 0
    downwards.

    The proportions of each class sum to 1, so the bars of a rare class are as tall as those of a common class. The
    vertical axis is a square root, so that thin tails are visible. A class without pairs is named as absent.
    """
    dress(ax)
    ax.set_yscale("function", functions=(_signed_root, _signed_square))
    edges = np.linspace(0.0, 1.0, curve.histogram.shape[1] + 1)
    shares = [weights / max(float(weights.sum()), 1e-300) for weights in curve.histogram]
    reach = [max(float(share.max()), MIN_REACH * max(float(other.max()) for other in shares)) for share in shares]
    looks = ((-1, FAINT, "////", QUIET), (1, look(0).colour, None, look(0).colour))
    for share, (sign, colour, hatch, edge) in zip(shares, looks, strict=True):
        ax.stairs(sign * share, edges, fill=True, facecolor=colour, edgecolor=edge, hatch=hatch, linewidth=0.3)
    ax.set(xlim=(-0.01, 1.01), ylim=(-1.08 * reach[0], 1.08 * reach[1]))
    roots = [math.sqrt(r) for r in reach]
    ticks = [_ticks(float(share.max()), NEAREST * sum(roots)) for share in shares]
    ax.set_yticks([-tick for tick in reversed(ticks[0])] + [0.0] + ticks[1])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * abs(share):g}%"))
    middle = roots[0] / sum(roots)
    for label, place in ((0, middle / 2), (1, (1 + middle) / 2)):
        text = _label_and_share(label, curve)
        ax.text(1.02, place, text, transform=ax.transAxes, fontsize=8, color=INK, va="center", linespacing=1.4)
    ax.axhline(0.0, color=QUIET, linewidth=0.8)
    ax.grid(visible=True, axis="y", color=GRID, linewidth=0.7)
    literal(ax.set_xlabel(""), axis_words([curve])[0])
    ax.set_ylabel("share of the label's pairs")
    return ax


def _label_and_share(label: int, curve: CalibrationCurve) -> str:
    share = float(curve.histogram[label].sum() / curve.histogram.sum())
    name = ("wrong", "right")[label] if curve.reduction == TOP_LABEL else f"label {label}"
    return f"{name}\n{100 * share:.3g} % of all" if share > 0 else f"no pair has\n{name}"


def _ticks(reach: float, apart: float) -> list[float]:
    """Return the proportions to mark up to `reach`. The square roots of two proportions differ by at least `apart`."""
    chosen: list[float] = []
    nearest_allowed = math.sqrt(reach)
    for tick in reversed(TICKS):
        if apart <= math.sqrt(tick) <= nearest_allowed:
            chosen.insert(0, tick)
            nearest_allowed = math.sqrt(tick) - apart
    return chosen


def _signed_root(x: npt.ArrayLike) -> Floats:
    values = np.asarray(x, dtype=np.float64)
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))


def _signed_square(x: npt.ArrayLike) -> Floats:
    values = np.asarray(x, dtype=np.float64)
    return np.asarray(np.sign(values) * values**2)


def quantile_figure(result: QuantileCalibration, *, title: str | None = None) -> Figure:
    """Draw the histogram (`draw_quantiles`), and next to it the cumulative curve minus the diagonal with its band."""
    with use_style():
        figure = new_figure(3.7, 6.0) if is_narrow() else new_figure(7.4, 3.1)
        left, right = figure.subplots(2, 1) if is_narrow() else figure.subplots(1, 2)
        _draw_histogram(left, result)
        _draw_difference(right, result)
        if title is not None:
            literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)
    return figure


def draw_quantiles(result: QuantileCalibration, ax: Axes | None = None) -> Axes:
    """Draw the histogram of the quantiles, with the interval of each bar's height if quantiles were uniform.

    On new axes if `ax` is None. A hump in the middle means that the posterior is too wide, high ends that it is too
    narrow, a slope that it is shifted.
    """
    with use_style():
        axes = new_figure(3.7, 3.1).add_subplot() if ax is None else ax
        _draw_histogram(axes, result)
    return axes


def _draw_histogram(ax: Axes, result: QuantileCalibration) -> None:
    dress(ax)
    level = f"{100 * result.level:g}%"
    outside = (result.counts < result.low) | (result.counts > result.high)
    width = np.diff(result.bin_edges)
    bars = ax.bar(result.bin_edges[:-1], result.counts, width, align="edge", color=FAINT, edgecolor="white")
    for bar, wrong in zip(bars, outside, strict=True):
        if wrong:
            bar.set(facecolor=look(1).colour, hatch="////")
    ax.stairs(result.high, result.bin_edges, baseline=result.low, fill=True, facecolor=look(0).colour, alpha=0.25)
    ax.stairs(result.expected, result.bin_edges, baseline=None, color=look(0).colour, linewidth=1.2)
    n = int(np.count_nonzero(outside))
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.3 * max(float(result.counts.max()), float(result.high.max()))))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ax.set_xlabel("posterior quantile of the truth")
    ax.set_ylabel("truths")
    p = p_in_words(result.p_values["chi-square"])
    text = f"{n} of {len(outside)} bars outside their {level} interval\nchi-square {p}"
    ax.text(0.02, 0.98, text, transform=ax.transAxes, fontsize=8, va="top")


def _draw_difference(ax: Axes, result: QuantileCalibration) -> None:
    dress(ax)
    x = result.points
    ax.fill_between(x, result.band_low - x, result.band_high - x, color=look(0).colour, alpha=0.18, linewidth=0)
    ax.axhline(0.0, color=QUIET, linewidth=0.9, linestyle=(0, (6, 3)))
    ax.plot(x, result.cumulative - x, color=look(0).colour, linewidth=1.4)
    reach = 1.5 * max(float(np.abs(y - x).max()) for y in (result.cumulative, result.band_low, result.band_high))
    ax.set(xlim=(0.0, 1.0), ylim=(-reach, reach))
    ax.set_xlabel("posterior quantile of the truth")
    ax.set_ylabel("cumulative share minus quantile")
    p = p_in_words(result.p_values["band"])
    band = f"band: {100 * result.level:g} % if calibrated, {p}\nn = {result.n:,}, {result.draws:,} draws each"
    ax.text(0.02, 0.98, band, transform=ax.transAxes, fontsize=8, va="top")
