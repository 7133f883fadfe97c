"""One rule for every kind of number that a reader sees."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.show.numbers import all_digits, interval, number, p_in_words, p_text

NAN = math.nan


@pytest.mark.parametrize("shown", [number(NAN), number(None, 0), interval(NAN, NAN), interval(None, 1.0), p_text(NAN)])
def test_what_is_undefined_is_one_dash(shown: str) -> None:
    assert shown == "–"


def test_numbers() -> None:
    assert (number(1234.56, 1), number(-0.5, 2, sign=True), number(math.inf)) == ("1,234.6", "-0.50", "inf")
    assert (interval(0.0, 12.0, 0), interval(1234.0, 2345.0, 0)) == ("[0, 12]", "[1234, 2345]")
    assert (all_digits(None), all_digits(NAN), all_digits(0.1)) == ("", "", "0.1")


@given(st.floats(0.0, 1.0))
def test_a_p_value_is_never_shown_as_0(p: float) -> None:
    shown = p_text(p)
    assert float(shown.removeprefix("< ")) > 0.0
    assert shown.startswith("<") == (p < 0.0001)
    assert p_in_words(p) == (f"p {shown}" if p < 0.0001 else f"p = {shown}")
