"""The posterior of quantities that are functions of samples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from howsure.figures.marked_rows import Mark, draw_rows
from howsure.figures.style import look

if TYPE_CHECKING:
    from howsure.propagation.posterior_values import PropagatedSamples


def draw_quantities(result: PropagatedSamples, *, ax: Axes | None = None) -> Axes:
    """Draw the posterior mean and central interval of each quantity."""
    mark = Mark(
        "posterior", lambda row: replace(row.mean, low=row.low.value, high=row.high.value), "o", look(0).colour, 0.0
    )
    label = f"posterior mean and {100 * result.level:g}% interval"
    return draw_rows(list(result), [mark], name=lambda row: row.name, of="quantities", label=label, ax=ax)
