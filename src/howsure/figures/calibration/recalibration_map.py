"""What a recalibration map does to a probability: q' against q."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from howsure.figures.style import FAINT, QUIET, dress, literal_legend, look, new_figure, shortened_name, styled
from howsure.recalibration.scores import Scores, binary_of, classes_of

if TYPE_CHECKING:
    from howsure.inputs.pairs import Floats
    from howsure.recalibration.results import RecalibrationMap

POINTS = 400
ENDS = 1e-4  # how near to 0 and 1 it is drawn
MOST_CURVES = 8
NAME_LENGTH = 32


def map_figure(found: RecalibrationMap) -> Figure:
    """A figure of `draw_map`."""
    with styled():
        figure = new_figure(4.2, 4.2)
        draw_map(found, ax=figure.subplots())
    return figure


def draw_map(found: RecalibrationMap, *, ax: Axes | None = None) -> Axes:
    """Draw what becomes of each probability, on matplotlib axes (new ones if None): a curve per group, or per class,
    at most 8.

    Of several classes, each curve shows one of them while the others share the rest equally. Of Venn–Abers, a band
    shows both probabilities.
    """
    with styled():
        ax = new_figure(4.2, 4.2).subplots() if ax is None else ax
        q = np.sort(np.concatenate([np.linspace(ENDS, 1 - ENDS, POINTS), *_corners(found)]))
        lines: list[Line2D] = []
        curves = _curves(found, q)
        ax.plot([0, 1], [0, 1], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        for place, (_, after) in enumerate(curves):
            held = look(place)
            lines += ax.plot(q, after, color=held.colour, linestyle=held.dashes, linewidth=1.6, zorder=3)
        if found.method == "venn-abers" and not found.groups:
            low, high = found.interval(q)
            ax.fill_between(q, low, high, color=FAINT, alpha=0.6, linewidth=0, zorder=2)
        ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="Probability", ylabel="Recalibrated probability")
        ax.set_aspect("equal")
        dress(ax)
        if found.groups or found.classes:
            literal_legend(ax, lines, [name for name, _ in curves], loc="upper left")
    return ax


def _curves(found: RecalibrationMap, q: Floats) -> list[tuple[str, Floats]]:
    if found.classes:
        return [
            (shortened_name(name, NAME_LENGTH), _applied(found, _of_class(found, q, place))[:, place])
            for place, name in list(enumerate(found.classes))[:MOST_CURVES]
        ]
    scores = binary_of(q, floor=found.floor)
    if not found.groups:
        return [("", _applied(found, scores))]
    rows = np.zeros(len(q), dtype=np.int64)
    return [
        (shortened_name(name, NAME_LENGTH), found.apply_rows(scores, rows, (name,)))
        for name in found.groups[:MOST_CURVES]
    ]


def _applied(found: RecalibrationMap, scores: Scores) -> Floats:
    """By the map, or by that of its first group."""
    names = found.groups[:1]
    return found.apply_rows(scores, np.zeros(len(scores), dtype=np.int64) if names else None, names)


def _of_class(found: RecalibrationMap, q: Floats, place: int) -> Scores:
    """Rows in which one class has the probability q, and the others share the rest."""
    k = len(found.classes)
    matrix = np.repeat((1 - q)[:, None] / (k - 1), k, axis=1)
    matrix[:, place] = q
    return classes_of(matrix, floor=found.floor)


def _corners(found: RecalibrationMap) -> list[Floats]:
    """Where a map has steps, both sides of them."""
    held = [one.parameters() for one in found.fitted.maps]
    steps = [np.array(one[name]) for one in held for name in ("edges", "from", "upto", "x") if name in one]
    return [side for step in steps for side in (np.clip(step - 1e-9, 0, 1), step)]
