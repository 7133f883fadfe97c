"""Figure of differences between models and a baseline, one panel per metric."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from howsure.errors import InputError
from howsure.figures.files import inline_svg
from howsure.figures.style import FAINT, QUIET, dress, literal, look, new_figure, shortened_name, use_style
from howsure.figures.width import is_narrow
from howsure.show.table import p_in_words
from howsure.significance.results import Comparison, Difference, GroupDifference

CAPTION = "Differences from the baseline with their intervals. A filled dot: the adjusted p is at most .05."
COLUMNS, TICKS = 2, 6
ALL = "all items"
SPELT = {
    "f1": "F1",
    "mcc": "MCC",
    "multiclass": "multi-class",
    "brier": "Brier score",
    "jensen shannon": "Jensen–Shannon",
}
NAME_LENGTH, NARROW_NAME = 36, 16
ROW_HEIGHT, TICK_WIDTH = 0.24, 0.5  # inches
MAX_ROWS = 60


def difference_figure(rows: Sequence[Difference]) -> Figure:
    """Return a figure of each model's difference from the baseline, one panel per metric (`draw_differences`)."""
    metrics = list(dict.fromkeys(row.metric for row in rows))
    models = list(dict.fromkeys(_names(rows)))
    columns = min(1 if is_narrow() else COLUMNS, len(metrics))
    lines = math.ceil(len(metrics) / columns)
    with use_style():
        longest = min(max(map(len, models)), NAME_LENGTH)
        height = lines * (0.95 + ROW_HEIGHT * max(len(models), 2))
        figure = new_figure(0.6 + 0.06 * longest + 3.4 * columns, height, keep="height")
        for place, metric in enumerate(metrics):
            ax = figure.add_subplot(lines, columns, place + 1)
            draw_differences([row for row in rows if row.metric == metric], ax=ax, named=place % columns == 0)
    return figure


def difference_svg(result: Comparison) -> str:
    """Return the figure of a comparison as an <svg> element for an HTML page."""
    prefix = "d" + hashlib.sha256(repr(result).encode()).hexdigest()[:8]
    return inline_svg(difference_figure(result.drawn), prefix=prefix, description=CAPTION)


def draw_differences(rows: Sequence[Difference], *, ax: Axes, named: bool = True) -> Axes:
    """Draw one metric: a dot for each difference with its interval, filled if the adjusted p is at most 0.05."""
    if not 0 < len(rows) <= MAX_ROWS:
        raise InputError(f"rows must contain 1 to {MAX_ROWS} models; there are {len(rows):,}. Choose some.")
    if len({row.metric for row in rows}) > 1:
        raise InputError("rows must be of one metric; draw one panel for each.")
    dress(ax, grid="x")
    names = [shortened_name(name, NARROW_NAME if is_narrow() else NAME_LENGTH) for name in _names(rows)]
    ax.set_yticks(range(len(rows)), names if named else [""] * len(rows))
    for tick in ax.get_yticklabels():
        tick.set_parse_math(False)
    ax.xaxis.set_major_locator(MaxNLocator(_ticks(ax, names)))
    ax.axvline(0.0, color=FAINT, linewidth=1.0, zorder=1)
    for place, row in enumerate(rows):
        _draw_row(ax, place, row)
    ax.set(ylim=(len(rows) - 0.4, -0.6))
    ax.tick_params(axis="y", length=0, labelsize=8)
    ax.spines["left"].set_visible(False)
    better = "higher is better" if rows[0].higher_is_better else "lower is better"
    literal(ax.set_title(""), metric_words(rows[0].metric))
    of = "" if len({row.against for row in rows}) > 1 else f" from {shortened_name(rows[0].against, 24)}"
    literal(ax.set_xlabel(""), f"difference{of} ({better})")
    return ax


def _names(rows: Sequence[Difference]) -> list[str]:
    """Return the name of each row: the model, its baseline if there are several, and its group if there are groups."""
    several = len({row.against for row in rows}) > 1
    models = [f"{row.model} − {row.against}" if several else row.model for row in rows]
    if not any(isinstance(row, GroupDifference) for row in rows):
        return models
    groups = [row.group if isinstance(row, GroupDifference) else ALL for row in rows]
    is_single_model = len(set(models)) == 1
    return groups if is_single_model else [f"{group}: {model}" for group, model in zip(groups, models, strict=True)]


def _ticks(ax: Axes, names: Sequence[str]) -> int:
    """Return the number of ticks that fit into a panel, given the width of the models' names."""
    place, figure = ax.get_subplotspec(), ax.get_figure(root=True)
    if place is None or figure is None:
        return TICKS
    panels = figure.get_figwidth() - 0.065 * max(map(len, names), default=0)
    return max(2, min(TICKS, int((panels / place.get_gridspec().ncols - 0.8) / TICK_WIDTH)))


def metric_words(metric: str) -> str:
    """Return the name of a metric in words.

    >>> metric_words("macro_f1"), metric_words("multiclass_brier"), metric_words("jensen_shannon_divergence")
    ('macro F1', 'multi-class Brier score', 'Jensen–Shannon divergence')
    """
    words = metric.replace("_", " ")
    for name, spelt in SPELT.items():
        words = re.sub(rf"\b{name}\b", spelt, words)
    return words


def _draw_row(ax: Axes, place: int, row: Difference) -> None:
    style = look(0)
    margin = ax.get_yaxis_transform()
    ax.text(1.02, place, p_in_words(row.p_adjusted), transform=margin, fontsize=7, color=QUIET, va="center")
    if not math.isfinite(row.difference):
        return
    if not math.isnan(row.low):
        ax.hlines(place, row.low, row.high, color=style.colour, linewidth=1.6, alpha=0.55, zorder=2)
    inside = style.colour if row.p_adjusted <= 0.05 else "white"
    ax.plot([row.difference], [place], style.marker, color=style.colour, markerfacecolor=inside, markersize=5, zorder=3)
