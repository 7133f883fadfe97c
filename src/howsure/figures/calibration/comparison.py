"""Two models' calibration curves, and below them by how much they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from howsure.calibration.results import CalibrationComparison
from howsure.errors import InputError
from howsure.figures.calibration.curves import draw_curves
from howsure.figures.calibration.scales import AUTO
from howsure.figures.style import QUIET, dress, literal, look, new_figure, shortened_name, styled
from howsure.figures.width import is_narrow, wanted_width
from howsure.show.numbers import interval, number

ROW_HEIGHT = 0.27  # inches
WIDTH, SQUARE, UPRIGHT = 6.6, 3.5, 1.135  # of the figure, of the curves' axes, and their height over their width
LEFT, RIGHT, TOP, NAMES = 0.55, 0.15, 0.1, 1.55  # of the margins; NAMES: left of the differences
NAME_LENGTH = 16


def comparison_figure(
    result: CalibrationComparison, *, labels: Sequence[str] | None = None, axis: str = AUTO
) -> Figure:
    """Both curves by `draw_curves`, and under them the differences of the squared errors and of the Brier scores with
    their intervals. labels: names instead of the models' own.

    Raises InputError for another number of labels than two.
    """
    if labels is not None and len(labels) != 2:
        raise InputError(f"labels must name both models; there are {len(labels)}.")
    with styled():
        a, b = (shortened_name(name, NAME_LENGTH if not is_narrow() else NAME_LENGTH // 2) for name in result.names)
        better = "" if is_narrow() else " is better"
        sides = f"{a}{better}", f"{b}{better}"
        rows = _differences(result)
        figure, above, below = curves_above_differences(len(result.curves), len(rows))
        draw_curves(result.curves, ax=above, labels=labels, axis=axis)
        draw_differences(below, rows, level=result.error_a.level, sides=sides)
    return figure


def curves_above_differences(curves: int, rows: int) -> tuple[Figure, Axes, Axes]:
    """A figure with room for curves and their legend above, and for rows of differences below."""
    width = wanted_width() or WIDTH
    square = width - LEFT - RIGHT if is_narrow() else SQUARE
    legend = 0.25 + 0.19 * curves if is_narrow() else 0.0
    below = 0.65 + ROW_HEIGHT * rows
    height = TOP + UPRIGHT * square + 0.6 + legend + below
    figure = new_figure(width, height, constrained=False, keep="height")
    figure.set_layout_engine("none")
    above = figure.add_axes(
        (LEFT / width, 1.0 - (TOP + UPRIGHT * square) / height, square / width, UPRIGHT * square / height)
    )
    share = (1.0 - (NAMES + RIGHT) / width, (below - 0.65) / height)
    return figure, above, figure.add_axes((NAMES / width, 0.45 / height, *share))


def draw_comparison(result: CalibrationComparison, *, ax: Axes | None = None, axis: str = AUTO) -> Axes:
    """Draw both curves by `draw_curves`, with the difference of the squared errors as a title."""
    axes = draw_curves(result.curves, ax=ax, axis=axis)
    e = result.squared_error_difference
    found = "undefined" if e.low is None else f"{number(e.value, 5, sign=True)} {interval(e.low, e.high, 5, sign=True)}"
    literal(axes.set_title("", fontsize=8, fontweight="normal"), f"squared errors, difference: {found}")
    return axes


def _differences(result: CalibrationComparison) -> dict[str, tuple[float, float, float]]:
    """What is on the scale of squared probabilities, where it is defined."""
    from howsure.calibration.scores.multiclass import score_words

    scores = {f"{name}s": e for name, e in result.score_differences(score_words).items() if "Brier" in name}
    all_of_them = {"squared errors": result.squared_error_difference, **scores}
    return {
        name: (e.value, e.low, e.high)
        for name, e in all_of_them.items()
        if e.low is not None and e.high is not None and math.isfinite(e.value)
    }


def draw_differences(
    ax: Axes, rows: Mapping[str, tuple[float, float, float]], *, level: float, sides: tuple[str, str]
) -> None:
    """Draw differences, by name (value, low, high), around 0; sides: what it means to lie left and right of it."""
    how = look(3)
    dress(ax, grid="x")
    ax.axvline(0.0, color=QUIET, linewidth=0.9, zorder=1)
    for place, (value, low, high) in enumerate(rows.values()):
        ax.hlines(place, low, high, color=how.colour, linewidth=1.6, alpha=0.55, zorder=2)
        ax.plot([value], [place], how.marker, color=how.colour, markersize=4.5, markeredgecolor="white", zorder=3)
    ax.set_yticks(range(len(rows)), list(rows), fontsize=7.5 if is_narrow() else 8)
    for tick in ax.get_yticklabels():
        tick.set_parse_math(False)
    reach = 1.08 * max((abs(end) for row in rows.values() for end in row), default=0.0) or 1.0
    ax.set(ylim=(len(rows) - 0.4, -0.6), xlim=(-reach, reach))
    ax.xaxis.set_major_locator(MaxNLocator(4 if is_narrow() else 6, symmetric=True))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    what = "which is better?" if is_narrow() else "difference"
    ax.set_xlabel(f"{what} [{100 * level:g} % interval]")
    for x, side, said in ((0.0, "left", f"← {sides[0]}"), (1.0, "right", f"{sides[1]} →")):
        text = ax.text(
            x, 1.0, "", transform=ax.transAxes, ha=side, va="bottom", fontsize=7 if is_narrow() else 8, color=QUIET
        )
        literal(text, said)
