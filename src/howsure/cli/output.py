"""Where results go: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import click

from howsure.errors import InputError


def emit(text: str, output: str | None) -> None:
    """Print text, or write it to a file named by the user."""
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(text.encode(), output)


def write_whole(content: bytes, path: str) -> None:
    """Write a file by way of a temporary one beside it, so that nobody ever sees half of it."""
    target = Path(path)
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}")
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
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
