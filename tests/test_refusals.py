"""What is refused, by room: each call of tests/refusals/*.md gets the sentence below it.

`python -m tests.test_refusals` writes the sentences again; a new call is a line there without one. Where a sentence has
⋯, another library, the version, the machine or what ran before says the rest. A command leaves every file as it is, and
so does a call where the title says so.
"""

from __future__ import annotations

import ast
import contextlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import MissingExtraError
from tests.cli.running import Outcome

PLACE = Path(__file__).parent / "refusals"
SECTION = re.compile(r"^(## .*)\n\n```python\n((?:.*\n)*?)```\n\n((?:- `.*`\n(?:  .*\n)?)+)", re.MULTILINE)
CALL = re.compile(r"- `(.*)`\n(?:  (.*)\n)?")
KEPT = "; nothing is written"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(PLACE.glob("*.md"))}
SECTIONS = [(f"{room}, {match[1][3:]}", match) for room, page in PAGES.items() for match in SECTION.finditer(page)]


def sentences(section: re.Match[str]) -> Iterator[str]:
    """The calls of a section, each after its code in an empty folder, with the message that it gives now."""
    for call, stored in CALL.findall(section[3]):
        names: dict[str, Any] = {"__name__": "tests.refusals"}  # as in a file of tests
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            exec(section[2], names)
            message = refusal_of(call, names, kept=section[1].endswith(KEPT))
        message = message.replace("\\", "\\\\").replace("\n", "\\n")
        if "⋯" in stored and re.fullmatch(".*".join(map(re.escape, stored.split("⋯"))), message):
            message = stored
        yield f"- `{call}`\n  {message}\n"


def refusal_of(call: str, names: dict[str, Any], *, kept: bool) -> str:
    """The message of a call that is refused; a command, and a call with `kept`, must leave all files unchanged."""
    *before, last = ast.parse(call).body
    code: Any = ast.Expression(last.value) if isinstance(last, ast.Expr) else ast.Module([last], [])
    exec(compile(ast.Module(before, []), call, "exec"), names)
    files = files_here()
    try:
        outcome = eval(compile(code, call, "eval" if isinstance(last, ast.Expr) else "exec"), names)
    except MissingExtraError:
        raise
    except (NameError, AttributeError, SyntaxError) as error:
        raise AssertionError(call) from error
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
    else:
        assert isinstance(outcome, Outcome), f"{call} is not refused"
        assert (outcome.code, outcome.out) == (2, ""), f"{call} is not refused"
        message = f"exit code 2: {outcome.err.strip()}"
        kept = True
    assert not kept or files_here() == files, f"{call} changes files"
    return message


def files_here() -> dict[Path, bytes]:
    """The files of this folder and what is in them."""
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.mark.parametrize("section", [match for _, match in SECTIONS], ids=[name for name, _ in SECTIONS])
def test_each_call_is_refused_in_these_words(section: re.Match[str]) -> None:
    assert "".join(sentences(section)) == section[3], "write them again: python -m tests.test_refusals"


def test_all_of_the_pages_is_read() -> None:
    for room, page in PAGES.items():
        rest = SECTION.sub("", page).removeprefix(f"# What is refused: {room}\n").strip()
        assert rest == ""


if __name__ == "__main__":
    for room, page in PAGES.items():
        (PLACE / f"{room}.md").write_text(
            SECTION.sub(lambda match: f"{match[1]}\n\n```python\n{match[2]}```\n\n{''.join(sentences(match))}", page),
            encoding="utf-8",
        )
