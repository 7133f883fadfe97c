"""Log files for the readers of formats: their beginning, and JSON lines, a document, a table or an archive."""

from __future__ import annotations

import gc
import io
import json
import math
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from howsure.data.tables.named_files import SUFFIXES, TEXTS, File, parquet_source, reading_files
from howsure.data.tables.table import column_names
from howsure.errors import InputError, quote
from howsure.files.archive import FAULTS, Archive, unpacking
from howsure.files.input_files import decoded, detect_compression, open_unpacked, opened, parsed_json
from howsure.inputs.frames import EXCEPTION
from howsure.inputs.numbers_and_names import TRUTHS, parse_number
from howsure.inputs.source_names import format_suffix
from howsure.lazy_imports import require

# Convert values in a log to a mapping, a list or a number.


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the value if it is an object, otherwise an empty object."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """Return the value if it is a list, otherwise an empty list."""
    return value if isinstance(value, list) else []


def number(value: Any) -> float | None:
    """Convert a number or truth value to float; None for anything else and for numbers larger than any float."""
    if not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def class_name(value: str | float) -> str:
    """Return the name of a class that a label spells: numbers and truth values are written as in JSON, 1.0 as 1.

    >>> class_name("A"), class_name(2), class_name(2.0), class_name(True)
    ('A', '2', '2', 'true')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def names_class(target: str | float, name: str) -> bool:
    """Whether a target names a class: equal texts, equal numbers, or equal truth values in any case.

    >>> names_class(1.0, "1"), names_class("1", "1.0"), names_class(True, "True"), names_class(True, "1")
    (True, True, True, False)
    """
    text = class_name(target).strip()
    if text == name:
        return True
    if text.lower() in TRUTHS:
        return text.lower() == name.lower()
    number = parse_number(text)
    return number is not None and number == parse_number(name)


def find_class(target: str | float, names: Sequence[str]) -> int | None:
    """Return the index of the class that a target names, preferring an equal string; None if there is no such class.

    >>> find_class("1.0", ["1", "1.0"]), find_class(False, ["True", "False"]), find_class(3, ["1", "2"])
    (1, 1, None)
    """
    text = class_name(target).strip()
    if text in names:
        return names.index(text)
    return next((at for at, name in enumerate(names) if names_class(target, name)), None)


def is_infinite(value: Any) -> bool:
    """Whether a value is an infinite number, or NaN."""
    return isinstance(value, float) and not math.isfinite(value)


def numbers(value: Any, what: str) -> list[float]:
    """Return the value as a list of numbers.

    Raises ValueError naming `what` if the value is not such a list.
    """
    values = [number(item) for item in listed(value)]
    if not isinstance(value, list) or None in values:
        raise ValueError(f"{what} must be a list of numbers; it is {quote(value)}")
    return [value for value in values if value is not None]


# Read and write lines of JSON faster than the standard library, with the same content.

require("Reading logs", "cli", "msgspec")
import msgspec  # noqa: E402

DECODE, ENCODE_LINES = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode_lines
NULL = b"null"


def parsed_line(line: bytes) -> Any:
    """Parse a line of JSON like `parsed_json`; integers of any length stay exact.

    >>> parsed_line(b'{"id": 12345678901234567890123, "score": NaN}')
    {'id': 12345678901234567890123, 'score': nan}

    Raises ValueError if the line is not JSON.
    """
    try:
        return DECODE(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):  # NaN, or an error
        return parsed_json(line)


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Pause the search for reference cycles: it takes long, and parsed JSON has no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


Row = dict[str, Any]
Columns = dict[str, tuple[Any, ...]]  # of equal length


class Block(Row):
    """Consecutive rows with the same keys, as columns of equal length, which are converted faster than single rows."""

    def rows(self) -> list[Row]:
        return [dict(zip(self, values, strict=True)) for values in zip(*self.values(), strict=True)]


def single_rows(row: Row) -> list[Row]:
    """Return the rows of a block, or a row that is not a block as the only one."""
    return row.rows() if isinstance(row, Block) else [row]


def rows_to_columns(rows: Sequence[Row]) -> Columns:
    """Convert rows with the same keys in the same order to columns."""
    return dict(zip(rows[0], zip(*map(dict.values, rows), strict=True), strict=True))


@lru_cache
def struct_type(names: tuple[str, ...], **types: Any) -> type[msgspec.Struct]:
    """Return the type of objects with these keys. types: those of values that are not arbitrary JSON.

    Raises ValueError if a key contains a quotation mark, a backslash or a control character.
    """
    fields = [(f"field_{number}", types.get(name, Any)) for number, name in enumerate(names)]
    rename = {field: name for (field, _), name in zip(fields, names, strict=True)}
    return msgspec.defstruct("Record", fields, rename=rename, forbid_unknown_fields=True, gc=False)


def json_lines(columns: Columns, rows: int) -> bytes:
    r"""Write columns as one JSON line per row; infinite numbers in lists become -Infinity, which DuckDB reads.

    >>> json_lines({"item": (None, 2), "logits": ([float("-inf"), 0.5], [0.0])}, 2)
    b'{"item": null, "logits": [-Infinity, 0.5]}\n{"item": 2, "logits": [0.0]}\n'
    """
    try:  # objects with fixed keys are written fastest
        records: list[Any] = list(map(struct_type(tuple(columns)), *columns.values()))
    except ValueError:
        records = []
    lines: bytes = ENCODE_LINES(records)
    if records and lines.count(NULL) == sum(values.count(None) for values in columns.values()):
        return lines
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)] or [{}] * rows
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()  # keeps -inf


# What is known of a file before it is read: its name, its first bytes, and their content.

FIRST = 1 << 16  # bytes
CHUNK = 1 << 18  # bytes of lines that are converted together
LONGEST_LINE = 1 << 26  # bytes
KEY = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+:')  # possessive quantifiers prevent backtracking


def _add_keys(keys: list[str], value: Any) -> None:
    """Add the keys in parsed JSON at any depth to a list, in the order of the text."""
    if type(value) is dict:
        for key, content in value.items():
            keys.append(key)
            if type(content) in (dict, list):
                _add_keys(keys, content)
    elif type(value) is list:
        for content in value:
            if type(content) in (dict, list):
                _add_keys(keys, content)


@dataclass(frozen=True)
class Beginning:
    """The beginning of a file; each property is read when a format needs it."""

    file: File
    is_empty: bool = False

    @classmethod
    def of(cls, path: str, kind: str) -> Beginning:
        """Build from a path; `kind` is the format of the file."""
        with opened(path, buffering=0) as file:  # in one read
            head = file.read(FIRST)
        beginning = cls(File(path, path, kind, detect_compression(head[:4])), is_empty=not head)
        if beginning.file.compression == "none" and kind in TEXTS:
            beginning.__dict__["text"] = head
        return beginning

    @cached_property
    def text(self) -> bytes:
        """The first bytes of a text file; empty for other compressions than gzip or zstd."""
        if self.file.format in ("parquet", "npz", "zip", "npy"):
            return b""
        with open_unpacked(self.file.path, self.file.compression, self.file.name) as stream:
            return stream.read(FIRST)

    @cached_property
    def record(self) -> dict[str, Any]:
        """Return the object in the first line of JSON lines; {} if the line is not an object."""
        if self.file.format != "jsonl" or not self.text.lstrip().startswith(b"{"):
            return {}
        line, newline, _ = self.text.partition(b"\n")
        if not newline:
            with open_unpacked(self.file.path, self.file.compression, self.file.name) as stream:
                line = stream.readline(LONGEST_LINE)
        try:
            record_ = parsed_json(line.removeprefix(b"\xef\xbb\xbf"))
        except ValueError:
            return {}
        return record_ if isinstance(record_, dict) else {}

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys at any depth within the first bytes of a JSON document."""
        if len(self.text) < FIRST:  # parsing a whole document is faster than searching it
            with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                keys: list[str] = []
                _add_keys(keys, DECODE(self.text))
                return tuple(keys)
        return tuple(KEY.findall(self.text.decode("utf-8", "replace")))

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The names of the members of a zip; () for other files."""
        if self.file.format not in ("npz", "zip"):
            return ()
        try:
            with zipfile.ZipFile(self.file.path) as archive:
                return tuple(archive.namelist())
        except (*FAULTS, ValueError) as error:
            if self.file.format == "zip":  # may be a log; a later check explains more
                return ()
            reason = f"it is not a complete archive ({error}). Was it cut off?"
            raise InputError(f"{self.file.name} cannot be read: {reason}") from error

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a Parquet file; () for other files."""
        if self.file.format != "parquet":
            return ()
        with reading_files(self.file) as database:
            return tuple(column_names(database, self.file))


@dataclass(frozen=True, slots=True)
class Unread:
    """Score values that are not numbers: the number of rows, and the first value."""

    rows: int
    first: Any

    @property
    def is_list(self) -> bool:
        """Whether the first value is a list of numbers or truth values."""
        return isinstance(self.first, list) and all(number(element) is not None for element in self.first)


LARGEST_DOCUMENT = 1 << 30  # bytes, for which about ten times as much memory is needed
MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read as JSON lines, a JSON document, an archive or a table, whichever its format needs."""

    file: File
    notes: list[str] = field(default_factory=list)
    model_version: str | None = None  # model behind an alias
    unread: dict[str, Unread] = field(default_factory=dict)  # by the name of the score
    unique_keys: bool = False  # refuse objects with the same key twice

    @property
    def is_archive(self) -> bool:
        """Whether the file is a zip."""
        return self.file.format in ("npz", "zip")

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return self.file.name

    @property
    def folder(self) -> str:
        """The folder of the file; empty for standard input."""
        return os.path.dirname(os.path.abspath(self.file.path)) if self.file.path == self.file.name else ""

    def scores(
        self,
        values: Mapping[Any, Any],
        as_number: Callable[[Any], float | None] = number,
        *,
        keep_missing: bool = False,
    ) -> dict[str, float | None]:
        """Return scores by name as numbers; values that are not numbers are counted in `unread` and left out.

        keep_missing: keep missing values as None instead of leaving them out.

        >>> source = Source(File("log.jsonl", "log.jsonl", "jsonl"))
        >>> source.scores({"acc": 1, "inst_level": [True, False], "bleu": None})
        {'acc': 1.0}
        >>> source.unread["inst_level"].rows
        1
        """
        scores: dict[str, float | None] = {}
        for name, value in values.items():
            score = as_number(value)
            if score is not None or (value is None and keep_missing):
                scores[str(name)] = score
            elif value is not None:
                before = self.unread.get(str(name), Unread(0, value))
                self.unread[str(name)] = replace(before, rows=before.rows + 1)
        return scores

    def note(self, what: str) -> None:
        """Add a note on the log for the user."""
        self.notes.append(f"{self.name}: {what}.")

    def fault(self, line: int, what: str) -> InputError:
        """Build the error for a line or, in files without lines, for a sample (counted from 1)."""
        unit = "line" if self.file.format == "jsonl" else "sample"
        return InputError(f"{unit} {line:,} of {self.name}: {what}")

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects in the lines of the file, each with its line number."""
        for first, text in self.chunks():
            yield from self.records_in(first, text)

    def chunks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the file as chunks of complete lines, each with the number of its first line."""
        with open_unpacked(self.file.path, self.file.compression, self.name) as stream:
            number = 1
            while text := stream.read(CHUNK):
                text += b"" if text.endswith(b"\n") else stream.readline(LONGEST_LINE)
                yield number, text
                number += text.count(b"\n")

    def records_in(self, first: int, text: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the objects in the lines of a chunk, whose first line has the number `first`; errors as `records`."""
        for number, line in enumerate(io.BytesIO(text), first):
            if len(line) >= LONGEST_LINE:
                raise self.fault(number, f"it has more than {LONGEST_LINE:,} bytes. Is this a log?")
            if line.isspace():
                continue
            try:
                record = parsed_line(line.removeprefix(MARK) if number == 1 else line)
            except ValueError as error:
                if not line.endswith(b"\n"):
                    raise self.fault(number, "it is cut off; was the program stopped while it wrote?") from error
                raise self.fault(number, f"it is not JSON ({error}).") from error
            if not isinstance(record, dict):
                raise self.fault(number, f"it must contain a JSON object, {{…}}; it contains {decoded(line)[:60]!r}.")
            if self.unique_keys:
                self._check_keys(line, f"line {number:,} of {self.name}")
            yield number, record

    def objects(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Yield the records of JSON lines, or of a JSON document, with their numbers."""
        if self.file.format == "jsonl":
            yield from self.records()
            return
        document = self.document()
        for at, record in enumerate(document if isinstance(document, list) else [document], start=1):
            if not isinstance(record, dict):
                raise self.fault(at, "it is not a response, which is a JSON object.")
            yield at, record

    def document(self) -> Any:
        """Parse the file as a single JSON value."""
        with open_unpacked(self.file.path, self.file.compression, self.name) as stream:
            text = stream.read(FIRST)  # most are small; allocating the largest size would be slow
            text += stream.read(LARGEST_DOCUMENT + 1 - FIRST) if len(text) == FIRST else b""
        if len(text) > LARGEST_DOCUMENT:
            raise InputError(f"{self.name} has more than {LARGEST_DOCUMENT:,} bytes of JSON, too many to read at once.")
        try:
            content = parsed_line(text.removeprefix(MARK))
        except ValueError as error:
            is_table = SUFFIXES.get(format_suffix(self.name)) in ("csv", "tsv")
            advice = "To read it as a table, leave `format` out." if is_table else "Was it cut off?"
            raise InputError(f"{self.name} is not JSON ({error}). {advice}") from error
        if self.unique_keys:
            self._check_keys(text, self.name)
        return content

    def _check_keys(self, text: bytes, place: str) -> None:
        """Raise InputError for an object with the same key twice."""
        try:
            parsed_json(text.removeprefix(MARK), unique_keys=True)
        except ValueError as error:
            raise InputError(f"{place}: {error}.") from error

    @contextmanager
    def archive(self) -> Iterator[Archive]:
        """Open a zip whose members are unpacked when used. Raises InputError if it is not a zip, or is damaged."""
        with open(self.file.path, "rb") as file, unpacking(self.name):
            yield Archive(file, repetitive=True)

    def member(self, archive: Archive, name: str) -> Any:
        """Parse the JSON document in a member of a zip. Raises InputError if it is damaged or not JSON."""
        with unpacking(self.name):
            content = archive.content(name)
        try:
            return parsed_json(content)
        except ValueError as error:
            raise InputError(f"{name} in {self.name} is not JSON ({error}).") from error

    def sibling(self, name: str) -> Any:
        """Parse the JSON document in another file of the same folder; return None if it does not exist."""
        path = os.path.join(self.folder, name)
        if not self.folder or not os.path.isfile(path):
            return None
        return Source(File(path, path, "json")).document()

    def table(self, select: str = "*") -> Iterator[dict[str, Any]]:
        """Yield the rows of a Parquet file as plain JSON. select: the columns, in SQL."""
        with reading_files(self.file) as database:
            rows_ = database.connection.execute(
                f"SELECT to_json(record)::VARCHAR FROM (SELECT {select} FROM {parquet_source([self.file])}) AS record"
            )
            while rows := rows_.fetchmany(1_000):
                yield from (parsed_json(text) for (text,) in rows)


# A format of logs: how its files are recognised, and how their rows are converted to named columns.

NAMED = (
    "item",
    "item_hash",
    "model",
    "task",
    "prompt",
    "run",
    "document",
    "target",
    "prediction",
    "classes",
    "probabilities",
    "probability",
    "correct",
    "log_probabilities",
    "logits",
    EXCEPTION,
)
OF_NAMED = ("targets", "tokens")  # further details on named columns
OF_CLASSES = frozenset(("classes", "probabilities", "log_probabilities", "logits", *OF_NAMED))  # lists by class
RESERVED = frozenset(NAMED + OF_NAMED)
GROUP = ("model", "task", "prompt")  # one curve for each, if a log has several


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A format of logs.

    name: the value of the parameter `format`. program: the program that writes the format. rows: a function that yields
    the rows of a file in order, as plain JSON with the names in `NAMED`. Numbers under other names are scores of the
    item; other values are kept only if the user names their column.

    A row with several classes has one of `probabilities`, `log_probabilities` (of the choices, whose texts are
    `classes`) or `logits`, and `target`, the index of the true class, or `targets`. If `prediction` (the likeliest
    class), `probability` and `correct` are missing, they are computed from these. A row with the probability of a
    single answer has `probability` and `correct`. group: the columns that separate rows which must not be pooled.
    refused: for columns that look like a probability, the reason why they are not. bounds: the lowest and the highest
    value of scores, if the program defines them.
    """

    name: str
    program: str
    recognises: Callable[[Beginning], bool]
    rows: Callable[[Source], Iterator[Row]]
    group: tuple[str, ...] = GROUP
    refused: Mapping[str, str] = field(default_factory=dict, compare=False)
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)


def with_scores(row: Row, scores: Mapping[str, Any]) -> Row:
    """Add the scores of an item to its row; a score with the name of a standard column is renamed to score.NAME.

    >>> with_scores({"target": 1}, {"target": 0.5, "rouge": 0.2})
    {'target': 1, 'score.target': 0.5, 'rouge': 0.2}
    """
    return row | {f"score.{name}" if name in RESERVED else name: value for name, value in scores.items()}
