"""Where pages come from: the templates of this room, with everything escaped and nothing undefined."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


def page_template(name: str) -> Template:
    """A template that escapes whatever is put into it."""
    return Environment(
        loader=PackageLoader("howsure.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    ).get_template(name)
