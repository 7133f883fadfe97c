"""Errors are values: each rule has its placeholders filled at every call, and no code edits a finished sentence."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module

import click
import pytest

from howsure.errors import REMEDIES, RULES, ColumnName, InputError, Parameter, Verbatim
from howsure_cli.terminal.commands import Command
from tests.source import FILES, PAPERS, ROOT

OWN = {"remedy", "row", "place", "untold"}  # parameters of InputError that are not values of a sentence
IMPLIED = {"parameter", "row"}  # values that every sentence has


EDITS = {"replace", "partition", "rpartition", "removeprefix", "removesuffix", "rstrip", "sub"}
SENTENCE = re.compile(r"str\(error\)|error\.message|\b(note|notes|message)\b")
OF_OTHERS = {  # functions that quote the message of another library, without its advice or its final stop
    "howsure_cli/terminal/commands.py",
    "howsure/data/tables/copied_table.py",
    "howsure/data/tables/database.py",
    "howsure/data/tables/where.py",
    "howsure_events/store/store_queries.py",
    "howsure/files/input_files.py",
    "howsure/significance/experiments.py",
    "howsure/errors.py",  # while messages are finished texts
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


@cache
def nodes() -> dict[str, tuple[list[ast.Call], set[str]]]:
    """The calls and the texts of the source, by path; parsed when a test first needs them, not during collection."""
    nodes_by_path = {}
    for path in FILES:
        if PAPERS not in path.parents:
            every = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            calls = [node for node in every if isinstance(node, ast.Call)]
            strings = {node.value for node in every if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            nodes_by_path[path.relative_to(ROOT).as_posix().partition("/src/")[2]] = calls, strings
    return nodes_by_path


@cache
def calls() -> list[tuple[str, ast.Call]]:
    """Each call that makes an error of a rule, after its place in the source."""
    return [
        (f"{path}:{node.lineno}", node)
        for path, (calls_of_file, _) in nodes().items()
        for node in calls_of_file
        if isinstance(node.func, ast.Name)
        and node.func.id.endswith("Error")
        and node.func.id != "MissingExtraError"
        and is_of_a_rule(node)
    ]


def unmet(call: ast.Call) -> str:
    """What is wrong with the arguments of a call that makes an error of a rule; empty if nothing is."""
    arguments = {keyword.arg: keyword.value for keyword in call.keywords}
    remedy = arguments.get("remedy")
    if isinstance(remedy, ast.JoinedStr):
        return "a remedy is a template: pass its values by name"
    if call.args and isinstance(call.args[0], ast.JoinedStr):
        return "a rule is a template"
    if None in arguments:  # **values
        return ""
    needed: set[str] = set()
    for text in texts(call.args[0] if call.args else None):
        needed |= placeholders(RULES.get(text, text))
    for text in texts(remedy):
        needed |= placeholders(REMEDIES.get(text, text))
    missing = needed - (arguments.keys() - OWN) - IMPLIED
    return f"values are missing: {', '.join(sorted(missing))}" if missing else ""


def test_calls_pass_the_values_of_their_sentences() -> None:
    assert len(calls()) > 100
    assert {place: wrong for place, call in calls() if (wrong := unmet(call))} == {}


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("InputError('{parameter} needs {other}', 'n', row=3)", "values are missing: other"),
        ("InputError('{parameter} is {value}', 'n', value=3, remedy='Use {option}.')", "values are missing: option"),
        ("InputError(f'{name} is wrong', 'n')", "a rule is a template"),
        ("InputError('{parameter} is wrong', 'n', remedy=f'Use {name}.')", "a remedy is a template"),
        ("InputError('{parameter} is {value}', 'n', value=3)", ""),
        ("InputError('{parameter} is {value}', 'n', **values)", ""),
    ],
)
def test_a_call_without_its_values_is_found(code: str, wrong: str) -> None:
    (statement,) = ast.parse(code).body
    assert isinstance(statement, ast.Expr)
    assert isinstance(statement.value, ast.Call)
    assert unmet(statement.value).startswith(wrong)
    assert bool(unmet(statement.value)) == bool(wrong)


def test_every_rule_and_every_remedy_is_used() -> None:
    strings = set[str]().union(*(texts for path, (_, texts) in nodes().items() if path != "howsure/errors.py"))
    assert RULES.keys() | REMEDIES.keys() <= strings


def test_a_rule_in_the_table_is_named_correctly() -> None:
    named = {text for _, call in calls() if call.args for text in texts(call.args[0])}
    assert {text for text in named if re.fullmatch(r"\w+", text)} <= RULES.keys()


def edits(calls: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """Calls that change a text which is a message or a note."""
    for node in calls:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EDITS:
            text = node.args[-1] if node.func.attr == "sub" and node.args else node.func.value
            if SENTENCE.search(ast.unparse(text)):
                yield node


def test_no_code_edits_a_finished_sentence() -> None:
    edited = {path for path, (calls_of_file, _) in nodes().items() if any(edits(calls_of_file))}
    assert edited == OF_OTHERS
    assert list(edits(ast.walk(ast.parse("note.removesuffix('.')")))) != []


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


def error_types() -> list[type[InputError]]:
    """InputError and all types derived from it, in every package."""
    kinds = [InputError]
    for path in FILES:
        module = ".".join(path.with_suffix("").parts[path.parts.index("src") + 1 :])
        names = re.findall(r"^class (\w+)\(InputError\)", path.read_text(encoding="utf-8"), re.MULTILINE)
        kinds += [getattr(import_module(module), name) for name in names]
    return kinds


@pytest.mark.parametrize("kind", error_types())
def test_every_error_of_input_names_options_on_the_command_line(kind: type[InputError]) -> None:
    def refuse(n_bins: int | None) -> None:
        error = kind.__new__(kind)
        InputError.__init__(error, "outside", "n_bins", value=95, low=0, high=1)
        raise error

    command = Command("refuse", callback=refuse, params=[click.Option(["--bins", "n_bins"], type=int)])
    with pytest.raises(kind, match="--bins must be between 0 and 1; it is 95"):
        command.main([], standalone_mode=False)
