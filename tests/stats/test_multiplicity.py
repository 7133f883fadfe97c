"""Adjusted p-values: against the definition as a loop, and against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from howsure.errors import InputError
from howsure.stats.multiplicity import adjust_p_values

P_VALUES = st.lists(st.one_of(st.sampled_from([0.0, 0.01, 0.05, 1.0]), st.floats(0, 1)), min_size=1, max_size=30)


@settings(max_examples=40)
@given(P_VALUES)
def test_holm_is_its_definition(p: list[float]) -> None:
    """The adjusted value of p_i: the largest (number of values not below p_j) · p_j over all p_j ≤ p_i."""
    m = len(p)
    ordered = sorted(p)
    steps = [(m - rank) * value for rank, value in enumerate(ordered)]
    expected = [min(1.0, max(steps[: max(i for i, v in enumerate(ordered) if v == value) + 1])) for value in p]
    assert adjust_p_values(p, method="holm").tolist() == pytest.approx(expected, abs=1e-15)


@settings(max_examples=40)
@given(P_VALUES)
def test_benjamini_hochberg_is_that_of_scipy(p: list[float]) -> None:
    expected = false_discovery_control(p, method="bh")
    assert adjust_p_values(p, method="bh").tolist() == pytest.approx(expected.tolist(), abs=1e-15)


@settings(max_examples=40)
@given(P_VALUES, st.sampled_from(["holm", "bh"]))
def test_adjusting_raises_keeps_the_order_and_knows_no_order(p: list[float], method: str) -> None:
    adjusted = adjust_p_values(p, method=method)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert adjust_p_values(p[::-1], method=method).tolist() == adjusted[::-1].tolist()


def test_what_is_undefined_stays_so_and_does_not_count() -> None:
    for method in ("holm", "bh"):
        found = adjust_p_values([0.01, math.nan, 0.02], method=method)
        assert math.isnan(found[1])
        assert found[[0, 2]].tolist() == adjust_p_values([0.01, 0.02], method=method).tolist()
    assert adjust_p_values([0.3, math.nan], method=None)[0] == 0.3
    assert adjust_p_values([], method="holm").tolist() == []


def test_bad_values_are_refused() -> None:
    with pytest.raises(InputError, match=r"p-values must lie in \[0, 1\]; found 1.5"):
        adjust_p_values([0.1, 1.5])
    with pytest.raises(InputError, match="adjust must be"):
        adjust_p_values([0.1], method="bonferroni")
