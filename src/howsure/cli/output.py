"""Where results go: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import json
from typing import Any

import click

from howsure.data.writing import write_whole


def emit(text: str, output: str | None) -> None:
    """Print text, or write it to a file named by the user."""
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(text.encode(), output)


def json_text(document: Any) -> str:
    """A JSON document as text; a NaN or an infinity in it would be a mistake, and is refused."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
