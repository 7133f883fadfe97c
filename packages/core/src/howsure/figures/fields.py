"""Figure of filing: the proportion of a field's values that is filed, and the proportion of these that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from howsure.errors import InputError
from howsure.figures.curves import grid_width
from howsure.figures.style import (
    FAINT,
    QUIET,
    dress,
    literal,
    literal_legend,
    look,
    new_figure,
    parent_figure,
    shortened_name,
    use_style,
)
from howsure.figures.width import is_narrow, wanted_width

if TYPE_CHECKING:
    from howsure.fields.field_results import FieldTable, FilingCurve

MAX_CURVES = 8
MAX_IN_ONE = 2  # more curves overlap, so that each field gets a panel
MAX_PANELS = 12
NAME_LENGTH = 32
PANEL_NAME_LENGTH = 22
WIDTH, PANEL_HEIGHT, EDGES = 6.4, 1.6, 0.75  # inches
MIN_WHOLE_PERCENT = 0.03  # ticks are whole percents if the highest proportion is at least this
MIN_COVERAGE = 0.05  # lower coverages are not drawn, because they are based on few values
FILED, WRONG = "share of values filed, the most confident first", "share of filed values that is wrong"


def draw_filing(table: FieldTable, *, ax: Axes | None = None) -> Axes:
    """Draw the curves of the fields with confidences, at most 8, those with the most values first."""
    curves = _curves(table)[:MAX_CURVES]
    with use_style():
        axes = new_figure(5.4, 3.8).subplots() if ax is None else ax
        handles = [
            _draw(axes, curve, color=look(place).colour, linestyle=look(place).dashes)
            for place, curve in enumerate(curves)
        ]
        labels = [shortened_name(curve.field, NAME_LENGTH) for curve in curves]
        limit = _finish(axes, table, curves)
        if limit is not None:
            handles.append(limit)
            labels.append(_limit_name(table))
        literal(axes.set_xlabel(""), FILED)
        literal(axes.set_ylabel(""), WRONG)
        literal_legend(axes, handles, labels, loc="upper left", frameon=True, framealpha=0.9, edgecolor="none")
    return axes


def filing_figure(table: FieldTable) -> Figure:
    """Draw one or two fields in one panel, and more in a panel each, with the curves of the others in grey."""
    curves = _curves(table)
    if len(curves) <= MAX_IN_ONE:
        return parent_figure(draw_filing(table))
    shown = curves[:MAX_PANELS]
    columns = min(grid_width(len(shown)), 2 if is_narrow() else 4)
    rows = -(-len(shown) // columns)
    filed = _filed(table)
    with use_style():
        figure = new_figure(wanted_width() or WIDTH, rows * PANEL_HEIGHT + EDGES, keep="height")
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for ax, curve in zip(grid.flat, shown, strict=False):
            for other in shown:
                if other is not curve:
                    _draw(ax, other, color=FAINT, linewidth=0.6)
            _draw(ax, curve, color=look(0).colour, zorder=3)
            _finish(ax, table, shown)
            if curve.field in filed:
                ax.plot(*filed[curve.field], "o", color=look(1).colour, markersize=5, zorder=4)
            literal(ax.set_title("", fontsize=8.5), shortened_name(curve.field, PANEL_NAME_LENGTH))
            ax.tick_params(labelsize=7.5)
        for place, ax in enumerate(grid.flat):
            ax.tick_params(labelbottom=len(shown) - columns <= place)
            ax.set_visible(place < len(shown))
        below = [FILED]
        if table.policy is not None:
            below.append(f"dashed: {_limit_name(table)}{'; dot: what it files' if filed else ''}")
        if len(shown) < len(curves):
            below.append(f"{len(shown)} of {len(curves)} fields, those with the most values")
        literal(figure.supxlabel("", fontsize=8.5), "\n".join(below))
        literal(figure.supylabel("", fontsize=8.5), WRONG)
    return figure


def _curves(table: FieldTable) -> list[FilingCurve]:
    """Return the curves of the fields with confidences, those with the most values first."""
    curves = {curve.field: curve for curve in table.curves if len(curve.coverage)}
    ordered = [curves[row.field] for row in sorted(table.rows, key=lambda row: -row.n) if row.field in curves]
    if not ordered:
        raise InputError("no field has confidences, so there is nothing to draw.")
    return ordered


def _filed(table: FieldTable) -> dict[str, tuple[float, float]]:
    """Return by field the proportion of values that a policy about fields files, and the proportion of wrong ones."""
    n = {row.field: row.n for row in table.rows}
    filed = [] if table.policy is None else [row for row in table.policy.fields if row.filed]
    return {row.field: (row.filed / n[row.field], row.wrong / row.filed) for row in filed}


def _draw(axes: Axes, curve: FilingCurve, **style: Any) -> Any:
    drawn = curve.coverage >= MIN_COVERAGE
    return axes.plot(curve.coverage[drawn], curve.risk[drawn], **{"linewidth": 1.3} | style)[0]


def _finish(axes: Axes, table: FieldTable, curves: list[FilingCurve]) -> Any:
    """Draw the limit of the policy, and set the ranges of the axes. Return the line of the limit, or None."""
    dress(axes, grid="y")
    limit = None if table.policy is None else table.policy.risk
    highest = max([limit or 0.0, *(curve.risk[curve.coverage >= MIN_COVERAGE].max() for curve in curves)])
    axes.set(xlim=(0.0, 1.02), ylim=(0.0, 1.1 * highest if highest else 0.01))
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0 if highest >= MIN_WHOLE_PERCENT else None))
    if limit is None:
        return None
    return axes.axhline(limit, color=QUIET, linewidth=1.0, linestyle=(0, (6, 3)), zorder=2)


def _limit_name(table: FieldTable) -> str:
    return "" if table.policy is None else f"limit of the policy, {100 * table.policy.risk:g}%"
