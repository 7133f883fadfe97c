"""Numbers, intervals and p-values as a reader sees them: one rule for each, and one dash for what is undefined."""

from __future__ import annotations

import math

UNDEFINED = "–"
SMALLEST_P = 0.0001


def number(value: float | None, decimals: int = 4, *, sign: bool = False) -> str:
    """A number with some decimals; a dash where it is undefined.

    >>> number(0.25), number(0.25, sign=True), number(1234.56, 1), number(float("inf")), number(None)
    ('0.2500', '+0.2500', '1,234.6', 'inf', '–')
    """
    if value is None or math.isnan(value):
        return UNDEFINED
    return f"{value:{'+' if sign else ''},.{decimals}f}"


def interval(low: float | None, high: float | None, decimals: int = 4, *, sign: bool = False) -> str:
    """Both ends of an interval; a dash where it is undefined.

    >>> interval(-0.0046, 0.0012, sign=True), interval(0, 1200, 0), interval(float("nan"), 1.0)
    ('[-0.0046, +0.0012]', '[0, 1200]', '–')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return UNDEFINED
    return "[{}, {}]".format(*(number(end, decimals, sign=sign).replace(",", "") for end in (low, high)))


def all_digits(value: float | None) -> str:
    """A number with all its digits, as a program reads it; nothing where it is undefined.

    >>> all_digits(0.1), all_digits(float("nan"))
    ('0.1', '')
    """
    return "" if value is None or math.isnan(value) else repr(value)


def probability_is(p: float, decimals: int = 3) -> str:
    """A probability in a sentence, after its name: never rounded to certainty.

    >>> probability_is(0.25), probability_is(0.99999), probability_is(1e-9), probability_is(1.0)
    ('= 0.250', '> 0.999', '< 0.001', '= 1.000')
    """
    least = 10.0**-decimals
    if 0.0 < p < least / 2:
        return f"< {least:.{decimals}f}"
    if 1.0 - least / 2 < p < 1.0:
        return f"> {1.0 - least:.{decimals}f}"
    return f"= {number(p, decimals)}"


def p_text(p: float) -> str:
    """A p-value with four decimals, or the bound it lies below; a dash where it is undefined.

    >>> p_text(0.00027), p_text(1e-9), p_text(float("nan"))
    ('0.0003', '< 0.0001', '–')
    """
    return f"< {SMALLEST_P:.4f}" if p < SMALLEST_P else number(p)


def p_in_words(p: float) -> str:
    """A p-value in a sentence.

    >>> p_in_words(0.00027), p_in_words(1e-9), p_in_words(float("nan"))
    ('p = 0.0003', 'p < 0.0001', 'p undefined')
    """
    if math.isnan(p):
        return "p undefined"
    return f"p {p_text(p)}" if p < SMALLEST_P else f"p = {p_text(p)}"
