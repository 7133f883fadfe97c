"""`--help` without loading a command: the help of each command, recorded in `help.json`.

`scripts/record_help.py` writes the file (`make help-pages`) from the commands themselves, and a test compares the two.
What is recorded are the orders that a command gives click's formatter, so that lines break where the terminal ends.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import click

from howsure_cli import HELP_OPTIONS
from howsure_cli.plugins import plugin_commands

FILE = os.path.join(os.path.dirname(__file__), "help.json")
ORDERS = ("write_usage", "write_heading", "write_paragraph", "write_text", "write_dl", "indent", "dedent")


def recorded_help(arguments: Sequence[str]) -> str | None:
    """The help for `howsure COMMAND --help`; None if it is not recorded, or if other options are typed."""
    *path, last_argument = arguments or [""]
    if last_argument not in HELP_OPTIONS:
        return None
    with open(FILE, encoding="utf-8") as file:
        recorded = json.load(file).get(" ".join(path))
    if recorded is None:
        return None
    width, orders = recorded
    if not path:
        return _format_help(width, [*orders, *_plugin_summaries(orders)], in_a_line=False)
    return _format_help(width, orders, in_a_line=True)


def _plugin_summaries(orders: list[list[Any]]) -> list[list[Any]]:
    """The summaries of commands of other distributions, listed after ours."""
    ours = {name for order, *values in orders if order == "write_dl" for name, _ in values[0]}
    others = [(name, plugin.summary) for name, plugin in plugin_commands().items() if name not in ours]
    heading = "Commands of other distributions"
    return [["write_paragraph"], ["write_heading", heading], ["indent"], ["write_dl", others]] if others else []


def _format_help(width: int | None, orders: list[list[Any]], *, in_a_line: bool) -> str:
    formatter = click.HelpFormatter(max_width=width)
    heading = ""
    for name, *values in orders:
        if name == "write_dl":
            rows = [(term, text) for term, text in values[0]]
            formatter.write_dl(_summaries(rows, formatter.width) if in_a_line and heading == "Commands" else rows)
        else:
            heading = values[0] if name == "write_heading" else heading
            getattr(formatter, name)(*values)
    return formatter.getvalue().rstrip("\n")


def _summaries(commands: list[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Each command with as much of its summary as fits on a line: click's own rule."""
    room = width - 6 - max(len(name) for name, _ in commands)
    return [(name, click.Command(name, help=summary).get_short_help_str(room)) for name, summary in commands]
