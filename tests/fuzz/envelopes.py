"""Envelopes: a format with checksums, which would stop a fuzzer, is split into parts; one is changed, and checksums are
renewed."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet
import yaml
from tests.data.logs.writers import zip_of_zstd
from tests.files.sealed import parts_of, sealed

from howsure.calibration.saved_summaries import CHECKSUM
from howsure.files.archive import Archive
from howsure.files.serialization import json_sha256

Parts = dict[str, bytes]


@dataclass(frozen=True)
class Envelope:
    """How a file is split into named parts, and how these are joined to a file with valid checksums."""

    unpack: Callable[[bytes], Parts]
    pack: Callable[[Parts], bytes]

    def changed(self, content: bytes, change: Callable[[bytes], bytes], choice: int) -> bytes:
        """Return the file with one of its parts changed; if it cannot be split, the whole file is changed."""
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


def _zstd_members(content: bytes) -> Parts:
    archive = Archive(io.BytesIO(content), repetitive=True)
    return {name: archive.content(name) for name in archive.members}


def _rows(content: bytes) -> Parts:
    """Return the rows of a Parquet file as lines of JSON."""
    return {"": b"\n".join(json.dumps(row).encode() for row in pa.parquet.read_table(io.BytesIO(content)).to_pylist())}


def _parquet(parts: Parts) -> bytes:
    content = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_pylist([json.loads(line) for line in parts[""].splitlines()]), content)
    return content.getvalue()


def _head_of_tensors(content: bytes) -> Parts:
    start = 8 + int.from_bytes(content[:8], "little")
    return {"head": content[8:start], "tensors": content[start:]}


def _tensors(parts: Parts) -> bytes:
    return len(parts["head"]).to_bytes(8, "little") + parts["head"] + parts["tensors"]


def _head_of_summary(content: bytes) -> Parts:
    words, head, columns = content[:-CHECKSUM].split(b"\n", 2)
    return {"words": words, "head": head, "columns": columns}


def _summary(parts: Parts) -> bytes:
    content = b"\n".join((parts["words"], parts["head"], parts["columns"]))
    return content + hashlib.sha256(content).digest()


def _toml(value: Any) -> str:
    """Return a value in one line of TOML, which has no null."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(element)}" for name, element in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)


def _lines_of_toml(parts: Parts) -> bytes:
    content = json.loads(parts[""])
    return "\n".join(f"{json.dumps(name)} = {_toml(element)}" for name, element in content.items()).encode(
        "utf-8", "surrogatepass"
    )


SETTINGS = {"settings": "SELECT name, value FROM settings", "label_draw": "SELECT draw, settings FROM label_draw"}


def _settings(content: bytes) -> Parts:
    """Return the JSON values in the tables of a store, and the store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.duckdb")
        path.write_bytes(content)
        with duckdb.connect(path, read_only=True) as connection:
            settings = {
                f"{table} {name}": text.encode()
                for table, query in SETTINGS.items()
                for name, text in connection.execute(query).fetchall()
            }
    return {"store": content, **settings}


def _store(parts: Parts) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.duckdb")
        path.write_bytes(parts["store"])
        with duckdb.connect(path) as connection:
            for place, text in parts.items():
                table, _, name = place.partition(" ")
                if table in SETTINGS:
                    key, column = ("name", "value") if table == "settings" else ("draw", "settings")
                    update = f"UPDATE {table} SET {column} = ? WHERE {key}::VARCHAR = ? AND {column} <> ?"
                    connection.execute(update, [text.decode(), name, text.decode()])
        return path.read_bytes()


def _with_checksum(parts: Parts) -> bytes:
    """Return the state of a monitor or of a sequential test with the correct checksum."""
    try:
        fields = json.loads(parts[""])
        fields["sha256"] = json_sha256(fields["state"])
        return json.dumps(fields).encode()
    except (ValueError, TypeError, LookupError, RecursionError):
        return parts[""]


PLAIN = Envelope(lambda content: {"": content}, lambda parts: parts[""])
GZIP = Envelope(lambda content: {"": gzip.decompress(content)}, lambda parts: gzip.compress(parts[""], mtime=0))
ZIP = Envelope(_members, _archive)
MODEL = Envelope(parts_of, sealed)
LINES = Envelope(_lines, _summed_lines)
ZSTD_ZIP = Envelope(_zstd_members, lambda parts: zip_of_zstd(list(parts.items())))
PARQUET = Envelope(_rows, _parquet)
TENSORS = Envelope(_head_of_tensors, _tensors)
SUMMARY = Envelope(_head_of_summary, _summary)
STATE = Envelope(lambda content: {"": content}, _with_checksum)
TOML = Envelope(lambda content: {"": json.dumps(tomllib.loads(content.decode())).encode()}, _lines_of_toml)
YAML = Envelope(lambda content: {"": json.dumps(yaml.safe_load(content)).encode()}, lambda parts: parts[""])
STORE = Envelope(_settings, _store)
