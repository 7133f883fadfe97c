"""Calibration errors of many groups, one under another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from howsure.calibration.results import CalibrationCurve
from howsure.calibration.table import GroupCalibration
from howsure.errors import InputError
from howsure.figures.style import QUIET, dress, literal, look, new_figure, shortened_name, styled
from howsure.figures.width import is_narrow
from howsure.stats.estimate import Estimate

MOST_ROWS = 300
NAME_LENGTH, NARROW_NAME = 40, 18
ROW_HEIGHT = 0.19  # inches


Judged = CalibrationCurve | GroupCalibration


def error_figure(rows: Sequence[Judged], *, labels: Sequence[str] | None = None, title: str | None = None) -> Figure:
    """Debiased calibration errors with their intervals by group, the largest at the top, by `draw_errors`.

    rows: calibration curves, or the rows of a `CalibrationTable`. labels: names instead of their own.
    """
    with styled():
        longest = max((len(_name(row, i)) for i, row in enumerate(rows)), default=0)
        width = 5.4 + 0.055 * min(longest, NAME_LENGTH)
        height = 0.9 + (0.3 if title else 0.0) + ROW_HEIGHT * max(len(rows), 2)
        figure = new_figure(width, height, keep="height")
        draw_errors(rows, ax=figure.add_subplot(), labels=labels)
        if title is not None:
            literal(figure.axes[0].set_title(""), title)
    return figure


def draw_errors(rows: Sequence[Judged], *, ax: Axes, labels: Sequence[str] | None = None) -> Axes:
    """Draw each row's debiased error as a dot with its interval, sorted; to the right its number of pairs.

    Raises InputError if there is no row, more rows than can be read, or another number of labels than of rows.
    """
    if not 0 < len(rows) <= MOST_ROWS:
        raise InputError(f"rows must hold 1 to {MOST_ROWS} groups; there are {len(rows):,}. Choose some.")
    if labels is not None and len(labels) != len(rows):
        raise InputError(f"labels must name every row; there are {len(labels)} labels for {len(rows)} rows.")
    names = [_name(row, i) for i, row in enumerate(rows)] if labels is None else list(labels)
    order = sorted(range(len(rows)), key=lambda i: _rank(error_of(rows[i])))
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
    ax.set_xlabel(f"calibration error [{100 * error_of(rows[0]).level:g} % interval]")
    return ax


def error_of(row: Judged) -> Estimate:
    """The debiased error of a curve, or of a row of a `CalibrationTable`."""
    return row.error if isinstance(row, GroupCalibration) else row.debiased_error


def _name(row: Judged, i: int) -> str:
    return f"group {i + 1}" if row.name is None else row.name


def _rank(error: Estimate) -> tuple[bool, float]:
    """The largest first, what is undefined last."""
    undefined = math.isnan(error.value)
    return undefined, 0.0 if undefined else -error.value


def _draw_row(ax: Axes, place: int, row: Judged) -> None:
    error, how = error_of(row), look(0)
    margin = ax.get_yaxis_transform()
    ax.text(1.02, place, f"n = {row.n:,}", transform=margin, fontsize=7, color=QUIET, va="center")
    if math.isnan(error.value):
        ax.text(0.01, place, "undefined", transform=margin, fontsize=7, color=QUIET, fontstyle="italic", va="center")
        return
    if error.low is not None and error.high is not None:
        ax.hlines(place, error.low, error.high, color=how.colour, linewidth=1.6, alpha=0.55, zorder=2)
    ax.plot([error.value], [place], how.marker, color=how.colour, markersize=4.5, markeredgecolor="white", zorder=3)
