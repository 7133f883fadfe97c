"""Comparison of predicted and true values of a field: exactly, or as strings, numbers, dates or sets."""

from __future__ import annotations

import datetime
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from itertools import product
from typing import TypeAlias

from howsure.errors import InputError, quote
from howsure.fields.number_texts import COMMA, NumberText, decimal_mark, plain_number
from howsure.inputs.date_formats import best_formats, count_date_formats, read_day, read_iso
from howsure.inputs.numbers_and_names import counted, unknown_name, words_among_numbers
from howsure.notes import WARNING, Note

Equal: TypeAlias = Callable[[str, str], bool]
EXACT, TEXT, NUMBER, DATE, SET = "exact", "text", "number", "date", "set"
KINDS = (EXACT, TEXT, NUMBER, DATE, SET)
IDENTIFIER = re.compile(r"[+-]?(0\d.*|\d{9,})")  # a telephone or account number, in which each digit matters
MIN_UNEQUAL = 10  # if none of at least this many values of a field is right, a note asks whether notations differ
EPSILON = Decimal("1e-9")  # allowed rounding error, in units of the last decimal of the true number
TRUTHS = dict.fromkeys(["ja", "wahr", "oui", "vrai", "sí", "si", "verdadero", "sì", "vero", "sim"], True)
TRUTHS |= dict.fromkeys(["nein", "falsch", "non", "faux", "falso", "não"], False)
SUMMARIES = {
    EXACT: "character by character",
    TEXT: "as strings, ignoring case and spaces",
    NUMBER: "as numbers",
    DATE: "as dates",
    SET: "as sets",
}


@dataclass(frozen=True, slots=True)
class Equality:
    """The comparison of a field's predicted and true values.

    kind: "exact", "text", "number", "date" or "set". setting: a tolerance such as 0.01 or 1%, or the format of dates.
    marks: the decimal marks of the predicted and of the true numbers; None if unknown.
    """

    kind: str
    setting: str = ""
    marks: tuple[str | None, str | None] = (None, None)

    @classmethod
    def parse(cls, written: str, field: str) -> Equality:
        """Parse a comparison such as "number:0.01", "date:%d/%m/%Y" or "text"."""
        kind, _, setting = str(written).partition(":")
        if kind not in KINDS:
            raise InputError(
                "{parameter} of {field} must be one of {kinds}; it is {written!r}",
                "compare",
                field=field,
                kinds=", ".join(KINDS),
                written=written,
            )
        tolerance = plain_number(setting.removesuffix("%")) if kind == NUMBER and setting else 0
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
        """The comparison as the user writes it, such as "number:0.01"."""
        return f"{self.kind}:{self.setting}" if self.setting else self.kind

    def equal(self, value: str, gold: str) -> bool:
        """Return whether a value equals the true one; identical strings are always equal."""
        compare: Mapping[str, Equal] = {
            TEXT: _equal_texts,
            NUMBER: self._equal_numbers,
            DATE: partial(_equal_dates, written=self.setting or None),
            SET: _equal_sets,
        }
        return value == gold or (self.kind != EXACT and compare[self.kind](value, gold))

    def _equal_numbers(self, value: str, gold: str) -> bool:
        verdicts = self.verdicts_on_numbers(value, gold)
        return verdicts == {True} or (verdicts != {False} and _equal_texts(value, gold))

    def verdicts_on_numbers(self, value: str, gold: str) -> set[bool]:
        """Compare two numbers in every way in which they can be read; return the set of results.

        A string such as 1,234 can be read as a thousand or as a decimal, so the set may contain both True and False. It
        is empty if one string is not a number.
        """
        first, second = NumberText.read(value), NumberText.read(gold)
        if first is None or second is None:
            return set()
        if first.unit and second.unit and first.unit != second.unit:
            return {False}
        pairs = product(first.numbers(self.marks[0]), second.numbers(self.marks[1]))
        return {_are_close(number, true, tolerance=self.setting) for number, true in pairs}


def field_equalities(
    gold: Mapping[str, Sequence[str]],
    compare: Mapping[str, str] | None,
    *,
    fields: Sequence[str],
    predicted: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Equality]:
    """Return the comparison of each field: the user's, or one that fits the true values.

    By default, numbers are compared as numbers, also if a few values are words such as n/a; ISO dates as dates, lists
    as sets, and all other values as strings. Whole numbers of 9 digits or more, or with leading zeros, are also
    compared as strings, because they may be telephone or account numbers. Numbers that can be read in only one way
    determine whether a field uses decimal points or commas, separately for predicted and true values.

    >>> gold = {"total": ["12.50", "3"], "date": ["2024-03-01"], "name": ["Ann"], "number": ["0012"]}
    >>> gold["phone"] = ["5551230000"]
    >>> {field: equality.kind for field, equality in field_equalities(gold, None, fields=[*gold]).items()}
    {'total': 'number', 'date': 'date', 'name': 'text', 'number': 'text', 'phone': 'text'}
    """
    for field in compare or {}:
        if field not in fields:
            raise unknown_name("field", field, fields, place="the documents")
    requested = {field: Equality.parse(written, field) for field, written in (compare or {}).items()}
    equalities = {field: requested.get(field) or Equality(_usual_kind(gold.get(field, ()))) for field in fields}
    for field, equality in equalities.items():
        if equality.kind == NUMBER:
            marks = decimal_mark((predicted or {}).get(field, ())), decimal_mark(gold.get(field, ()))
            equalities[field] = replace(equality, marks=marks)
    return equalities


def _usual_kind(values: Sequence[str]) -> str:
    if not values:
        return TEXT
    words = words_among_numbers(Counter(values), NumberText.read)
    others = set(values).difference(words)
    if all(NumberText.read(value) and not IDENTIFIER.fullmatch("".join(value.split())) for value in others):
        return NUMBER
    if all(len(value) >= 10 and _date(value, None) is not None for value in values):
        return DATE
    return SET if all(_list(value) is not None for value in values) else TEXT


def _equal_texts(value: str, gold: str) -> bool:
    first, second = map(_folded, (value, gold))
    return first == second or _truth(first, second) is _truth(second, first) is not None


def _folded(text: str) -> str:
    """Return a string without spaces, case-folded and in composed form (NFC)."""
    return unicodedata.normalize("NFC", "".join(unicodedata.normalize("NFC", text).casefold().split()))


def _truth(text: str, other: str) -> bool | None:
    """Return True for "true" or "yes", False for "false" or "no", and None for any other string.

    1 and 0 also count as truth values if the other string is a word, and words such as "ja" if the other string is
    "true" or "false".
    """
    truths = {"true": True, "yes": True, "false": False, "no": False}
    truths |= {"1": True, "0": False} if other not in ("0", "1") else {}
    return (truths | (TRUTHS if other in ("true", "false") else {})).get(text)


def _are_close(number: Decimal, true: Decimal, *, tolerance: str) -> bool:
    allowed = Decimal(tolerance.removesuffix("%") or 0)
    allowed *= abs(true) / 100 if tolerance.endswith("%") else 1
    last_decimal = Decimal(1).scaleb(min(int(true.as_tuple().exponent), 0))
    return abs(number - true) <= allowed + EPSILON * last_decimal


def _equal_dates(value: str, gold: str, *, written: str | None) -> bool:
    """Return whether two dates are equal, and also their times if the true one has a time."""
    if written is None and ":" in gold:
        times = _time(value), _time(gold)
        if times[1] is not None:
            return times[0] == times[1]
    first, second = _date(value, written), _date(gold, written)
    return _equal_texts(value, gold) if first is None or second is None else first == second


def _time(text: str) -> datetime.datetime | None:
    try:
        return read_iso(text)
    except ValueError:
        return None


def _date(text: str, written: str | None) -> datetime.date | None:
    """Parse a date in ISO format, in the format `written` or, if that is None, in the only format that fits."""
    try:
        return read_iso(text).date()
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
    """Return the members of a JSON list, or of a string with commas or semicolons."""
    members = _list(text)
    texts: Iterable[object] = text.replace(";", ",").split(",") if members is None else members
    return frozenset(_folded(str(member)) for member in texts) - {""}


def _list(text: str) -> list[object] | None:
    if not text.startswith("["):
        return None
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return members if isinstance(members, list) else None


def equality_summary(equalities: Mapping[str, Equality]) -> str:
    """Describe in a sentence how fields are compared.

    >>> cents = Equality("number", "0.01")
    >>> equality_summary({"total": cents, "date": Equality("date"), "net": cents})
    'Compared as numbers (±0.01): total, net; as dates: date.'
    >>> equality_summary({"Betrag": Equality("number", marks=(".", ","))})
    'Compared as numbers with decimal commas: Betrag.'
    """
    fields_by_way: dict[str, list[str]] = {}
    for field, equality in equalities.items():
        setting = f" (±{equality.setting})" if equality.kind == NUMBER and equality.setting else ""
        setting = f" ({equality.setting})" if equality.kind == DATE and equality.setting else setting
        setting = f" with decimal commas{setting}" if COMMA in equality.marks else setting
        fields_by_way.setdefault(SUMMARIES[equality.kind] + setting, []).append(field)
    return "Compared " + "; ".join(f"{way}: {', '.join(fields)}" for way, fields in fields_by_way.items()) + "."


def comparison_notes(field: str, equality: Equality, wrong: Sequence[tuple[str, str]], n: int) -> Iterator[Note]:
    """Yield notes on values of a field that may be equal but are written differently.

    wrong: the pairs (predicted, true) of values that differ. n: the number of all pairs.

    >>> list(comparison_notes("paid", Equality("text"), [("true", "x"), ("false", "y")] * 5, 10))
    ["None of 10 values of paid equals the true value: 'true' and 'x', 'false' and 'y'. Are they written differently?"]
    """
    if len(wrong) == n >= MIN_UNEQUAL:
        pairs = [f"{quote(value)} and {quote(gold)}" for value, gold in dict.fromkeys(wrong)]
        yield Note(
            f"None of {n:,} values of {field} equals the true value: {', '.join(pairs[:2])}. Are they written "
            "differently?",
            WARNING,
        )
    if equality.kind != NUMBER:
        return
    verdicts = [(pair, equality.verdicts_on_numbers(*pair)) for pair in wrong]
    if unclear := [text for pair, verdict in verdicts if len(verdict) > 1 for text in pair if _is_ambiguous(text)]:
        n_unclear = sum(len(verdict) > 1 for _, verdict in verdicts)
        number = NumberText.read(unclear[0])
        assert number is not None
        meanings = " or ".join(f"{meaning:f}" for meaning in number.by_mark.values())
        yield Note(
            f"{n_unclear:,} of {counted(n, 'value')} of {field} cannot be read as numbers and count as different: "
            f"{unclear[0]} may be {meanings}. Write numbers without separators of thousands.",
            WARNING,
        )
    if not_numbers := [text for pair, verdict in verdicts if not verdict for text in pair if not NumberText.read(text)]:
        n_others = sum(not verdict for _, verdict in verdicts)
        yield Note(
            f"{n_others:,} of {counted(n, 'value')} of {field} are not numbers and count as different: "
            f"{quote(not_numbers[0])}, for example.",
            WARNING,
        )


def _is_ambiguous(text: str) -> bool:
    number = NumberText.read(text)
    return number is not None and len({*number.by_mark.values()}) > 1
