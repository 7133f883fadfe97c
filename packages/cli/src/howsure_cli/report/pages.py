"""Templates of HTML pages, in which all values are escaped, and writing of reports, which are complete or not
written."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from howsure.errors import InputError
from howsure.files.atomic_write import check_place, write_atomically
from howsure.result import Result
from howsure.show.table import Table, on_a_terminal

# Where pages come from: the templates of this room, with everything escaped and nothing undefined.


def page_template(name: str) -> Template:
    """A template that escapes whatever is put into it."""
    return _pages().get_template(name)


@cache
def _pages() -> Environment:
    pages = Environment(
        loader=PackageLoader("howsure_cli.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    pages.filters["as_json"] = as_json
    return pages


def as_json(recipe: Iterable[tuple[str, str]]) -> str:
    return json.dumps(dict(recipe), indent=2, ensure_ascii=False)


def write_report(html: str, path: str | os.PathLike[str]) -> None:
    """Write a report to `path`: to a temporary file in its folder, which then replaces it.

    Raises InputError for a name that no browser takes for a page, or a folder that does not exist.
    """
    check_report(path)
    write_atomically(html.encode("utf-8"), path)


def check_report(path: str | os.PathLike[str]) -> None:
    """Raise InputError if no report can be written, before anything is computed for it."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"A report's file must end in .html; it is {target.name!r}. Rename it.")
    check_place(target)


PHONE = 3.6  # inches, the width of figures on a phone
MAX_ROWS = 500  # of a table on a page
INTERVAL = re.compile(r"(\[[^][<>]*,) ([^][<>]*\])")


def table_html(table: Table) -> Markup:
    """A table as HTML, in which no line breaks within an interval."""
    return Markup(INTERVAL.sub(r"\1&nbsp;\2", table.html()))


def attached_tables(result: Result) -> list[tuple[str, Markup]]:
    """The results that a result shows below itself, such as the worst rows: a description and a table of each."""
    return [(part.input_line, _attached_table(part)) for part in result.further_tables()]


def _attached_table(part: Result) -> Markup:
    if part.description:
        return Markup(part._repr_html_())
    answer = Markup("") if part.answer is None else Markup("<p>{}</p>").format(on_a_terminal(part.answer))
    return answer + table_html(replace(part.table().shortened(MAX_ROWS), caption=""))
