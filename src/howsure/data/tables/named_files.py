"""Which files a command names: globs, suffixes and compression, and standard input as a file of its own."""

from __future__ import annotations

import glob
import os
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from howsure.calibration.summary.saved import WORDS
from howsure.errors import GIVEN, InputError, parameter
from howsure.files.compression import COMPRESSIONS, check_packed, compression_of
from howsure.files.opened import check_each_once, missing_file
from howsure.files.standard_input import STANDARD_INPUT, standard_input
from howsure.inputs.naming import natural_order

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".npz": "npz",
    ".eval": "zip",
}
TABLES = ("csv", "tsv", "jsonl", "json", "parquet", "npz")
SPREADSHEETS = (".xlsx", ".xls", ".ods")


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: where it is, what the user calls it, its format and its compression."""

    path: str
    name: str
    format: str
    compression: str = "none"


def named_files(
    paths: Sequence[str | os.PathLike[str]], *, format: str | None, spool: Path, by_content: bool = False
) -> tuple[File, ...]:
    """The files that paths and globs name, each once; standard input ("-") and pipes are copied into `spool`.

    The format of a file is `format`, or what its suffix says, or with `by_content` what its first bytes show.

    Raises InputError if a path leads nowhere, is a directory or empty, is named twice, or has a format nobody knows.
    """
    if format is not None and format not in TABLES:
        known = ", ".join(TABLES)
        raise InputError(f"{parameter('format', GIVEN)} must be one of {known}; it is {format!r}.")
    named = each_once(paths)
    return tuple(_file(one, format, spool / f"input-{at}", by_content=by_content) for at, one in enumerate(named))


def each_once(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The files that paths and globs name, in the order named; those of a glob in natural order.

    Raises InputError if none is named, a path leads nowhere, or a file is named twice, under any name or link.
    """
    if not paths:
        raise InputError("no file is named; name a file, a glob in quotes, or - for standard input.")
    files = [one for path in paths for one in _expanded(os.fspath(path))]
    check_each_once(files)
    return files


def short_names(files: Sequence[File]) -> list[str]:
    """The shortest names that tell files apart: without folders and suffixes, without folders, or from where they part.

    >>> short_names([File("x", f"runs/{name}.tsv.gz", "tsv") for name in ("arc", "mmlu")])
    ['arc', 'mmlu']
    """
    names = [file.name for file in files]
    bare = [os.path.basename(name) for name in names]
    stems = [_stem(name) for name in bare]
    for one in (stems, bare):
        if len(set(one)) == len(one):
            return one
    whole = [os.path.abspath(name) for name in names]
    shared = os.path.commonpath([os.path.dirname(path) for path in whole])
    return [os.path.relpath(path, shared) for path in whole]


def _stem(name: str) -> str:
    stem, suffix = os.path.splitext(name)
    if suffix.lower() in COMPRESSIONS:
        stem, suffix = os.path.splitext(stem)
    return stem if suffix.lower() in SUFFIXES else name


def _expanded(path: str) -> list[str]:
    if path == STANDARD_INPUT or os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        found = sorted(glob.glob(path, recursive=True), key=natural_order)
        if not found:
            raise InputError(f"no file matches {path}.")
        return [one for one in found if not os.path.isdir(one)] or found
    raise missing_file(path)


def _file(path: str, format: str | None, spool: Path, *, by_content: bool) -> File:
    if os.path.isdir(path):
        raise InputError(f"{path} is a directory; name its files, for example '{os.path.join(path, '*.parquet')}'.")
    name = "standard input" if path == STANDARD_INPUT else path
    if path == STANDARD_INPUT or not os.path.isfile(path):
        _spool(path, spool)
        compression = _compression(str(spool), name)
        format = format or _sniffed(_beginning(spool, compression, name), name)
        return _compressible(File(str(spool), name, format, compression))
    compression = _compression(path, name)
    if by_content and format is None:
        format = _sniffed(_beginning(Path(path), compression, name), name)
    return _compressible(File(path, name, format or _from_suffix(path), compression))


def _spool(path: str, spool: Path) -> None:
    with open(spool, "wb") as copy:
        if path == STANDARD_INPUT:
            shutil.copyfileobj(standard_input(), copy)
        else:
            with open(path, "rb") as pipe:
                shutil.copyfileobj(pipe, copy)


def _compression(path: str, name: str) -> str:
    try:
        with open(path, "rb") as file:
            first = file.read(4)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from error
    if not first:
        raise InputError(f"{name} is empty.")
    found = compression_of(first)
    claimed = COMPRESSIONS.get(os.path.splitext(path)[1].lower(), found)
    if claimed != found:
        raise InputError(f"{name} is not compressed with {claimed}, despite its suffix; is it damaged?")
    return found


def _from_suffix(path: str) -> str:
    stem, suffix = os.path.splitext(path)
    if suffix.lower() in COMPRESSIONS:
        suffix = os.path.splitext(stem)[1]
    if suffix.lower() == ".npy":
        raise InputError(f"{path} is one array without a name; save arrays by their names: numpy.savez('x.npz', y=…).")
    if suffix.lower() == ".safetensors":
        raise InputError(f"{path} holds tensors, not columns; logits over many classes: howsure calibration logits.")
    if suffix.lower() in SPREADSHEETS:
        raise InputError(f"{path} is a spreadsheet; save it as CSV (UTF-8) in your spreadsheet program, and name that.")
    if suffix.lower() not in SUFFIXES:
        if _beginning(Path(path), "none", path).startswith(WORDS):
            raise InputError(
                f"{path} is a calibration summary, which holds no rows; howsure calibration, howsure check calibration "
                "and CalibrationSummary.load read it."
            )
        raise InputError(
            f"the format of {path} cannot be determined from its name; known are {', '.join(SUFFIXES)}, "
            f"also with .gz or .zst. Or name it: {parameter('format', 'csv')}."
        )
    return SUFFIXES[suffix.lower()]


def _compressible(file: File) -> File:
    if file.compression != "none" and file.format in ("parquet", "npz", "zip"):
        raise InputError(f"{file.name} is {file.format} inside {file.compression}; unpack it first.")
    if file.compression != "none":
        check_packed(file.path, file.compression, file.name)
    return file


def _beginning(path: Path, compression: str, name: str) -> bytes:
    with open(path, "rb") as file:
        head = file.read(1 << 16)
    if compression != "gzip":
        return head if compression == "none" else b""
    try:
        return zlib.decompressobj(wbits=31).decompress(head)
    except zlib.error as error:
        raise InputError(f"{name} cannot be read: {error}.") from error


def _sniffed(beginning: bytes, name: str) -> str:
    """The format that the first bytes of a file show."""
    if beginning.startswith(b"PAR1"):
        return "parquet"
    if beginning.startswith(b"PK\x03\x04"):
        return "npz"
    text = beginning.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text:
        raise InputError(f"the format of {name} cannot be seen; name it: {parameter('format', 'csv')}.")
    if text[:1] in b"{[":
        return "jsonl" if text[:1] == b"{" else "json"
    return "tsv" if b"\t" in text.partition(b"\n")[0] else "csv"
