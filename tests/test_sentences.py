"""No code edits or parses a finished sentence: notes are values, which a surface renders last."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.source import FILES, ROOT

EDITS = {"replace", "split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "translate"}
TESTS = {"startswith", "endswith", "find", "index"}
PATTERNS = {"sub", "subn", "search", "match", "fullmatch", "split", "findall", "finditer"}
SENTENCES = re.compile(
    r"(^|_)(notes?|caveats?|sentences?|said|told|verdicts?|message|messages|description|footnotes|error)$"
)  # names of what holds finished text

# What is allowed, by file, with the number of places. An entry is added for the messages of other programs only; a
# message of our own is built from its values.
LEFT = {
    "howsure_cli/terminal/commands.py": 1,  # a message of click's
    "howsure/counts/label_sheets.py": 1,  # the text of a cell
    "howsure/data/logs/decisions.py": 1,  # the parts of a message that hold a value
    "howsure/data/tables/copied_table.py": 1,  # a message of DuckDB's
    "howsure/data/tables/database.py": 3,  # messages of DuckDB's
    "howsure/data/tables/where.py": 1,  # a message of DuckDB's
    "howsure/errors.py": 2,  # the marks of parameters and rows in a message
    "howsure_events/rule_files.py": 1,  # a message of PyYAML's
    "howsure_events/store/event_store.py": 1,  # a message of DuckDB's
    "howsure_events/store/integrity.py": 2,  # SQL
    "howsure/figures/curves.py": 1,  # a label on two lines
    "howsure/figures/significance.py": 1,  # the name of a metric
    "howsure_cli/report/results.py": 1,  # the prefix "note: " of a line below a table
    "howsure/regression/results.py": 1,  # the full stop of a note
    "howsure/scores/prediction_metrics.py": 2,  # the full stop of a note
    "howsure_pytest.py": 1,  # a TypeError of Python's
}


def edits(tree: ast.AST) -> Iterator[int]:
    """The lines where a text that is named like a finished sentence is edited or searched."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            edited = node.func.value
            name = node.func.attr
            if isinstance(edited, ast.Name) and edited.id == "re" and name in PATTERNS:
                if any(_is_sentence(argument) for argument in node.args[1:]):
                    yield node.lineno
            elif name in EDITS | TESTS and _is_sentence(edited):
                yield node.lineno
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            searched = node.comparators[0]
            text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            if text and _is_sentence(searched) and not str(getattr(searched, "id", "")).endswith("s"):
                yield node.lineno


def _is_sentence(node: ast.expr) -> bool:
    """Whether an expression is named like a sentence: a name, an attribute, the text of either, or notes joined."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
            return _is_sentence(node.args[0])
        return isinstance(node.func, ast.Attribute) and node.func.attr in EDITS and _is_sentence(node.func.value)
    if isinstance(node, ast.Subscript):
        return _is_sentence(node.value)
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return bool(SENTENCES.search(name))


def test_no_code_edits_a_finished_sentence() -> None:
    lines_by_file = {}
    for path in FILES:
        lines = list(edits(ast.parse(path.read_text(encoding="utf-8"))))
        name = path.relative_to(ROOT).as_posix().partition("/src/")[2]
        if len(lines) > LEFT.get(name, 0):
            lines_by_file[name] = lines
    assert lines_by_file == {}


@pytest.mark.parametrize(
    "code",
    [
        'notes = notes.replace(f"{read}", f"{true}")',
        'text = re.sub("units", "documents", note)',
        'parts = result.notes[0].split("; ")',
        'if note.startswith("cannot tell"): pass',
        'if "cannot tell" in note: pass',
        'reason = str(error).partition(": ")[2]',
        'said = verdict.sentence.removesuffix(".")',
    ],
)
def test_the_search_finds_edits(code: str) -> None:
    assert list(edits(ast.parse(code))) == [1]


@pytest.mark.parametrize("code", ['name.replace("_", " ")', 're.sub("a", "b", path)', 'if "all" in names: pass'])
def test_the_search_leaves_other_text(code: str) -> None:
    assert not list(edits(ast.parse(code)))
