"""Commands that other distributions add to `howsure`: the entry points of the group `howsure.commands`.

They are found in the files that installers write, which takes a tenth of the time of importlib.metadata.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import click

from howsure.errors import HowsureError, MissingExtraError

GROUP = "howsure.commands"
EXTRAS = {"coreference": "text", "events": "events", "sequences": "text"}  # which bring the packages of these commands
PAPERS_COMMAND = "reproduce"  # the one that comes with a checkout, not with the package


class Plugin(NamedTuple):
    """A command of another distribution: the object `value`, such as package.module:command."""

    name: str
    value: str
    folder: str  # what is written of the distribution

    @property
    def distribution(self) -> str:
        return self._written("Name") or "an unknown distribution"

    @property
    def summary(self) -> str:
        """The help of the command in `howsure --help`: the summary of its distribution."""
        return self._written("Summary") or f"of {self.distribution}"

    def _written(self, field: str) -> str:
        lines = (_text(self.folder, "METADATA") or _text(self.folder, "PKG-INFO")).split("\n\n")[0].splitlines()
        return next((line.partition(":")[2].strip() for line in lines if line.startswith(f"{field}:")), "")


def plugin_commands() -> dict[str, Plugin]:
    """The commands of other distributions by name, the first of each name; nothing of them is imported."""
    return {plugin.name: plugin for plugin in reversed(list(all_plugins()))}


def all_plugins() -> Iterator[Plugin]:
    """Yield the commands of other distributions, in the order of the path."""
    for place in dict.fromkeys(sys.path):
        for name in sorted(os.listdir(place or ".")) if os.path.isdir(place or ".") else ():
            if name.endswith((".dist-info", ".egg-info")):
                folder = os.path.join(place, name)
                for command, value in _entries(_text(folder, "entry_points.txt")):
                    yield Plugin(command, value, folder)


def package_command(name: str) -> Plugin:
    """The command of another package of howsure; MissingExtraError if that is not installed."""
    distribution = f"howsure-{EXTRAS[name]}"
    for plugin in all_plugins():
        if plugin.name == name and plugin.distribution == distribution:
            return plugin
    raise MissingExtraError(f"howsure {name}", EXTRAS[name])


class BrokenPluginError(HowsureError):
    """A command of another distribution cannot be loaded. The message names the distribution."""


def load(plugin: Plugin) -> click.Command:
    """The command, imported now.

    Raises BrokenPluginError if it cannot be imported, or is not a command of click.
    """
    module, _, attribute = plugin.value.partition(":")
    try:
        plugin_command = reduce(getattr, attribute.split("."), importlib.import_module(module))
    except Exception as error:
        raise BrokenPluginError(
            f"the command {plugin.name} of {plugin.distribution} cannot be loaded: {type(error).__name__}: {error}. "
            "Update or remove it."
        ) from error
    if not isinstance(plugin_command, click.Command):
        raise BrokenPluginError(
            f"the command {plugin.name} of {plugin.distribution} must be a command of click; {plugin.value} is a "
            f"{type(plugin_command).__name__}."
        )
    return plugin_command


def _entries(text: str) -> list[tuple[str, str]]:
    """The lines `name = value` of the group."""
    _, _, rest = f"\n{text}".partition(f"\n[{GROUP}]\n")
    lines = [line.split("=", 1) for line in rest.partition("\n[")[0].splitlines() if "=" in line]
    return [(name.strip(), value.partition("[")[0].strip()) for name, value in lines]


def _text(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
