"""A file opened to be read, or a clear word on why it cannot be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from howsure.errors import InputError
from howsure.inputs.naming import nearest


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
