"""A journal: records appended to a file as lines, each with its checksum, that a crash cannot damage.

If a process is killed, only the last line can be incomplete; the next writer drops it. A complete line that does not
match its checksum, or a file that does not begin like a journal, is refused and left unchanged.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from howsure.errors import InputError
from howsure.files.json_text import parsed_json

HEAD = re.compile(rb"[0-9a-f]{8} \{")
BEGINNING = b"00000000 {"


def line_of(record: Mapping[str, Any]) -> bytes:
    """A record as a line: its checksum and its content as JSON.

    >>> line_of({"a": 1}).decode().strip()
    'fba18e97 {"a": 1}'
    """
    content = json.dumps(record, ensure_ascii=False, allow_nan=False).encode()
    return f"{zlib.crc32(content):08x} ".encode() + content + b"\n"


def records_of(path: Path, start: int, *, what: str) -> Iterator[tuple[Any, int]]:
    """The complete records from a byte on, and the byte after each; an incomplete record at the end is left out.

    Raises InputError if a complete line is damaged, or if the file does not begin like a journal (`what` it should be).
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(10)
        if not HEAD.match(head + BEGINNING[len(head) :]):  # its first line may be cut short, too
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
    """The number (from 1) of the line that begins at a byte."""
    with path.open("rb") as file:
        return file.read(end).count(b"\n") + 1
