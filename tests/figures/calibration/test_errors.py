"""Errors by group: sorted, with their intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from howsure.calibration.table import GroupCalibration
from howsure.errors import InputError
from howsure.figures.groups import MOST_ROWS, error_figure
from howsure.stats.estimate import Estimate
from tests.figures.made_up import curve_with, many_curves


def dots(ax: Axes) -> list[tuple[float, float]]:
    return [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in ax.lines]


def test_rows_are_sorted_and_carry_their_intervals() -> None:
    curves = many_curves(50)
    ax = error_figure(curves, title="Fifty").axes[0]
    values = sorted((curve.error.value for curve in curves), reverse=True)
    assert [x for x, _ in dots(ax)] == values
    assert [y for _, y in dots(ax)] == list(range(50))
    assert [tick.get_text() for tick in ax.get_yticklabels()][:2] == ["g50", "g49"]
    whiskers = [c.get_segments()[0] for c in ax.collections if isinstance(c, LineCollection)]
    assert np.allclose([segment[:, 0] for segment in whiskers], [[value - 0.02, value + 0.02] for value in values])
    top, bottom = ax.get_ylim()[1], ax.get_ylim()[0]
    assert top < 0 < bottom


def test_rows_of_a_table_are_drawn_too() -> None:
    row = GroupCalibration("NN", 100, 0.5, 0.5, Estimate(0.2, 0.1, 0.3, 0.95, "debiased", 100), 0.2, 0.01, 0.02)
    ax = error_figure([row, *many_curves(1)], labels=["$a_1$", "_b"]).axes[0]
    assert dots(ax) == [(0.2, 0.0), (0.1, 1.0)]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["$a_1$", "_b"]
    assert not any(tick.get_parse_math() for tick in ax.get_yticklabels())
    assert [text.get_text() for text in ax.texts] == ["n = 100", "n = 2,000"]


def test_undefined_errors_come_last_and_are_said() -> None:
    undefined = curve_with([0.5], [0.5], error=(math.nan, None, None), name="none")
    ax = error_figure([undefined, *many_curves(2)]).axes[0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["g2", "g1", "none"]
    assert len(dots(ax)) == 2
    assert "undefined" in [text.get_text() for text in ax.texts]


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="1 to 300 groups; there are 0"):
        error_figure([])
    with pytest.raises(InputError, match=f"there are {MOST_ROWS + 1}"):
        error_figure(many_curves(1) * (MOST_ROWS + 1))
    with pytest.raises(InputError, match="1 labels for 2 rows"):
        error_figure(many_curves(2), labels=["a"])
