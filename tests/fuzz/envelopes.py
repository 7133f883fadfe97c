"""Envelopes: formats whose checksums would keep a fuzzer out are taken apart, changed in one part, and sealed again."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

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


HEAD = "tagger.json"


def _tagger(parts: Parts) -> bytes:
    """With the checksums of arrays in the head, and that of the head beside it."""
    head = json.loads(parts[HEAD])
    for name in head["sha256"]:
        if f"{name}.npy" in parts:
            head["sha256"][name] = hashlib.sha256(parts[f"{name}.npy"]).hexdigest()
    text = json.dumps(head).encode()
    return _archive({**parts, HEAD: text, f"{HEAD}.sha256": hashlib.sha256(text).hexdigest().encode()})


def _tagger_parts(content: bytes) -> Parts:
    parts = _members(content)
    return {name: part for name, part in parts.items() if name != f"{HEAD}.sha256"}


SUMMED = ("header", "places", "values")


def _antecedents(parts: Parts) -> bytes:
    """The parts are the bytes within the header's array, and the other arrays."""
    arrays = {"header": np.frombuffer(parts["header"], np.uint8)}
    arrays |= {name: np.load(io.BytesIO(parts[name]), allow_pickle=False) for name in SUMMED[1:]}
    total = 0
    for name in SUMMED:
        total = zlib.crc32(arrays[name].tobytes(), total)
    content = io.BytesIO()
    np.savez(content, **arrays, checksum=np.uint32(total))
    return content.getvalue()


def _antecedent_parts(content: bytes) -> Parts:
    parts = _members(content)
    header = np.load(io.BytesIO(parts["header.npy"]), allow_pickle=False).tobytes()
    return {"header": header, **{name: parts[f"{name}.npy"] for name in SUMMED[1:]}}


def _lines(content: bytes) -> Parts:
    return {str(at): line[9:] for at, line in enumerate(content.split(b"\n")[:-1])}


def _summed_lines(parts: Parts) -> bytes:
    return b"".join(f"{zlib.crc32(part):08x} ".encode() + part + b"\n" for part in parts.values())


PLAIN = Envelope(lambda content: {"": content}, lambda parts: parts[""])
GZIP = Envelope(lambda content: {"": gzip.decompress(content)}, lambda parts: gzip.compress(parts[""], mtime=0))
ZIP = Envelope(_members, _archive)
TAGGER = Envelope(_tagger_parts, _tagger)
ANTECEDENTS = Envelope(_antecedent_parts, _antecedents)
LINES = Envelope(_lines, _summed_lines)
