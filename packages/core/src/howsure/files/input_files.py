"""Reading files as bytes, as text (plain or compressed) and as JSON; and temporary folders."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import weakref
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO, NoReturn, Self

from howsure.errors import MIN_SIMILARITY, ColumnName, InputError, Parameter, quote
from howsure.files.archive import max_unpacked_size, zstd
from howsure.inputs.numbers_and_names import natural_order, nearest
from howsure.inputs.source_names import source_name

STANDARD_INPUT = "-"


def standard_input() -> BinaryIO:
    """Return standard input as a stream of bytes; raise InputError if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed, so - cannot be read; name a file.")
    return sys.stdin.buffer


Identity = tuple[int, int]  # device and inode number of a file, which are the same for all its names


@contextmanager
def opened(path: str | os.PathLike[str], buffering: int = -1) -> Iterator[BinaryIO]:
    """A context that gives a file open for reading bytes; InputError if it does not exist or cannot be read."""
    try:
        with open(path, "rb", buffering) as file:
            is_device = stat.S_ISCHR(os.fstat(file.fileno()).st_mode) and not file.isatty()
            if is_device and not os.path.samefile(path, os.devnull):
                raise InputError(f"{os.fspath(path)} is a device, which may never end; name a file.")
            yield file
    except FileNotFoundError:
        raise missing_file(os.fspath(path)) from None
    except OSError as error:
        if os.path.isdir(path):
            raise InputError(f"{os.fspath(path)} is a directory; name a file in it.") from None
        raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror or error}.") from error


def missing_file(path: str, folders: Sequence[str] = ()) -> InputError:
    """Return the error for a path that does not exist. It suggests a file of this name in one of the `folders`, or else
    a file with a similar name in the same folder."""
    inside = next((name for folder in folders if os.path.isfile(name := os.path.join(folder, path))), None)
    if inside is not None:
        return InputError(f"no file {path}. Did you mean {inside}?")
    folder = os.path.dirname(path) or "."
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    alike = [
        name
        for name in names
        if os.path.exists(os.path.join(folder, name))
        and nearest(source_name(path), [source_name(name)], cutoff=MIN_SIMILARITY) is not None
    ]
    near = nearest(os.path.basename(path), alike)
    advice = "" if near is None else f" Did you mean {os.path.join(os.path.dirname(path), near)}?"
    return InputError(f"no file {path}.{advice}")


def identity(path: str | os.PathLike[str] | int, *, devices: bool = False) -> Identity | None:
    """Return the identity of a file or folder, which is the same for all its names and links.

    path: a path, or a file descriptor such as 0 for standard input. devices: also return the identity of pipes and
    devices. Returns None if the file does not exist.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    is_kept = devices or stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return (status.st_dev, status.st_ino) if is_kept else None


def check_each_once(paths: Iterable[str | os.PathLike[str]], *, what: str = "rows") -> None:
    """Raise InputError if a file is named twice, even under different names or links, or as standard input ("-")."""
    path_by_place: dict[object, str] = {}
    for path in [os.fspath(path) for path in paths]:
        where = identity(0 if path == STANDARD_INPUT else path, devices=True) or path
        if where in path_by_place:
            same = "" if path_by_place[where] == path else f", also as {path_by_place[where]}"
            raise InputError(f"{path} is named twice{same}; its {what} would be counted twice.")
        path_by_place[where] = path


def expand_paths(paths: Sequence[str | os.PathLike[str]], existing: Collection[str] = ()) -> list[str]:
    """Return the files named by paths and globs in the given order; the files of a glob are in natural order.

    existing: paths that are known to exist.
    """
    if not paths:
        raise InputError("no file is named; name a file, a glob in quotes, or - for standard input.")
    named = [os.fspath(path) for path in paths]
    files = [path_ for path in named for path_ in ([path] if path in existing else _expanded(path))]
    check_each_once(files)
    return files


def _expanded(path: str) -> list[str]:
    if path == STANDARD_INPUT or os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        matches = sorted(glob.glob(path, recursive=True), key=natural_order)
        if not matches:
            raise InputError(f"no file matches {path}.")
        return [path for path in matches if not os.path.isdir(path)] or matches
    raise missing_file(path)


def decoded(raw: bytes) -> str:
    r"""Decode UTF-8.

    >>> decoded("Łódź".encode())
    'Łódź'
    >>> decoded(b"L\xc3")
    Traceback (most recent call last):
    ValueError: it ends inside a character
    >>> decoded(b"a \xed\xa0\x80")
    Traceback (most recent call last):
    ValueError: it is not UTF-8 text: byte 3 is 0xed

    Raises ValueError naming the first invalid byte (from 1); lone surrogates, such as in the last example, are invalid.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(describe_invalid_bytes(error)) from None


def describe_invalid_bytes(error: UnicodeDecodeError) -> str:
    """Describe the first bytes that are not UTF-8."""
    if error.reason == "unexpected end of data" and error.end == len(error.object):
        return "it ends inside a character"
    return f"it is not UTF-8 text: byte {error.start + 1:,} is 0x{error.object[error.start]:02x}"


def checked_text(text: str, what: str) -> str:
    r"""Return a string from the user, such as a path, if it was valid UTF-8; Python represents others with surrogates.

    >>> checked_text("p\udcff.csv", "the name of a file")
    Traceback (most recent call last):
    howsure.errors.InputError: the name of a file must be UTF-8 text; it is 'p\udcff.csv'. Rename or rewrite it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} must be UTF-8 text; it is {text!r}. Rename or rewrite it.") from None
    return text


def parsed_json(text: str | bytes, *, strict: bool = False, unique_keys: bool = False) -> Any:
    """Parse a JSON text; every error is a ValueError. unique_keys: refuse duplicate keys. strict: also refuse NaN and
    infinite numbers.

    >>> parsed_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parsed_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    >>> parsed_json('"\\\\ud800"')
    Traceback (most recent call last):
    ValueError: it contains half a character (a lone surrogate)
    >>> parsed_json('{"a": 1, "a": NaN}', strict=True)
    Traceback (most recent call last):
    ValueError: it contains NaN, which is not a number in JSON

    Raises ValueError if the text is not JSON or not UTF-8, is nested too deeply, or has invalid characters.
    """
    rules: dict[str, Any] = {"object_pairs_hook": _once} if strict or unique_keys else {}
    rules |= {"parse_constant": _refuse_constant} if strict else {}
    if not isinstance(text, str | bytes):
        raise ValueError(f"it is a {type(text).__name__}, not a text")
    try:
        text = decoded(text) if isinstance(text, bytes) else text.encode().decode()
        value = json.loads(text, **rules)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("it contains half a character (a lone surrogate)") from error
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"it contains {name}, which is not a number in JSON")


def _once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise ValueError(f"it contains the key {quote(key)} twice")
        mapping[key] = value
    return mapping


def is_version(value: Any, *versions: int) -> bool:
    """Return whether a value is one of these integers; True does not count as 1."""
    return type(value) is int and value in versions


# DuckDB does not verify the checksum and the length at the end of a .gz file, and accepts a truncated .zst file.
# Therefore every compressed file is first unpacked once, in pieces that are not kept, which also limits its size.

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
PIECE = 1 << 20  # bytes
FAULTS = (OSError, EOFError, zlib.error)


def detect_compression(first: bytes) -> str:
    """Return the compression that the first bytes of a file indicate: "gzip", "zstd" or "none"."""
    return next((kind for magic, kind in MAGIC.items() if first.startswith(magic)), "none")


def check_packed(path: str, compression: str, name: str) -> None:
    """Check a compressed file by unpacking it in bounded memory without keeping the content."""
    with open(path, "rb") as file:
        packed = file.seek(0, io.SEEK_END)
        file.seek(0)
        for _ in _pieces(file, compression, packed, name):
            pass


def unpacked(packed: bytes, compression: str, name: str) -> bytes:
    """Return the unpacked bytes; raise the errors of `check_packed`."""
    return b"".join(_pieces(io.BytesIO(packed), compression, len(packed), name))


@contextmanager
def open_unpacked(path: str, compression: str, name: str) -> Iterator[IO[bytes]]:
    """A context that gives the unpacked content of a file that `check_packed` has checked, as a stream."""
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
    most, total = max_unpacked_size(packed, text=True), 0
    faults = (*FAULTS, zstd().ZstdError) if compression == "zstd" else FAULTS
    try:
        with zstd().open(file) if compression == "zstd" else gzip.GzipFile(fileobj=file) as stream:
            while piece := stream.read(PIECE):
                total += len(piece)
                if total > most:
                    raise InputError(
                        f"{name} has {packed:,} bytes and unpacks to more than {most:,}. Is it the right file? If "
                        "so, unpack it first."
                    )
                yield piece
    except faults as error:
        reason = str(error).rstrip(".") or "it ends too early"
        raise InputError(f"{name} cannot be unpacked: {reason}. Is it damaged or truncated?") from error


MARK = b"\xef\xbb\xbf"  # byte order mark of UTF-8
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks of UTF-16, whose text contains zero bytes
BEGINNING = 8_192  # a file with a zero byte among its first bytes is not text


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file with lines ending in "\n", and the file's name for the user."""

    name: str
    content: str

    @property
    def stem(self) -> str:
        """The file's name without folder and known suffixes, used as the name of its only document."""
        return source_name(self.name)

    def fault(self, line: int, what: str) -> InputError:
        """Return the error for a line (from 1); what: what is wrong with it, and what to do."""
        return InputError(f"line {line:,} of {self.name}: {what}")


def read_text(path: str | os.PathLike[str], *, encoding: str | None = None) -> Text:
    """Read the text of a file, or of standard input if `path` is "-"; encoding: its encoding (default: UTF-8)."""
    path_text = os.fspath(path)
    name = "standard input" if path_text == STANDARD_INPUT else path_text
    raw = _unpacked(_bytes(path_text), name).removeprefix(MARK)
    try:
        content = raw.decode(checked_encoding(encoding) or "utf-8")
    except UnicodeDecodeError as error:
        if encoding is not None:
            raise undecodable_as(encoding, name, raw, error.start) from None
        raise _undecodable(raw, name, error.start) from None
    if not content.strip():
        raise InputError(f"{name} is empty.")
    return Text(name, content.replace("\r\n", "\n") if "\r" in content else content)


LIKELY = "windows-1252"  # the encoding in which spreadsheet programs in western Europe save plain CSV
ENCODINGS = (LIKELY, "mac-roman", "windows-1250", "windows-1251", "cp850")
USUAL = "äöüßÄÖÜéèêëàâçîïôûùáíóúñÁÉÍÓÚÑãõåæøąćęłńśźżŁŻŚčďěňřšťůýžČŘŠŽőű“”„‘’«»–…€°"
LINES_TRIED = 200
CYRILLIC = re.compile("[А-ЯЁ]?[а-яё]{2,}")
ODD = re.compile("[À-ɏ]{4,}|[a-zà-ÿ][А-яA-ZÀ-ÞĀ-ſ]|[А-я][a-zà-ÿ]|[a-zà-ž][¡-¸¹-¿‚ƒ„†-‰≤-≥π]|[¢-¸¹-¾‚ƒ†-‰≤-≥π][a-zà-ž]")
SYMBOLS = re.compile("[\ufffd\x80-\x9f\u2500-\u25ff]")
SEEN = 30  # characters shown on each side of a character that is not UTF-8
PIECE = 1 << 20


class NotUTF8Error(InputError):
    """Error for a text file in another encoding than UTF-8; `fault` describes the location."""


EXPORT = "Save it as CSV (UTF-8) in your spreadsheet program, and name that file."
SIGNATURES = {  # first bytes -> what the file is, and what to do
    b"\xd0\xcf\x11\xe0": ("a spreadsheet (Excel)", EXPORT),
    b"PK\x03\x04": ("a zip archive", "Unpack it first."),
    b"PAR1": ("a Parquet file", "Let its name end in .parquet."),
    b"%PDF": ("a PDF document", "Save its table or text as a text file."),
    b"\x89PNG": ("an image", "Name a file with text."),
    b"\xff\xd8\xff": ("an image", "Name a file with text."),
    b"GIF8": ("an image", "Name a file with text."),
}
ZIPPED = {  # bytes near the beginning of a zip -> what it is, and what to do
    b"xl/": ("a spreadsheet (Excel)", EXPORT),
    b"opendocument.spreadsheet": ("a spreadsheet (OpenDocument)", EXPORT),
    b".npy": ("a file of arrays", "Let its name end in .npz; if it is a model, name it before the text."),
}


def check_signature(beginning: bytes, name: str) -> None:
    """Check that the first bytes of a file are not those of a spreadsheet or another binary format.

    >>> check_signature(b"%PDF-1.7", "a.csv")
    Traceback (most recent call last):
    howsure.errors.InputError: a.csv is a PDF document, not a text file. Save its table or text as a text file.
    """
    signature = next(filter(beginning.startswith, SIGNATURES), None)
    if signature is not None:
        zipped = (ZIPPED[part] for part in ZIPPED if signature.startswith(b"PK") and part in beginning)
        kind, advice = next(zipped, SIGNATURES[signature])
        raise InputError(f"{name} is {kind}, not a text file. {advice}")


def not_utf8(place: str, advice: str, *, what: str = "") -> NotUTF8Error:
    """Return the error for a location, such as a line of a file, with bytes that are not UTF-8."""
    return NotUTF8Error(
        "{parameter} is not UTF-8 text{what}", ColumnName(place, "files"), what=what, place=place, remedy=advice
    )


def checked_encoding(encoding: str | None) -> str | None:
    """Return Python's name of a text encoding; None stays None.

    >>> checked_encoding("Windows-1252")
    'cp1252'
    """
    if encoding is None:
        return None
    try:
        "a".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError, ValueError):
        raise InputError(
            "{parameter} must be an encoding of text, such as {likely}, iso-8859-2 or utf-16; it is {encoding!r}.",
            "encoding",
            likely=LIKELY,
            encoding=encoding,
        ) from None


def undecodable_as(encoding: str, name: str, raw: bytes, at: int) -> InputError:
    """Return the error for bytes that are not text in the stated encoding."""
    return InputError(
        "{name} is not {encoding}: byte {at:,} is 0x{raw:02x}. Name another encoding.",
        name=name,
        encoding=Parameter("encoding", encoding),
        at=at + 1,
        raw=raw[at],
    )


def likely_encoding(raw: bytes) -> str:
    """Guess the encoding of a text, among those of spreadsheet programs, from its letters beyond ASCII.

    >>> [likely_encoding("naïve Café, señor".encode(name)) for name in ("cp1252", "mac_roman", "cp850", "utf-16")]
    ['windows-1252', 'mac-roman', 'cp850', 'utf-16']
    >>> likely_encoding("Здравствуй, мир".encode("cp1251")), likely_encoding("Łódź, wąż i żółw".encode("cp1250"))
    ('windows-1251', 'windows-1250')
    """
    return likely_encodings(raw)[0]


def likely_encodings(raw: bytes) -> list[str]:
    """Return the most likely encoding, and a second one if it gives another text and is nearly as likely."""
    if raw.startswith(UTF_16) or raw[:200].count(0) > 20:
        return ["utf-16"]
    texts = {name: raw.decode(name, "replace") for name in ENCODINGS}
    fits = {name: _letters_in_words(text) for name, text in texts.items()}
    first, *others = sorted(texts, key=lambda name: -fits[name])  # ties keep the order of ENCODINGS
    close = [name for name in others if fits[name] >= fits[first] - 1 and texts[name] != texts[first]]
    return [first, *close[:1]]


def _letters_in_words(text: str) -> int:
    """Score a text: letters beyond ASCII that fit their word, minus those that do not fit, minus unusual symbols."""
    fit = sum(letter in USUAL for letter in text) + 2 * sum(map(len, CYRILLIC.findall(text)))
    return fit - 2 * sum(map(len, ODD.findall(text))) - 3 * len(SYMBOLS.findall(text))


def encoding_error(path: str | os.PathLike[str], place: str) -> InputError:
    """Return the error for a file that is not UTF-8, with some text in the likely encoding to confirm it."""
    with open(path, "rb") as file:
        raw = file.read(PIECE)
    bad = [line for line in raw.splitlines() if not _is_decodable(line)][:LINES_TRIED]
    if detect_compression(raw[:4]) != "none" or not (bad or raw.startswith(UTF_16)):
        return InputError("{location} is not UTF-8 text. Save it as UTF-8, or name its `encoding`.", location=place)
    candidates = likely_encodings(raw if raw.startswith(UTF_16) else b"\n".join(bad))
    lines = raw.decode("utf-16", "replace").splitlines() if candidates == ["utf-16"] else []
    previews = [_preview(lines or [bad[0].decode(name, "replace")]) for name in candidates]
    second = f" (as {candidates[1]} it would be {previews[1]!r})" if len(set(previews)) > 1 else ""
    return InputError(
        "{location} is not UTF-8 text. As {likely} it reads {preview!r}: if that is right, give {encoding}{second}; "
        "otherwise save it as UTF-8 (in a spreadsheet: CSV UTF-8).",
        location=place,
        likely=candidates[0],
        preview=previews[0],
        encoding=Parameter("encoding", candidates[0]),
        second=second,
    )


def _preview(lines: Sequence[str]) -> str:
    """Return the surroundings of the first character beyond ASCII, or the start of the first line if there is none."""
    line = next((line for line in lines if not line.isascii()), lines[0])
    first = next((at for at, letter in enumerate(line) if letter > "\x7f"), 0)
    return line[max(first - SEEN, 0) : first + SEEN].strip()


def own_encoding(path: str | os.PathLike[str]) -> str | None:
    """Return the likely encoding of a file that is not UTF-8; None if it is UTF-8, compressed or cannot be opened."""
    try:
        with open(path, "rb") as file:
            raw = file.read(PIECE)
    except OSError:
        return None
    bad = [line for line in raw.splitlines() if not _is_decodable(line)]
    if detect_compression(raw[:4]) != "none" or not (bad or raw.startswith(UTF_16)):
        return None
    return likely_encoding(raw if raw.startswith(UTF_16) else b"\n".join(bad[:LINES_TRIED]))


def _is_decodable(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def recoded(path: str | os.PathLike[str], target: str | os.PathLike[str], *, encoding: str, name: str) -> None:
    """Convert an uncompressed text file to UTF-8, and write it to `target`."""
    decoder = codecs.getincrementaldecoder(checked_encoding(encoding) or "utf-8")()
    with open(path, "rb") as file, open(target, "w", encoding="utf-8", newline="") as copy:
        while piece := file.read(PIECE):
            try:
                copy.write(decoder.decode(piece, final=len(piece) < PIECE))
            except UnicodeDecodeError as error:
                raise undecodable_as(encoding, name, error.object, error.start) from None
    if checked_encoding(encoding) != "utf-8" and _is_utf_8(path):
        raise InputError(
            "{name} is UTF-8 text; leave {encoding} out.", name=name, encoding=Parameter("encoding", encoding)
        )


def _is_utf_8(path: str | os.PathLike[str]) -> bool:
    """Return whether a file has characters beyond ASCII that are all valid UTF-8."""
    decoder, is_ascii = codecs.getincrementaldecoder("utf-8")(), True
    with open(path, "rb") as file:
        while piece := file.read(PIECE):
            is_ascii = is_ascii and piece.isascii()
            try:
                decoder.decode(piece)
            except UnicodeDecodeError:
                return False
    return not is_ascii


def _undecodable(raw: bytes, name: str, at: int) -> InputError:
    """Return the error for bytes that are not UTF-8 at position `at`: binary data, or text in another encoding."""
    check_signature(raw[:BEGINNING], name)
    if b"\0" in raw[:BEGINNING] and not raw.startswith(UTF_16):
        return InputError(f"{name} is not a text file.")
    line = raw.count(b"\n", 0, at) + 1
    where = f"byte {at + 1:,} is 0x{raw[at]:02x}"
    return not_utf8(f"line {line:,} of {name}", "Convert the file to UTF-8.", what=f" ({where})")


def _bytes(path: str) -> bytes:
    if path == STANDARD_INPUT:
        return standard_input().read()
    with opened(path) as file:
        return file.read()


def _unpacked(raw: bytes, name: str) -> bytes:
    compression = detect_compression(raw[:4])
    return raw if compression == "none" else unpacked(raw, compression, name)


try:
    import fcntl as fcntl
except ImportError:  # on Windows, folders of killed processes are not removed
    fcntl = None  # type: ignore[assignment]


# `howsure.owner` is a file in every temporary folder, which the process that uses the folder keeps locked.
PREFIX, OWNER = "howsure-", "howsure.owner"


class Scratch:
    """A temporary folder, which is removed when it is closed or no longer referenced.

    As long as the process lives, it holds a lock on the file `howsure.owner` in the folder. If a process is killed, its
    folders remain, but without a lock; the next process that creates a folder in the same place removes them.
    """

    def __init__(self, place: str | os.PathLike[str] | None = None) -> None:
        _look_around(os.path.abspath(tempfile.gettempdir() if place is None else place))
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        self.close = weakref.finalize(self, _end, self.folder, _lock_owner_file(self.folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@cache
def _look_around(place: str) -> None:
    """Remove abandoned temporary folders in a place, once per process, because this may take long."""
    remove_abandoned(Path(place))


def remove_abandoned(place: Path) -> None:
    """Remove this user's temporary folders in the folder `place`, unless a process has locked their owner file."""
    if fcntl is None:
        return
    try:
        with os.scandir(place) as entries:  # faster than a glob if a shared folder has thousands of entries
            folders = [entry for entry in entries if entry.name.startswith(PREFIX)]
    except OSError:
        return
    for folder in folders:
        with suppress(OSError):  # the folder was removed meanwhile, or its process still runs
            if folder.is_dir(follow_symlinks=False) and folder.stat(follow_symlinks=False).st_uid == os.getuid():
                owner = os.open(os.path.join(folder, OWNER), os.O_RDWR | os.O_NOFOLLOW)
                try:
                    fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(owner)


def _lock_owner_file(folder: Path) -> int | None:
    """Create and lock the owner file of a temporary folder; return its file descriptor, to be closed at the end.

    The file gets its final name only after it is locked, so that no other process can take the folder for abandoned.
    """
    if fcntl is None:
        return None
    unnamed = folder / f".{OWNER}"
    owner = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    fcntl.flock(owner, fcntl.LOCK_EX)
    unnamed.rename(folder / OWNER)
    return owner


def _end(folder: Path, owner: int | None) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if owner is not None:
        os.close(owner)
