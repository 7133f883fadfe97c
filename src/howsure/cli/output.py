"""Where results go: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

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
            _check_place(path)


def _check_suffix(option: str, path: str, suffixes: Sequence[str]) -> None:
    if Path(path).suffix.lower() not in suffixes:
        raise InputError(f"{option} writes {', '.join(suffixes)}; name a file that ends in one of these, not {path}.")


def _check_place(path: str) -> None:
    target = Path(path)
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a folder. Name a file.")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}. Make it first.")


def emit(text: str, output: str | None) -> None:
    """Print text, or write it to a file named by the user."""
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(text.encode(), output)


def write_whole(content: bytes, path: str) -> None:
    """Write a file by way of a temporary one beside it, so that nobody ever sees half of it.

    A pipe or a device, such as /dev/stdout, is written to, not replaced; a link stays, and its target is written.
    """
    _check_place(path)
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        target.write_bytes(content)
        return
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def json_text(document: Any) -> str:
    """A JSON document as text; a NaN or an infinity in it would be a mistake, and is refused."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
