"""Cells: the formula in exact arithmetic, monotone and without gaps."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from howsure.calibration.slots import CELLS, LAST, cells_of, first_of_cells


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_cell_is_the_fourth_root_in_exact_arithmetic(dtype) -> None:
    """Up to the rounding of two square roots: a root within 10⁻¹¹ of a whole number may fall to either side of it."""
    rng = np.random.default_rng(0)
    q = np.concatenate([rng.random(500), rng.random(500) ** 9, 1.0 - rng.random(500) ** 9]).astype(dtype)
    with localcontext(prec=60):
        for value, cell in zip(q.tolist(), cells_of(q.astype(np.float64)).tolist(), strict=True):
            exact = Fraction(value)
            r = min(exact, 1 - exact)
            t = (Decimal(r.numerator) / Decimal(r.denominator)).sqrt().sqrt() * 2**15
            found = cell if exact < Fraction(1, 2) else LAST - cell
            assert t - Decimal("1e-11") - 1 < found <= t + Decimal("1e-11")


def test_hostile_predictions() -> None:
    half = np.array([0.5, np.nextafter(0.5, 0), np.nextafter(0.5, 1)])
    assert cells_of(half).tolist() == [CELLS, CELLS - 1, CELLS]
    assert cells_of(np.array([0.0, -0.0, 5e-324, 2.0**-61, 1.0])).tolist() == [0, 0, 0, 0, LAST]
    assert cells_of(np.array([2.0**-60, 2.0**-56, 1 - 2.0**-52])).tolist() == [1, 2, LAST - 4]


def test_cells_ascend_and_begin_where_they_say() -> None:
    first = first_of_cells()
    held = np.flatnonzero(np.diff(first) > 0)  # next to 1 some cells hold no number
    assert np.array_equal(cells_of(first[held]), held)
    assert (cells_of(np.nextafter(first[held[1:]], 0.0)) < held[1:]).all()
    assert len(first) == LAST + 2
    assert LAST + 1 - len(held) < 5
