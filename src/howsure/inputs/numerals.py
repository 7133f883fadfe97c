"""Numbers as written in files: ASCII digits and no underscores, although Python's `float` accepts more."""

from __future__ import annotations

import re

NUMERAL = re.compile(
    r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?\s*|\s*[+-]?(?:nan|inf|infinity)\s*",
    re.ASCII | re.IGNORECASE,
)
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?[0-9]{1,18}\s*", re.ASCII)


def spelled_number(text: str) -> float | None:
    """The number written in a text, which may be NaN or infinite; None if there is none.

    >>> spelled_number("0.5"), spelled_number("1_000"), spelled_number("٣")
    (0.5, None, None)
    """
    return float(text) if NUMERAL.fullmatch(text) else None


def spelled_whole(text: str) -> int | None:
    """The whole number written in a text of digits; None if there is none, or one of more than 18 digits."""
    return int(text) if WHOLE.fullmatch(text) else None


def comma_advice(text: str) -> str:
    """What to do about a text that is no number, if a comma is to blame; else nothing.

    >>> comma_advice("1,234")
    'Its comma may separate thousands or decimals: write 1234 or 1.234.'
    """
    if "," not in text:
        return ""
    if THOUSANDS.fullmatch(text):
        thousand, point = (text.strip().replace(",", mark) for mark in ("", "."))
        return f"Its comma may separate thousands or decimals: write {thousand} or {point}."
    return "Write a decimal point."
