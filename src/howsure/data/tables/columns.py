"""A column of a file in SQL: its text, its number, and whether it is missing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.data.tables.database import identifier, literal, literals
from howsure.errors import ColumnName
from howsure.inputs.numerals import spelled_number

FLOATS = ("FLOAT", "DOUBLE")
JOINT = " / "  # between the parts of a key
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")


@dataclass(frozen=True, slots=True)
class Column:
    """A column by its name and DuckDB's type of it; `keys` are the names in its values where these are mappings.

    A column of several `parts` is their values as one key, as text. In one with a `comma`, a text 0,5 is one half; in
    one of `truths`, true is 1 and false 0, as they are in a column of truth values.
    """

    name: str
    type: str
    keys: tuple[str, ...] = ()
    parts: tuple[Column, ...] = ()
    comma: bool = False
    truths: bool = False
    role: str = ""  # the parameter that names it

    @property
    def called(self) -> ColumnName:
        """Its name in a message."""
        return ColumnName(self.name, self.role or self.name)

    @property
    def sql(self) -> str:
        """The column itself."""
        if self.parts:
            return f"({f' || {literal(JOINT)} || '.join(map(_unambiguous, self.parts))})"
        return identifier(self.name)

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of the table that it is made of."""
        return tuple(part.name for part in self.parts) or (self.name,)

    @property
    def is_text(self) -> bool:
        """Whether values are read as text, as all of CSV and JSON lines are."""
        return self.type == "VARCHAR"

    @property
    def is_integer(self) -> bool:
        """Whether the column is of an integer type."""
        return self.type.removeprefix("U") in INTEGERS

    @property
    def is_number(self) -> bool:
        """Whether the column is of a numeric type."""
        return self.is_integer or self.type in FLOATS or self.type.startswith("DECIMAL")

    @property
    def text(self) -> str:
        """The value as text."""
        return self.sql if self.is_text else f"CAST({self.sql} AS VARCHAR)"

    @property
    def spelled(self) -> str:
        """The value as text, a number with a decimal point."""
        return f"CASE WHEN {self.number} IS NULL THEN {self.text} ELSE {self._pointed} END" if self.comma else self.text

    @property
    def _pointed(self) -> str:
        return f"replace({self.sql}, ',', '.')" if self.comma else self.sql

    @property
    def number(self) -> str:
        """The value as a DOUBLE; null if a text is not a number; unlike DuckDB, 1_000 is not accepted."""
        if self.type == "DOUBLE":
            return self.sql
        number = f"TRY_CAST({self._pointed} AS DOUBLE)"
        if self.is_text and self.truths:
            number = f"CASE lower(trim({self.sql})) WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE {number} END"
        return f"CASE WHEN NOT contains({self.sql}, '_') THEN {number} END" if self.is_text else number

    @property
    def numbers(self) -> str:
        """The value as a list of DOUBLE, of a mapping in the order of its keys; null if it is not a list of numbers."""
        if self.keys:
            listed = ", ".join(f"TRY_CAST({one} AS DOUBLE)" for one in self._values)
            return f"CASE WHEN {self.has_keys} THEN [{listed}] END"
        numbers = f"TRY_CAST({self.sql} AS DOUBLE[])"
        return f"CASE WHEN NOT contains({self.sql}, '_') THEN {numbers} END" if self.is_text else numbers

    @property
    def json(self) -> str:
        """The value as JSON; null if a text is not JSON."""
        return f"CASE WHEN json_valid({self.sql}) THEN {self.sql} END" if self.is_text else f"to_json({self.sql})"

    @property
    def has_keys(self) -> str:
        """Whether the value is a mapping of just the keys."""
        return f"list_sort(json_keys({self.json})) = list_sort([{literals(self.keys)}])"

    @property
    def _values(self) -> list[str]:
        """The values of a mapping as texts, in the order of its keys."""
        pointers = ("/" + key.replace("~", "~0").replace("/", "~1") for key in self.keys)
        return [f"json_extract_string({self.json}, {literal(pointer)})" for pointer in pointers]

    def missing(self, values: Sequence[str] = (), *, role: str = "text") -> str:
        """Whether the value is missing: null, NaN, empty, or one of `values`; in a list, whether any element is.

        The role is "text", "number" (a text is missing if it spells NaN in any way) or "numbers" (a list).
        """
        if self.parts:
            return f"({' OR '.join(part.missing(values) for part in self.parts)})"
        tests = [f"{self.sql} IS NULL"]
        if self.type in FLOATS:
            tests.append(f"isnan({self.sql})")
        if self.is_text:
            tests.append(f"trim({self.sql}) IN ('', 'NaN')")
        if self.is_text and role == "number":
            tests.append(f"coalesce(isnan({self.number}), FALSE)")
        if role == "numbers":
            nan = "CAST('NaN' AS DOUBLE)"
            texts = f"[{', '.join(self._values)}]" if self.keys else f"TRY_CAST({self.sql} AS VARCHAR[])"
            tests.append(f"coalesce(list_count({texts}) < len({texts}), FALSE)")
            tests.append(f"coalesce(list_contains({self.numbers}, {nan}), FALSE)")
        elif values:
            tests.append(self.among(values))
        return f"({' OR '.join(tests)})"

    def among(self, values: Sequence[str]) -> str:
        """Whether the value is one of some values given as text; numbers are compared by value."""
        if not self.is_number:
            return f"({self.text} IN ({literals(values)}))" if values else "FALSE"
        numbers = [number for number in map(as_number, values) if number is not None]
        if self.is_integer:
            whole = ", ".join(str(int(number)) for number in numbers if number.is_integer())
            return f"({self.sql} IN ({whole}))" if whole else "FALSE"
        exact = ", ".join(f"CAST({number!r} AS DOUBLE)" for number in numbers)
        return f"({self.number} IN ({exact}))" if exact else "FALSE"


def _unambiguous(part: Column) -> str:
    """A part of a key as text, in quotes where it could be taken for two parts: different parts give different keys."""
    unclear = " OR ".join(f"contains({part.text}, {literal(one)})" for one in (JOINT[:-1], JOINT[1:], '"'))
    quoted = f"""'"' || replace({part.text}, '"', '""') || '"'"""
    return f"CASE WHEN {unclear} THEN {quoted} ELSE {part.text} END"


def as_number(text: str) -> float | None:
    """The finite number that a text spells, or None."""
    number = spelled_number(text)
    return number if number is not None and math.isfinite(number) else None
