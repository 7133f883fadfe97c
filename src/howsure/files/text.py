"""Text files, plain or packed: whole, with the checksum that they name, and not a little file that fills a machine."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from howsure.errors import InputError
from howsure.files.archive import most_unpacked, zstd
from howsure.files.opened import STANDARD_INPUT, opened, standard_input

# Packed files: whole, with the checksum that they name, and not a little file that fills a disk or the memory.
#
# DuckDB does not look at the checksum and the length at the end of a .gz, and takes a .zst that is cut off for whole;
# so every packed file is unpacked once, a piece at a time and to nowhere, before it is read.

COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
PIECE = 1 << 20  # bytes
FAULTS = (OSError, EOFError, zlib.error)


def compression_of(first: bytes) -> str:
    """The compression that the first bytes of a file show: "gzip", "zstd" or "none"."""
    return next((kind for magic, kind in MAGIC.items() if first.startswith(magic)), "none")


def check_packed(path: str, compression: str, name: str) -> None:
    """Unpack a file to nowhere, in bounded memory.

    Raises InputError if it is damaged, cut off, or unpacks to very much more than its size.
    """
    with open(path, "rb") as file:
        packed = file.seek(0, io.SEEK_END)
        file.seek(0)
        for _ in _pieces(file, compression, packed, name):
            pass


def unpacked(packed: bytes, compression: str, name: str) -> bytes:
    """What packed bytes hold; InputError as `check_packed` does."""
    return b"".join(_pieces(io.BytesIO(packed), compression, len(packed), name))


@contextmanager
def open_unpacked(path: str, compression: str, name: str) -> Iterator[IO[bytes]]:
    """A file that `check_packed` found whole, as a stream of what it holds; InputError if it changed meanwhile."""
    faults = (*FAULTS, zstd().ZstdError) if compression == "zstd" else FAULTS
    try:
        with open(path, "rb") as file:
            if compression == "none":
                yield file
                return
            with zstd().open(file) if compression == "zstd" else gzip.GzipFile(fileobj=file) as stream:
                yield io.BufferedReader(stream, PIECE)
    except faults as error:
        raise InputError(f"{name} cannot be read: {error}.") from error


def _pieces(file: IO[bytes], compression: str, packed: int, name: str) -> Iterator[bytes]:
    most, total = most_unpacked(packed), 0
    faults = (*FAULTS, zstd().ZstdError) if compression == "zstd" else FAULTS
    try:
        with zstd().open(file) if compression == "zstd" else gzip.GzipFile(fileobj=file) as stream:
            while piece := stream.read(PIECE):
                total += len(piece)
                if total > most:
                    raise InputError(
                        f"{name} has {packed:,} bytes and unpacks to more than {most:,}. Is it what it should be? "
                        "If so, unpack it first."
                    )
                yield piece
    except faults as error:
        reason = str(error).rstrip(".") or "it ends too early"
        raise InputError(f"{name} cannot be unpacked: {reason}. Is it damaged or truncated?") from error


# A text file as a whole: plain, gzip or zstd, UTF-8 with or without a byte order mark; lines of it that are wrong.

MARK = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # marks of a text that has zero bytes too
BEGINNING = 8_192  # bytes in which a file that is no text shows a zero byte


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, its lines ended by "\\n", and what the user calls the file."""

    name: str
    content: str

    @property
    def stem(self) -> str:
        """The file's name without folder and suffixes, as a name for the one document in it."""
        return os.path.basename(self.name).partition(".")[0] or self.name

    def fault(self, line: int, what: str) -> InputError:
        """The error for a line (from 1): what is wrong with it and what to do."""
        return InputError(f"line {line:,} of {self.name}: {what}")


def read_text(path: str | os.PathLike[str]) -> Text:
    """The text of a file, or of standard input where `path` is "-".

    Raises InputError if there is no such file, or it is empty, damaged or not in UTF-8.
    """
    given = os.fspath(path)
    name = "standard input" if given == STANDARD_INPUT else given
    raw = _unpacked(_bytes(given), name).removeprefix(MARK)
    try:
        content = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _undecodable(raw, name, error.start) from None
    if not content.strip():
        raise InputError(f"{name} is empty.")
    return Text(name, content.replace("\r\n", "\n") if "\r" in content else content)


def _undecodable(raw: bytes, name: str, at: int) -> InputError:
    """The error for bytes that are not UTF-8 from `at` on: no text at all, or text in another encoding."""
    if b"\0" in raw[:BEGINNING] and not raw.startswith(UTF_16):
        advice = "; it is an .npz file. If it is a model, name it before the text" if b".npy" in raw[:100] else ""
        return InputError(f"{name} is not a text file{advice}.")
    line = raw.count(b"\n", 0, at) + 1
    where = f"byte {at + 1:,} is 0x{raw[at]:02x}"
    return InputError(f"line {line:,} of {name} is not UTF-8 text ({where}). Convert the file to UTF-8.")


def _bytes(path: str) -> bytes:
    if path == STANDARD_INPUT:
        return standard_input().read()
    with opened(path) as file:
        return file.read()


def _unpacked(raw: bytes, name: str) -> bytes:
    compression = compression_of(raw[:4])
    return raw if compression == "none" else unpacked(raw, compression, name)
