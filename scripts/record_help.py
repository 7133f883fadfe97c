"""Record the help (`--help`) of every command for `howsure_cli.terminal.recorded_help`: `make help-pages`."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import click

from howsure_cli import chapters
from howsure_cli.terminal.recorded_help import FILE, ORDERS

WHOLE = 10_000  # a width that shortens no summary of a command


class Recorder(click.HelpFormatter):
    """A formatter that records the calls of its methods, and the width that the command sets."""

    made: ClassVar[list[Recorder]] = []

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        super().__init__(indent_increment, width=WHOLE)
        self.record: list[Any] = [max_width, []]
        self.made.append(self)

    def __getattribute__(self, name: str) -> Any:
        if name not in ORDERS:
            return super().__getattribute__(name)
        return lambda *values: self.record[1].append([name, *values])


def commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the names of every command below this one."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context) if path else chapters.COMMANDS:  # not those of other distributions
            yield (*path, name)
            yield from commands(command.get_command(context, name), *path, name)


def help_of(path: tuple[str, ...]) -> list[Any]:
    """Return the recorded calls of the formatter for the help of a command."""
    Recorder.made.clear()
    ours = patch.object(chapters, "plugin_commands", dict)  # not those of other distributions
    with ours, patch.object(click.Context, "formatter_class", Recorder), redirect_stdout(io.StringIO()):
        chapters.howsure([*path, "--help"], standalone_mode=False, prog_name="howsure")
    (made,) = Recorder.made
    return json.loads(json.dumps(made.record))


def all_help() -> dict[str, list[Any]]:
    """Return the recorded help of each command, by its name."""
    return {" ".join(path): help_of(path) for path in [(), *commands(chapters.howsure)]}


if __name__ == "__main__":
    rows = [f"{json.dumps(name)}: {json.dumps(orders, ensure_ascii=False)}" for name, orders in all_help().items()]
    Path(FILE).write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
