"""Posterior quantiles: are they as uniform as those of a calibrated posterior?"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from howsure.calibration.hypothesis_tests.quantiles import QuantileCalibration
from howsure.figures.style import FAINT, QUIET, dress, literal, look, new_figure, styled
from howsure.figures.width import is_narrow
from howsure.show.numbers import p_in_words


def quantile_figure(result: QuantileCalibration, *, title: str | None = None) -> Figure:
    """Side by side: the histogram, by `draw_quantiles`, and the cumulative curve minus the diagonal with its band."""
    with styled():
        figure = new_figure(3.7, 6.0) if is_narrow() else new_figure(7.4, 3.1)
        left, right = figure.subplots(2, 1) if is_narrow() else figure.subplots(1, 2)
        _draw_histogram(left, result)
        _draw_difference(right, result)
        if title is not None:
            literal(figure.suptitle("", fontsize=11, fontweight="bold"), title)
    return figure


def draw_quantiles(result: QuantileCalibration, ax: Axes | None = None) -> Axes:
    """Draw the histogram of the quantiles with the interval that each bar should lie in were the quantiles uniform.

    On new axes if `ax` is None. A hump in the middle means that the posterior is too wide, high ends that it is too
    narrow, a slope that it is shifted.
    """
    with styled():
        axes = new_figure(3.7, 3.1).add_subplot() if ax is None else ax
        _draw_histogram(axes, result)
    return axes


def _draw_histogram(ax: Axes, result: QuantileCalibration) -> None:
    dress(ax)
    level = f"{100 * result.level:g} %"
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
