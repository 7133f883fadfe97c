"""Commands as they are typed, ready to copy."""

from __future__ import annotations

import shlex
from collections.abc import Sequence


def typed_files(
    paths: Sequence[str], format: str | None, explode: str | None, encoding: str | None = None
) -> list[str]:
    """The files, and how they are read."""
    options = {"--from": format, "--explode": explode, "--encoding": encoding}
    return [*paths, *(word for option, value in options.items() if value is not None for word in (option, value))]


def typed(command: str, *words: str) -> str:
    return f"howsure {command} {shlex.join(words)}"


def look_at(path: str, format: str | None, explode: str | None) -> str:
    """The command that shows what is in a file, as it is read."""
    return typed("look", *typed_files([path], format, explode))


def look_into(file_words: Sequence[str], name: str) -> str:
    """The command that shows what the objects in these lists hold."""
    return typed("look", *file_words, "--explode", name)
