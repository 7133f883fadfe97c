"""The comparer of printed text: rounding passes, everything else fails."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.printed import RoundingChecker, is_printed

SAME = [
    ("0.035282117838393856", "0.03528211783839386"),  # another processor's last bit
    ("all,6000,0.5048,0.0353", "all,6000,0.5049,0.0352"),
    ("0.0264 [0.0180, 0.0340]", "0.0265 [0.0179, 0.0341]"),
    ("error  12.1", "error  12.0"),
    ("p = .0033**", "p = .0034**"),
    ("+0.0000 [−0.0528, +0.0451]", "-0.0001 [−0.0529, +0.0450]"),
    ("0.5", "0.49999999999999994"),
    ("0.0", "-1.1102230246251565e-17"),
    ("1.5191802543090492e-87", "1.5191802543090999e-87"),
    ("1,234.56", "1,234.57"),
    ("0.950–1.000", "0.949–1.000"),
    ("x 1.25 ... 3.50 y", "x 1.26 and 9.99 or 3.49 y"),
    ("0.035... of 3", "0.03528211783839386 of 3"),
    ("0.4...", "0.43"),
    ("...", "whatever 1"),
    ("... documents/s, the rest ... documents/s", "2.9 documents/s, the rest 3,000 documents/s"),
    ("a\n...\nb", "a\n1\n2\nb"),
    ("", ""),
]
DIFFERENT = [
    ("0.0264", "0.0262"),
    ("0.035282117838393856", "0.035282117938393856"),
    ("0.5", "0.6"),
    ("[0.1, 0.9]", "[0.2, 0.9]"),
    ("array([1., 0.])", "array([0., 1.])"),
    ("3 of 4", "4 of 4"),
    ("6,000 rows", "6,001 rows"),
    ("+0.0082 better", "-0.0082 better"),
    ("howsure 0.1.0", "howsure 0.1.1"),
    ("v1.25", "v1.26"),
    ("2001-01-02", "2001-01-03"),
    ("1.5191802543090492e-87", "1.5191802543090492e-86"),
    ("0.1234", "0.1234 and more"),
    ("0.1234 and more", "0.1234"),
    ("0.123", "0.1234e-7"),
    ("12.34", "2.34"),
    ("2.34", "12.34"),
    ("...2.34", "12.34"),
    ("... 2.34 ... 5.67", "2.34 5.67"),
    ("a ... 1.25 ... c", "a b 1.27 d c"),
    ("0.0000", "nan"),
    ("underconfident 0.123", "overconfident 0.123"),
    ("1  0.123", "1 0.123"),
]


@pytest.mark.parametrize(("expected", "printed"), SAME)
def test_rounding_passes(expected: str, printed: str) -> None:
    assert is_printed(expected, printed)


@pytest.mark.parametrize(("expected", "printed"), DIFFERENT)
def test_anything_else_fails(expected: str, printed: str) -> None:
    assert not is_printed(expected, printed)


def test_a_declared_tolerance_holds_for_decimals_and_no_further() -> None:
    assert is_printed("0.0262 of 5", "0.0272 of 5", tolerance=0.001)
    assert is_printed("0.5", "0.6", tolerance=0.1)
    assert not is_printed("0.0262 of 5", "0.0273 of 5", tolerance=0.001)
    assert not is_printed("0.0262 of 5", "0.0262 of 6", tolerance=2)
    assert is_printed("0.1, 0.25", "0.1, 0.26", tolerance=1e-9), "a tolerance never makes it stricter"


@given(st.floats(1e-30, 1e30), st.sampled_from([1, -1]))
def test_the_next_float_passes(value: float, sign: int) -> None:
    assert is_printed(repr(sign * value), repr(sign * float(np.nextafter(value, 0))))


@given(st.integers(100, 10**9), st.integers(0, 9), st.integers(-3, 3))
def test_a_unit_of_the_last_digit_passes_and_two_do_not(digits: int, places: int, away: int) -> None:
    expected, printed = (f"{number / 10**places:.{places}f}" for number in (digits, digits + away))
    assert is_printed(expected, printed) == (abs(away) <= (places > 0))


@given(st.text(alphabet="ab 01.-\n"), st.text(alphabet="ab 01.-\n"))
def test_any_text_is_itself_also_within_dots(text: str, other: str) -> None:
    if "..." not in text:
        assert is_printed(text, text)
        assert is_printed(f"<{text}>...", f"<{text}>{other}")
        assert is_printed(f"...<{text}>", f"{other}<{text}>")


def test_doctests_use_it() -> None:
    assert doctest.OutputChecker is RoundingChecker
    assert RoundingChecker().check_output("a  0.123\n", "a 0.124\n", doctest.NORMALIZE_WHITESPACE)
    assert RoundingChecker().check_output("0.123\n<BLANKLINE>\nb\n", "0.124\n\nb\n", doctest.NORMALIZE_WHITESPACE)
    assert not RoundingChecker().check_output("a  0.123\n", "a 0.125\n", doctest.NORMALIZE_WHITESPACE)
    assert not RoundingChecker().check_output("a  0.123\n", "a 0.124\n", 0)
