"""Names of points that stand close together."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from howsure_papers.figures.names import name_points
from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from howsure.figures.style import new_figure, styled

NEAR = [[(0.5 + 0.012 * np.cos(t), 0.5 + 0.02 * np.sin(t), f"0.00{i}") for i, t in enumerate(np.arange(4) * 1.6)]]
EDGES = [[(0.0, 0.0, "0.001"), (0.7, 0.88, "0.003"), (0.0, 1.0, "0.01"), (1.0, 0.0, "0.03")]]


def named(lines: list[list[tuple[float, float, str]]]) -> tuple[Axes, list[Bbox]]:
    with styled():
        ax = new_figure(5, 4).add_subplot()
        ax.set(xlim=(0, 1), ylim=(0, 1))
        ax.plot([], [], label="a line")
        ax.legend(loc="upper right")
        name_points(ax, lines, ["black"] * len(lines))
    ax.figure.draw_without_rendering()
    return ax, [text.get_window_extent() for text in ax.texts]


def test_names_keep_off_one_another_and_the_points() -> None:
    ax, boxes = named(NEAR)
    assert [text.get_text() for text in ax.texts] == ["0.000", "0.001", "0.002", "0.003"]
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    places = ax.transData.transform([(x, y) for x, y, _ in NEAR[0]])
    assert not any(box.count_contains(places) for box in boxes)


def test_names_stay_inside_and_off_the_legend() -> None:
    ax, boxes = named(EDGES)
    legend = ax.get_legend()
    assert legend is not None
    assert not any(box.overlaps(legend.get_window_extent()) for box in boxes)
    assert all(ax.bbox.contains(*corner) for box in boxes for corner in box.corners())


def test_a_dollar_sign_is_a_dollar_sign() -> None:
    ax, _ = named([[(0.5, 0.5, "$_")]])
    assert [(text.get_text(), text.get_parse_math()) for text in ax.texts] == [("$_", False)]
