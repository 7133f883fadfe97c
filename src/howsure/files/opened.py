"""A file opened to be read, or a clear word on why it cannot be; standard input, which users name "-"."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from howsure.errors import InputError
from howsure.inputs.naming import nearest

# Standard input, which users name "-".

STANDARD_INPUT = "-"


def standard_input() -> BinaryIO:
    """Standard input as bytes; InputError if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed, so that - names nothing; name a file.")
    return sys.stdin.buffer


# A file opened to be read, or a clear word on why it cannot be.

Identity = tuple[int, int]  # of a file, whatever its names


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file as bytes; InputError if it is a directory, there is none, or it cannot be read."""
    if os.path.isdir(path):
        raise InputError(f"{os.fspath(path)} is a directory; name a file in it.")
    try:
        with open(path, "rb") as file:
            is_device = stat.S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty()
            if is_device and not os.path.samefile(path, os.devnull):
                raise InputError(f"{os.fspath(path)} is a device, which may have no end; name a file.")
            yield file
    except FileNotFoundError:
        raise missing_file(os.fspath(path)) from None
    except OSError as error:
        raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror or error}.") from error


def missing_file(path: str) -> InputError:
    """The error for a path that leads nowhere, with the file beside it that was probably meant."""
    folder = os.path.dirname(path) or "."
    near = nearest(os.path.basename(path), os.listdir(folder)) if os.path.isdir(folder) else None
    advice = "" if near is None else f" Did you mean {os.path.join(os.path.dirname(path), near)}?"
    return InputError(f"no file {path}.{advice}")


def identity(path: str | os.PathLike[str] | int, *, devices: bool = False) -> Identity | None:
    """What tells a file or folder, and with `devices` a pipe, from all others: the same by every name and link, and as
    standard input, number 0; None if there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    is_kept = devices or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return (status.st_dev, status.st_ino) if is_kept else None


def check_each_once(paths: Iterable[str | os.PathLike[str]], *, what: str = "rows") -> None:
    """Raise InputError where a file is named twice, by whatever names and links, or also as standard input ("-")."""
    seen: dict[object, str] = {}
    for path in [os.fspath(one) for one in paths]:
        where = identity(0 if path == STANDARD_INPUT else path, devices=True) or path
        if where in seen:
            same = "" if seen[where] == path else f", also as {seen[where]}"
            raise InputError(f"{path} is named twice{same}; its {what} would be counted twice.")
        seen[where] = path
