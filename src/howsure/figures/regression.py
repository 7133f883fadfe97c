"""Coefficients of a regression, with predictions taken as labels and corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.figures.style import INK, QUIET, dress, literal, look, new_figure, shortened_name, styled
from howsure.figures.width import is_narrow

if TYPE_CHECKING:
    from howsure.regression.results import PredictedCoefficient, PredictedRegression
    from howsure.result import Estimate

MOST_ROWS = 40
NAME_LENGTH, NARROW_LENGTH = 32, 20
ROW, EDGES, WIDTH = 0.36, 1.2, 5.4  # inches
BESIDE = 0.15  # of a row
INTERCEPT = "(intercept)"


def coefficients_figure(result: PredictedRegression) -> Figure:
    """A figure of `draw_coefficients`, as high as its rows need."""
    with styled():
        figure = _page(_drawn(result))
        draw_coefficients(result, ax=figure.subplots())
    return figure


def draw_coefficients(result: PredictedRegression, *, ax: Axes | None = None) -> Axes:
    """Draw each coefficient with both intervals, the corrected one above the naive one; the line is at 0.

    The intercept is left out where there are others. Of more than 40 coefficients, the first are drawn, and the figure
    says so.
    """
    rows = _drawn(result)
    with styled():
        axes = _page(rows).subplots() if ax is None else ax
        axes.axvline(0.0, color=INK, linewidth=0.8)
        for place, row in enumerate(rows):
            _draw(axes, row.corrected, place - BESIDE, look(0).colour, "o")
            _draw(axes, row.naive, place + BESIDE, QUIET, "s")
        for marker, colour, name in (("o", look(0).colour, "corrected"), ("s", QUIET, "predictions as labels")):
            axes.plot([], [], marker, color=colour, markersize=4, label=name)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        length = NARROW_LENGTH if is_narrow() else NAME_LENGTH
        axes.set_yticks(range(len(rows)), [shortened_name(row.label, length) for row in rows])
        for tick in axes.get_yticklabels():
            tick.set_parse_math(False)
        left = f"\n{len(rows)} of {len(result.rows):,} coefficients" if len(rows) == MOST_ROWS else ""
        unit = "coefficient, log odds" if result.recipe["method"] == "logit" else "coefficient"
        literal(axes.set_xlabel(""), unit + left)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        dress(axes, grid="x")
        axes.tick_params(axis="y", length=0)
    return axes


def _drawn(result: PredictedRegression) -> Sequence[PredictedCoefficient]:
    slopes = [row for row in result.rows if row.name != INTERCEPT]
    return (slopes or list(result.rows))[:MOST_ROWS]


def _page(rows: Sequence[PredictedCoefficient]) -> Figure:
    """An empty figure, as high as the rows need."""
    return new_figure(WIDTH, EDGES + ROW * len(rows), keep="height")


def _draw(axes: Axes, estimate: Estimate, place: float, colour: str, marker: str) -> None:
    if estimate.low is not None and estimate.high is not None:
        axes.plot([estimate.low, estimate.high], [place, place], color=colour, linewidth=1.2, solid_capstyle="butt")
    axes.plot([estimate.value], [place], marker, color=colour, markersize=3.5)
