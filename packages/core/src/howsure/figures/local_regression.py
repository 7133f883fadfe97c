"""The calibration curve of local regression, with the intervals of its points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from howsure.figures.curves import TOP, Scale, draw_background, new_axes
from howsure.figures.style import look, use_style

if TYPE_CHECKING:
    from howsure.calibration.curve_choice import LocalRegression


def draw_local_regression(curve: LocalRegression, *, ax: Axes | None = None) -> Axes:
    """Draw the curve, the interval of each point that has one, and the diagonal."""
    with use_style():
        ax = new_axes(1) if ax is None else ax
        draw_background(ax, Scale())
        ax.set_ylim(1 - TOP, TOP)
        colour = look(0).colour
        bounded = [row for row in curve if row.low is not None and row.high is not None]
        at, low, high = ([getattr(row, name) for row in bounded] for name in ("probability", "low", "high"))
        ax.fill_between(at, low, high, color=colour, alpha=0.16, linewidth=0, zorder=2)
        ax.plot(*zip(*((row.probability, row.frequency) for row in curve), strict=True), color=colour, zorder=4)
        ax.set(
            xlabel="predicted probability",
            ylabel="frequency of label 1",
            title=f"Local regression, span {curve.span:g}",
        )
    return ax
