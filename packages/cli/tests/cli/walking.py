"""Every command of the installed packages, found in the tree of commands, so that a new one cannot be forgotten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import click

from howsure.errors import MissingExtraError
from howsure_cli.chapters import howsure


@cache
def commands() -> Mapping[str, click.Command]:
    """Every command that does something, by its words."""
    return {" ".join(words): command for words, command in _walk(howsure, [], None)}


def _walk(
    command: click.Command, words: list[str], parent: click.Context | None
) -> Iterator[tuple[list[str], click.Command]]:
    context = click.Context(command, parent=parent)
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name in command.list_commands(context):
        try:
            subcommand = command.get_command(context, name)
        except MissingExtraError:  # a command of a package that is not installed
            continue
        assert subcommand is not None
        yield from _walk(subcommand, [*words, name], context)


def spelled(parameter: click.Parameter, value: str) -> list[str]:
    """How a value is typed for a parameter."""
    return [parameter.opts[0], value] if isinstance(parameter, click.Option) else [value]
