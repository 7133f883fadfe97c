"""Files of saved results: written whole, read with limits, and a head that says what they are.

Every class that is saved has `save(path)` and `load(path)`. A result of arrays is a zip (`model_archive.py`), one of
sums a text and columns, all others are JSON; what they share is here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from howsure.errors import InputError, shown
from howsure.files.opened import is_version, opened, parsed_json
from howsure.files.whole import Place, write_whole

MOST_BYTES = 1 << 28
Loaded = TypeVar("Loaded")


def path_of(path: object, *, like: str) -> Path:
    """A path as users may give it; InputError, with a name `like` it should be, where it can be none."""
    if isinstance(path, str | os.PathLike):
        found = os.fspath(path)
        if isinstance(found, str) and found and "\0" not in found:
            return Path(found)
    raise InputError(f"path must be the name of a file, such as {like!r}; it is {shown(path)}.")


def save(content: bytes, path: Place, *, like: str) -> None:
    """Write a file that appears whole or not at all; InputError where none can be written."""
    target = path_of(path, like=like)
    try:
        write_whole(content, target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}.") from error


def load(path: Place, parse: Callable[[bytes], Loaded], *, like: str, what: str) -> Loaded:
    """What a file holds, as `parse` reads its bytes; errors name the file.

    Raises InputError if there is no such file, it cannot be read, or it is larger than any of `what` it should be.
    """
    with opened(path_of(path, like=like)) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(f"{path} is no {what}: it is larger than {MOST_BYTES >> 20} MiB.")
    try:
        return parse(content)
    except InputError as error:
        raise InputError(f"{path}: {error.message}") from error


@dataclass(frozen=True, slots=True)
class Head:
    """What an object of JSON says of itself: under which `keys` its kind and its version stand, and what both must be.

    what: what it is called in messages. none, older: what to do about another kind, and another version.
    """

    kind: str
    version: int
    keys: tuple[str, str]
    what: str
    none: str
    older: str = ""

    def fields(self, text: str | bytes) -> Mapping[str, Any]:
        """The object in a JSON text.

        Raises InputError if it is no JSON, or of another kind or version.
        """
        if not isinstance(text, str | bytes):
            raise InputError(f"{self.what} must be a JSON text; it is a {type(text).__name__}.")
        try:
            held = parsed_json(text, strict=True)
        except ValueError as error:
            raise InputError(f"{self.what} cannot be read as JSON: {error}.") from None
        kind, version = self.keys
        if not isinstance(held, dict) or held.get(kind) != self.kind:
            raise InputError(self.none)
        if not is_version(held.get(version), self.version):
            read = f"this howsure reads {version} {self.version}. {self.older}".rstrip()
            raise InputError(f"{self.what} is of {version} {shown(held.get(version))}, and {read}")
        return held
