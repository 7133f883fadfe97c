"""Compare a text with the expected one: words and whole numbers exactly, decimals within rounding.

Processors, libraries and compilers add numbers in different orders, so the last bits of a float differ between
machines. A printed decimal

- with three digits or more may differ by one in the last digit (0.035 is 0.036, but not 0.037);
- of any length may differ by a billionth of its value (0.5 is 0.49999999999999994);
- may differ by a declared tolerance, for results of training.

Everything else must be equal: whole numbers, dates, versions, and all letters and blanks. `...` matches any text.

The expected output of this example differs from the printed one, but only in the last digits:

>>> print("0.03528211783839385600, 12.1 %, 3 of 4")
0.03528211783839385611, 12.2 %, 3 of 4
"""

from __future__ import annotations

import doctest
import re
from decimal import Decimal

ANYTHING = "..."
NUMBER = r"(?<![\w.])[-+−]?(?:(?:\d{1,3}(?:,\d{3})+|\d*)\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)(?!\d|\.\d)"
SHORT = 3
RELATIVE = Decimal("1e-9")
ZERO = Decimal("1e-12")


def is_printed(expected: str, printed: str, *, tolerance: float = 0.0) -> bool:
    """Return whether a text was printed as expected: decimals may differ by rounding, or by a larger tolerance."""
    texts = expected.split(ANYTHING)
    if _holds(printed, texts):
        return True
    first, *others = (_Piece(text, tolerance, goes_on=i < len(texts)) for i, text in enumerate(texts, 1))
    end = first.end_at(printed, 0)
    if not others or end is None:
        return end == len(printed)
    for piece in others[:-1]:
        end = piece.find(printed, end)
        if end is None:
            return False
    return others[-1].is_end(printed, end)


def _holds(printed: str, texts: list[str]) -> bool:
    """Return whether a text starts with the first of some strings, ends with the last, and contains all of them in
    order. The result is False if this is uncertain, because a string may begin inside a number."""
    first, *others = texts
    if not others:
        return printed == first
    if not printed.startswith(first) or any(text and not text[0].isspace() for text in others):
        return False
    end = len(first)
    for text in others[:-1]:
        start = printed.find(text, end)
        if start < 0:
            return False
        end = start + len(text)
    return printed.endswith(others[-1]) and end <= len(printed) - len(others[-1])


def allowance(number: str, *, tolerance: float = 0.0, goes_on: bool = False) -> Decimal:
    """Return how far another number may be from a printed number. goes_on: whether more digits may follow."""
    mantissa, _, exponent = number.lower().partition("e")
    digits = re.sub(r"\D", "", mantissa)
    last = Decimal(1).scaleb(int(exponent or 0) - len(mantissa.partition(".")[2]))
    value = value_of(number)
    return max(
        last if goes_on or len(digits) >= SHORT else Decimal(0),
        RELATIVE * abs(value) if value else ZERO,
        Decimal(str(tolerance)),
    )


def value_of(number: str) -> Decimal:
    return Decimal(number.replace("−", "-").replace(",", ""))


class _Piece:
    """A part of the expected text between two `...`."""

    def __init__(self, text: str, tolerance: float, *, goes_on: bool) -> None:
        parts = re.split(f"({NUMBER})", text)
        self.pattern = re.compile("".join(f"({NUMBER})" if i % 2 else re.escape(s) for i, s in enumerate(parts)))
        self.numbers = [
            (value_of(number), allowance(number, tolerance=tolerance, goes_on=goes_on and not after))
            for number, after in zip(parts[1::2], parts[2::2], strict=True)
        ]

    def end_at(self, printed: str, start: int) -> int | None:
        """Return where the piece ends if it starts at a position; None if it does not start there."""
        match = self.pattern.match(printed, start)
        if match is None:
            return None
        pairs = zip(match.groups(), self.numbers, strict=True)
        close = all(abs(value_of(number) - value) <= allowed for number, (value, allowed) in pairs)
        return match.end() if close else None

    def find(self, printed: str, start: int) -> int | None:
        """Return the end of the first such piece that starts at or after a position."""
        ends = (self.end_at(printed, position) for position in range(start, len(printed) + 1))
        return next((end for end in ends if end is not None), None)

    def is_end(self, printed: str, start: int) -> bool:
        """Return whether the text ends with the piece, starting at or after a position."""
        return any(self.end_at(printed, position) == len(printed) for position in range(start, len(printed) + 1))


class RoundingChecker(doctest.OutputChecker):
    """The checker of doctests, except that decimals may differ by rounding."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        if optionflags & doctest.NORMALIZE_WHITESPACE:
            want, got = (" ".join(text.replace("<BLANKLINE>", "").split()) for text in (want, got))
        return is_printed(want, got)
