"""Select rows by a `where` expression. DuckDB parses the expression, and only a few kinds of nodes are accepted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import duckdb

from howsure.data.tables.connections import Connection, connect
from howsure.data.tables.database import Column, Step, as_number, literal, literals, path_text
from howsure.data.tables.table import Table, with_percentages
from howsure.errors import InputError, parameter, quote
from howsure.inputs.numbers_and_names import nearest, shortened

# Parse a boolean expression over columns. DuckDB parses it, and only a few kinds of nodes are accepted: no functions,
# subqueries, casts, second statements or files. The SQL that DuckDB later runs is generated from the accepted nodes.

MAX_CHARACTERS = 10_000
COMPARISONS = {
    "COMPARE_EQUAL": "=",
    "COMPARE_NOTEQUAL": "<>",
    "COMPARE_LESSTHAN": "<",
    "COMPARE_GREATERTHAN": ">",
    "COMPARE_LESSTHANOREQUALTO": "<=",
    "COMPARE_GREATERTHANOREQUALTO": ">=",
}
PATTERNS = {"~~": "LIKE", "!~~": "NOT LIKE", "~~*": "ILIKE", "!~~*": "NOT ILIKE"}
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}
WORDS = "columns, numbers, 'texts', =, <>, <, <=, >, >=, between, in, like, is null, and, or, not"
ADVICE = (
    f"It may contain {WORDS} and parentheses; write a column with spaces, or named like a word of SQL such as order, "
    "in double quotes, a text in single ones."
)


@dataclass(frozen=True, slots=True)
class Name:
    """A column, or a place inside one."""

    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """A constant: "text", "number" or "truth"."""

    kind: str
    text: str


def parsed(expression: str) -> Condition:
    if not expression.strip():
        raise InputError(f"`where=...` must be an expression such as `where={EXAMPLE!r}`; it is empty.")
    if len(expression) > MAX_CHARACTERS:
        raise InputError(f"`where=...` must have at most {MAX_CHARACTERS:,} characters; it has {len(expression):,}.")
    try:
        tree = _tree(expression)
        if _replace_clause(tree, None) != _replace_clause(_tree("TRUE"), None):
            raise _refused(expression, "more than one expression")
        reader = _Reader(expression)
        written = reader.node(_where(tree))
    except RecursionError as error:
        raise _refused(expression, "too many expressions inside one another") from error
    names, values = tuple(dict.fromkeys(reader.names)), tuple(reader.values)
    return Condition(expression, names, tuple(reader.texts), written, values)


EXAMPLE = "prompt = 'first' and score > 0.5"


def _tree(expression: str) -> dict[str, Any]:
    statement = f"SELECT 1 FROM t WHERE (\n{expression}\n)"
    try:
        with _parser().cursor() as cursor:
            serialized = cursor.execute(f"SELECT json_serialize_sql({literal(statement)})").fetchall()[0][0]
    except duckdb.Error as error:
        raise _refused(expression, str(error).partition("\n")[0]) from error
    tree: dict[str, Any] = json.loads(serialized)
    if tree["error"]:
        raise _refused(expression, str(tree["error_message"]).partition("\n")[0])
    return tree


@cache
def _parser() -> Connection:
    """An empty database without access to anything."""
    return connect(enable_external_access="false")


def _where(tree: dict[str, Any]) -> Any:
    return tree["statements"][0]["node"]["where_clause"]


def _replace_clause(tree: dict[str, Any], clause: Any) -> dict[str, Any]:
    """The statement with another clause in place of the expression."""
    statements = [dict(statement_tree) for statement_tree in tree["statements"]]
    statements[0]["node"] = {**statements[0]["node"], "where_clause": clause}
    return {**tree, "statements": statements}


def _refused(expression: str, what: str, advice: str = "") -> InputError:
    return InputError(f"{parameter('where', expression)} cannot be used: {what}.{advice or f' {ADVICE}'}")


def _quoted_text(expression: str) -> str | None:
    """Return a comparison with a text that has no quotes, with quotes; None for other expressions.

    >>> _quoted_text("model=gpt-4.1")
    "model = 'gpt-4.1'"
    """
    match = re.fullmatch(r"\s*(\w+)\s*(=|<>|!=)\s*([A-Za-z][\w.:/-]*)\s*", expression)
    return f"{match[1]} {match[2]} {literal(match[3])}" if match else None


Sql = Callable[["_Writer"], str]  # of the columns of a table


@dataclass(frozen=True, slots=True)
class _Reader:
    """Rewrites DuckDB's nodes as SQL; unknown nodes are refused.

    names: the columns. texts: the columns that must equal a string for a row to be selected, with the string. values:
    the columns with which a column is compared, which may be texts without quotes.
    """

    expression: str
    names: list[str] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def node(self, expression: Any) -> Sql:
        match expression:
            case {"class": "CONJUNCTION", "type": "CONJUNCTION_AND" | "CONJUNCTION_OR" as kind, "children": children}:
                return _joined(kind.removeprefix("CONJUNCTION_"), [self.node(child) for child in children])
            case {"class": "OPERATOR", "type": "OPERATOR_NOT", "children": [inner]}:
                n_texts = len(self.texts)
                denied = self.node(inner)
                del self.texts[n_texts:]
                return lambda to: f"(NOT {denied(to)})"
            case {"class": "OPERATOR", "type": "OPERATOR_IS_NULL", "children": [inner]}:
                missing = self._column(inner)
                return lambda to: to.missing(missing)
            case {"class": "OPERATOR", "type": "OPERATOR_IS_NOT_NULL", "children": [inner]}:
                there = self._column(inner)
                return lambda to: f"(NOT {to.missing(there)})"
            case {"class": "OPERATOR", "type": "COMPARE_IN", "children": [first, *others]}:
                return _joined("OR", [self._comparison("=", first, other) for other in others])
            case {"class": "BETWEEN", "type": "COMPARE_BETWEEN", "input": value, "lower": low, "upper": high}:
                return _joined("AND", [self._comparison(">=", value, low), self._comparison("<=", value, high)])
            case {"class": "COMPARISON", "type": kind, "left": left, "right": right} if kind in COMPARISONS:
                return self._comparison(COMPARISONS[kind], left, right)
            case {"class": "FUNCTION", "is_operator": True, "function_name": name, "arguments": arguments} if (
                name in PATTERNS and len(arguments) == 2
            ):
                first, pattern = (argument["expression"] for argument in arguments)
                value = self._operand(pattern)
                if not (isinstance(value, Value) and value.kind == "text"):
                    raise _refused(self.expression, "a pattern of like must be a text")
                like = self._column(first)
                return lambda to: to.like(PATTERNS[name], like, value.text)
            case {"class": "COLUMN_REF"} | {"type": "ARRAY_EXTRACT" | "STRUCT_EXTRACT"}:
                true = self._column(expression)
                return lambda to: to.compared("=", true, Value("truth", "true"))
        raise self._unknown(expression)

    def _comparison(self, operator: str, left: Any, right: Any) -> Sql:
        left_operand, other = self._operand(left), self._operand(right)
        if isinstance(left_operand, Value):
            if isinstance(other, Value):
                what = f"{left_operand.text} is compared with {other.text}, and neither is a column"
                raise _refused(self.expression, what)
            operator, left_operand, other = TURNED[operator], other, left_operand
        column, value = left_operand.text, other
        self.names.extend([column] if isinstance(value, Value) else [column, value.text])
        self.values.extend([] if isinstance(value, Value) else [value.text])
        if isinstance(value, Value) and value.kind == "text" and operator == "=":
            self.texts.append((column, value.text))
        return lambda to: to.compared(operator, column, value)

    def _column(self, expression: Any) -> str:
        operand = self._operand(expression)
        if not isinstance(operand, Name):
            raise _refused(self.expression, f"{operand.text!r} is in the place of a column")
        self.names.append(operand.text)
        return operand.text

    def _operand(self, expression: Any) -> Name | Value:
        match expression:
            case {"class": "CONSTANT", "literal": {"kind": "STRING", "text": text}}:
                return Value("text", text)
            case {"class": "CONSTANT", "literal": {"kind": "INTEGER" | "NUMERIC", "text": text}}:
                return Value("number", text)
            case {"class": "CONSTANT", "literal": {"kind": "BOOLEAN", "text": text}}:
                return Value("truth", text)
            case {"class": "CONSTANT", "literal": {"kind": "NULL_LITERAL"}}:
                raise _refused(self.expression, "nothing equals null; write `is null` or `is not null`")
        column, steps = self._path(expression)
        return Name(path_text(column, steps) if steps else column)

    def _path(self, expression: Any) -> tuple[str, list[Step]]:
        match expression:
            case {"class": "COLUMN_REF", "column_names": [*names]}:
                return ".".join(names), []
            case {
                "type": "ARRAY_EXTRACT" | "STRUCT_EXTRACT",
                "children": [inner, {"literal": {"kind": kind, "text": step}}],
            }:
                column, steps = self._path(inner)
                if kind == "STRING" or step.isdecimal():
                    return column, [*steps, step if kind == "STRING" else int(step)]
        raise self._unknown(expression)

    def _unknown(self, expression: Any) -> InputError:
        name = expression.get("function_name") if isinstance(expression, dict) else None
        what = f"the function {name}" if name else str(expression.get("class", "")).lower().replace("_", " ") or "it"
        advice = f" Is a text meant? Write {quoted}." if (quoted := _quoted_text(self.expression)) else ""
        return _refused(self.expression, f"{what} is not allowed in it", advice)


# Select rows: find the expression's columns in the table, and check comparisons against the columns' types.

LISTED = 1000  # distinct values among which the nearest is sought
TRUE, FALSE = ("true", "1", "1.0"), ("false", "0", "0.0")


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression, and the `names` of its columns.

    texts: columns and the strings that they must equal. written: a function that writes the expression as SQL. values:
    columns with which a column is compared.
    """

    text: str
    names: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]
    written: Sql
    values: tuple[str, ...] = ()

    @contextmanager
    def advising_quotes(self) -> Iterator[None]:
        """Add advice to the error for an unknown column that may be a text without quotes."""
        try:
            yield
        except InputError as error:
            if error.fault is None or error.fault.rule != "unknown_name" or error.fault.value not in self.values:
                raise
            remedy = f"Is it a text? Then write it in single quotes: '{error.fault.value}'."
            raise InputError(replace(error.fault, remedy=remedy)) from error

    def sql(self, table: Table, values: Sequence[str] = ()) -> str:
        """Return SQL for whether a row satisfies the condition; it is never null. values: those treated as missing.

        A missing value satisfies only `is null`.
        """
        condition = f"coalesce({self.written(_Writer(table, values))}, FALSE)"
        if not table.ask("1", rest=f"WHERE {condition} LIMIT 1"):
            raise InputError(f"no row of {table.name} satisfies {parameter('where', self.text)}.{self._advice(table)}")
        return condition

    def _advice(self, table: Table) -> str:
        """Return the values of a column, for a message about a string with which it is compared."""
        for column, text in self.texts:
            column_ = table.columns[column]
            rows = table.ask(f"{column_.text}, count(*)", rest=f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {LISTED}")
            texts = [str(value) for value, _ in rows if value is not None]
            if texts and text not in texts:
                near = nearest(text, texts)
                suggestion = "" if near is None else f" Did you mean {near!r}?"
                return f" {column} contains {shortened(map(repr, texts), limit=6)}.{suggestion}"
        return ""


def condition(where: str | None) -> Condition | None:
    """The condition of an expression; None without an expression."""
    return None if where is None else parsed(where)


def _joined(operator: str, nodes: Sequence[Sql]) -> Sql:
    return lambda to: f"({f' {operator} '.join(node(to) for node in nodes)})"


@dataclass(frozen=True, slots=True)
class _Writer:
    table: Table
    values: Sequence[str]

    def missing(self, name: str) -> str:
        return self._missing(self.table.columns[name])

    def like(self, operator: str, name: str, pattern: str) -> str:
        column = self.table.columns[name]
        return f"({self._present(column, column.text)} {operator} {literal(pattern)})"

    def compared(self, operator: str, name: str, other: Name | Value) -> str:
        column = self.table.columns[name]
        if isinstance(other, Value):
            return self._with_value(operator, column, other)
        return self._with_column(operator, column, self.table.columns[other.text])

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
                f"`where=...`: {column.name} is compared with {value.text}, larger than any number can be."
            )
        if number is None:
            raise InputError(
                f"`where=...`: {column.name} is a column of numbers ({column.type}) and cannot be compared with "
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
                f"`where=...`: truth values can be compared with = or <> only, not as in {column.name} {operator} "
                f"{text}."
            )
        lowered = f"lower({column.text})"
        wrong = f"NOT {self._missing(column)} AND {lowered} NOT IN ({literals(TRUE + FALSE)})"
        self._refuse(column, wrong, "true or false", text)
        chosen = TRUE if (text == "true") == (operator == "=") else FALSE
        return f"({self._present(column, lowered)} IN ({literals(chosen)}))"

    def _number(self, column: Column, other: str) -> str:
        if not (column.is_text or column.is_number):
            raise InputError(f"`where=...`: {column.name} must contain numbers; its type is {column.type}.")
        column = with_percentages(self.table, column, missing_values=self.values)
        self._refuse(column, f"NOT {self._missing(column)} AND {column.number} IS NULL", "a number", other)
        return self._present(column, column.number)

    def _refuse(self, column: Column, wrong: str, what: str, other: str) -> None:
        if (what == "a number" and column.is_number) or not self.table.ask("1", rest=f"WHERE {wrong} LIMIT 1"):
            return
        place, value = self.table.place(wrong, column.text)
        raise InputError(
            f"`where=...`: {column.name} must be {what} to be compared with {other}; {place} is {quote(value)}. Texts "
            "are compared with a value in single quotes. Is it a non-answer? "
            f"{parameter('missing_values', [str(value)[:100]])}."
        )


def as_literal(value: object) -> str:
    """Return a value as written in a `where` expression.

    >>> as_literal("it's")
    "'it''s'"
    """
    return "'{}'".format(value.replace("'", "''")) if isinstance(value, str) else str(value)
