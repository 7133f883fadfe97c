"""What a file shows before it is read: its name, its first bytes and what they hold."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from howsure.data.tables.database import Database
from howsure.data.tables.named_files import File
from howsure.data.tables.table import column_names
from howsure.errors import InputError
from howsure.files.archive import FAULTS
from howsure.files.compression import open_unpacked
from howsure.files.json_text import parsed_json

FIRST = 1 << 16  # bytes
LONGEST_LINE = 1 << 26  # bytes
KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"\s*:')


@dataclass(frozen=True)
class Beginning:
    """The beginning of a file, each part read when a format asks for it."""

    file: File

    @cached_property
    def text(self) -> bytes:
        """The first bytes of a text; none of a file that is packed in another way than by gzip or zstd."""
        if self.file.format in ("parquet", "npz", "zip", "npy"):
            return b""
        with open_unpacked(self.file.path, self.file.compression, self.file.name) as stream:
            return stream.read(FIRST)

    @cached_property
    def record(self) -> dict[str, Any]:
        """The object in the first line of JSON lines; {} if there is none."""
        if self.file.format != "jsonl" or not self.text.lstrip().startswith(b"{"):
            return {}
        with open_unpacked(self.file.path, self.file.compression, self.file.name) as stream:
            line = stream.readline(LONGEST_LINE)
        try:
            held = parsed_json(line.removeprefix(b"\xef\xbb\xbf"))
        except ValueError:
            return {}
        return held if isinstance(held, dict) else {}

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys, of whatever depth, in the first bytes of a JSON document."""
        return tuple(key.decode("utf-8", "replace") for key in KEY.findall(self.text))

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The names of the members of a zip; () of any other file."""
        if self.file.format not in ("npz", "zip"):
            return ()
        try:
            with zipfile.ZipFile(self.file.path) as archive:
                return tuple(archive.namelist())
        except (*FAULTS, ValueError) as error:
            if self.file.format == "zip":  # of a program, which may say more
                return ()
            said = f"it is not a complete archive ({error}). Was it cut off?"
            raise InputError(f"{self.file.name} cannot be read: {said}") from error

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a Parquet file; () of any other file."""
        if self.file.format != "parquet":
            return ()
        database = Database()
        try:
            database.allow_only([self.file.path])
            return tuple(column_names(database, self.file))
        finally:
            database.close()
