"""Where results go: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from howsure.data.writing import check_place, write_whole
from howsure.errors import InputError

FIGURES = (".svg", ".png", ".pdf")
PAGES = (".html", ".htm")


def check_destinations(*, output: str | None = None, figure: str | None = None, report: str | None = None) -> None:
    """Say before the work, not after it, that a file cannot be written."""
    if figure:
        _check_suffix("--figure", figure, FIGURES)
    if report:
        _check_suffix("--report", report, PAGES)
    given = {"--output": output, "--figure": figure, "--report": report}
    named = {option: path for option, path in given.items() if path is not None}
    for option, path in named.items():
        if not path:
            raise InputError(f"{option} must name a file; the name is empty.")
        check_place(path)
    _check_different(named)


def _check_different(named: Mapping[str, str]) -> None:
    """Raise InputError where two options name one file: the second would replace the first."""
    first: dict[str, str] = {}
    for option, path in named.items():
        target = os.path.realpath(path)
        if target in first and (Path(target).is_file() or not Path(target).exists()):  # a device takes both
            raise InputError(f"{first[target]} and {option} must name different files; both name {path}.")
        first[target] = option


def _check_suffix(option: str, path: str, suffixes: Sequence[str]) -> None:
    if Path(path).suffix.lower() not in suffixes:
        raise InputError(f"{option} writes {', '.join(suffixes)}; name a file that ends in one of these, not {path}.")


def refuse_overwriting(written: str | None, *read: str | None) -> None:
    """Raise InputError where a file would be written over one that is read."""
    for path in read:
        if written and path and Path(written).is_file() and Path(path).is_file() and Path(written).samefile(path):
            raise InputError(f"{written} is read here, and would be written over; name another file.")


def emit(text: str, output: str | None) -> None:
    """Print text, or write it to a file named by the user."""
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(text.encode(), output)


def json_text(document: Any) -> str:
    """A JSON document as text; a NaN or an infinity in it would be a mistake, and is refused."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
