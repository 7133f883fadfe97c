"""Estimated counts of cells with their intervals, with domains side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from howsure.errors import InputError
from howsure.figures.style import dress, literal, literal_legend, look, new_figure, shortened_name, use_style

if TYPE_CHECKING:
    from howsure.counts.results import CountEstimates

MAX_CELLS = 400
MAX_DOMAINS = 8
MAX_NAMED = 24  # labels along the axis
NAME_LENGTH = 14
FEW_NAMES = 8  # labels that fit without being rotated
WIDTH, MARGIN, MIN_ROOM, CHARACTER, LEGEND_ENTRY = 7.0, 0.9, 0.26, 0.08, 1.3  # inches
ROOM = 0.7  # part of the distance between two neighbouring cells in which the domains are drawn side by side


def is_drawn(counts: CountEstimates) -> bool:
    """Return whether the cells are few enough for a figure."""
    return len(counts) <= MAX_CELLS and len({row.group[:-1] for row in counts}) <= MAX_DOMAINS


def draw_counts(counts: CountEstimates, *, ax: Axes | None = None) -> Axes:
    """Draw a point with its interval for each cell; x: the last group column, colour and marker: the domain.

    A count of 0 has no point if no label is positive but its interval extends above 0.
    """
    rows = counts.rows
    domains = list(dict.fromkeys(row.group[:-1] for row in rows))
    if not is_drawn(counts):
        raise InputError(
            f"a figure shows at most {MAX_CELLS} groups of {MAX_DOMAINS} domains; there are {len(rows):,} of "
            f"{len(domains):,}. Count by longer periods, or fewer domains at a time."
        )
    if ax is None:
        with use_style():
            ax = new_figure(7.0, 3.0, keep="height").subplots()
    dress(ax, grid="y")
    names = list(dict.fromkeys(row.group[-1] if row.group else "all" for row in rows))
    for k, domain in enumerate(domains):
        shift = (k - (len(domains) - 1) / 2) * ROOM / max(len(domains), 1)
        mine = [
            row
            for row in rows
            if row.group[:-1] == domain and (counts.readings is not None or not math.isnan(row.estimate))
        ]
        x = np.array([names.index(row.group[-1] if row.group else "all") + shift for row in mine])
        style = look(k)
        ends = np.array([(row.low, row.estimate, row.high) for row in mine]).reshape(-1, 3).T
        if counts.in_shares:
            ends = ends / [row.n for row in mine]
        ax.vlines(x, ends[0], ends[2], color=style.colour, linewidth=1.6, alpha=0.55)
        ends[1, [row.is_interval_only for row in mine]] = np.nan
        ax.plot(x, ends[1], style.marker, color=style.colour, markersize=4, linestyle="none")
    figure = ax.get_figure(root=True)
    room = (WIDTH if figure is None else figure.get_figwidth()) - MARGIN
    step = -(-len(names) // max(2, min(MAX_NAMED, int(room / MIN_ROOM))))
    shown = [shortened_name(name, NAME_LENGTH) for name in names[::step]]
    turned = len(shown) > FEW_NAMES or CHARACTER * max(map(len, shown)) > room / len(shown)
    ax.set_xticks(range(0, len(names), step), shown)
    for label in ax.get_xticklabels():
        label.set_parse_math(False)
        label.set(rotation=30 if turned else 0, horizontalalignment="right" if turned else "center")
    ax.set_ylim(bottom=0)
    literal(ax.set_ylabel(""), "share" if counts.in_shares else "count")
    literal(ax.set_xlabel(""), counts.keys[-1] if counts.keys else "")
    if len(domains) > 1:
        looks = [look(k) for k in range(len(domains))]
        handles = [Line2D([], [], color=style.colour, marker=style.marker, linestyle="none") for style in looks]
        names_of_domains = [shortened_name(", ".join(domain), NAME_LENGTH) for domain in domains]
        columns = max(1, min(len(domains), int(room / LEGEND_ENTRY)))
        above = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2, "ncols": columns}
        literal_legend(ax, handles, names_of_domains, fontsize=8, **above)
    return ax
