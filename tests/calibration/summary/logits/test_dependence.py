"""The pairs of a row of logits depend on each other: by how much at most, and whether intervals hold all the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benchmarks.logit_coverage import World

CLASSES = st.shared(st.integers(2, 9), key="classes")
NUMBERS = arrays.arrays(float, CLASSES, elements=st.floats(-30.0, 30.0))


@given(NUMBERS, NUMBERS)
def test_a_weighted_row_varies_at_most_twice_as_much_as_independent_pairs(logits, weights) -> None:
    """Var Σ a y ≤ 2 Σ a² p (1 - p), y the right class drawn from p; with one sign, at most as much."""
    p = np.exp(logits - logits.max())
    p /= p.sum()
    rest = np.array([np.delete(p, k).sum() for k in range(len(p))])  # 1 - p without cancellation
    for a, times in ((weights, 2.0), (np.ones_like(p), 1.0), (p, 1.0), (np.abs(weights), 1.0)):
        mean = (a * p).sum()
        variance = (p * (a - mean) ** 2).sum()
        assert variance <= times * (a**2 * p * rest).sum() * (1 + 1e-9) + 1e-12


def test_two_classes_that_mirror_each_other_are_the_worst() -> None:
    a, p = np.array([1.0, -1.0]), np.array([0.3, 0.7])
    variance = (a**2 * p).sum() - (a * p).sum() ** 2
    assert variance == pytest.approx(2 * (a**2 * p * (1 - p)).sum())


@pytest.mark.slow
@pytest.mark.parametrize("temperature", [0.7, 1.0, 1.5])
def test_the_interval_holds_for_fifty_classes(temperature: float) -> None:
    """The table of docs/language-models.md has more of it."""
    cells = World(50, 500, 3.0, temperature).cells(sets=100)
    for cell in cells.values():
        assert cell.covered >= 0.89
        if temperature == 1.0:
            assert cell.rejected <= 0.11


def test_a_small_cell_of_it() -> None:
    cells = World(20, 200, 3.0, 1.5).cells(sets=8)
    assert all(cell.covered >= 0.5 and cell.mean == pytest.approx(cell.truth, rel=0.4) for cell in cells.values())
