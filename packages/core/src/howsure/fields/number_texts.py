"""Parsing of numbers as people write them: 2.656,74, 1,211.07, 2961,03 € or 5%."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from howsure.inputs.numbers_and_names import parse_number

POINT, COMMA = ".", ","
MAX_EXPONENT = 400  # larger than the exponent of any float
MAX_CHARACTERS = 60  # in a number with separators or a currency
CODES = {"$": "USD", "€": "EUR", "£": "GBP"}
CURRENCIES = (
    "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF INR JPY KRW MXN NOK NZD PLN RON SEK SGD TRY USD ZAR Fr. kr zł Kč"
)
MARK = "|".join(map(re.escape, CURRENCIES.split()))
NUMBER = re.compile(
    rf"(?P<first>[+-]?)(?P<before>{MARK}|[^\w\s.,'’+-])?\s*(?P<second>[+-]?)"
    rf"(?P<digits>[0-9.,](?:[0-9.,'’ \u00a0\u202f]*[0-9.,])?)\s*(?P<after>{MARK}|[^\w\s.,'’+-])?"
)
READINGS = {
    mark: re.compile(rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:(?P<separator>[{other}'’ \u00a0\u202f])[0-9]{{3}})"
                     rf"(?:(?P=separator)[0-9]{{3}})*)?(?:[{mark}][0-9]*)?")
    for mark, other in ((POINT, COMMA), (COMMA, POINT))
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberText:
    """The numbers that a string can mean, by decimal mark.

    1,234 can mean two numbers, because its comma may separate thousands or decimals. unit: the code of a currency, or
    %; empty if there is none.
    """

    by_mark: dict[str, Decimal]
    unit: str

    @classmethod
    def read(cls, text: str) -> NumberText | None:
        """Parse a string; return None if it is not a number.

        >>> NumberText.read("2.656,74 €")
        NumberText(by_mark={',': Decimal('2656.74')}, unit='EUR')
        >>> sorted(NumberText.read("1,234").by_mark.values())
        [Decimal('1.234'), Decimal('1234')]
        """
        text = text.strip()
        plain = plain_number(text)
        if len(text) > MAX_CHARACTERS:
            return None if plain is None else cls({POINT: plain}, "")
        match = NUMBER.fullmatch(text.replace("\u2212", "-"))
        if match is None or (match["first"] and match["second"]) or (match["before"] and match["after"]):
            return None if plain is None else cls({POINT: plain}, "")
        unit = match["before"] or match["after"] or ""
        if len(unit) == 1 and unit != "%" and unicodedata.category(unit) != "Sc":
            return None
        sign = match["first"] or match["second"]
        by_mark = {mark: _number(sign, match["digits"], mark) for mark in READINGS}
        numbers = {mark: number for mark, number in by_mark.items() if number is not None}
        return cls(numbers, CODES.get(unit, unit)) if numbers else None

    @property
    def mark(self) -> str | None:
        """The decimal mark of the string; None if the string can be read with either mark."""
        return next(iter(self.by_mark)) if len(self.by_mark) == 1 else None

    def numbers(self, mark: str | None) -> set[Decimal]:
        """Return the numbers that the string can mean in a column with this decimal mark (None: unknown)."""
        return {self.by_mark[mark]} if mark in self.by_mark else {*self.by_mark.values()}


def plain_number(text: str) -> Decimal | None:
    """Parse a finite number as programs write it, with all its digits; return None for other strings."""
    number = parse_number(text.strip())
    if number is None or not math.isfinite(number):
        return None
    exact = Decimal(text.strip())
    return exact if abs(exact.adjusted()) <= MAX_EXPONENT else None


def _number(sign: str, digits: str, mark: str) -> Decimal | None:
    """Parse digits with a decimal mark; return None if they are not a valid number."""
    if not READINGS[mark].fullmatch(digits) or not any(map(str.isdigit, digits)):
        return None
    whole, _, decimals = digits.partition(mark)
    return Decimal(f"{sign}{re.sub('[^0-9]', '', whole) or 0}.{decimals}")


def decimal_mark(texts: Iterable[str]) -> str | None:
    """Return the decimal mark of a column, from numbers that can be read with only one mark; None if they disagree.

    >>> decimal_mark(["891,97", "2.656"]), decimal_mark(["1,234"]), decimal_mark(["0.5", "0,5"])
    (',', None, None)
    """
    numbers = filter(None, map(NumberText.read, texts))
    marks = {number.mark for number in numbers} - {None}
    return marks.pop() if len(marks) == 1 else None
