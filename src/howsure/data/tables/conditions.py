"""Which rows an expression selects: its columns found in the table, its comparisons checked against their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from howsure.data.tables.columns import Column, as_number
from howsure.data.tables.database import literal, literals
from howsure.data.tables.expressions import (
    Comparison,
    Junction,
    Missing,
    Name,
    Negation,
    Node,
    Pattern,
    Value,
    names_in,
    parsed,
)
from howsure.data.tables.table import Table
from howsure.errors import GIVEN, InputError, parameter, shown
from howsure.inputs.naming import nearest, shortened

ALL = "TRUE"
LISTED = 1000  # distinct values among which the nearest is sought
TRUE, FALSE = ("true", "1", "1.0"), ("false", "0", "0.0")


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression and its tree."""

    text: str
    tree: Node

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it names."""
        return tuple(dict.fromkeys(names_in(self.tree)))

    def sql(self, table: Table, values: Sequence[str] = ()) -> str:
        """Whether a row satisfies it, in SQL: never null. `values` are those treated as missing.

        A missing value satisfies `is null` alone.

        Raises InputError at the first row whose value is of another type than what it is compared with, and if no row
        is left.
        """
        found = f"coalesce({_Writer(table, values).sql(self.tree)}, FALSE)"
        if not table.ask("1", rest=f"WHERE {found} LIMIT 1"):
            raise InputError(f"no row of {table.name} satisfies {parameter('where', self.text)}.{self._advice(table)}")
        return found

    def _advice(self, table: Table) -> str:
        """What a column holds in place of a text that it is compared with."""
        for column, text in _texts(self.tree):
            one = table.columns[column]
            rows = table.ask(f"{one.text}, count(*)", rest=f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {LISTED}")
            held = [str(value) for value, _ in rows if value is not None]
            if held and text not in held:
                near = nearest(text, held)
                asked = "" if near is None else f" Did you mean {near!r}?"
                return f" {column} holds {shortened(map(repr, held), limit=6)}.{asked}"
        return ""


def condition(where: str | None) -> Condition | None:
    """The condition that an expression states; None where there is none."""
    return None if where is None else Condition(where, parsed(where))


def _texts(node: Node) -> list[tuple[str, str]]:
    match node:
        case Comparison("=", column, Value("text", text)):
            return [(column.text, text)]
        case Junction(_, nodes):
            return [found for one in nodes for found in _texts(one)]
    return []


@dataclass(frozen=True, slots=True)
class _Writer:
    table: Table
    values: Sequence[str]

    def sql(self, node: Node) -> str:
        match node:
            case Junction(operator, nodes):
                return f"({f' {operator} '.join(self.sql(one) for one in nodes)})"
            case Negation(inner):
                return f"(NOT {self.sql(inner)})"
            case Missing(name):
                return self._missing(self._column(name))
            case Pattern(operator, name, pattern):
                column = self._column(name)
                return f"({self._present(column, column.text)} {operator} {literal(pattern)})"
            case Comparison(operator, name, other):
                column = self._column(name)
                if isinstance(other, Value):
                    return self._with_value(operator, column, other)
                return self._with_column(operator, column, self._column(other))

    def _column(self, name: Name) -> Column:
        return self.table.columns[name.text]

    def _missing(self, column: Column) -> str:
        return column.missing(self.values)

    def _present(self, column: Column, value: str) -> str:
        return f"(CASE WHEN NOT {self._missing(column)} THEN {value} END)"

    def _with_value(self, operator: str, column: Column, value: Value) -> str:
        if value.kind == "truth":
            return self._truth(operator, column, value.text)
        if value.kind == "text" and not column.is_number:
            return f"({self._present(column, column.text)} {operator} {literal(value.text)})"
        number = as_number(value.text)
        if number is None and value.kind == "number":
            raise InputError(
                f"{parameter('where', GIVEN)}: {column.name} is compared with {value.text}, larger than any number "
                "can be."
            )
        if number is None:
            raise InputError(
                f"{parameter('where', GIVEN)}: {column.name} is a column of numbers ({column.type}) and cannot be "
                "compared with "
                f"{value.text!r}."
            )
        whole = column.is_integer and number.is_integer() and value.text.lstrip("-").isdecimal()
        if whole:  # beyond 2^53, a DOUBLE is not exact
            return f"({self._present(column, column.sql)} {operator} {int(value.text)})"
        return f"({self._number(column, value.text)} {operator} CAST({number!r} AS DOUBLE))"

    def _with_column(self, operator: str, column: Column, other: Column) -> str:
        if operator in ("=", "<>") and not (column.is_number or other.is_number):
            return f"({self._present(column, column.text)} {operator} {self._present(other, other.text)})"
        return f"({self._number(column, other.name)} {operator} {self._number(other, column.name)})"

    def _truth(self, operator: str, column: Column, text: str) -> str:
        if operator not in ("=", "<>"):
            raise InputError(
                f"{parameter('where', GIVEN)}: {column.name} {operator} {text} orders truth values; write = or <>."
            )
        held = f"lower({column.text})"
        wrong = f"NOT {self._missing(column)} AND {held} NOT IN ({literals(TRUE + FALSE)})"
        self._refuse(column, wrong, "true or false", text)
        chosen = TRUE if (text == "true") == (operator == "=") else FALSE
        return f"({self._present(column, held)} IN ({literals(chosen)}))"

    def _number(self, column: Column, other: str) -> str:
        if not (column.is_text or column.is_number):
            raise InputError(
                f"{parameter('where', GIVEN)}: {column.name} must hold numbers; its type is {column.type}."
            )
        self._refuse(column, f"NOT {self._missing(column)} AND {column.number} IS NULL", "a number", other)
        return self._present(column, column.number)

    def _refuse(self, column: Column, wrong: str, what: str, other: str) -> None:
        if (what == "a number" and column.is_number) or not self.table.ask("1", rest=f"WHERE {wrong} LIMIT 1"):
            return
        place, held = self.table.place(wrong, column.text)
        raise InputError(
            f"{parameter('where', GIVEN)}: {column.name} must be {what} to be compared with {other}; {place} holds "
            f"{shown(held)}. Texts "
            f"are compared with a value in single quotes. Is it a non-answer? missing_values=[{str(held)[:100]!r}]."
        )
