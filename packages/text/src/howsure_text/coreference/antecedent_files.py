"""Files of antecedent scores (JSON lines), whose documents are read on demand."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from howsure.errors import InputError, quote
from howsure.files.atomic_write import write_atomically
from howsure.files.input_files import detect_compression, opened, parsed_json
from howsure.inputs.numbers_and_names import nearest, shortened
from howsure_text.coreference.antecedent_scores import AntecedentScores

# Antecedent scores as JSON, one document per line.

NEEDED, OPTIONAL, PAIRS = ("id", "mentions", "scores", "null"), ("words", "text", "antecedents"), "pair_logits"


def parse_record(line: bytes | str) -> dict[str, Any]:
    try:
        record = parsed_json(line)
    except ValueError as error:
        raise InputError(f"it is not JSON ({error}); write one document per line.") from error
    if not isinstance(record, dict):
        raise InputError(f"it contains {type(record).__name__}, not an object; write one document {{…}} per line.")
    if "id" not in record:
        raise _missing_key("id", record)
    return {**record, "id": str(record["id"]) if type(record["id"]) is int else record["id"]}


def scores_from_json(record: dict[str, Any]) -> AntecedentScores:
    if PAIRS in record and "scores" not in record:
        raise InputError(
            f"{PAIRS} contain a separate prediction for each pair, so they are not a distribution over antecedents and "
            "define no posterior over entities. Either evaluate 1/(1 + exp(-logit)) as predictions of pairs, with "
            f"howsure calibration; or rename {PAIRS} to scores and set null to 0, which treats them as scores of "
            "antecedents."
        )
    for name in NEEDED:
        if record.get(name) is None:
            raise _missing_key(name, record)
    values = {name: record[name] for name in (*NEEDED, *OPTIONAL) if record.get(name) is not None}
    if not isinstance(record["scores"], list):
        raise InputError(f"scores must be a list with one row per mention; they are {quote(record['scores'])}.")
    values["scores"] = [_numbers(row, f"row {j} of scores") for j, row in enumerate(record["scores"])]
    if not isinstance(record["null"], str):
        null = record["null"]
        values["null"] = _numbers(null, "null") if isinstance(null, list) else _numbers([null], "null")[0]
    return AntecedentScores(**values)


def json_from_scores(scores: AntecedentScores) -> str:
    """Return scores as a line of JSON; scores of -inf for later mentions are omitted."""
    values: dict[str, Any] = {"id": scores.id}
    if scores.text is None:
        values["words"] = [list(sentence) for sentence in scores.words]
    else:
        values["text"] = scores.text
    values["mentions"] = scores.mentions.tolist()
    if scores.antecedents is not None:
        values["antecedents"] = [np.asarray(row).tolist() for row in scores.antecedents]
    rows = [np.asarray(row, dtype=np.float64) for row in scores.scores]
    m = len(rows)
    if scores.antecedents is None and all(len(r) == m and bool((r[j:] == -np.inf).all()) for j, r in enumerate(rows)):
        rows = [row[:j] for j, row in enumerate(rows)]
    values["scores"] = [[None if score == -np.inf else score for score in row.tolist()] for row in rows]
    values["null"] = scores.null if isinstance(scores.null, str) else np.asarray(scores.null, dtype=np.float64).tolist()
    try:
        return json.dumps(values, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise InputError(f"scores and null of document {scores.id} must be finite, or -inf for scores.") from error


def _numbers(row: object, where: str) -> Any:
    """Convert a list of numbers, in which null means -inf, to an array."""
    if not isinstance(row, list):
        raise InputError(f"{where} must be a list of numbers; it is {quote(row)}.")
    try:
        array = np.array([-np.inf if value is None else value for value in row], dtype=None if row else np.float64)
    except ValueError:  # lists of different length
        array = np.array(None)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        wrong = next((value for value in row if value is not None and type(value) not in (int, float)), row)
        raise InputError(
            f"{where} must contain numbers, or null for antecedents that were not scored; it contains {quote(wrong)}."
        )
    return array.astype(np.float64)


def _missing_key(name: str, record: dict[str, Any]) -> InputError:
    near = nearest(name, list(record))
    advice = f" Did you mean {near}?" if near and near not in (*NEEDED, *OPTIONAL) else ""
    return InputError(f"the key {name!r} is missing or null; there are {shortened(record, limit=8)}.{advice}")


MARK = b"\xef\xbb\xbf"


class ScoreFile:
    """The documents of a file of JSON lines, each read on demand."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._lines: dict[str, tuple[int, int, int]] = {}  # by document: number of the line, byte offset, length
        digest = hashlib.blake2b(digest_size=8)
        with opened(self.path) as file:
            first = file.read(4)
            file.seek(0)
            while piece := file.read(1 << 20):
                digest.update(piece)
            file.seek(0)
            if detect_compression(first) != "none":
                raise InputError(
                    f"{self.path} is compressed; unpack it first, because its documents are read one at a time."
                )
            self._find_lines(file)
        self.digest = digest.hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the documents, in the order of the file."""
        return tuple(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, name: object) -> bool:
        return name in self._lines

    def __iter__(self) -> Iterator[AntecedentScores]:
        return map(self.read, self.names)

    def read(self, name: str) -> AntecedentScores:
        """Read the scores of a document."""
        if name not in self:
            raise InputError(
                f"{self.path} has no scores of document {name!r}; it has {shortened(self.names, limit=3)}."
            )
        number, place, length = self._lines[name]
        with opened(self.path) as file:
            file.seek(place)
            line = file.read(length)
        try:
            return scores_from_json(parse_record(line))
        except InputError as error:
            raise error.inside(f"line {number:,} of {self.path}, document {name}") from None

    def _find_lines(self, file: IO[bytes]) -> None:
        place = len(MARK) if file.read(len(MARK)) == MARK else 0
        file.seek(place)
        for number, line in enumerate(file, start=1):
            if line.strip():
                try:
                    name = parse_record(line)["id"]
                except InputError as error:
                    raise error.inside(f"line {number:,} of {self.path}") from None
                if not isinstance(name, str) or not name:
                    raise InputError(f"line {number:,} of {self.path}: id must be a text; it is {quote(name)}.")
                if name in self._lines:
                    before = self._lines[name][0]
                    raise InputError(
                        f"line {number:,} of {self.path} names document {name!r} again, after line {before:,}."
                    )
                self._lines[name] = number, place, len(line)
            place += len(line)
        if not self._lines:
            raise InputError(f"{self.path} is empty.")


def read_antecedent_scores(path: str | os.PathLike[str]) -> list[AntecedentScores]:
    """Read the scores of all documents of a file of JSON lines, as described in docs/coreference.md.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "scores.jsonl")
    >>> ann = '{"id": "a", "words": ["Ann", "ran"], "mentions": [[0, 1]], "scores": [[]], "null": 0}'
    >>> written = path.write_text(ann)
    >>> read_antecedent_scores(path)
    [AntecedentScores('a', 1 mention)]

    Raises InputError naming the line, the document and the error.
    """
    return list(ScoreFile(path))


def write_antecedent_scores(scores: Iterable[AntecedentScores], path: str | os.PathLike[str]) -> None:
    """Write documents atomically to a file of JSON lines."""
    documents = [scores] if isinstance(scores, AntecedentScores) else list(scores)
    names: set[str] = set()
    for document in documents:
        if not isinstance(document, AntecedentScores):
            raise InputError(f"scores must be AntecedentScores, one per document; one is {type(document).__name__}.")
        if document.id in names:
            raise InputError(f"documents must have different names; two are called {document.id!r}.")
        names.add(document.id)
    write_atomically("".join(f"{json_from_scores(document)}\n" for document in documents).encode(), path)
