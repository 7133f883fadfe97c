"""Where results go: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from howsure.data.writing import check_place, write_whole
from howsure.errors import InputError

FIGURES = (".svg", ".png", ".pdf")
PAGES = (".html", ".htm")


def check_destinations(*, output: str | None = None, figure: str | None = None, report: str | None = None) -> None:
    """Say before the work, not after it, that a file cannot be written."""
    if figure is not None:
        _check_suffix("--figure", figure, FIGURES)
    if report is not None:
        _check_suffix("--report", report, PAGES)
    for path in (output, figure, report):
        if path is not None:
            check_place(path)


def _check_suffix(option: str, path: str, suffixes: Sequence[str]) -> None:
    if Path(path).suffix.lower() not in suffixes:
        raise InputError(f"{option} writes {', '.join(suffixes)}; name a file that ends in one of these, not {path}.")


def emit(text: str, output: str | None) -> None:
    """Print text, or write it to a file named by the user."""
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(text.encode(), output)


def json_text(document: Any) -> str:
    """A JSON document as text; a NaN or an infinity in it would be a mistake, and is refused."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
