"""Scratch folders: each goes with the process that made it, or, where that was killed, with the next one."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

try:
    import fcntl
except ImportError:  # Windows: what a killed process leaves there, stays
    fcntl = None  # type: ignore[assignment]

PREFIX, OWNER = "howsure-", "howsure.owner"  # a name that nobody else gives a file


class Scratch:
    """A folder for scratch files, gone when it is closed or nobody holds it any more.

    Its maker holds a lock on a file in it as long as it lives. What of this user has a lock that nobody holds was left
    by a process that was killed, and is removed when the next process makes its first folder in the same place.
    """

    def __init__(self, place: str | os.PathLike[str] | None = None) -> None:
        _look_around(os.path.abspath(tempfile.gettempdir() if place is None else place))
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        self.close = weakref.finalize(self, _end, self.folder, _own(self.folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@cache
def _look_around(place: str) -> None:
    """Once a process: a shared folder holds thousands of entries."""
    remove_abandoned(Path(place))


def remove_abandoned(place: Path) -> None:
    """Remove the scratch folders in a place that are this user's and whose maker is no more."""
    if fcntl is None:
        return
    try:
        with os.scandir(place) as entries:  # a glob makes a path of each, and a shared folder holds thousands
            folders = [entry for entry in entries if entry.name.startswith(PREFIX)]
    except OSError:
        return
    for folder in folders:
        with suppress(OSError):  # it went meanwhile, or somebody lives in it
            if folder.is_dir(follow_symlinks=False) and folder.stat(follow_symlinks=False).st_uid == os.getuid():
                owner = os.open(os.path.join(folder, OWNER), os.O_RDWR | os.O_NOFOLLOW)
                try:
                    fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(owner)


def _own(folder: Path) -> int | None:
    """Lock a folder; what is to be closed in the end. The file has its name only once it is locked."""
    if fcntl is None:
        return None
    unnamed = folder / f".{OWNER}"
    owner = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(owner, fcntl.LOCK_EX)
    unnamed.rename(folder / OWNER)
    return owner


def _end(folder: Path, owner: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if owner is not None:
        os.close(owner)
