"""The parts of pages that are shown only on the site: the help of every command, and the messages about invalid
input."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from unittest.mock import patch

import click

from howsure_cli.chapters import howsure
from howsure_cli.terminal.recorded_help import FILE
from scripts.record_help import commands

ROOT = Path(__file__).parents[1]
MESSAGES = ROOT / "tests" / "bad_input" / "bad_input.md"
WIDTH = "120"


def help_sections() -> str:
    """Return a section for each command, with its `--help` on a terminal of 120 columns."""
    return "\n\n".join(
        f"## {name}\n\n```console\n$ {name} --help\n{printed_help(name.split()[1:])}\n```" for name in command_names()
    )


def command_names() -> Iterator[str]:
    """Return the names of all commands, those of the papers last."""
    for words in json.loads(Path(FILE).read_text(encoding="utf-8")):
        yield f"howsure {words}".strip()
    reproduce = howsure.get_command(click.Context(howsure), "reproduce")
    if reproduce is not None:
        yield "howsure reproduce"
        yield from (f"howsure {' '.join(path)}" for path in commands(reproduce, "reproduce"))


def printed_help(words: list[str]) -> str:
    """Return the help of a command, as the command prints it."""
    with patch.dict(os.environ, {"COLUMNS": WIDTH}), redirect_stdout(io.StringIO()) as printed:
        howsure([*words, "--help"], standalone_mode=False, prog_name="howsure")
    return printed.getvalue().rstrip("\n")


def message_tables() -> str:
    """Return the tables of invalid input and the messages, without their introduction."""
    text = MESSAGES.read_text(encoding="utf-8")
    return text[text.index("\n## ") + 1 :].rstrip("\n")


ADDED = {"docs/command-line.md": help_sections, "docs/bad-input.md": message_tables}
