"""Commands that other distributions add to `howsure`: the entry points of the group `howsure.commands`."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import click

from howsure.errors import HowsureError

GROUP = "howsure.commands"
OF_THE_PAPERS = "reproduce"  # the one that comes with a checkout, not with the package


class BrokenPluginError(HowsureError):
    """A command of another distribution cannot be loaded. The message says whose it is."""


def plugin_commands() -> dict[str, EntryPoint]:
    """The commands of other distributions by name; nothing of them is imported."""
    return {one.name: one for one in entry_points(group=GROUP)}


def summary_of(plugin: EntryPoint) -> str:
    """What `howsure --help` says of a command: the summary of its distribution."""
    said = plugin.dist.metadata["Summary"] if plugin.dist is not None else None
    return str(said or f"of {_distribution(plugin)}")


def load(plugin: EntryPoint) -> click.Command:
    """The command, imported now.

    Raises BrokenPluginError if it cannot be imported, or is none of click's.
    """
    try:
        found = plugin.load()
    except Exception as error:
        raise BrokenPluginError(
            f"the command {plugin.name} of {_distribution(plugin)} cannot be loaded: {type(error).__name__}: {error}. "
            "Update or remove it."
        ) from error
    if not isinstance(found, click.Command):
        raise BrokenPluginError(
            f"the command {plugin.name} of {_distribution(plugin)} must be a command of click; {plugin.value} is a "
            f"{type(found).__name__}."
        )
    return found


def _distribution(plugin: EntryPoint) -> str:
    return "an unknown distribution" if plugin.dist is None else str(plugin.dist.name)
