"""Groups that are worse calibrated than the whole, one under another."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from howsure.calibration.subgroups.residuals import WHOLE
from howsure.calibration.subgroups.results import FoundGroups, MiscalibratedGroup
from howsure.figures.style import QUIET, dress, literal_legend, look, new_figure, shortened_name, styled
from howsure.figures.width import is_narrow

NAME_LENGTH, NARROW_NAME = 52, 26
ROW_HEIGHT, NARROW_ROW = 0.24, 0.34  # inches


def groups_figure(found: FoundGroups) -> Figure:
    """The groups found, by `draw_groups`."""
    with styled():
        longest = max((len(row.name) for row in found.rows), default=0)
        width = 4.6 + 0.06 * min(longest, NAME_LENGTH)
        row = NARROW_ROW if is_narrow() else ROW_HEIGHT
        figure = new_figure(width, 1.3 + row * (1 + len(found.rows)), keep="height")
        draw_groups(found, ax=figure.add_subplot())
    return figure


def draw_groups(found: FoundGroups, *, ax: Axes) -> Axes:
    """Draw the gap of each group with its simultaneous interval, beside the gap of the whole at the same predictions;
    the whole stands in the first row."""
    dress(ax, grid="x")
    narrow = is_narrow()
    names = ["all rows", *(_name(row, narrow) for row in found.rows)]
    group, whole = look(1), look(0)
    ax.axvline(0.0, color=QUIET, linewidth=0.9, zorder=1)
    (all_rows,) = ax.plot([found.whole.gap], [0], whole.marker, color=whole.colour, markersize=5, linestyle="none")
    handles, said = [all_rows], ["all rows"]
    for place, row in enumerate(found.rows, start=1):
        low, high = ((0.0 if end is None else end) + row.whole_gap for end in (row.excess.low, row.excess.high))
        ax.hlines(place, low, high, color=group.colour, linewidth=1.6, alpha=0.55, zorder=2)
        (dot,) = ax.plot(
            [row.gap], [place], group.marker, color=group.colour, markersize=5, markeredgecolor="white", zorder=3,
            linestyle="none",
        )  # fmt: skip
        handles, said = (
            [*handles[:1], dot],
            ["all rows", "group" if narrow else f"group [{100 * row.excess.level:g} %, all at once]"],
        )
        if found.recipe["against"] == WHOLE:
            (same,) = ax.plot(
                [row.whole_gap], [place], "|", color=whole.colour, markersize=10, markeredgewidth=1.8, linestyle="none"
            )
            handles, said = (
                [*handles, same],
                [*said, "the whole there" if narrow else "the whole at the same predictions"],
            )
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
    literal_legend(ax, handles, said, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=1 if narrow else 3,
                   handletextpad=0.3, columnspacing=1.0, borderaxespad=0.2)  # fmt: skip
    return ax


def _name(row: MiscalibratedGroup, narrow: bool) -> str:
    """The conditions of a group, in a narrow figure one under another."""
    if not narrow:
        return shortened_name(row.name, NAME_LENGTH)
    return "\nand ".join(shortened_name(condition, NARROW_NAME) for condition in row.conditions)
