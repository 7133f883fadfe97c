"""Where pages come from, everything escaped; a report as a file: whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

# Where pages come from: the templates of this room, with everything escaped and nothing undefined.


def page_template(name: str) -> Template:
    """A template that escapes whatever is put into it."""
    return _pages().get_template(name)


@cache
def _pages() -> Environment:
    pages = Environment(
        loader=PackageLoader("howsure.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters["as_json"] = as_json
    return pages


def as_json(recipe: Iterable[tuple[str, str]]) -> str:
    """The rows of a recipe as JSON."""
    return json.dumps(dict(recipe), indent=2, ensure_ascii=False)
