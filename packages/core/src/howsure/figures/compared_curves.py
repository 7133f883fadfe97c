"""Calibration curves of two models, or before and after recalibration, with their differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from howsure.calibration.results import NAMES, CalibrationComparison, CalibrationCurve
from howsure.calibration.scores import MULTICLASS, score_words
from howsure.errors import InputError
from howsure.figures.curves import AUTO, draw_curves
from howsure.figures.style import (
    FAINT,
    QUIET,
    dress,
    literal,
    literal_legend,
    look,
    new_figure,
    shortened_name,
    use_style,
)
from howsure.figures.width import is_narrow, wanted_width
from howsure.recalibration.map_input import Scores, binary_scores, class_scores
from howsure.show.table import interval, number

if TYPE_CHECKING:
    from howsure.inputs.pairs import Floats
    from howsure.recalibration.evaluation_results import RecalibrationEvaluation, RecalibrationTable
    from howsure.recalibration.results import RecalibrationMap
    from howsure.result import Estimate


ROW_HEIGHT = 0.27  # inches
WIDTH, SQUARE, UPRIGHT = 6.6, 3.5, 1.135  # width of the figure, width of the curves' axes, their height / width
LEFT, RIGHT, TOP, NAMED = 0.55, 0.15, 0.1, 1.55  # margins; NAMED: the left margin of the differences
NAME_LENGTH = 16


def comparison_figure(result: CalibrationComparison, *, axis: str = AUTO) -> Figure:
    """Draw both curves (`draw_curves`), and below them the differences of squared errors and Brier scores."""
    with use_style():
        a, b = (shortened_name(name, NAME_LENGTH if not is_narrow() else NAME_LENGTH // 2) for name in result.names)
        better = "" if is_narrow() else " is better"
        sides = f"{a}{better}", f"{b}{better}"
        rows = _differences(result)
        figure, above, below = curves_above_differences(len(result.curves), len(rows))
        draw_curves(result.curves, ax=above, labels=_names_with_files(result), axis=axis)
        draw_differences(below, rows, level=result.error_a.level, sides=sides)
    return figure


def _names_with_files(result: CalibrationComparison) -> list[str]:
    """Return the names of the models, with the name of the file if a model has no name."""
    if result.inputs is None:
        return list(result.names)
    files = [Path(estimate_text.name).name for estimate_text in (result.inputs.a, result.inputs.b)]
    return [f"{name}: {file}" if name in NAMES else name for name, file in zip(result.names, files, strict=True)]


def curves_above_differences(curves: int, rows: int) -> tuple[Figure, Axes, Axes]:
    """Return a figure with axes for curves and their legend above, and for rows of differences below."""
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
    share = (1.0 - (NAMED + RIGHT) / width, (below - 0.65) / height)
    return figure, above, figure.add_axes((NAMED / width, 0.45 / height, *share))


def draw_comparison(result: CalibrationComparison, *, ax: Axes | None = None, axis: str = AUTO) -> Axes:
    """Draw both curves by `draw_curves`, with the difference of the squared errors as a title."""
    axes = draw_curves(result.curves, ax=ax, axis=axis)
    e = result.squared_error_difference
    difference_text = (
        "undefined" if e.low is None else f"{number(e.value, 5, sign=True)} {interval(e.low, e.high, 5, sign=True)}"
    )
    literal(axes.set_title("", fontsize=8, fontweight="normal"), f"squared errors, difference: {difference_text}")
    return axes


def _differences(result: CalibrationComparison) -> dict[str, tuple[float, float, float]]:
    """Return the defined differences that have the scale of squared probabilities, by name."""
    scores = {f"{name}s": e for name, e in result.score_differences().items() if "Brier" in name}
    all_of_them = {"squared errors": result.squared_error_difference, **scores}
    return {
        name: (e.value, e.low, e.high)
        for name, e in all_of_them.items()
        if e.low is not None and e.high is not None and math.isfinite(e.value)
    }


def draw_differences(
    ax: Axes, rows: Mapping[str, tuple[float, float, float]], *, level: float, sides: tuple[str, str]
) -> None:
    """Draw named differences (value, low, high) around 0. sides: what values to the left and to the right of 0 mean."""
    style = look(3)
    dress(ax, grid="x")
    ax.axvline(0.0, color=QUIET, linewidth=0.9, zorder=1)
    for place, (value, low, high) in enumerate(rows.values()):
        ax.hlines(place, low, high, color=style.colour, linewidth=1.6, alpha=0.55, zorder=2)
        ax.plot([value], [place], style.marker, color=style.colour, markersize=4.5, markeredgecolor="white", zorder=3)
    ax.set_yticks(range(len(rows)), list(rows), fontsize=7.5 if is_narrow() else 8)
    for tick in ax.get_yticklabels():
        tick.set_parse_math(False)
    reach = 1.08 * max((abs(end) for row in rows.values() for end in row), default=0.0) or 1.0
    ax.set(ylim=(len(rows) - 0.4, -0.6), xlim=(-reach, reach))
    ax.xaxis.set_major_locator(MaxNLocator(4 if is_narrow() else 6, symmetric=True))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    what = "which is better?" if is_narrow() else "difference"
    ax.set_xlabel(f"{what} [{100 * level:g}% interval]")
    for x, side, label in ((0.0, "left", f"← {sides[0]}"), (1.0, "right", f"{sides[1]} →")):
        text = ax.text(
            x, 1.0, "", transform=ax.transAxes, ha=side, va="bottom", fontsize=7 if is_narrow() else 8, color=QUIET
        )
        literal(text, label)


PANEL, LEGEND = 3.1, 1.95  # inches


def before_after_figure(panels: Mapping[str, Sequence[CalibrationCurve]]) -> Figure:
    """Return a figure with a panel for each name, in which its curves are drawn by `draw_curves`."""
    if not panels:
        raise InputError("panels must contain at least one pair of curves; it is empty.")
    with use_style():
        narrow = is_narrow()
        rows, columns = (len(panels), 1) if narrow else (1, len(panels))
        width = wanted_width() or columns * (PANEL + LEGEND)
        height = rows * (1.3 * width if narrow else PANEL + 0.75)
        figure = new_figure(width, height, keep="height")
        figure.set_layout_engine("constrained", w_pad=0.2, h_pad=0.1)
        axes = figure.subplots(rows, columns, squeeze=False)
        for ax, (name, curves) in zip(axes.flat, panels.items(), strict=True):
            draw_curves(curves, ax=ax)
            literal(ax.set_title(""), name)
    return figure


SIDES = ("worse", "recalibration is better")
MAX_ROWS = 100
GROUP_NAME_LENGTH = 28


def recalibration_figure(result: RecalibrationEvaluation, *, axis: str = AUTO) -> Figure:
    """Draw both curves (`draw_curves`), and below them the improvements of the squared error and the Brier scores."""
    with use_style():
        rows = _improvements(result)
        figure, above, below = curves_above_differences(len(result.curves), len(rows))
        draw_curves(result.curves, ax=above, axis=axis)
        draw_differences(below, rows, level=result.error_before.level, sides=SIDES)
    return figure


def draw_recalibration(result: RecalibrationEvaluation, *, ax: Axes | None = None, axis: str = AUTO) -> Axes:
    """Draw both curves by `draw_curves`."""
    return draw_curves(result.curves, ax=ax, axis=axis)


def draw_improvements(recalibration_table: RecalibrationTable, *, ax: Axes | None = None) -> Axes:
    """Draw the improvement of the Brier score of each group and method with its interval."""
    if len(recalibration_table) > MAX_ROWS:
        raise InputError(
            f"a figure of improvements shows at most {MAX_ROWS} rows; there are {len(recalibration_table):,}."
        )
    with use_style():
        if ax is None:
            ax = new_figure(6.0, 1.1 + 0.27 * len(recalibration_table), keep="height").add_subplot()
        rows = {
            shortened_name(name, GROUP_NAME_LENGTH if not is_narrow() else GROUP_NAME_LENGTH // 2): ends
            for name, row in zip(recalibration_table.names, recalibration_table.rows, strict=True)
            if (ends := _ends(row.deciding.improvement)) is not None
        }
        draw_differences(ax, rows, level=recalibration_table.rows[0].error_before.level, sides=SIDES)
        ax.set_xlabel(
            f"improvement of the Brier score [{100 * recalibration_table.rows[0].error_before.level:g}% interval]"
        )
    return ax


def _improvements(result: RecalibrationEvaluation) -> dict[str, tuple[float, float, float]]:
    reduction = result.curves[0].reduction
    scores = {"squared error": result.squared_error, score_words("brier", reduction): result.brier}
    if result.multiclass_brier is not None:
        scores[score_words("brier", MULTICLASS)] = result.multiclass_brier
    return {
        name: ends for name, score_change in scores.items() if (ends := _ends(score_change.improvement)) is not None
    }


def _ends(e: Estimate) -> tuple[float, float, float] | None:
    if e.low is None or e.high is None or not math.isfinite(e.value):
        return None
    return e.value, e.low, e.high


POINTS = 400
ENDS = 1e-4  # distance from 0 and 1 at which a drawn map ends
MAX_CURVES = 8
MAP_NAME_LENGTH = 32


def draw_map(recalibration_map: RecalibrationMap, *, ax: Axes | None = None) -> Axes:
    """Draw a recalibration map on matplotlib axes (new axes if None): a curve per group or per class, at most 8.

    For several classes, each curve shows one class while the other classes share the rest equally. For Venn–Abers, a
    band shows both probabilities.
    """
    with use_style():
        ax = new_figure(4.2, 4.2).subplots() if ax is None else ax
        q = np.sort(np.concatenate([np.linspace(ENDS, 1 - ENDS, POINTS), *_corners(recalibration_map)]))
        lines: list[Line2D] = []
        curves = _curves(recalibration_map, q)
        ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        for place, (_, after) in enumerate(curves):
            style = look(place)
            lines += ax.plot(q, after, color=style.colour, linestyle=style.dashes, linewidth=1.6, zorder=3)
        if recalibration_map.method == "venn-abers" and not recalibration_map.groups:
            low, high = recalibration_map.interval(q)
            ax.fill_between(q, low, high, color=FAINT, alpha=0.6, linewidth=0, zorder=2)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="Probability", ylabel="Recalibrated probability")
        ax.set_aspect("equal")
        dress(ax)
        if recalibration_map.groups or recalibration_map.classes:
            literal_legend(ax, lines, [name for name, _ in curves], loc="upper left")
    return ax


def _curves(recalibration_map: RecalibrationMap, q: Floats) -> list[tuple[str, Floats]]:
    if recalibration_map.classes:
        return [
            (
                shortened_name(name, MAP_NAME_LENGTH),
                _recalibrated(recalibration_map, _one_class_rows(recalibration_map, q, place))[:, place],
            )
            for place, name in list(enumerate(recalibration_map.classes))[:MAX_CURVES]
        ]
    scores = binary_scores(q, floor=recalibration_map.floor)
    if not recalibration_map.groups:
        return [("", _recalibrated(recalibration_map, scores))]
    rows = np.zeros(len(q), dtype=np.int64)
    return [
        (shortened_name(name, MAP_NAME_LENGTH), recalibration_map.apply_rows(scores, rows, (name,)))
        for name in recalibration_map.groups[:MAX_CURVES]
    ]


def _recalibrated(recalibration_map: RecalibrationMap, scores: Scores) -> Floats:
    """Return the probabilities after the map; if the map has groups, after the map of its first group."""
    names = recalibration_map.groups[:1]
    return recalibration_map.apply_rows(scores, np.zeros(len(scores), dtype=np.int64) if names else None, names)


def _one_class_rows(recalibration_map: RecalibrationMap, q: Floats, place: int) -> Scores:
    """Return rows in which one class has the probability q, and the other classes share the rest equally."""
    k = len(recalibration_map.classes)
    matrix = np.repeat((1 - q)[:, None] / (k - 1), k, axis=1)
    matrix[:, place] = q
    return class_scores(matrix, floor=recalibration_map.floor)


def _corners(recalibration_map: RecalibrationMap) -> list[Floats]:
    """Return the points just below and just above each step of a map."""
    parameters = [fitted_map.parameters() for fitted_map in recalibration_map.fitted.maps]
    steps = [
        np.array(fitted[name]) for fitted in parameters for name in ("edges", "from", "upto", "x") if name in fitted
    ]
    return [side for step in steps for side in (np.clip(step - 1e-9, 0, 1), step)]
