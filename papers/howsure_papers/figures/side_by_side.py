"""Calibration errors of several models side by side: one column per label, one marker with an interval per model."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.errors import InputError
from howsure.figures.style import QUIET, dress, literal, literal_legend, look, new_figure, shortened_name, styled
from howsure.stats.estimate import Estimate

COLUMN = 0.17  # inches
SPREAD = 0.36  # of a column, over which its markers stand
NAME_LENGTH = 16

Model = tuple[str, Sequence[Estimate]]


def side_by_side_figure(
    labels: Sequence[str], models: Sequence[Model], *, averages: int = 0, y_label: str, title: str | None = None
) -> Figure:
    """A figure of the models' estimates by label, by `draw_side_by_side`."""
    with styled():
        figure = new_figure(max(4.2, 1.1 + COLUMN * len(labels)), 3.0 + (0.3 if title else 0.0))
        axes = draw_side_by_side(labels, models, averages=averages, y_label=y_label, ax=figure.add_subplot())
        if title is not None:
            literal(axes.set_title(""), title)
    return figure


def draw_side_by_side(
    labels: Sequence[str], models: Sequence[Model], *, averages: int = 0, y_label: str, ax: Axes
) -> Axes:
    """Draw each model's estimate of each label as a marker with its interval; undefined ones are left out.

    labels: one per column. models: (name, estimates in the order of the labels). averages: how many of the last columns
    are averages, which stand apart.

    Raises InputError if there is no label or no model, or a model with another number of estimates than of labels.
    """
    if not labels or not models:
        raise InputError("labels and models must hold at least one each; one of them is empty.")
    for name, estimates in models:
        if len(estimates) != len(labels):
            raise InputError(
                f"every model must have an estimate a label; {name} has {len(estimates)} of {len(labels)}."
            )
    dress(ax, grid="y")
    places = np.arange(len(labels), dtype=np.float64)
    places[len(labels) - averages :] += 0.6
    shifts = np.linspace(-SPREAD / 2, SPREAD / 2, len(models)) if len(models) > 1 else np.zeros(1)
    handles = []
    for i, ((_, estimates), shift) in enumerate(zip(models, shifts, strict=True)):
        how, x, y = look(i), places + shift, np.array([one.value for one in estimates])
        low, high = (np.array([_end(one, end) for one in estimates]) for end in ("low", "high"))
        ax.vlines(x, low, high, color=how.colour, linewidth=1.1, alpha=0.5, zorder=2)
        (line,) = ax.plot(x, y, how.marker, color=how.colour, markersize=4, markeredgecolor="white", zorder=3)
        line.set_markeredgewidth(0.4)
        handles.append(line)
    if averages:
        edge = (places[-averages - 1] + places[-averages]) / 2
        ax.axvline(edge, color=QUIET, linewidth=0.8, linestyle=(0, (2, 2)), zorder=1)
    ax.set_xticks(places, [shortened_name(label, NAME_LENGTH) for label in labels], rotation=90, fontsize=7)
    for tick in ax.get_xticklabels():
        tick.set_parse_math(False)
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(places[0] - 0.7, places[-1] + 0.7)
    ax.set_ylim(bottom=0.0)
    literal_legend(
        ax, handles, [name for name, _ in models], ncols=len(models), loc="lower left", bbox_to_anchor=(0, 1)
    )
    literal(ax.yaxis.label, y_label)
    return ax


def _end(estimate: Estimate, end: str) -> float:
    value: float | None = getattr(estimate, end)
    return math.nan if value is None else value
