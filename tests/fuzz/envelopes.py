"""Envelopes: formats whose checksums would keep a fuzzer out are taken apart, changed in one part, and sealed again."""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from tests.files.sealed import parts_of, sealed

Parts = dict[str, bytes]


@dataclass(frozen=True)
class Envelope:
    """How a file comes apart into named parts, and how these become a file whose checksums are right."""

    unpack: Callable[[bytes], Parts]
    pack: Callable[[Parts], bytes]

    def changed(self, content: bytes, change: Callable[[bytes], bytes], choice: int) -> bytes:
        """The file with one of its parts changed; the whole of it where it does not come apart."""
        try:
            parts = self.unpack(content)
            name = list(parts)[choice % len(parts)]
            return self.pack({**parts, name: change(parts[name])})
        except Exception:  # what a fuzzer made is often no such file
            return change(content)


def _members(content: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(parts: Parts) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name), part)
    return content.getvalue()


def _lines(content: bytes) -> Parts:
    return {str(at): line[9:] for at, line in enumerate(content.split(b"\n")[:-1])}


def _summed_lines(parts: Parts) -> bytes:
    return b"".join(f"{zlib.crc32(part):08x} ".encode() + part + b"\n" for part in parts.values())


PLAIN = Envelope(lambda content: {"": content}, lambda parts: parts[""])
GZIP = Envelope(lambda content: {"": gzip.decompress(content)}, lambda parts: gzip.compress(parts[""], mtime=0))
ZIP = Envelope(_members, _archive)
MODEL = Envelope(parts_of, sealed)
LINES = Envelope(_lines, _summed_lines)
