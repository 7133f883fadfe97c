"""The files that paths and globs name: their formats and compression, how DuckDB reads them, the names of columns."""

from __future__ import annotations

import os
import re
import shutil
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from howsure.calibration.saved_summaries import WORDS
from howsure.data.tables.connections import Connection
from howsure.data.tables.database import file_literal, identifier, literal
from howsure.errors import GIVEN, InputError, parameter
from howsure.files.opened import (
    COMPRESSIONS,
    STANDARD_INPUT,
    check_packed,
    compression_of,
    each_once,
    recoded,
    standard_input,
)

if TYPE_CHECKING:
    import duckdb


# Which files a command names: globs, suffixes and compression, and standard input as a file of its own.

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
SPELLED = {"csv": "CSV", "tsv": "TSV", "jsonl": "JSON lines", "json": "JSON", "parquet": "Parquet", "npz": "arrays"}
TABLES = tuple(SPELLED)
TEXTS = ("csv", "tsv", "jsonl", "json")
SPREADSHEETS = (".xlsx", ".xls", ".ods")


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: where it is, what the user calls it, its format and its compression."""

    path: str
    name: str
    format: str
    compression: str = "none"


def named_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    format: str | None,
    spool: Path,
    by_content: bool = False,
    encoding: str | None = None,
) -> tuple[File, ...]:
    """The files that paths and globs name, each once; standard input ("-") and pipes are copied into `spool`.

    The format of a file is `format`, or what its suffix says, or with `by_content` what its first bytes show. Texts in
    another `encoding` than UTF-8 are copied into `spool`, too.

    Raises InputError if a path leads nowhere, is a directory or empty, is named twice, or has a format nobody knows.
    """
    if format is not None and format not in TABLES:
        known = ", ".join(TABLES)
        raise InputError(f"{parameter('format', GIVEN)} must be one of {known}; it is {format!r}.")
    named = each_once(paths)
    files = [_file(one, format, spool / f"input-{at}", by_content=by_content) for at, one in enumerate(named)]
    if encoding is not None:
        files = [_as_utf_8(one, spool / f"recoded-{at}", encoding) for at, one in enumerate(files)]
    return tuple(files)


def _as_utf_8(file: File, copy: Path, encoding: str) -> File:
    if file.format not in TEXTS or file.compression != "none":
        raise InputError(f"{parameter('encoding')} is that of a text that is not packed; {file.name} is none.")
    recoded(file.path, copy, encoding=encoding, name=file.name)
    return replace(file, path=str(copy))


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


def suffix_of(path: str) -> str:
    """The suffix of a file in small letters, before that of its compression.

    >>> suffix_of("runs/dev.CSV.gz")
    '.csv'
    """
    stem, suffix = os.path.splitext(path.lower())
    return os.path.splitext(stem)[1] if suffix in COMPRESSIONS else suffix


def _from_suffix(path: str) -> str:
    suffix = suffix_of(path)
    if suffix == ".npy":
        raise InputError(f"{path} is one array without a name; save arrays by their names: numpy.savez('x.npz', y=…).")
    if suffix == ".safetensors":
        raise InputError(f"{path} holds tensors, not columns; logits over many classes: howsure calibration logits.")
    if suffix in SPREADSHEETS:
        raise InputError(f"{path} is a spreadsheet; save it as CSV (UTF-8) in your spreadsheet program, and name that.")
    if suffix not in SUFFIXES:
        if _beginning(Path(path), "none", path).startswith(WORDS):
            raise InputError(
                f"{path} is a calibration summary, which holds no rows; howsure calibration, howsure check calibration "
                "and CalibrationSummary.load read it."
            )
        raise InputError(
            f"the format of {path} cannot be determined from its name; known are {', '.join(SUFFIXES)}, "
            f"also with .gz or .zst. Or name it: {parameter('format', 'csv')}. howsure score takes a model's "
            "tags and texts by line, with a file of true ones as targets."
        )
    return SUFFIXES[suffix]


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
        document = text[:1] == b"[" or text.partition(b"\n")[0].rstrip() == b"{"
        return "json" if document else "jsonl"
    return "tsv" if b"\t" in text.partition(b"\n")[0] else "csv"


# The calls by which DuckDB reads files, as they stand after FROM.
#
# DuckDB takes a folder `year=2020` in a path for a column of that name, and would put it in the place of the file's
# own; here it is one (`folders`) only where it is asked for and the file has none.

FOLDER = re.compile(r"([^=]+)=.*")


def parquet_source(files: Sequence[File], *, folders: bool = False, with_names: str | None = None) -> str:
    """The call that reads Parquet files as one table, their columns matched by name.

    `with_names` is the column that the path of each file goes into.
    """
    paths = ", ".join(file_literal(file.path) for file in files)
    extra = ", union_by_name=true" if len(files) > 1 else ""
    extra += "" if with_names is None else f", filename={literal(with_names)}"
    return f"read_parquet([{paths}]{extra}, {_hive(folders)})"


def folders_are_columns(file: File, names: Collection[str], own: Collection[str]) -> bool:
    """Whether some of the columns asked for are not the file's own but stand in its path, as in `year=2020/x.parquet`.

    Raises InputError where others of them stand in both, for DuckDB takes the path's.
    """
    parts = os.path.abspath(file.path).split(os.sep)[:-1]
    found = {match[1].casefold() for part in parts if (match := FOLDER.fullmatch(part)) is not None}
    held = {name.casefold() for name in own}
    wanted = {name.casefold(): name for name in names}
    if not (wanted.keys() & found) - held:
        return False
    both = wanted.keys() & found & held
    if both:
        name = wanted[min(both)]
        raise InputError(f"{name} is a column of {file.name} and a folder of its path too. Rename one of them.")
    return True


def _hive(folders: bool) -> str:
    return f"hive_partitioning={str(folders).lower()}"


def text_source(file: File, options: str = "", *, header: bool = True, folders: bool = False) -> str:
    """The call that reads a text file: nothing skipped, no comments, values as they are written."""
    settings = [file_literal(file.path), _hive(folders)]
    settings += [] if file.compression == "none" else [f"compression={literal(file.compression)}"]
    if file.format in ("csv", "tsv"):
        settings += ["all_varchar=true", f"header={str(header).lower()}", "skip=0", "comment=''"]
        settings += ["quote='\"'", "escape='\"'"] if file.format == "csv" else ["delim='\t'"]
    else:
        settings += [f"format='{'newline_delimited' if file.format == 'jsonl' else 'auto'}'"]
    call = "read_csv" if file.format in ("csv", "tsv") else "read_json"
    return f"{call}({', '.join(settings + ([options] if options else []))})"


def separator_option(file: File, connection: duckdb.DuckDBPyConnection) -> str:
    """The option that writes a CSV with the separator that it was read with, such as a spreadsheet's semicolon."""
    if file.format != "csv":
        return ""
    asked = text_source(file).replace("read_csv(", "SELECT Delimiter FROM sniff_csv(", 1)
    found = connection.execute(asked).fetchone()
    assert found is not None
    return f", DELIMITER {literal(found[0])}"


def as_texts(names: Sequence[str]) -> str:
    """The option that takes only some fields of JSON objects, as they are written."""
    return "columns={" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names) + "}"


# The names of columns as a file writes them: DuckDB takes Y and y for one name and calls the second y_1.

JSON_ROWS = 20_480  # whose keys are looked at, as many as DuckDB samples


def check_alike(connection: Connection, file: File, names: Sequence[str], known: Sequence[str]) -> None:
    """Raise InputError if a column among `names` stands in the file twice, also if only in another case.

    `known` are DuckDB's names of the columns; the file is asked only where they may be other than its own.
    """
    wanted = dict.fromkeys(name.casefold() for name in names)
    if file.format == "npz":
        written = list(known)
    elif any(column.casefold().startswith(f"{name}_") for name in wanted for column in known):
        written = _written(connection, file)
    else:
        return
    for name in wanted:
        alike = [column for column in written if column.casefold() == name]
        if len(alike) > 1:
            but = ", but for case" if len(set(alike)) > 1 else ""
            raise InputError(f"{file.name} has columns named alike{but}: {', '.join(alike)}. Rename them.")


def _written(connection: Connection, file: File) -> list[str]:
    if file.format == "parquet":
        schema = f"SELECT name, num_children FROM parquet_schema({file_literal(file.path)})"
        return _top_level(connection.execute(schema).fetchall()[1:])
    if file.format in ("csv", "tsv"):
        first = connection.execute(f"SELECT * FROM {text_source(file, header=False)} LIMIT 1").fetchall()
        return [str(name) for name in first[0]]
    objects = text_source(file).replace("read_json(", "read_json_objects(", 1)
    keys = f"SELECT DISTINCT unnest(json_keys(json)) AS key FROM (FROM {objects} LIMIT {JSON_ROWS}) ORDER BY key"
    return [key for (key,) in connection.execute(keys).fetchall()]


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """The columns of a Parquet file out of all its fields, in which the fields of a column follow it."""
    columns, inside = [], 0
    for name, children in schema:
        if inside == 0:
            columns.append(name)
        else:
            inside -= 1
        inside += children or 0
    return columns


def keys_in(connection: Connection, file: File, column: str) -> list[str]:
    """The keys of the first mapping in a column of a file of text or of Parquet, as they stand there."""
    if file.format == "npz":
        return []
    asked = as_texts([column]) if file.format in ("json", "jsonl") else ""
    source = parquet_source([file]) if file.format == "parquet" else text_source(file, asked)
    name = identifier(column)
    json = f"to_json({name})" if file.format == "parquet" else f"CASE WHEN json_valid({name}) THEN {name} END"
    query = f"SELECT json_keys(json) FROM (SELECT {json} AS json FROM {source}) WHERE len(json_keys(json)) > 0 LIMIT 1"
    found = connection.execute(query).fetchall()
    return [str(key) for key in found[0][0]] if found else []
