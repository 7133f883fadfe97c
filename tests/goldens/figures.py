"""The content of a figure in numbers and words: its lines, points, bars and texts, without their position in pixels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

FEW = 8


def figure_lines(figure: Figure) -> list[str]:
    """Return a line for each element that is drawn."""
    lines = [f"figure: {text.get_text()}" for text in figure.texts if text.get_text()]
    for number, axes in enumerate(figure.axes, 1):
        lines += [f"panel {number} {line}" for line in _axes(axes)]
    return lines


def _axes(axes: Axes) -> Iterator[str]:
    words = (axes.get_title(), axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel())
    yield f"called {' | '.join(word for word in words if word)}"
    yield f"from x {_few(axes.get_xlim())} y {_few(axes.get_ylim())}"
    if (legend := axes.get_legend()) is not None:
        yield f"legend {' | '.join(text.get_text() for text in legend.get_texts())}"
    for line in axes.lines:
        yield f"line of {len(line.get_xydata())}: x {_few(line.get_xdata())} y {_few(line.get_ydata())}"
    for collection in axes.collections:
        offsets = np.asarray(collection.get_offsets(), dtype=float)
        paths = collection.get_paths()
        corners = np.concatenate([path.vertices for path in paths]) if paths else np.empty((0, 2))
        yield (
            f"{type(collection).__name__} of {len(offsets)} and {len(paths)}: "
            f"x {_few(offsets[:, 0])} y {_few(offsets[:, 1])} "
            f"corners x {_few(corners[:, 0])} y {_few(corners[:, 1])}"
        )
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    if bars:
        yield f"bars {len(bars)}: x {_few([bar.get_x() for bar in bars])} y {_few([bar.get_y() for bar in bars])} " + (
            f"width {_few([bar.get_width() for bar in bars])} height {_few([bar.get_height() for bar in bars])}"
        )
    for text in axes.texts:
        if text.get_text():
            yield f"says {text.get_text()!r}"


def _few(values: Any) -> str:
    """Return at most eight of the numbers, evenly spaced, with ten digits."""
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        return f"[{' '.join(map(str, array.ravel()[:FEW]))}]"
    flat = array.astype(float).ravel()
    places = np.unique(np.linspace(0, len(flat) - 1, min(len(flat), FEW)).round().astype(int)) if len(flat) else []
    return f"[{' '.join(f'{flat[place]:.10g}' for place in places)}]"
