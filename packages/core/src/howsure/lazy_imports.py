"""Lazy imports: the public names of a package, and the libraries of an extra.

A package lists its names once, in its `__init__.pyi`, where type checkers read them too; `names_in` makes of this list
what the package needs, so that importing it imports nothing else.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

EXTRAS = {"howsure_cli": "cli", "howsure_text": "text", "howsure_events": "events"}  # which bring other packages
IMPORT = re.compile(r"^from (\S+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def names_in(
    package: str, file: str, *, renamed: Mapping[str, tuple[str, ...]] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package, whose `__init__.pyi` lists the module of each name.

    file: the package's `__init__.py`. renamed: the new names of each former one, which the error for it lists.
    """
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as listing:
        imports = IMPORT.findall(listing.read())
    module_of = {
        name.split(" as ")[-1].strip(): module
        for module, several, names in imports
        for name in (several or names).split(",")
        if name.strip()
    }

    former_names = FormerNames(package, renamed or {})
    if renamed:
        sys.meta_path.append(former_names)

    def load(name: str) -> Any:
        if (message := former_names.message(name)) is not None:
            raise AttributeError(message, name=name, obj=None)  # no suggestion of Python's own
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        distribution = module_of[name].partition(".")[0]
        if distribution in EXTRAS:
            require(f"howsure.{name}", EXTRAS[distribution], distribution)
        value = getattr(importlib.import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    absent = tuple(
        f"{distribution}." for distribution in EXTRAS if package == "howsure" and not installed(distribution)
    )
    names = sorted(name for name, module in module_of.items() if not module.startswith(absent))
    return load, lambda: [*names, *(name for name in vars(sys.modules[package]) if name.startswith("__"))], names


class FormerNames:
    """The former names of a package and its modules: a finder of modules, asked where no other finds one, also by
    `from howsure import compare`."""

    def __init__(self, package: str, renamed: Mapping[str, tuple[str, ...]]) -> None:
        self.package = package
        self.renamed = renamed

    def message(self, name: str) -> str | None:
        """Return what to use instead of a former name; None if the name was never used."""
        if name not in self.renamed:
            return None
        *others, last = (
            new_name if new_name.startswith(f"{self.package}_") else f"{self.package}.{new_name}"
            for new_name in self.renamed[name]
        )
        return f"{self.package}.{name} was renamed; use {', '.join(others)}{' or ' if others else ''}{last}"

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """None for a module that is not a former one, which Python then reports.

        Raises ImportError for a former one.
        """
        package, _, name = fullname.partition(".")
        if package == self.package and (message := self.message(name)) is not None:
            raise ImportError(message, name=fullname)


def require(what: str, extra: str, *libraries: str) -> None:
    """Raise MissingExtraError, which names the extra, unless its libraries are installed; they are not loaded.

    >>> require("A figure", "cli", "no_such_library")
    Traceback (most recent call last):
    ...
    howsure.errors.MissingExtraError: A figure needs an optional part: pip install "howsure[cli]"
    """
    if not all(installed(library) for library in libraries):
        from howsure.errors import MissingExtraError

        raise MissingExtraError(what, extra)


def installed(library: str) -> bool:
    """Whether a library can be imported."""
    try:
        return importlib.util.find_spec(library) is not None
    except ModuleNotFoundError:  # nor what it is a part of
        return False
