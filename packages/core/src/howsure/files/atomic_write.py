"""Atomic writing of files, locks, and journals that a crash cannot damage."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from howsure.errors import InputError
from howsure.files.input_files import identity, parsed_json

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

Place = str | os.PathLike[str]
BLOCK = 1 << 20


def check_place(path: str | os.PathLike[str]) -> None:
    """Raise InputError if a path is a folder, or is in a folder that does not exist."""
    target = Path(path)
    if target.is_dir() or os.fspath(path).endswith(("/", os.sep)):
        raise InputError(f"cannot write {path}: it is a folder. Name a file.")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: the folder {target.parent} does not exist. Create it first.")


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write text as UTF-8 by `write_atomically`, compressed if the name ends in .gz."""
    content = text.encode()
    write_atomically(gzip.compress(content, mtime=0) if str(path).endswith(".gz") else content, path)


def write_atomically(content: bytes, path: Place) -> None:
    """Write a file atomically through a temporary file in its folder, so that it is complete even after a power cut.

    The new file has the permissions of the file that it replaces. A pipe or device, such as /dev/stdout, is written to
    directly. If the path is a link, its target is replaced.
    """
    write_by(path, lambda file: file.write(content))


def copy_atomically(source: Path, path: Place) -> None:
    """Copy a temporary file of any size to its destination atomically."""
    with open(source, "rb") as content:
        write_by(path, lambda file: shutil.copyfileobj(content, file, BLOCK))


def write_by(path: Place, write: Callable[[BinaryIO], object]) -> None:
    """Write a file atomically by a function that writes to an open file."""
    check_place(path)
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with open(target, "wb") as file:
            write(file)
        return
    with _named_in_errors(path), _temporary_file(target) as (temporary, file):
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        write(file)
        file.flush()
        os.fsync(file.fileno())
        if fcntl is None:
            file.close()  # Windows cannot rename an open file
        temporary.replace(target)
        sync_folder(target.parent)


@contextmanager
def _named_in_errors(path: Place) -> Iterator[None]:
    """A context in which OSErrors contain the user's name of the file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), os.fspath(path)) from error


@contextmanager
def _temporary_file(target: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A context that gives a new file next to `target`, which it will replace; it is removed at the end if it exists.

    The file is locked while it is used. Temporary files without a lock were left by processes that were killed, and are
    removed first.
    """
    _remove_stale(target)
    temporary, file = _new_locked(target)
    try:
        with file:
            yield temporary, file
    finally:
        temporary.unlink(missing_ok=True)


def _new_locked(target: Path) -> tuple[Path, BinaryIO]:
    while True:
        temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
        file = open(temporary, "xb")  # noqa: SIM115
        if _locked_in_place(file, temporary):
            return temporary, file


def _locked_in_place(file: BinaryIO, path: Path) -> bool:
    """Lock a file; if another process has removed or replaced it meanwhile, close it and return False."""
    with suppress(OSError):  # raised by file systems without locks
        lock(file)
    if identity(file.fileno()) == identity(path):
        return True
    file.close()
    return False


def _remove_stale(target: Path) -> None:
    """Remove this user's temporary files of a target that no process has locked."""
    if fcntl is None:
        return
    stale = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}")
    with suppress(OSError):
        for path in [target.with_name(name) for name in os.listdir(target.parent) if stale.fullmatch(name)]:
            with suppress(OSError):  # the file is locked, or was removed meanwhile
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    status = os.fstat(descriptor)
                    if stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid():
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        path.unlink()
                finally:
                    os.close(descriptor)


@contextmanager
def appending(path: Place) -> Iterator[BinaryIO]:
    """A context with a locked file for appending lines; created if it does not exist, and removed if it stays empty."""
    target, is_new = Path(path), not os.path.exists(path)
    with _named_in_errors(path):
        while True:
            file = open(target, "ab+", buffering=0)  # noqa: SIM115
            if _locked_in_place(file, target):
                break
        with file:
            try:
                yield file
            finally:
                if is_new and os.fstat(file.fileno()).st_size == 0:
                    with suppress(OSError):
                        target.unlink()


def append(file: BinaryIO, content: bytes, *, start: int) -> None:
    """Write bytes to a file opened by `appending`, from position `start` on; after an error, truncate it to `start`."""
    file.truncate(start)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[file.write(rest) :]
        os.fsync(file.fileno())
    except BaseException:
        with suppress(OSError):
            file.truncate(start)
        raise


@contextmanager
def locked(path: Place) -> Iterator[None]:
    """Context for reading and replacing a file. Processes that use it run one after another.

    The folder is locked, because the file itself is replaced. The lock ends with the process that holds it. On systems
    without such locks (Windows, some network drives), the user must run one process at a time.
    """
    check_place(path)
    try:
        folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
    except OSError:  # Windows cannot open folders
        yield
        return
    try:
        with suppress(OSError):
            lock(folder)
        yield
    finally:
        os.close(folder)


def lock(file: BinaryIO | int) -> None:
    """Wait for the lock on a file; does nothing on systems without such locks (Windows)."""
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk; some systems (Windows) do so on their own schedule."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# A journal is a file to which records are appended as lines, each with a checksum. If a process is killed, only the
# last line can be incomplete, and the next writer removes it. A file with a complete line that does not match its
# checksum, or that does not start like a journal, is refused and left unchanged.

HEAD = re.compile(rb"[0-9a-f]{8} \{")
BEGINNING = b"00000000 {"


def checksummed_line(record: Mapping[str, Any]) -> bytes:
    """Format a record as a line of a journal: a checksum and the content as JSON.

    >>> checksummed_line({"a": 1}).decode().strip()
    'fba18e97 {"a": 1}'
    """
    content = json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    return f"{zlib.crc32(content):08x} ".encode() + content + b"\n"


def read_records(path: Path, start: int, *, what: str) -> Iterator[tuple[Any, int]]:
    """Yield the complete records of a journal from byte `start` on, each with the position of the byte after it.

    what: name of the journal in messages. Raises InputError if a complete line is damaged, or if the file does not
    start like a journal.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(10)
        if not HEAD.match(head + BEGINNING[len(head) :]):  # the first line may be incomplete
            raise InputError(f"{path} is not {what}: it begins with {head!r}; give another path.")
        file.seek(start)
        end = start
        for line in file:
            if not line.endswith(b"\n"):
                return
            content = line[9:-1]
            if line[:9] != f"{zlib.crc32(content):08x} ".encode():
                number = line_number(path, end)
                raise InputError(f"{path}, line {number} is damaged: it does not match its checksum. Restore a copy.")
            end += len(line)
            try:
                yield parsed_json(content), end
            except ValueError as error:
                number = line_number(path, end - len(line))
                raise InputError(f"{path}, line {number} is not a record: {error}. Restore a copy.") from error


def line_number(path: Path, end: int) -> int:
    """Return the number (from 1) of the line that starts at byte `end`."""
    with path.open("rb") as file:
        return file.read(end).count(b"\n") + 1
