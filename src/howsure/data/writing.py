"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from howsure.errors import InputError


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise InputError where no file can be written."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a folder. Name a file.")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: there is no folder {target.parent}. Make it first.")


def write_whole(content: bytes, path: str | os.PathLike[str]) -> None:
    """Write a file by way of a temporary one beside it, so that nobody ever sees half of it.

    A pipe or a device, such as /dev/stdout, is written to, not replaced; a link stays, and its target is written.
    """
    check_place(path)
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
