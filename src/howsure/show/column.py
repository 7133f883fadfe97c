"""A figure of each row of a result, declared once: how it is shown, what frames and CSV hold, and which is the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from howsure.show.table import Cell

# Numbers, intervals and p-values as a reader sees them: one rule for each, and one dash for what is undefined.

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


# Figures of the rows of a result.

FRAME, TABLE = "frame", "table"  # what alone holds a column: frames and CSV, or what people read
ENDS = ("", "_low", "_high")


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of figure is told.

    text: of a value that is there, for people. left: aligned to the left, as words are. missing: what a frame holds
    where the value is None. ends: of an estimate, which has an interval, three columns of a frame and of CSV. decimals:
    to which values are equal that are shown alike.
    """

    text: Callable[[Any], str]
    left: bool = False
    missing: Any = math.nan
    ends: tuple[str, ...] = ("",)
    decimals: int = 4

    def parts(self, value: Any) -> tuple[object, ...]:
        """The plain values: of an estimate, its own and both ends of its interval."""
        if len(self.ends) == 1 or value is None:
            return (value,) * len(self.ends)
        return value.value, value.low, value.high

    def cell(self, value: Any) -> Cell:
        """The value for people, and the number by which it is compared with others."""
        plain = self.parts(value)[0]
        rank = round(plain, self.decimals) if isinstance(plain, int | float) and not math.isnan(plain) else None
        return Cell(UNDEFINED if value is None else self.text(value) or UNDEFINED, rank)


def digits(decimals: int, *, sign: bool = False) -> Kind:
    """Numbers with so many decimals."""
    return Kind(partial(number, decimals=decimals, sign=sign), decimals=decimals)


def span(decimals: int = 4) -> Kind:
    """Both ends of an interval, where they have a column of their own."""
    return Kind(lambda ends: interval(ends[0], ends[1], decimals))


WORDS = Kind(str, left=True, missing="")
TEXT = Kind(str)  # a figure that is told as it comes
COUNT = Kind("{:,}".format)
NUMBER = digits(4)
EXACT = Kind(all_digits, decimals=17)  # all digits, as a threshold has to be typed again
P_VALUE = Kind(p_text)
FLAG = Kind(lambda value: "yes" if value else "no", missing=None)
ESTIMATE = Kind(str, ends=ENDS)
POINT = Kind(lambda value: number(value.value), ends=ENDS)  # an estimate, in tables without its interval


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of each row.

    name: what frames call it. kind: what it is. heading: of tables, where it is not the name. better: LOWER or HIGHER
    values are; then the best is bold in print. legend: what it means, below a table in print. get: how a row gives it,
    where that is not its attribute of this name; or `values`, all of them. only: FRAME, for frames and CSV alone, or
    TABLE, for text, Markdown, LaTeX and HTML alone.

    >>> Column("p_value", P_VALUE).shown, Column("p_value", P_VALUE).framed([0.5, None])
    ('p value', {'p_value': [0.5, nan]})
    """

    name: str
    kind: Kind
    heading: str = ""
    better: str = ""
    legend: str = ""
    get: Callable[[Any], object] | None = None
    values: Sequence[Any] | np.ndarray[Any, Any] | None = None
    only: str = ""

    @property
    def shown(self) -> str:
        """The heading; of what only programs read, the name."""
        return self.heading or (self.name if self.only == FRAME else self.name.replace("_", " "))

    def of(self, rows: Iterable[object]) -> Sequence[Any] | np.ndarray[Any, Any]:
        """The values of some rows."""
        if self.values is not None:
            return self.values
        return [getattr(row, self.name) if self.get is None else self.get(row) for row in rows]

    def cells(self, rows: Iterable[object]) -> list[Cell]:
        """The values for people."""
        return [self.kind.cell(value) for value in plain_list(self.of(rows))]

    def exact(self, rows: Iterable[object]) -> dict[str, list[str]]:
        """The values with all their digits, and nothing where there is none, by the headings of CSV."""
        parts = [self.kind.parts(value) for value in plain_list(self.of(rows))]
        ends = enumerate(self.kind.ends)
        return {self.shown + end.replace("_", " "): [all_of(one[i]) for one in parts] for i, end in ends}

    def framed(self, values: Sequence[Any] | np.ndarray[Any, Any]) -> dict[str, Any]:
        """The columns of a frame, by their names."""
        if isinstance(values, np.ndarray) and values.dtype != object:
            return {self.name: values}
        parts = [self.kind.parts(value) for value in values]
        ends = enumerate(self.kind.ends)
        return {self.name + end: _of_one_type([one[i] for one in parts], self.kind.missing) for i, end in ends}


def with_ends(column: Column, *, of_ends: str = "") -> list[Column]:
    """An estimate as three columns: `column` with its value, and low and high, which the legend `of_ends` explains."""
    given = column.get or attrgetter(column.name)

    def end(name: str, legend: str = "") -> Column:
        return Column(name, column.kind, legend=legend, get=lambda row: getattr(given(row), name), only=column.only)

    return [replace(column, get=end("value").get), end("low", of_ends), end("high")]


def all_of(value: object) -> str:
    """A plain value as a program reads it.

    >>> all_of(0.1), all_of(None), all_of(True), all_of("HMM"), all_of(float("nan"))
    ('0.1', '', 'yes', 'HMM', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return all_digits(value) if isinstance(value, float) else str(value)


def plain_list(values: Sequence[Any] | np.ndarray[Any, Any]) -> list[Any]:
    """Values of Python: those of numpy as what they are."""
    if isinstance(values, np.ndarray):
        return list(values.tolist())
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _of_one_type(values: list[Any], missing: Any) -> list[Any]:
    """A column of a frame: whole numbers stay whole where none is missing, names of several types become texts."""
    held: list[Any] = [missing if value is None else value for value in values]
    kinds = {type(value) for value in held}
    if str in kinds and len(kinds) > 1:
        return [str(value) for value in held]
    return list(map(float, held)) if kinds == {int, float} else held
