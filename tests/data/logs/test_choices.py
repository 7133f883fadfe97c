"""Probabilities of choices, against numpy and by what must hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.data.logs.tokens import normalised, softmax

LOGITS = st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=9)


@given(LOGITS, st.floats(-1e3, 1e3))
def test_softmax_is_a_distribution_that_a_shift_leaves_as_it_is(logits: list[float], shift: float) -> None:
    found = softmax(logits)
    assert math.fsum(found) == pytest.approx(1, abs=1e-12)
    assert found == pytest.approx(softmax([one + shift for one in logits]), abs=1e-9)


@given(st.lists(st.floats(-30, 30), min_size=2, max_size=6))
def test_softmax_is_numpys(logits: list[float]) -> None:
    exponentials = np.exp(np.array(logits))
    assert softmax(logits) == pytest.approx((exponentials / exponentials.sum()).tolist(), rel=1e-12)


@pytest.mark.parametrize("logits", [[math.nan, 0.0], [0.0, math.nan], [-math.inf] * 2, [math.inf, 0.0]])
def test_softmax_refuses_what_is_no_distribution(logits: list[float]) -> None:
    with pytest.raises(ValueError, match="no probabilities follow from"):
        softmax(logits)


def test_normalised_by_name() -> None:
    row = {"classes": ["no", "für"], "tokens": [1, 2]}
    assert normalised([-2.0, -6.0], row, "none") == [-2.0, -6.0]
    assert normalised([-2.0, -6.0], row, "characters") == [-1.0, -2.0]
    assert normalised([-2.0, -6.0], row, "bytes") == [-1.0, -1.5]
    assert normalised([-2.0, -6.0], row, "tokens") == [-2.0, -3.0]


@pytest.mark.parametrize(
    ("row", "way", "said"),
    [
        ({"classes": ["a", "b"]}, "tokens", "does not say how many tokens"),
        ({"classes": None}, "characters", "does not say how many characters"),
        ({"classes": ["a", ""]}, "characters", "a choice has no characters"),
    ],
)
def test_a_length_that_nobody_knows_is_refused(row: dict[str, object], way: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        normalised([-1.0, -2.0], row, way)
