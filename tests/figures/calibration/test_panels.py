"""Few curves share a panel, many get one each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.figures.curves import MOST_PANELS, columns_of, curve_figure
from tests.figures.made_up import many_curves


def test_up_to_eight_curves_share_a_panel() -> None:
    assert len(curve_figure(many_curves(8)).axes) == 1


@pytest.mark.parametrize("n", [9, pytest.param(14, marks=pytest.mark.long)])
def test_more_curves_get_a_panel_each(n: int) -> None:
    curves = many_curves(n)
    shown = [ax for ax in curve_figure(curves, title="All").axes if ax.axison]
    assert [ax.get_title() for ax in shown] == [curve.name for curve in curves]
    for ax, curve in zip(shown, curves, strict=True):
        assert any(np.array_equal(line.get_ydata(), curve.bins.frequency) for line in ax.lines)
        assert any(f"n = {curve.n:,}" in text.get_text() for text in ax.texts)


def test_panels_can_be_asked_for() -> None:
    assert len([ax for ax in curve_figure(many_curves(3), panels=True).axes if ax.axison]) == 3
    with pytest.raises(InputError, match="at most 8 curves; there are 9"):
        curve_figure(many_curves(9), panels=False)


def test_too_many_curves_are_refused() -> None:
    with pytest.raises(InputError, match=f"at most {MOST_PANELS}; there are 61"):
        curve_figure(many_curves(61))


@given(st.integers(1, 200))
def test_the_grid_holds_all_panels_and_is_never_narrow(n: int) -> None:
    columns = columns_of(n)
    rows = -(-n // columns)
    assert rows * columns >= n
    assert rows <= columns <= rows + 3
    assert (rows - 1) * columns < n
