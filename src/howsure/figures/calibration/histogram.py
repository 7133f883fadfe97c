"""The predictions of each true class, P(q | y): what a model says when it should say yes, and when no."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from howsure.calibration.results import CalibrationCurve
from howsure.figures.calibration.curves import axis_words
from howsure.figures.style import FAINT, GRID, INK, QUIET, dress, literal, look, new_figure, styled
from howsure.inputs.classes import TOP_LABEL
from howsure.inputs.pairs import Floats

TICKS = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
LEAST_REACH = 0.1  # of the other side, so that a low side has room for its name
NEAREST = 0.07  # of the axis: ticks closer than this would run into each other


def histogram_figure(curve: CalibrationCurve, *, title: str | None = None) -> Figure:
    """A figure with the histogram of the predictions of each true class, P(q | y), by `draw_histogram`."""
    with styled():
        figure = new_figure(5.0, 3.2, constrained=False)
        draw_histogram(curve, ax=figure.add_subplot())
        if title is not None:
            literal(figure.axes[0].set_title(""), title)
    return figure


def draw_histogram(curve: CalibrationCurve, *, ax: Axes) -> Axes:
    """Draw the share of each class's weight in 64 bars over [0, 1]: label 1 upwards, label 0 downwards.

    Each class adds up to 1 by itself, so a rare class is as tall as a common one. The axis is a square root, so that
    the thin parts show. A class without pairs is said to be absent.
    """
    dress(ax)
    ax.set_yscale("function", functions=(_signed_root, _signed_square))
    edges = np.linspace(0.0, 1.0, curve.histogram.shape[1] + 1)
    shares = [weights / max(float(weights.sum()), 1e-300) for weights in curve.histogram]
    reach = [max(float(share.max()), LEAST_REACH * max(float(other.max()) for other in shares)) for share in shares]
    looks = ((-1, FAINT, "////", QUIET), (1, look(0).colour, None, look(0).colour))
    for share, (sign, colour, hatch, edge) in zip(shares, looks, strict=True):
        ax.stairs(sign * share, edges, fill=True, facecolor=colour, edgecolor=edge, hatch=hatch, linewidth=0.3)
    ax.set(xlim=(-0.01, 1.01), ylim=(-1.08 * reach[0], 1.08 * reach[1]))
    roots = [math.sqrt(r) for r in reach]
    ticks = [_ticks(float(share.max()), NEAREST * sum(roots)) for share in shares]
    ax.set_yticks([-tick for tick in reversed(ticks[0])] + [0.0] + ticks[1])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * abs(share):g} %"))
    middle = roots[0] / sum(roots)
    for label, place in ((0, middle / 2), (1, (1 + middle) / 2)):
        text = _named(label, curve)
        ax.text(1.02, place, text, transform=ax.transAxes, fontsize=8, color=INK, va="center", linespacing=1.4)
    ax.axhline(0.0, color=QUIET, linewidth=0.8)
    ax.grid(visible=True, axis="y", color=GRID, linewidth=0.7)
    literal(ax.set_xlabel(""), axis_words([curve])[0])
    ax.set_ylabel("share of the label's pairs")
    return ax


def _named(label: int, curve: CalibrationCurve) -> str:
    share = float(curve.histogram[label].sum() / curve.histogram.sum())
    name = ("wrong", "right")[label] if curve.reduction == TOP_LABEL else f"label {label}"
    return f"{name}\n{100 * share:.3g} % of all" if share > 0 else f"no pair has\n{name}"


def _ticks(reach: float, apart: float) -> list[float]:
    """Shares to mark up to `reach`, from the top down, with a distance of `apart` between their roots."""
    chosen: list[float] = []
    nearest_allowed = math.sqrt(reach)
    for tick in reversed(TICKS):
        if apart <= math.sqrt(tick) <= nearest_allowed:
            chosen.insert(0, tick)
            nearest_allowed = math.sqrt(tick) - apart
    return chosen


def _signed_root(x: npt.ArrayLike) -> Floats:
    values = np.asarray(x, dtype=np.float64)
    root: Floats = np.sign(values) * np.sqrt(np.abs(values))
    return root


def _signed_square(x: npt.ArrayLike) -> Floats:
    values = np.asarray(x, dtype=np.float64)
    square: Floats = np.sign(values) * values**2
    return square
