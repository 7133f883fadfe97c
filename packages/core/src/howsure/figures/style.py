"""The style of all figures: readable without colour; the user's matplotlib settings remain unchanged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from howsure.figures.width import is_narrow, wanted_width
from howsure.result import Estimate
from howsure.show.table import interval, on_a_terminal

INK, QUIET, FAINT, GRID = "#1a1a1a", "#5f6368", "#b8bcc2", "#e4e6e9"
SETTINGS: Any = {
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 8,
    "text.color": INK,
    "text.parse_math": False,
    "text.usetex": False,
    "axes.labelcolor": INK,
    "axes.facecolor": "white",
    "figure.facecolor": "white",
}
NARROW: Any = {"axes.titlesize": 9, "axes.labelsize": 8, "font.size": 8, "legend.fontsize": 7}
SHOWING = ("axes", "figure", "font", "grid", "hatch", "legend", "lines", "path", "patch", "text", "xtick", "ytick")
_DEFAULTS: Any = {key: mpl.rcParamsDefault[key] for key in mpl.rcParamsDefault if key.partition(".")[0] in SHOWING}


@dataclass(frozen=True, slots=True)
class Look:
    """A colour, a marker and a dash pattern, each of which distinguishes a line from the others."""

    colour: str
    marker: str
    dashes: Any


# Okabe and Ito's colours without yellow, which is invisible on white, ordered so that neighbours differ in grey too.
LOOKS = (
    Look("#0072b2", "o", "-"),
    Look("#d55e00", "s", (0, (5, 1.5))),
    Look("#009e73", "^", (0, (1, 1))),
    Look("#222222", "D", (0, (5, 1, 1, 1))),
    Look("#56b4e9", "X", (0, (2, 2))),
    Look("#cc79a7", "v", (0, (8, 2))),
    Look("#8c6d46", "<", (0, (10, 1, 2, 1))),
    Look("#e69f00", "P", (0, (3, 1, 1, 1, 1, 1))),
)


def look(i: int) -> Look:
    """The look of the i-th line; looks repeat after eight."""
    return LOOKS[i % len(LOOKS)]


@contextmanager
def use_style(**more: Any) -> Iterator[None]:
    """A context with the settings of this style; the user's settings are restored afterwards."""
    with mpl.rc_context(_DEFAULTS | SETTINGS | (NARROW if is_narrow() else {}) | more):
        yield


def new_figure(width: float, height: float, *, constrained: bool = True, keep: str = "shape") -> Figure:
    """Return an empty figure that pyplot does not manage; width and height are in inches.

    constrained: use a layout that makes room for long names, which takes longer. keep: if `figure_width` sets another
    width, keep the "shape" or the "height".
    """
    target_width = wanted_width()
    if target_width is None:
        return Figure(figsize=(width, height), layout="constrained" if constrained else None)
    size = (target_width, height * target_width / width if keep == "shape" else height)
    return Figure(figsize=size, layout="constrained")


def parent_figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def dress(ax: Axes, *, grid: str | None = None) -> None:
    """Give axes two thin spines, short ticks, and faint grid lines along "x" or "y"."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(QUIET)
        spine.set_linewidth(0.8)
    ax.tick_params(which="both", color=QUIET, labelcolor=INK, width=0.8, length=3, direction="out")
    ax.tick_params(which="minor", length=0)
    ax.set_axisbelow(True)
    if grid is not None:
        ax.grid(visible=True, axis=grid, color=GRID, linewidth=0.7)  # type: ignore[arg-type]


def shortened_name(name: str, limit: int) -> str:
    """Return a name on one line without characters that cannot be drawn; a long name loses its middle."""
    name = on_a_terminal(" ".join(name.split()))
    if len(name) <= limit:
        return name
    head = (limit - 1) // 2
    return f"{name[:head]}…{name[len(name) - (limit - 1 - head) :]}"


def literal(text: Text, string: str) -> None:
    """Set a text verbatim: dollar signs do not start a formula, and characters missing in the font are escaped."""
    text.set_parse_math(False)
    text.set_text(on_a_terminal(string).replace("\t", " "))


def literal_legend(ax: Axes, handles: Sequence[Any], names: Sequence[str], **options: Any) -> Legend:
    """Draw a legend with verbatim names, in which underscores hide no entry and dollar signs start no formula."""
    legend = ax.legend(list(handles), [str(i) for i in range(len(names))], **{"frameon": False} | options)
    for text, name in zip(legend.get_texts(), names, strict=True):
        literal(text, name)
    return legend


def estimate_text(estimate: Estimate) -> str:
    """Format a value and its interval for a figure, with three decimals, or four if all are small."""
    if estimate.value != estimate.value:
        return "undefined"
    decimals = 4 if max(estimate.value, estimate.high or 0.0) < 0.01 else 3
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{decimals}f}"
    return f"{estimate.value:.{decimals}f} {interval(estimate.low, estimate.high, decimals)}"
