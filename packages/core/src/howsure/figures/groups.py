"""Figures of groups: calibration errors of many groups, and groups that are worse calibrated than the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from howsure.calibration.miscalibrated_groups import MiscalibratedGroup, MiscalibratedGroups
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scan import WHOLE
from howsure.calibration.table import GroupCalibration
from howsure.errors import InputError
from howsure.figures.style import QUIET, dress, literal, literal_legend, look, new_figure, shortened_name, use_style
from howsure.figures.width import is_narrow
from howsure.result import Estimate

MAX_ROWS = 300
NAME_LENGTH, NARROW_NAME = 40, 18
ROW_HEIGHT = 0.19  # inches
Judged = CalibrationCurve | GroupCalibration


def error_figure(rows: Sequence[Judged], *, labels: Sequence[str] | None = None, title: str | None = None) -> Figure:
    """Return a figure of debiased calibration errors by group (`draw_errors`), with the largest at the top.

    rows: calibration curves, or the rows of a `CalibrationTable`. labels: names instead of their own.
    """
    with use_style():
        longest = max((len(_name(row, i)) for i, row in enumerate(rows)), default=0)
        width = 5.4 + 0.055 * min(longest, NAME_LENGTH)
        height = 0.9 + (0.3 if title else 0.0) + ROW_HEIGHT * max(len(rows), 2)
        figure = new_figure(width, height, keep="height")
        draw_errors(rows, ax=figure.add_subplot(), labels=labels)
        if title is not None:
            literal(figure.axes[0].set_title(""), title)
    return figure


def draw_errors(rows: Sequence[Judged], *, ax: Axes, labels: Sequence[str] | None = None) -> Axes:
    """Draw each row's debiased error as a dot with its interval, sorted, with the number of pairs at the right."""
    if not 0 < len(rows) <= MAX_ROWS:
        raise InputError(f"rows must contain 1 to {MAX_ROWS} groups; there are {len(rows):,}. Choose some.")
    if labels is not None and len(labels) != len(rows):
        raise InputError(f"labels must name every row; there are {len(labels)} labels for {len(rows)} rows.")
    names = [_name(row, i) for i, row in enumerate(rows)] if labels is None else list(labels)
    order = sorted(range(len(rows)), key=lambda i: _rank(rows[i].error))
    dress(ax, grid="x")
    limit = NAME_LENGTH if not is_narrow() else NARROW_NAME
    ax.set_yticks(range(len(rows)), [shortened_name(names[i], limit) for i in order])
    ax.xaxis.set_major_locator(MaxNLocator(4 if is_narrow() else 6))
    for tick in ax.get_yticklabels():
        tick.set_parse_math(False)
    for place, i in enumerate(order):
        _draw_row(ax, place, rows[i])
    ax.set(ylim=(len(rows) - 0.4, -0.6))
    ax.set_xlim(left=0.0)
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(f"calibration error [{100 * rows[0].error.level:g}% interval]")
    return ax


def _name(row: Judged, i: int) -> str:
    return f"group {i + 1}" if row.name is None else row.name


def _rank(error: Estimate) -> tuple[bool, float]:
    """Sort key: the largest first, undefined values last."""
    undefined = math.isnan(error.value)
    return undefined, 0.0 if undefined else -error.value


def _draw_row(ax: Axes, place: int, row: Judged) -> None:
    error, style = row.error, look(0)
    margin = ax.get_yaxis_transform()
    ax.text(1.02, place, f"n = {row.n:,}", transform=margin, fontsize=7, color=QUIET, va="center")
    if math.isnan(error.value):
        ax.text(0.01, place, "undefined", transform=margin, fontsize=7, color=QUIET, fontstyle="italic", va="center")
        return
    if error.low is not None and error.high is not None:
        ax.hlines(place, error.low, error.high, color=style.colour, linewidth=1.6, alpha=0.55, zorder=2)
    ax.plot([error.value], [place], style.marker, color=style.colour, markersize=4.5, markeredgecolor="white", zorder=3)


CONDITIONS_LENGTH, CONDITION_LENGTH = 52, 26
CONDITIONS_HEIGHT, NARROW_ROW = 0.24, 0.34  # inches


def groups_figure(miscalibrated_groups: MiscalibratedGroups) -> Figure:
    """Return a figure of the miscalibrated groups (`draw_groups`)."""
    with use_style():
        longest = max((len(row.name) for row in miscalibrated_groups.rows), default=0)
        width = 4.6 + 0.06 * min(longest, CONDITIONS_LENGTH)
        row = NARROW_ROW if is_narrow() else CONDITIONS_HEIGHT
        figure = new_figure(width, 1.3 + row * (1 + len(miscalibrated_groups.rows)), keep="height")
        draw_groups(miscalibrated_groups, ax=figure.add_subplot())
    return figure


def draw_groups(miscalibrated_groups: MiscalibratedGroups, *, ax: Axes) -> Axes:
    """Draw the gap of each group with its simultaneous interval, and the gap of all rows with the same predictions.

    The first row of the figure shows all data together.
    """
    dress(ax, grid="x")
    narrow = is_narrow()
    names = ["all rows", *(_conditions(row, narrow) for row in miscalibrated_groups.rows)]
    group, whole = look(1), look(0)
    ax.axvline(0.0, color=QUIET, linewidth=0.9, zorder=1)
    (all_rows,) = ax.plot(
        [miscalibrated_groups.whole.gap], [0], whole.marker, color=whole.colour, markersize=5, linestyle="none"
    )
    handles, labels = [all_rows], ["all rows"]
    for place, row in enumerate(miscalibrated_groups.rows, start=1):
        low, high = ((0.0 if end is None else end) + row.whole_gap for end in (row.excess.low, row.excess.high))
        ax.hlines(place, low, high, color=group.colour, linewidth=1.6, alpha=0.55, zorder=2)
        (dot,) = ax.plot(
            [row.gap],
            [place],
            group.marker,
            color=group.colour,
            markersize=5,
            markeredgecolor="white",
            zorder=3,
            linestyle="none",
        )
        handles = [*handles[:1], dot]
        labels = ["all rows", "group" if narrow else f"group [{100 * row.excess.level:g} %, all at once]"]
        if miscalibrated_groups.recipe["against"] == WHOLE:
            (same,) = ax.plot(
                [row.whole_gap], [place], "|", color=whole.colour, markersize=10, markeredgewidth=1.8, linestyle="none"
            )
            handles = [*handles, same]
            labels = [*labels, "the whole there" if narrow else "the whole at the same predictions"]
        ax.text(1.02, place, f"n = {row.n:,}", transform=ax.get_yaxis_transform(), fontsize=7, color=QUIET, va="center")
    ax.set_yticks(range(len(names)), names)
    for tick in ax.get_yticklabels():
        tick.set_parse_math(False)
    ax.set(ylim=(len(names) - 0.4, -0.6))
    ax.xaxis.set_major_locator(MaxNLocator(3 if narrow else 6))
    ax.tick_params(axis="y", length=0, labelsize=7 if narrow else 8)
    ax.spines["left"].set_visible(False)
    what = "mean prediction − frequency" if narrow else "mean prediction − observed frequency"
    ax.set_xlabel(what if narrow else f"{what} (right of 0: overconfident)", fontsize=7 if narrow else 8)
    literal_legend(
        ax,
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=1 if narrow else 3,
        handletextpad=0.3,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
    return ax


def _conditions(row: MiscalibratedGroup, narrow: bool) -> str:
    """The conditions of a group; in a narrow figure, one below another."""
    if not narrow:
        return shortened_name(row.name, CONDITIONS_LENGTH)
    return "\nand ".join(shortened_name(condition, CONDITION_LENGTH) for condition in row.conditions)
