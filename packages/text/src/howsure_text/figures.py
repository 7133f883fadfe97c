"""Figures of the probabilities that two mentions corefer: a matrix of all pairs with framed entities."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from howsure.errors import InputError
from howsure.figures.style import INK, QUIET, literal, new_figure, shortened_name, use_style
from howsure.inputs.pairs import Floats

MAX_NAMED_MENTIONS = 60  # number of mentions up to which words are shown
NAME_LENGTH = 28
CELL = 0.17  # inches


def pair_figure(
    together: Floats, names: Sequence[str], *, entities: Sequence[object], title: str | None = None
) -> Figure:
    """Return a figure of pair probabilities; see `draw_pairs`."""
    n = len(names)
    side = min(max(CELL * n, 2.4), 9.0)
    named = 1.9 if n <= MAX_NAMED_MENTIONS else 0.5
    with use_style():
        figure = new_figure(side + named + 0.9, side + named)
        axes = draw_pairs(together, names, entities=entities, ax=figure.add_subplot())
        bar = figure.colorbar(axes.images[0], ax=axes, shrink=0.6, aspect=30, pad=0.02)
        bar.set_label("probability of one entity")
        bar.outline.set_visible(False)
        if title is not None:
            literal(axes.set_title(""), title)
    return figure


def draw_pairs(together: Floats, names: Sequence[str], *, entities: Sequence[object], ax: Axes) -> Axes:
    """Draw pair probabilities P(i ~ j), (M, M), as a matrix; darker cells are more probable.

    names: the words of each mention, which are shown for up to 60 mentions. entities: a label for each mention;
    consecutive mentions with the same label are framed together.
    """
    n = len(names)
    if together.shape != (n, n) or len(entities) != n or n == 0:
        raise InputError(
            f"together must be (M, M) with a name and an entity for each of M mentions; it is {together.shape}, with "
            f"{n} names and {len(entities)} entities."
        )
    ax.imshow(together, cmap="Blues", vmin=0.0, vmax=1.0, interpolation="nearest", aspect="equal")
    start = 0
    for _, group in groupby(entities):
        size = len(list(group))
        if size > 1:
            ax.add_patch(
                Rectangle((start - 0.5, start - 0.5), size, size, fill=False, edgecolor=INK, linewidth=0.9, zorder=3)
            )
        start += size
    for spine in ax.spines.values():
        spine.set_color(QUIET)
        spine.set_linewidth(0.6)
    if n > MAX_NAMED_MENTIONS:
        ax.set_xticks([])
        ax.set_yticks([])
        ax.set_xlabel(f"{n:,} mentions")
        return ax
    shown = [shortened_name(name, NAME_LENGTH) for name in names]
    ax.set_xticks(np.arange(n), shown, rotation=90, fontsize=7)
    ax.set_yticks(np.arange(n), shown, fontsize=7)
    for tick in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        tick.set_parse_math(False)
    ax.tick_params(length=0)
    return ax
