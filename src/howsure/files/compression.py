"""Packed files: whole, with the checksum that they name, and not a little file that fills a disk or the memory.

DuckDB does not look at the checksum and the length at the end of a .gz, and takes a .zst that is cut off for whole; so
every packed file is unpacked once, a piece at a time and to nowhere, before it is read.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from howsure.errors import InputError
from howsure.files.archive import most_unpacked
from howsure.files.zstd import zstd

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
