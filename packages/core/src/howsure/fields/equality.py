"""Whether a value equals what is true: exactly, as text, as a number, as a date or as a set; by field."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import TypeAlias

from howsure.errors import InputError
from howsure.inputs.date_formats import best_formats, count_date_formats, read_day
from howsure.inputs.numbers_and_names import spelled_number, unknown_name

Equal: TypeAlias = Callable[[str, str], bool]
EXACT, TEXT, NUMBER, DATE, SET = "exact", "text", "number", "date", "set"
KINDS = (EXACT, TEXT, NUMBER, DATE, SET)
IDENTIFIER = re.compile(r"[+-]?(0\d.*|\d{9,})")  # a telephone or account number, in which each digit matters
MAX_EXPONENT = 400  # larger than that of any float
EPSILON = Decimal("1e-9")  # of the last decimal of the true number: what computing it may change
SUMMARIES = {
    EXACT: "character by character",
    TEXT: "as texts, ignoring case and spaces",
    NUMBER: "as numbers",
    DATE: "as dates",
    SET: "as sets",
}


@dataclass(frozen=True, slots=True)
class Equality:
    """How the values of a field are compared. setting: a tolerance such as 0.01 or 1%, or the format of dates."""

    kind: str
    setting: str = ""

    @classmethod
    def parse(cls, written: str, field: str) -> Equality:
        """From "number:0.01", "date:%d/%m/%Y" or "text".

        Raises InputError for an unknown kind, or a setting that it does not have.
        """
        kind, _, setting = str(written).partition(":")
        if kind not in KINDS:
            raise InputError(
                "{parameter} of {field} must be one of {kinds}; it is {written!r}",
                "compare",
                field=field,
                kinds=", ".join(KINDS),
                written=written,
            )
        tolerance = _number(setting.removesuffix("%")) if kind == NUMBER and setting else 0.0
        is_wrong = tolerance is None or tolerance < 0 or (setting and kind not in (NUMBER, DATE))
        if is_wrong or (kind == DATE and setting and "%" not in setting):
            raise InputError(
                "{parameter} of {field} is {written!r}; write number:0.01, number:1% or date:%d/%m/%Y.",
                "compare",
                field=field,
                written=written,
            )
        return cls(kind, setting)

    @property
    def written(self) -> str:
        """As the user writes it."""
        return f"{self.kind}:{self.setting}" if self.setting else self.kind

    def equal(self, value: str, gold: str) -> bool:
        """Whether a value equals the true one; the same text always does."""
        compare: Mapping[str, Equal] = {
            TEXT: _equal_texts,
            NUMBER: partial(_equal_numbers, tolerance=self.setting),
            DATE: partial(_equal_dates, written=self.setting or None),
            SET: _equal_sets,
        }
        return value == gold or (self.kind != EXACT and compare[self.kind](value, gold))


def field_equalities(
    gold: Mapping[str, Sequence[str]], compare: Mapping[str, str] | None, *, fields: Sequence[str]
) -> dict[str, Equality]:
    """How each field is compared: as the user says, or by what its true values are.

    Numbers are compared as numbers, ISO dates as dates, lists as sets, and others as texts; so are whole numbers of 9
    digits or more, or with leading zeros, which may be telephone or account numbers.

    >>> gold = {"total": ["12.50", "3"], "date": ["2024-03-01"], "name": ["Ann"], "number": ["0012"]}
    >>> gold["phone"] = ["5551230000"]
    >>> {field: equality.kind for field, equality in field_equalities(gold, None, fields=[*gold]).items()}
    {'total': 'number', 'date': 'date', 'name': 'text', 'number': 'text', 'phone': 'text'}

    Raises InputError for a field that does not occur, and for unknown comparisons.
    """
    for field in compare or {}:
        if field not in fields:
            raise unknown_name("field", field, fields, place="the documents")
    requested = {field: Equality.parse(written, field) for field, written in (compare or {}).items()}
    return {field: requested.get(field) or Equality(_usual_kind(gold.get(field, ()))) for field in fields}


def _usual_kind(values: Sequence[str]) -> str:
    if not values:
        return TEXT
    if all(_number(value) is not None and not IDENTIFIER.fullmatch(value.strip()) for value in values):
        return NUMBER
    if all(len(value) >= 10 and _date(value, None) is not None for value in values):
        return DATE
    return SET if all(_list(value) is not None for value in values) else TEXT


def _number(text: str) -> Decimal | None:
    """The finite number that a text spells, with all its digits."""
    number = spelled_number(text.strip())
    if number is None or not math.isfinite(number):
        return None
    exact = Decimal(text.strip())
    return exact if abs(exact.adjusted()) <= MAX_EXPONENT else None


def _equal_texts(value: str, gold: str) -> bool:
    first, second = ("".join(text.casefold().split()) for text in (value, gold))
    return first == second or _truth(first, second) is _truth(second, first) is not None


def _truth(text: str, other: str) -> bool | None:
    """Whether a text is true or yes; 1 and 0, too, next to a word. None for any other text."""
    digits = {"1": True, "0": False} if other not in ("0", "1") else {}
    return ({"true": True, "yes": True, "false": False, "no": False} | digits).get(text)


def _equal_numbers(value: str, gold: str, *, tolerance: str) -> bool:
    numbers = _number(value), _number(gold)
    if numbers[0] is None or numbers[1] is None:
        return _equal_texts(value, gold)
    allowed = Decimal(tolerance.removesuffix("%") or 0)
    allowed *= abs(numbers[1]) / 100 if tolerance.endswith("%") else 1
    last_decimal = Decimal(1).scaleb(min(int(numbers[1].as_tuple().exponent), 0))
    return abs(numbers[0] - numbers[1]) <= allowed + EPSILON * last_decimal


def _equal_dates(value: str, gold: str, *, written: str | None) -> bool:
    """Whether two dates are the same, and their times if the true one has a time."""
    if written is None and ":" in gold:
        times = _time(value), _time(gold)
        if times[1] is not None:
            return times[0] == times[1]
    first, second = _date(value, written), _date(gold, written)
    return _equal_texts(value, gold) if first is None or second is None else first == second


def _time(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def _date(text: str, written: str | None) -> datetime.date | None:
    """The date in a text: in ISO format, as `written`, or in the only format that fits."""
    try:
        return datetime.datetime.fromisoformat(text.strip()).date()
    except ValueError:
        formats = best_formats(count_date_formats([text])) if written is None else [written]
    if len(formats) != 1:
        return None
    try:
        return read_day(text.strip(), formats[0])
    except ValueError:
        return None


def _equal_sets(value: str, gold: str) -> bool:
    return _members(value) == _members(gold)


def _members(text: str) -> frozenset[str]:
    """The members of a list in JSON, or of a text with commas or semicolons."""
    members = _list(text)
    texts: Iterable[object] = text.replace(";", ",").split(",") if members is None else members
    return frozenset("".join(str(member).casefold().split()) for member in texts) - {""}


def _list(text: str) -> list[object] | None:
    if not text.startswith("["):
        return None
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return members if isinstance(members, list) else None


def equality_summary(equalities: Mapping[str, Equality]) -> str:
    """How fields are compared, in a sentence.

    >>> cents = Equality("number", "0.01")
    >>> equality_summary({"total": cents, "date": Equality("date"), "net": cents})
    'Compared as numbers (±0.01): total, net; as dates: date.'
    """
    fields_by_way: dict[str, list[str]] = {}
    for field, equality in equalities.items():
        setting = f" (±{equality.setting})" if equality.kind == NUMBER and equality.setting else ""
        setting = f" ({equality.setting})" if equality.kind == DATE and equality.setting else setting
        fields_by_way.setdefault(SUMMARIES[equality.kind] + setting, []).append(field)
    return "Compared " + "; ".join(f"{way}: {', '.join(fields)}" for way, fields in fields_by_way.items()) + "."
