"""Whether a text was printed as expected: words and whole numbers exactly, decimals but for their rounding.

Processors, their libraries and their compilers sum in different orders, so that the last bits of a float differ from
machine to machine. Of a printed decimal

- of three digits or more the last one may differ by one (0.035 is 0.036, but not 0.037);
- of fewer than three digits, and of any length, a billionth of the value may be missing (0.5 is 0.49999999999999994);
- a declared tolerance, for what a training ends with, may be missing.

Everything else is text: whole numbers, dates, versions, and all letters and blanks. `...` matches any text.

The second line is not what the first one prints, to the last digit:

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
    """Whether a text says what was wanted, its decimals within their rounding, or within a wider tolerance."""
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
    """Whether a text starts with the first of some texts, ends with the last, and has all of them in order; unknown,
    and so not, where one of them may begin within a number."""
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
    """How far from a number, as it is written, another may be; `goes_on` if more digits may follow."""
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
    """A stretch of the text wanted, between two `...`."""

    def __init__(self, text: str, tolerance: float, *, goes_on: bool) -> None:
        parts = re.split(f"({NUMBER})", text)
        self.pattern = re.compile("".join(f"({NUMBER})" if i % 2 else re.escape(s) for i, s in enumerate(parts)))
        self.numbers = [
            (value_of(number), allowance(number, tolerance=tolerance, goes_on=goes_on and not after))
            for number, after in zip(parts[1::2], parts[2::2], strict=True)
        ]

    def end_at(self, printed: str, start: int) -> int | None:
        """Where the piece ends that starts at a place; None if it does not start there."""
        match = self.pattern.match(printed, start)
        if match is None:
            return None
        pairs = zip(match.groups(), self.numbers, strict=True)
        close = all(abs(value_of(number) - value) <= allowed for number, (value, allowed) in pairs)
        return match.end() if close else None

    def find(self, printed: str, start: int) -> int | None:
        """Where the first such piece ends that starts at a place or after it."""
        ends = (self.end_at(printed, position) for position in range(start, len(printed) + 1))
        return next((end for end in ends if end is not None), None)

    def is_end(self, printed: str, start: int) -> bool:
        """Whether the text ends with the piece, which starts at a place or after it."""
        return any(self.end_at(printed, position) == len(printed) for position in range(start, len(printed) + 1))


class RoundingChecker(doctest.OutputChecker):
    """The checker of doctests, but decimals may differ by their rounding."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if super().check_output(want, got, optionflags):
            return True
        if optionflags & doctest.NORMALIZE_WHITESPACE:
            want, got = (" ".join(text.replace("<BLANKLINE>", "").split()) for text in (want, got))
        return is_printed(want, got)
