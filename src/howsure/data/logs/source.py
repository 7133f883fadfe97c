"""A log as its reader sees it: lines of JSON, one JSON document, a table or an archive, read with limits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from howsure.data.tables.database import Database, reading
from howsure.data.tables.named_files import File, parquet_source
from howsure.errors import InputError
from howsure.files.archive import Archive, ArchiveError
from howsure.files.compression import open_unpacked
from howsure.files.json_text import parsed_json
from howsure.files.utf8 import decoded

LONGEST_LINE = 1 << 26  # bytes
LARGEST_DOCUMENT = 1 << 30  # bytes, which need some ten times as much memory
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read, by what it holds."""

    file: File
    notes: list[str] = field(default_factory=list)

    @property
    def is_archive(self) -> bool:
        """Whether the file is a zip."""
        return self.file.format in ("npz", "zip")

    @property
    def name(self) -> str:
        """What the user calls the file."""
        return self.file.name

    @property
    def folder(self) -> str:
        """The folder that the file lies in; empty for standard input."""
        return os.path.dirname(os.path.abspath(self.file.path)) if self.file.path == self.file.name else ""

    def note(self, what: str) -> None:
        """Have the user told something of the log that is no error."""
        self.notes.append(f"{self.name}: {what}.")

    def fault(self, line: int, what: str) -> InputError:
        """The error for a line, or in what has no lines for a sample (from 1)."""
        unit = "line" if self.file.format == "jsonl" else "sample"
        return InputError(f"{unit} {line:,} of {self.name}: {what}")

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects in the lines of the file, each with the number of its line.

        Raises InputError at a line that is no JSON object or is cut off.
        """
        with open_unpacked(self.file.path, self.file.compression, self.name) as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE:
                    raise self.fault(number, f"it has more than {LONGEST_LINE:,} bytes. Is this a log?")
                if line.isspace():
                    continue
                try:
                    record = parsed_json(line.removeprefix(MARK) if number == 1 else line)
                except ValueError as error:
                    if not line.endswith(b"\n"):
                        raise self.fault(number, "it is cut off; was the program stopped while it wrote?") from error
                    raise self.fault(number, f"it is no JSON ({error}).") from error
                if not isinstance(record, dict):
                    raise self.fault(number, f"it must hold a JSON object, {{…}}; it holds {decoded(line)[:60]!r}.")
                yield number, record

    def document(self) -> Any:
        """The one JSON value that the file holds.

        Raises InputError if it is no JSON, cut off, or too large.
        """
        with open_unpacked(self.file.path, self.file.compression, self.name) as stream:
            text = stream.read(LARGEST_DOCUMENT + 1)
        if len(text) > LARGEST_DOCUMENT:
            raise InputError(f"{self.name} has more than {LARGEST_DOCUMENT:,} bytes of JSON, too many to read at once.")
        try:
            return parsed_json(text.removeprefix(MARK))
        except ValueError as error:
            raise InputError(f"{self.name} is no JSON ({error}). Was it cut off?") from error

    @contextmanager
    def archive(self) -> Iterator[Archive]:
        """The members of a zip, each unpacked when it is asked for; InputError if it is none, or damaged."""
        with open(self.file.path, "rb") as file:
            try:
                archive = Archive(file, repetitive=True)
            except ArchiveError as error:
                raise InputError(f"{self.name} cannot be read: {error}.") from error
            yield archive

    def member(self, archive: Archive, name: str) -> Any:
        """The JSON document in a member of a zip; InputError if it is damaged or no JSON."""
        try:
            return parsed_json(archive.content(name))
        except ArchiveError as error:
            raise InputError(f"{self.name} cannot be read: {error}.") from error
        except ValueError as error:
            raise InputError(f"{name} in {self.name} is no JSON ({error}).") from error

    def beside(self, name: str) -> Any:
        """The JSON document in a file of the same folder; None if there is none that can be read."""
        path = os.path.join(self.folder, name)
        if not self.folder or not os.path.isfile(path):
            return None
        return Source(File(path, path, "json")).document()

    def table(self, select: str = "*") -> Iterator[dict[str, Any]]:
        """The rows of a Parquet file as plain JSON; `select` are its columns, as SQL lists them."""
        database = Database()
        try:
            database.allow_only([self.file.path])
            with reading(self.name, self.file.path):
                found = database.connection.execute(
                    f"SELECT to_json(held)::VARCHAR FROM (SELECT {select} FROM {parquet_source([self.file])}) AS held"
                )
                while rows := found.fetchmany(1_000):
                    yield from (parsed_json(text) for (text,) in rows)
        finally:
            database.close()
