"""A report as a file: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from howsure.errors import InputError
from howsure.files.whole import check_place, write_whole


def write_report(html: str, path: str | os.PathLike[str]) -> None:
    """Write a report to `path`: to a temporary file beside it, which then takes its place.

    Raises InputError for a name that no browser takes for a page, or a folder that does not exist.
    """
    check_report(path)
    write_whole(html.encode("utf-8"), path)


def check_report(path: str | os.PathLike[str]) -> None:
    """Raise InputError where no report can be written, before anything is computed for it."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"A report's file must end in .html; it is {target.name!r}. Rename it.")
    check_place(target)
