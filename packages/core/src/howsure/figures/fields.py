"""Figure of filing: the proportion of a field's values that is filed, and the proportion of these that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from howsure.errors import InputError
from howsure.figures.style import QUIET, dress, literal, literal_legend, look, new_figure, shortened_name, use_style

if TYPE_CHECKING:
    from howsure.fields.field_results import FieldTable

MAX_CURVES = 8
NAME_LENGTH = 32
MIN_WHOLE_PERCENT = 0.03  # ticks are whole percents if the highest proportion is at least this
MIN_COVERAGE = 0.05  # lower coverages are not drawn, because they are based on few values


def draw_filing(table: FieldTable, *, ax: Axes | None = None) -> Axes:
    """Draw the curves of the fields with confidences, at most 8, those with the most values first."""
    curves = {curve.field: curve for curve in table.curves if len(curve.coverage)}
    names = [row.field for row in sorted(table.rows, key=lambda row: -row.n) if row.field in curves][:MAX_CURVES]
    if not names:
        raise InputError("no field has confidences, so there is nothing to draw.")
    with use_style():
        axes = new_figure(5.4, 3.8).subplots() if ax is None else ax
        dress(axes, grid="y")
        handles, highest = [], 0.0
        for place, name in enumerate(names):
            curve, style = curves[name], look(place)
            drawn = curve.coverage >= MIN_COVERAGE
            (line,) = axes.plot(
                curve.coverage[drawn], curve.risk[drawn], color=style.colour, linestyle=style.dashes, linewidth=1.3
            )
            handles.append(line)
            highest = max([highest, *curve.risk[drawn].tolist()])
        labels = [shortened_name(name, NAME_LENGTH) for name in names]
        if table.policy is not None:
            limit = table.policy.risk
            handles.append(axes.axhline(limit, color=QUIET, linewidth=1.0, linestyle=(0, (6, 3)), zorder=1))
            labels.append(f"limit of the policy, {100 * limit:g}%")
            highest = max(highest, limit)
        axes.set(xlim=(0.0, 1.02), ylim=(0.0, 1.1 * highest if highest else 0.01))
        literal(axes.set_xlabel(""), "share of values filed, the most confident first")
        literal(axes.set_ylabel(""), "share of filed values that is wrong")
        axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0 if highest >= MIN_WHOLE_PERCENT else None))
        literal_legend(axes, handles, labels, loc="upper left", frameon=True, framealpha=0.9, edgecolor="none")
    return axes
