"""Items of a benchmark: discrimination against mean score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from howsure.errors import InputError
from howsure.figures.style import INK, QUIET, dress, literal, look, new_figure, styled

if TYPE_CHECKING:
    from howsure.scores.item_results import BenchmarkItems

WIDTH, HEIGHT = 5.0, 3.4  # inches


def draw_items(items: BenchmarkItems, *, ax: Axes | None = None) -> Axes:
    """Draw a point for each item that is not dead, those that contradict the rest as squares.

    Raises InputError if no item has a discrimination.
    """
    rows = [row for row in items.rows if row.discrimination is not None]
    if not rows:
        raise InputError("no item has a discrimination: there are too few models, or all items are dead.")
    with styled():
        axes = new_figure(WIDTH, HEIGHT).subplots() if ax is None else ax
        axes.axhline(0.0, color=INK, linewidth=0.8)
        for contradicts, marker, colour, size in ((False, "o", QUIET, 2.5), (True, "s", look(1).colour, 4.5)):
            points = [(row.mean, row.discrimination) for row in rows if row.contradicts == contradicts]
            if points:
                label = "contradicts the rest" if contradicts else "other items"
                axes.plot(*zip(*points, strict=True), marker, color=colour, markersize=size, alpha=0.7, label=label)
        if any(row.contradicts for row in rows):
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        literal(axes.set_xlabel(""), f"mean {items.score} over models")
        axes.set_ylabel("discrimination")
        dress(axes, grid="y")
    return axes
