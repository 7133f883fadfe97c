"""List the public commands that have no golden."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from howsure_cli.chapters import howsure
from tests.goldens.running import ROOMS, lines_of, room

# Commands that serve a page or fetch files, and so end only with their user or need others.
EXPLAINED = {
    "events explore": "serves a page until it is stopped; packages/events/tests/explorer looks at it",
    "data get": "fetches from the network; packages/cli/tests/datasets serves it a copy",
}


def commands() -> list[str]:
    """Return all public commands, as they are typed."""
    return list(_below(howsure, (), click.Context(howsure)))


def _below(command: click.Command, name: tuple[str, ...], context: click.Context) -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield " ".join(name)
        return
    for name_of_subcommand in command.list_commands(context):
        inside = command.get_command(context, name_of_subcommand)
        if inside is not None:
            yield from _below(inside, (*name, name_of_subcommand), context)


def uncovered() -> list[str]:
    """Return commands that are in no room and not explained above. The first command of a group may be left out."""
    typed = {re.sub(r"^~\S+ ", "", line) for name in ROOMS for line in lines_of(room(name).commands)}
    shortened = {
        "calibration curve": "calibration",
        "fields table": "fields",
        "score table": "score",
        "judge scores": "judge",
        "significance compare": "significance",
    }
    reproductions = "reproduce "  # the papers' experiments have pages and tests of their own
    return [
        name
        for name in commands()
        if name not in EXPLAINED
        and not name.startswith(reproductions)
        and not any(line.startswith((f"{name} ", f"{shortened.get(name, name)} ")) or line == name for line in typed)
    ]
