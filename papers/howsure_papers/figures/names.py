"""Names of points, each on the side of its point where it covers the least."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from howsure.figures.style import literal
from howsure.inputs.pairs import Floats

NEAR, FAR = 8.0, 15.0  # points from the middle of the marker
SIDES = ((1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1), (0, 1), (0, -1))
ACROSS, UP = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
STEP = 4.0  # pixels between the places of a line that a name should leave free
NAME, MARKER, LINE, DISTANT = 100.0, 20.0, 1.0, 3.0  # what it costs to cover one, or to stand far from the point


def name_points(ax: Axes, lines: Sequence[Sequence[tuple[float, float, str]]], colours: Sequence[str]) -> None:
    """Write a name beside each point (x, y, name) of the lines, in the colour of its line.

    The axes must have their limits and their legend; names keep off markers, lines, the legend and one another.
    """
    if ax.figure is not None:
        ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    pixels = [ax.transData.transform([(x, y) for x, y, _ in line]) for line in lines]
    markers, drawn = np.concatenate(pixels), np.concatenate([_along(one) for one in pixels])
    legend = ax.get_legend()
    taken = [] if legend is None else [legend.get_window_extent()]
    for line, colour in zip(lines, colours, strict=True):
        for x, y, text in line:
            name = ax.annotate("", (x, y), (0, 0), textcoords="offset points", fontsize=7, color=colour, zorder=4)
            literal(name, text)
            taken.append(_settle(name, taken, markers, drawn, ax.bbox))


def _settle(name: Annotation, taken: Sequence[Bbox], markers: Floats, drawn: Floats, within: Bbox) -> Bbox:
    """Move a name to its cheapest place; the first of several."""
    costs = {}
    for far, distance in enumerate((NEAR, FAR)):
        for side in SIDES:
            box = _move(name, side, distance).padded(1.0)
            outside = not (within.x0 <= box.x0 and box.x1 <= within.x1 and within.y0 <= box.y0 and box.y1 <= within.y1)
            covered = outside + sum(box.overlaps(other) for other in taken)
            inside = _count(box.padded(3.0), markers), _count(box, drawn)
            costs[side, distance] = NAME * covered + MARKER * inside[0] + LINE * inside[1] + DISTANT * far
    return _move(name, *min(costs, key=lambda place: costs[place]))


def _move(name: Annotation, side: tuple[int, int], distance: float) -> Bbox:
    across, up = side
    share = distance * (0.7 if across and up else 1.0)
    name.set(position=(across * share, up * share), ha=ACROSS[across], va=UP[up])
    return name.get_window_extent()


def _count(box: Bbox, places: Floats) -> int:
    return int(box.count_contains(places))


def _along(points: Floats) -> Floats:
    """Places on the straight lines from each point to the next."""
    parts = [np.linspace(a, b, max(2, int(np.hypot(*(b - a)) / STEP))) for a, b in pairwise(points)]
    return np.concatenate([points[:1], *parts])
