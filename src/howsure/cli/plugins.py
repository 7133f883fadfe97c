"""Commands that other distributions add to `howsure`: the entry points of the group `howsure.commands`.

They are found in the files that installers write, which takes a tenth of the time of importlib.metadata.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

GROUP = "howsure.commands"
OF_THE_PAPERS = "reproduce"  # the one that comes with a checkout, not with the package


class Plugin(NamedTuple):
    """A command of another distribution: the object `value`, such as package.module:command."""

    name: str
    value: str
    folder: str  # what is written of the distribution

    @property
    def distribution(self) -> str:
        """The name of the distribution."""
        return self._written("Name") or "an unknown distribution"

    @property
    def summary(self) -> str:
        """What `howsure --help` says of the command: the summary of its distribution."""
        return self._written("Summary") or f"of {self.distribution}"

    def _written(self, field: str) -> str:
        lines = (_text(self.folder, "METADATA") or _text(self.folder, "PKG-INFO")).split("\n\n")[0].splitlines()
        return next((line.partition(":")[2].strip() for line in lines if line.startswith(f"{field}:")), "")


def plugin_commands() -> dict[str, Plugin]:
    """The commands of other distributions by name; nothing of them is imported."""
    plugins: dict[str, Plugin] = {}
    for place in dict.fromkeys(sys.path):
        for name in sorted(os.listdir(place or ".")) if os.path.isdir(place or ".") else ():
            if name.endswith((".dist-info", ".egg-info")):
                folder = os.path.join(place, name)
                for command, value in _entries(_text(folder, "entry_points.txt")):
                    plugins.setdefault(command, Plugin(command, value, folder))
    return plugins


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
