"""P-values and bounds by inversion, against tests whose answers are known."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from howsure.stats.gaffke import LARGEST, SMALLEST, furthest, smallest_size


@settings(max_examples=25)
@given(st.floats(1e-9, 0.49))
def test_the_p_value_of_a_normal_test(p: float) -> None:
    z = norm.isf(p)
    assert smallest_size(lambda size: z >= norm.isf(size)) == pytest.approx(p, rel=1e-6)


def test_beyond_the_ends() -> None:
    assert smallest_size(lambda size: False) == 1.0
    assert smallest_size(lambda size: size >= LARGEST) == pytest.approx(LARGEST)
    assert smallest_size(lambda size: True) == SMALLEST


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0, 1))
def test_how_far_something_holds(near: float, far: float, share: float) -> None:
    end = near + share * (far - near)
    found = furthest(lambda value: abs(value - near) <= abs(end - near), near, far)
    assert found == pytest.approx(end, abs=1e-9)
