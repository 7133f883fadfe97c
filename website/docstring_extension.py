"""The extension by which mkdocstrings reads docstrings as Markdown."""

from __future__ import annotations

from typing import Any

import griffe

from website.docstrings import as_markdown


class PlainDocstrings(griffe.Extension):
    """Converts the docstring of each function, class and attribute to Markdown, after it is read."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        change(func, {parameter.name for parameter in func.parameters} - {"self", "cls"})

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        constructor = cls.members.get("__init__")
        documented = {name for name, member in cls.members.items() if not member.is_alias}
        if isinstance(constructor, griffe.Function):
            documented |= {parameter.name for parameter in constructor.parameters}
        change(cls, documented - {"self"})

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        change(attr, set())


def change(thing: griffe.Object, names: set[str]) -> None:
    if thing.docstring is not None:
        thing.docstring.value = as_markdown(thing.docstring.value, names)
