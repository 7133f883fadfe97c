"""Errors are values: each rule has its placeholders filled at every call, and no code edits a finished sentence."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import howsure.errors
from howsure.errors import REMEDIES, RULES, ColumnName, InputError, Parameter, Verbatim

SOURCE = Path(howsure.errors.__file__).parent
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
OWN = {"remedy", "row", "place", "untold"}  # parameters of InputError that are not values of a sentence
IMPLIED = {"parameter", "row"}  # values that every sentence has


EDITS = {"replace", "partition", "rpartition", "removeprefix", "removesuffix", "rstrip", "sub"}
SENTENCE = re.compile(r"str\(error\)|error\.message|\b(note|notes|message)\b")
OF_OTHERS = {  # functions that quote the message of another library, without its advice or its final stop
    "cli/terminal/commands.py",
    "data/antecedent_files.py",
    "data/tables/database.py",
    "data/tables/duckdb_table.py",
    "data/tables/where.py",
    "events/store/reading.py",
    "files/opened.py",
    "significance/experiments.py",
    "errors.py",  # while messages are finished texts
    "report/results.py",  # removes "note: " from the notes of tables, until these are values
}


def placeholders(template: str) -> set[str]:
    """The values that a template shows.

    >>> sorted(placeholders("{parameter} must be at least {low:,}; {row} is {value!r}"))
    ['low', 'parameter', 'row', 'value']
    """
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def texts(node: ast.expr | None) -> set[str]:
    """The constant texts that an argument may be: of both branches of `a if b else c`."""
    if isinstance(node, ast.IfExp):
        return texts(node.body) | texts(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def is_of_a_rule(call: ast.Call) -> bool:
    """Whether an error has values: it is not a finished text."""
    return len(call.args) > 1 or any(keyword.arg != "untold" for keyword in call.keywords)


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Each call that makes an error of a rule, after its place in the source."""
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if isinstance(node, ast.Call) and name.endswith("Error") and is_of_a_rule(node):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node


CALLS = dict(calls())
STRINGS = {
    node.value
    for path, tree in TREES.items()
    if path.name != "errors.py"
    for node in ast.walk(tree)
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}


@pytest.mark.parametrize("place", CALLS)
def test_a_call_passes_the_values_of_its_sentences(place: str) -> None:
    call = CALLS[place]
    arguments = {keyword.arg: keyword.value for keyword in call.keywords}
    remedy = arguments.get("remedy")
    assert not isinstance(remedy, ast.JoinedStr), "a remedy is a template: pass its values by name"
    assert not isinstance(call.args[0] if call.args else None, ast.JoinedStr), "a rule is a template"
    if None in arguments:  # **values
        return
    given = arguments.keys() - OWN
    needed: set[str] = set()
    for text in texts(call.args[0] if call.args else None):
        needed |= placeholders(RULES.get(text, text))
    for text in texts(remedy):
        needed |= placeholders(REMEDIES.get(text, text))
    assert needed <= given | IMPLIED


def test_every_rule_and_every_remedy_is_used() -> None:
    assert RULES.keys() | REMEDIES.keys() <= STRINGS


def test_a_rule_in_the_table_is_named_correctly() -> None:
    named = {text for call in CALLS.values() if call.args for text in texts(call.args[0])}
    assert {text for text in named if re.fullmatch(r"\w+", text)} <= RULES.keys()


def edits(tree: ast.Module) -> Iterator[ast.Call]:
    """Calls that change a text which is a message or a note."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EDITS:
            text = node.args[-1] if node.func.attr == "sub" and node.args else node.func.value
            if SENTENCE.search(ast.unparse(text)):
                yield node


def test_no_code_edits_a_finished_sentence() -> None:
    edited = {path.relative_to(SOURCE).as_posix() for path, tree in TREES.items() if any(edits(tree))}
    assert edited == OF_OTHERS
    assert list(edits(ast.parse("note.removesuffix('.')"))) != []


def test_values_are_shown_by_type() -> None:
    error = InputError(
        "{parameter} needs {other}, {names} and {value!r}, not {number!r}",
        "n_bins",
        other=Parameter("interval", "bootstrap"),
        names=["a", "b"],
        value="x" * 100,
        number=Verbatim("1.70"),
        row=3,
        remedy="Set `level=0.9`, not `level`.",
    )
    long_value = repr("x" * 79 + "…")
    assert str(error) == (
        f"n_bins needs interval='bootstrap', a, b and {long_value}, not 1.70. Set level=0.9, not level. "
        "(Rows are counted from 0.)"
    )


def test_an_error_in_an_error_keeps_its_row_and_its_remedy() -> None:
    inner = InputError("outside", ColumnName("p", "y_prob"), value=2, row=1, low=0, high=1).at(lambda row: row + 10)
    outer = InputError("group {group!r}: {error}", group="{b}`c`", error=inner, remedy="Use more rows.")
    assert str(outer) == (
        "group '{b}`c`': p must be between 0 and 1; row 11 is 2. Use more rows. (Rows are counted from 0.)"
    )
