"""A file of antecedent scores: which documents it has, and those of each, read when they are asked for."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from typing import IO

from howsure.data.antecedent_scores.antecedent_scores import AntecedentScores
from howsure.data.antecedent_scores.json_lines import json_from_scores, record_of, scores_from_json
from howsure.data.antecedent_scores.npz import archived, scores_in_archive
from howsure.errors import InputError, shown
from howsure.files.archive import ZIP, ArchiveError
from howsure.files.opened import opened
from howsure.files.text import compression_of
from howsure.files.whole import write_whole
from howsure.inputs.naming import shortened

MARK = b"\xef\xbb\xbf"


class ScoreFile:
    """The documents of a file of JSON lines, of which each is read when it is asked for, or of an .npz, read at once.

    Raises InputError if there is no such file, naming the line that is no document or names one that was named before.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lines: dict[str, tuple[int, int, int]] = {}  # number of the line, place, length
        self._held: dict[str, AntecedentScores] = {}
        digest = hashlib.blake2b(digest_size=8)
        with opened(self.path) as file:
            first = file.read(4)
            file.seek(0)
            while piece := file.read(1 << 20):
                digest.update(piece)
            file.seek(0)
            if first.startswith(ZIP):
                self._read_archive(file)
            elif compression_of(first) != "none":
                raise InputError(f"{self.path} is packed; unpack it first: its documents are read one at a time.")
            else:
                self._find_lines(file)
        self.digest = digest.hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the documents, in the order of the file."""
        return tuple(self._held or self._lines)

    def __len__(self) -> int:
        return len(self._held or self._lines)

    def __contains__(self, name: object) -> bool:
        return name in (self._held or self._lines)

    def __iter__(self) -> Iterator[AntecedentScores]:
        return map(self.read, self.names)

    def read(self, name: str) -> AntecedentScores:
        """The scores of a document.

        Raises InputError if the file has no such document, or naming what is wrong with it.
        """
        if name not in self:
            raise InputError(
                f"{self.path} has no scores of document {name!r}; it has {shortened(self.names, limit=3)}."
            )
        if name in self._held:
            return self._held[name]
        number, place, length = self._lines[name]
        with opened(self.path) as file:
            file.seek(place)
            line = file.read(length)
        try:
            return scores_from_json(record_of(line))
        except InputError as error:
            raise InputError(f"line {number:,} of {self.path}, document {name}: {error}") from None

    def _find_lines(self, file: IO[bytes]) -> None:
        place = len(MARK) if file.read(len(MARK)) == MARK else 0
        file.seek(place)
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    name = record_of(line)["id"]
                except InputError as error:
                    raise InputError(f"line {number:,} of {self.path}: {error}") from None
                if not isinstance(name, str) or not name:
                    raise InputError(f"line {number:,} of {self.path}: id must be a text; it is {shown(name)}.")
                if name in self._lines:
                    before = self._lines[name][0]
                    raise InputError(
                        f"line {number:,} of {self.path} names document {name!r} again, after line {before:,}."
                    )
                self._lines[name] = number, place, len(line)
            place += len(line)
        if not self._lines:
            raise InputError(f"{self.path} is empty.")

    def _read_archive(self, file: IO[bytes]) -> None:
        try:
            self._held = scores_in_archive(file)
        except (ArchiveError, InputError) as error:
            raise InputError(f"{self.path} cannot be read: {str(error).rstrip('.')}.") from error


def read_antecedent_scores(path: str | os.PathLike[str]) -> list[AntecedentScores]:
    """The scores of all documents of a file of JSON lines or an .npz, as described in docs/coreference.md.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "scores.jsonl")
    >>> ann = '{"id": "a", "words": ["Ann", "ran"], "mentions": [[0, 1]], "scores": [[]], "null": 0}'
    >>> written = path.write_text(ann)
    >>> read_antecedent_scores(path)
    [AntecedentScores('a', 1 mention)]

    Raises InputError naming the line, the document and what is wrong with it. Nothing is unpickled.
    """
    return list(ScoreFile(path))


def write_antecedent_scores(scores: Iterable[AntecedentScores], path: str | os.PathLike[str]) -> None:
    """Write documents to a file that appears whole or not at all: .npz, or else JSON lines.

    Raises InputError if two documents have one name, or the file cannot be written.
    """
    held = [scores] if isinstance(scores, AntecedentScores) else list(scores)
    names: set[str] = set()
    for one in held:
        if not isinstance(one, AntecedentScores):
            raise InputError(f"scores must be AntecedentScores, one per document; one is {type(one).__name__}.")
        if one.id in names:
            raise InputError(f"documents must have names of their own; two are called {one.id!r}.")
        names.add(one.id)
    if os.fspath(path).endswith(".npz"):
        write_whole(archived(held), path)
    else:
        write_whole("".join(f"{json_from_scores(one)}\n" for one in held).encode(), path)
