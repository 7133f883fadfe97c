"""A boolean expression over columns as a tree of a few kinds of nodes: DuckDB parses it, and nothing else gets through.

No function, subquery, cast, second statement or file is among the nodes; what is asked of DuckDB later is written anew
from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from howsure.data.tables.database import literal
from howsure.data.tables.paths import Step, path_text
from howsure.errors import GIVEN, InputError, parameter

MOST_CHARACTERS = 10_000
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
ADVICE = f"It may hold {WORDS} and parentheses; write a column with spaces in double quotes, a text in single ones."


@dataclass(frozen=True, slots=True)
class Name:
    """A column, or a place inside one."""

    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """A constant: "text", "number" or "truth"."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column compared with a constant or another column."""

    operator: str
    column: Name
    other: Name | Value


@dataclass(frozen=True, slots=True)
class Pattern:
    """A column whose text is like a pattern, or not."""

    operator: str
    column: Name
    pattern: str


@dataclass(frozen=True, slots=True)
class Missing:
    """Whether a column is missing."""

    column: Name


@dataclass(frozen=True, slots=True)
class Negation:
    """What does not hold."""

    node: Node


@dataclass(frozen=True, slots=True)
class Junction:
    """What holds all together ("AND"), or at least one of it ("OR")."""

    operator: str
    nodes: tuple[Node, ...]


Node = Comparison | Pattern | Missing | Negation | Junction


def parsed(expression: str) -> Node:
    """The tree of an expression.

    Raises InputError if it is no boolean expression over columns, or too long.
    """
    if not expression.strip():
        raise InputError(
            f"{parameter('where', GIVEN)} must be an expression such as {parameter('where', EXAMPLE)}; it is empty."
        )
    if len(expression) > MOST_CHARACTERS:
        raise InputError(
            f"{parameter('where', GIVEN)} must have at most {MOST_CHARACTERS:,} characters; it has {len(expression):,}."
        )
    try:
        tree = _tree(expression)
        if _around(tree, None) != _around(_tree("TRUE"), None):
            raise _refused(expression, "more than one expression")
        return _Reader(expression).node(_where(tree))
    except RecursionError as error:
        raise _refused(expression, "too many expressions inside one another") from error


def names_in(node: Node) -> Iterator[str]:
    """The columns that an expression names."""
    match node:
        case Comparison(_, column, other):
            yield column.text
            if isinstance(other, Name):
                yield other.text
        case Pattern() | Missing():
            yield node.column.text
        case Negation(inner):
            yield from names_in(inner)
        case Junction(_, nodes):
            for one in nodes:
                yield from names_in(one)


EXAMPLE = "prompt = 'first' and score > 0.5"


def _tree(expression: str) -> dict[str, Any]:
    statement = f"SELECT 1 FROM t WHERE (\n{expression}\n)"
    try:
        with _parser().cursor() as cursor:
            found = cursor.execute(f"SELECT json_serialize_sql({literal(statement)})").fetchall()[0][0]
    except duckdb.Error as error:
        raise _refused(expression, str(error).partition("\n")[0]) from error
    tree: dict[str, Any] = json.loads(found)
    if tree["error"]:
        raise _refused(expression, str(tree["error_message"]).partition("\n")[0])
    return tree


@cache
def _parser() -> duckdb.DuckDBPyConnection:
    """An empty database, which can reach nothing."""
    return duckdb.connect(config={"enable_external_access": "false"})


def _where(tree: dict[str, Any]) -> Any:
    return tree["statements"][0]["node"]["where_clause"]


def _around(tree: dict[str, Any], clause: Any) -> dict[str, Any]:
    """The statement with another clause in the place of the expression."""
    statements = [dict(one) for one in tree["statements"]]
    statements[0]["node"] = {**statements[0]["node"], "where_clause": clause}
    return {**tree, "statements": statements}


def _refused(expression: str, what: str) -> InputError:
    return InputError(f"{parameter('where', expression)} cannot be used: {what}. {ADVICE}")


@dataclass(frozen=True, slots=True)
class _Reader:
    """From DuckDB's nodes to ours, and nothing that we do not know."""

    expression: str

    def node(self, found: Any) -> Node:
        match found:
            case {"class": "CONJUNCTION", "type": "CONJUNCTION_AND" | "CONJUNCTION_OR" as kind, "children": children}:
                return Junction(kind.removeprefix("CONJUNCTION_"), tuple(map(self.node, children)))
            case {"class": "OPERATOR", "type": "OPERATOR_NOT", "children": [inner]}:
                return Negation(self.node(inner))
            case {"class": "OPERATOR", "type": "OPERATOR_IS_NULL", "children": [inner]}:
                return Missing(self._name(inner))
            case {"class": "OPERATOR", "type": "OPERATOR_IS_NOT_NULL", "children": [inner]}:
                return Negation(Missing(self._name(inner)))
            case {"class": "OPERATOR", "type": "COMPARE_IN", "children": [one, *others]}:
                return Junction("OR", tuple(self._comparison("=", one, other) for other in others))
            case {"class": "BETWEEN", "type": "COMPARE_BETWEEN", "input": one, "lower": low, "upper": high}:
                return Junction("AND", (self._comparison(">=", one, low), self._comparison("<=", one, high)))
            case {"class": "COMPARISON", "type": kind, "left": left, "right": right} if kind in COMPARISONS:
                return self._comparison(COMPARISONS[kind], left, right)
            case {"class": "FUNCTION", "is_operator": True, "function_name": name, "arguments": arguments} if (
                name in PATTERNS and len(arguments) == 2
            ):
                one, pattern = (argument["expression"] for argument in arguments)
                value = self._operand(pattern)
                if not (isinstance(value, Value) and value.kind == "text"):
                    raise _refused(self.expression, "a pattern of like must be a text")
                return Pattern(PATTERNS[name], self._name(one), value.text)
            case {"class": "COLUMN_REF"} | {"type": "ARRAY_EXTRACT" | "STRUCT_EXTRACT"}:
                return Comparison("=", self._name(found), Value("truth", "true"))
        raise self._unknown(found)

    def _comparison(self, operator: str, left: Any, right: Any) -> Comparison:
        one, other = self._operand(left), self._operand(right)
        if isinstance(one, Name):
            return Comparison(operator, one, other)
        if isinstance(other, Name):
            return Comparison(TURNED[operator], other, one)
        raise _refused(self.expression, f"{one.text} is compared with {other.text}, and neither is a column")

    def _name(self, found: Any) -> Name:
        operand = self._operand(found)
        if not isinstance(operand, Name):
            raise _refused(self.expression, f"{operand.text!r} stands where a column must")
        return operand

    def _operand(self, found: Any) -> Name | Value:
        match found:
            case {"class": "CONSTANT", "literal": {"kind": "STRING", "text": text}}:
                return Value("text", text)
            case {"class": "CONSTANT", "literal": {"kind": "INTEGER" | "NUMERIC", "text": text}}:
                return Value("number", text)
            case {"class": "CONSTANT", "literal": {"kind": "BOOLEAN", "text": text}}:
                return Value("truth", text)
            case {"class": "CONSTANT", "literal": {"kind": "NULL_LITERAL"}}:
                raise _refused(self.expression, "nothing equals null; write `is null` or `is not null`")
        column, steps = self._path(found)
        return Name(path_text(column, steps) if steps else column)

    def _path(self, found: Any) -> tuple[str, list[Step]]:
        match found:
            case {"class": "COLUMN_REF", "column_names": [*names]}:
                return ".".join(names), []
            case {
                "type": "ARRAY_EXTRACT" | "STRUCT_EXTRACT",
                "children": [inner, {"literal": {"kind": kind, "text": step}}],
            }:
                column, steps = self._path(inner)
                if kind == "STRING" or step.isdecimal():
                    return column, [*steps, step if kind == "STRING" else int(step)]
        raise self._unknown(found)

    def _unknown(self, found: Any) -> InputError:
        name = found.get("function_name") if isinstance(found, dict) else None
        what = f"the function {name}" if name else str(found.get("class", "")).lower().replace("_", " ") or "it"
        return _refused(self.expression, f"{what} is none of what it may hold")
