"""Files named by paths and globs: their formats and compression, how DuckDB reads them, the names of columns."""

from __future__ import annotations

import csv
import io
import os
import re
import shlex
import shutil
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import count, islice, repeat
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

from howsure.calibration.saved_summaries import WORDS
from howsure.data.tables.connections import Connection
from howsure.data.tables.database import Database, file_literal, identifier, literal, reading
from howsure.data.tables.title_rows import SEPARATORS, SPREADSHEETS, rewrite_table, spreadsheet_error
from howsure.errors import InputError, Parameter
from howsure.files.input_files import (
    BEGINNING,
    STANDARD_INPUT,
    check_packed,
    check_signature,
    detect_compression,
    expand_paths,
    open_unpacked,
    recoded,
    standard_input,
)
from howsure.inputs.numbers_and_names import check_choice, counted
from howsure.inputs.source_names import COMPRESSIONS, format_suffix

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


@dataclass(frozen=True, slots=True)
class File:
    """A file to read: its path, its name for the user, its format and its compression.

    For a rewritten log: columns, the names of all columns; rows, the number of rows; and start, the byte at which the
    rows start in the file COPIES of the same folder, one row per line. For a file whose rows were created from rows of
    another file: origin, a function that returns, for a row, the other file, its row, and the element of this row in
    words, such as "element 2 of judgments", or "". quoted: whether quotation marks may enclose values. skipped: number
    of lines above the names of the columns that were left out. note: on these lines, for the user.
    """

    path: str
    name: str
    format: str
    compression: str = "none"
    columns: tuple[str, ...] = ()
    rows: int = 0
    start: int = 0
    origin: Callable[[int], tuple[File, int, str]] | None = field(default=None, compare=False)
    quoted: bool = True
    skipped: int = 0
    note: str = ""

    def __fspath__(self) -> str:
        return self.path

    @property
    def is_plain(self) -> bool:
        """Whether the file is not compressed, and its name does not say that it is."""
        return self.compression == "none" and os.path.splitext(self.path)[1].lower() not in COMPRESSIONS


COPIES = "logs.jsonl"  # the rows of all logs in one file, because there may be thousands of logs with one row each


def copied_rows(files: Sequence[File]) -> Iterator[tuple[File, bytes]]:
    """The rows of copies of logs as lines, each with its file."""
    with open(copies_path(files), "rb") as copies:
        for file in files:
            copies.seek(file.start)
            yield from zip(repeat(file), islice(copies, file.rows))


def _write_out(file: File) -> None:
    """Write the rows of a copy of a log to its path."""
    with open(file.path, "wb") as copy:
        copy.writelines(line for _, line in copied_rows([file]))


def copies_path(files: Sequence[File]) -> str:
    """The path of the file with the rows of rewritten logs."""
    return os.path.join(os.path.dirname(files[0].path), COPIES)


def paths_read(files: Sequence[File]) -> list[str]:
    return [*(file.path for file in files), *([copies_path(files)] if files and files[0].columns else [])]


def named_files(
    paths: Sequence[str | os.PathLike[str]],
    *,
    format: str | None,
    spool: Path,
    by_content: bool = False,
    encoding: str | None = None,
) -> tuple[File, ...]:
    """Return the files named by paths and globs, each once. Standard input ("-") and pipes are copied into `spool`.

    Plain files that were already found in a folder are returned unchanged, unless a `format` is named. Without
    `format`, the format of a file is determined by its suffix or, with `by_content`, by its first bytes. Files in
    another `encoding` than UTF-8 are also copied into `spool`.
    """
    if format is not None:
        check_choice(format, TABLES, name="format")
    plain = {file.path: file for file in paths if isinstance(file, File) and file.is_plain} if format is None else {}
    named = expand_paths(paths, existing=plain)
    files = [
        plain.get(file_name) or _file(file_name, format, f"{spool}/input-{at}", by_content=by_content)
        for at, file_name in enumerate(named)
    ]
    files = [_with_tabs(file, f"{spool}/tabs-{at}.tsv") for at, file in enumerate(files)]
    files = [_without_review_columns(file, f"{spool}/batch-{at}.csv") for at, file in enumerate(files)]
    if encoding is not None:
        files = [_as_utf_8(file, f"{spool}/recoded-{at}", encoding) for at, file in enumerate(files)]
    files = [_below_titles(file, f"{spool}/below-{at}.{file.format}") for at, file in enumerate(files)]
    return tuple(replace(file, quoted=False) if _has_marks_in_values(file) else file for file in files)


@contextmanager
def reading_files(*files: File) -> Iterator[Database]:
    """A context with a database that can read only these files; an error of DuckDB names the first file."""
    with closing(Database()) as database, reading(files[0].name, files[0].path):
        database.allow_only(paths_read(files))
        yield database


def _below_titles(file: File, copy: str) -> File:
    """A copy of a table that a spreadsheet program exported, without the lines above the names of the columns."""
    if file.format not in ("csv", "tsv") or file.columns:
        return file
    separators = "\t" if file.format == "tsv" else SEPARATORS
    table = rewrite_table(file.path, copy, separators=separators, compression=file.compression)
    if table is None:
        return file
    return replace(file, path=copy, compression="none", skipped=table.skipped, note=table.note)


SNIFFED = 1 << 16  # bytes
PART = 1 << 20


def _with_tabs(file: File, copy: str) -> File:
    """A copy with tabs of a table whose columns are separated by blanks; other files unchanged."""
    if file.format not in ("csv", "tsv") or file.compression != "none":
        return file
    with open(file.path, "rb") as lines, open(copy, "wb") as copied:
        if not _separated_by_blanks(lines.read(SNIFFED)):
            return file
        lines.seek(0)
        columns = len(lines.readline().split())
        lines.seek(0)
        for number, line in enumerate(lines, start=1):
            values = line.split()
            if values and len(values) != columns:
                raise InputError(
                    f"line {number:,} of {file.name}, whose columns are separated by blanks, has "
                    f"{counted(len(values), 'value')}, not {columns} as the header. Separate them by commas or tabs."
                )
            copied.write(b"\t".join(values) + b"\n" if values else b"")
    return replace(file, path=copy, format="tsv")


def _has_marks_in_values(file: File) -> bool:
    """Whether quotation marks in a TSV file are part of values, such as tagged words: they would merge lines, or cannot
    be read as enclosing values, and all lines have as many tabs as the header.
    """
    if file.format != "tsv" or not any(b'"' in part for part in _whole_lines(file)):
        return False
    header, n_tabs, like_header = None, set[int](), 0
    for part in _whole_lines(file):
        tabs = _tabs_of_lines(part)
        if header is None and len(tabs):
            header = tabs[0]
        n_tabs |= set(np.unique(tabs).tolist())
        like_header += int((tabs == header).sum())
    try:
        with reading_files(file) as database:
            rows = database.connection.execute(f"SELECT count(*) FROM {text_source(file, header=False)}").fetchall()
    except (duckdb.Error, InputError):
        return len(n_tabs) == 1
    if rows[0][0] >= like_header:
        return False
    if len(n_tabs) > 1:
        raise InputError(
            f"line {_first_merged(file):,} of {file.name} has a value with a quotation mark that is not closed, so "
            "lines would be merged. Close or remove the mark."
        )
    return True


def _tabs_of_lines(part: bytes) -> npt.NDArray[np.intp]:
    r"""The number of tabs of each line that is not empty.

    >>> _tabs_of_lines(b"a\tb\r\n\nc\n").tolist()
    [1, 0]
    """
    text = np.frombuffer(b"\n" + part.replace(b"\r\n", b"\n").replace(b"\r", b"\n") + b"\n", dtype=np.uint8)
    marks = np.flatnonzero((text == ord("\t")) | (text == ord("\n")))
    ends = np.flatnonzero(text[marks] == ord("\n"))
    return (np.diff(ends) - 1)[np.diff(marks[ends]) > 1]


def _first_merged(file: File) -> int:
    """The number of the first line with a value that contains a line break and a tab."""
    texts = (text for part in _whole_lines(file) for text in part.decode("utf-8", "replace").splitlines(keepends=True))
    rows, line = csv.reader(texts, delimiter="\t"), 1
    with suppress(csv.Error):  # a value that is too long for this module begins in the line, too
        for values in rows:
            if any("\t" in value and "\n" in value for value in values):
                break
            line = rows.line_num + 1
    return line + file.skipped


def _whole_lines(file: File) -> Iterator[bytes]:
    """Yield the bytes of a file in parts that end with a line."""
    with open_unpacked(file.path, file.compression, file.name) as lines:
        while part := lines.read(PART) + lines.readline():
            yield part


REVIEW_COLUMNS = re.compile(rb',"?Approve"?,"?Reject"?(\r?\n)$')


def _without_review_columns(file: File, copy: str) -> File:
    """A copy of a batch of results of Amazon Mechanical Turk without its last two columns; other files unchanged.

    The header of a batch ends with Approve and Reject, for which its rows have no value until somebody adds one.
    """
    if file.format != "csv" or file.compression != "none":
        return file
    with open(file.path, "rb") as lines:
        header = lines.readline()
        if REVIEW_COLUMNS.search(header) is None:
            return file
        names, *rows = csv.reader(io.StringIO((header + lines.read(SNIFFED)).decode("utf-8", "replace")))
        if not rows or len(rows[0]) != len(names) - 2:
            return file
        lines.seek(len(header))
        with open(copy, "wb") as copied:
            copied.write(REVIEW_COLUMNS.sub(rb"\1", header))
            shutil.copyfileobj(lines, copied)
    return replace(file, path=copy)


def _separated_by_blanks(beginning: bytes) -> bool:
    """Whether all complete lines have as many words as the header, and one of the columns is numeric.

    >>> _separated_by_blanks(b"system score\\nsmall 0.5\\nlarge 0.7\\n"), _separated_by_blanks(b"a text\\nand more\\n")
    (True, False)
    """
    complete = beginning.splitlines()[: None if len(beginning) < SNIFFED else -1]
    header, *rows = [values for line in complete if (values := line.split())] or [[]]
    if len(header) < 2 or not rows or any(len(row) != len(header) for row in rows):
        return False
    if any(mark in beginning.partition(b"\n")[0] for mark in b',;\t|"'):
        return False
    numeric = [all(NUMBER.fullmatch(row[place]) for row in rows) for place in range(len(header))]
    return any(numeric) and not any(NUMBER.fullmatch(name) for name in header)


NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def _as_utf_8(file: File, copy: str, encoding: str) -> File:
    if file.format not in TEXTS or file.compression != "none":
        kind = f"of the format {file.format}" if file.format not in TEXTS else f"compressed ({file.compression})"
        raise InputError(f"`encoding` is for uncompressed text files; {file.name} is {kind}. Leave `encoding` out.")
    recoded(file.path, copy, encoding=encoding, name=file.name)
    return replace(file, path=copy)


def _file(path: str, format: str | None, spool: str, *, by_content: bool) -> File:
    if os.path.isdir(path):
        raise InputError(f"{path} is a directory; name its files, for example '{os.path.join(path, '*.parquet')}'.")
    name = "standard input" if path == STANDARD_INPUT else path
    if path == STANDARD_INPUT or not os.path.isfile(path):
        _spool(path, spool)
        compression = _compression(spool, name)
        format = format or _sniffed(_beginning(spool, compression, name), name)
        return _compressible(File(spool, name, format, compression))
    compression = _compression(path, name)
    if by_content and format is None:
        format = _sniffed(_beginning(path, compression, name), name)
    format = format or _from_suffix(path)
    if format in TEXTS and compression == "none":
        with open(path, "rb") as file:
            check_signature(file.read(BEGINNING), name)
    return _compressible(File(path, name, format, compression))


def _spool(path: str, spool: str) -> None:
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
    actual = detect_compression(first)
    claimed = COMPRESSIONS.get(os.path.splitext(path)[1].lower(), actual)
    if claimed != actual:
        raise InputError(f"{name} is not compressed with {claimed}, despite its suffix; is it damaged?")
    return actual


OTHER_COMMANDS = {
    ".conll": "a file of words in columns, not a table; howsure score compares its tags with those in another file, "
    "and a tagger learns them: howsure sequences train {}",
    ".conllu": "a file of parsed documents, not a table; find the events in them: howsure events extract {}",
    ".duckdb": "a store of events, not a table; show its counts: howsure events series {}",
}  # suffix -> what the file is, and the command that reads it


def _from_suffix(path: str) -> str:
    suffix = format_suffix(path)
    if suffix == ".npy":
        raise InputError(f"{path} is one array without a name; save arrays by their names: numpy.savez('x.npz', y=…).")
    if suffix == ".safetensors":
        raise InputError(f"{path} contains tensors, not columns. If these are logits, use howsure calibration logits.")
    if suffix in OTHER_COMMANDS:
        raise InputError(f"{path} is {OTHER_COMMANDS[suffix].format(shlex.quote(path))}")
    if suffix in SPREADSHEETS:
        raise spreadsheet_error(path)
    if suffix not in SUFFIXES:
        beginning = _beginning(path, "none", path)
        check_signature(beginning, path)
        if beginning.startswith(WORDS):
            raise InputError(
                f"{path} is a calibration summary, which has no rows; howsure calibration, howsure check calibration "
                "and CalibrationSummary.load read it."
            )
        raise InputError(
            f"the format of {path} cannot be determined from its name; known are {', '.join(SUFFIXES)}, also with .gz "
            "or .zst. Or name the format: `format='csv'`. If the file has one tag or text per line, howsure score "
            "reads it with a file of true ones as targets."
        )
    return SUFFIXES[suffix]


def _compressible(file: File) -> File:
    if file.compression != "none" and file.format in ("parquet", "npz", "zip"):
        raise InputError(f"{file.name} is {file.format} inside {file.compression}; unpack it first.")
    if file.compression != "none":
        check_packed(file.path, file.compression, file.name)
    return file


def _beginning(path: str, compression: str, name: str) -> bytes:
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
        raise InputError(f"the format of {name} was not recognised; name it: `format='csv'`.")
    if text[:1] in b"{[":
        document = text[:1] == b"[" or text.partition(b"\n")[0].rstrip() == b"{"
        return "json" if document else "jsonl"
    return "tsv" if b"\t" in text.partition(b"\n")[0] else "csv"


LONGEST_HEADER = 1 << 16  # bytes
EXPORT_MARKS = ("dataType", "data_type", "annotator_kind", "assessments", "gen_ai.evaluation", "resourceLogs")


def may_be_export(file: File) -> bool:
    """Whether the first line of a table may be the header of an export of grades."""
    with open_unpacked(file.path, file.compression, file.name) as stream:
        return is_export_header(stream.readline(LONGEST_HEADER).decode("utf-8", "replace"))


def is_export_header(text: str) -> bool:
    """Whether the first names in a file suggest an export of grades, so that its rows should be examined."""
    return any(mark in text for mark in EXPORT_MARKS)


# The calls by which DuckDB reads files, for use after FROM.
#
# By default, DuckDB treats a folder `year=2020` in a path as a column `year`, which replaces a column of the file with
# this name. Here, folders are columns (`folders`) only if such a column is requested and the file does not have it.

FOLDER = re.compile(r"([^=]+)=.*")


def parquet_source(files: Sequence[File], *, folders: bool = False, with_names: str | None = None) -> str:
    """The call that reads Parquet files as one table, with columns matched by name.

    with_names: the name of a column with the path of each file, if requested.
    """
    paths = ", ".join(file_literal(file.path) for file in files)
    extra = ", union_by_name=true" if len(files) > 1 else ""
    extra += "" if with_names is None else f", filename={literal(with_names)}"
    return f"read_parquet([{paths}]{extra}, {_hive(folders)})"


def folders_are_columns(file: File, names: Collection[str], own_columns: Collection[str]) -> bool:
    """Whether some requested columns are not in the file but in its path, as in `year=2020/x.parquet`."""
    parts = os.path.abspath(file.path).split(os.sep)[:-1]
    folder_names = {match[1].casefold() for part in parts if (match := FOLDER.fullmatch(part)) is not None}
    own_names = {name.casefold() for name in own_columns}
    needed = {name.casefold(): name for name in names}
    if not (needed.keys() & folder_names) - own_names:
        return False
    both = needed.keys() & folder_names & own_names
    if both:
        name = needed[min(both)]
        raise InputError(f"{name} is both a column of {file.name} and a folder name in its path. Rename one of them.")
    return True


def _hive(folders: bool) -> str:
    return f"hive_partitioning={str(folders).lower()}"


def text_source(file: File, options: str = "", *, header: bool = True, folders: bool = False) -> str:
    """The call that reads a text file without skipping lines, without comments, with values verbatim."""
    if file.columns and not os.path.exists(file.path):
        _write_out(file)
    settings = [file_literal(file.path), _hive(folders)]
    settings += [] if file.compression == "none" else [f"compression={literal(file.compression)}"]
    if file.format in ("csv", "tsv"):
        settings += ["all_varchar=true", f"header={str(header).lower()}", "skip=0", "comment=''"]
        settings += ["delim='\t'"] if file.format == "tsv" else []
        settings += ["quote='\"'", "escape='\"'"] if file.quoted else ["quote=''", "escape=''"]
    else:
        settings += [f"format='{'newline_delimited' if file.format == 'jsonl' else 'auto'}'"]
    call = "read_csv" if file.format in ("csv", "tsv") else "read_json"
    return f"{call}({', '.join(settings + ([options] if options else []))})"


def header_source(file: File, *, whole: bool = False, folders: bool = False) -> str:
    """The call that reads the column names of a text file; for JSON, from a sample of rows or the `whole` file.

    Objects inside a column of JSON are not inspected, because some of their keys may differ only in case, as in objects
    whose keys are tokens.
    """
    options = f"maximum_depth=1{', sample_size=-1' if whole else ''}" if file.format in ("json", "jsonl") else ""
    return text_source(file, options, folders=folders)


def objects_source(file: File) -> str:
    """The call that reads the objects of a JSON file, one per row, as the column `json`."""
    return text_source(file).replace("read_json(", "read_json_objects(", 1)


def separator_of(path: str, *, encoding: str | None = None) -> str:
    """The separator of a CSV file; a comma for any other file."""
    if not os.path.isfile(path) or SUFFIXES.get(format_suffix(path)) != "csv":
        return ","
    with closing(Database()) as database:
        (file,) = named_files([path], format=None, spool=database.folder, encoding=encoding)
        database.allow_only([file.path])
        return separator_option(file, database.connection).removeprefix(", DELIMITER ").strip("'")


def separator_option(file: File, connection: duckdb.DuckDBPyConnection) -> str:
    """The option to write a CSV file with the separator of the input, such as a spreadsheet's semicolon."""
    if file.format != "csv":
        return ""
    query = text_source(file).replace("read_csv(", "SELECT Delimiter FROM sniff_csv(", 1)
    dialect = connection.execute(query).fetchone()
    assert dialect is not None
    return f", DELIMITER {literal(dialect[0])}"


def ragged_line(file: File) -> str:
    """Return a phrase on the first line of a CSV file with another number of values than the header, or ""."""
    if file.compression != "none":
        return ""
    with open(file.path, encoding="utf-8-sig", errors="replace", newline="") as lines, suppress(csv.Error):
        rows = csv.reader(lines)
        width, before = len(next(rows, [])), rows.line_num
        for row in rows:
            if row and len(row) != width and rows.line_num > before + 1:
                start, end = before + 1 + file.skipped, rows.line_num + file.skipped
                return f"; a quoted value that begins in line {start} ends in line {end}: is a quote missing"
            before = rows.line_num
            if row and len(row) != width:
                return f"; line {rows.line_num + file.skipped} has {len(row)} instead of {width}"
    return ""


def as_texts(names: Sequence[str]) -> str:
    """The option that reads only some fields of JSON objects, verbatim."""
    return "columns={" + ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names) + "}"


# The names of columns as they are in the file. DuckDB treats Y and y as the same name, and renames the second to y_1.

NUMBERED = re.compile(r"(.+)_[0-9]+", re.DOTALL)


def written_names(connection: Connection, file: File, column_names_read: Sequence[str]) -> list[str]:
    """The names of the columns as written in the file, in order; `column_names_read` are DuckDB's names.

    The file is read only if DuckDB may have renamed a column. Raises InputError for names that are UTF-16.
    """
    if any("\0" in name for name in column_names_read):
        encoding = Parameter("encoding", "utf-16-be" if column_names_read[0].startswith("\0") else "utf-16-le")
        raise InputError(
            "{location} is not UTF-8 text. If it is UTF-16, give {encoding}; otherwise save it as UTF-8.",
            location=file.name,
            encoding=encoding,
        )
    names = {name.casefold() for name in column_names_read}
    bases = [match[1].casefold() for name in column_names_read if (match := NUMBERED.fullmatch(name))]
    return (
        list(column_names_read)
        if file.format == "npz" or file.columns or names.isdisjoint(bases)
        else _written_keys(connection, file, column_names_read)
    )


def equal_names(names: Iterable[str]) -> list[list[str]]:
    """Return groups of names that are equal or differ only in case.

    >>> equal_names(["id", "Right", "right"])
    [['Right', 'right']]
    """
    by_name: dict[str, list[str]] = {}
    for name in names:
        by_name.setdefault(name.casefold(), []).append(name)
    return [alike for alike in by_name.values() if len(alike) > 1]


def unique_names(names: Iterable[str]) -> dict[str, str]:
    """A name for each name that is unique in DuckDB: the name itself, or with a number if names differ only in case.

    >>> unique_names(["top.Yes", "top.yes"])
    {'top.Yes': 'top.Yes', 'top.yes': 'top.yes_2'}
    """
    listed = list(dict.fromkeys(names))
    names_in_use, stored = {name.casefold() for name in listed}, dict[str, str]()
    first = {name.casefold(): name for name in reversed(listed)}
    for name in listed:
        numbered = (f"{name}_{number}" for number in count(2))
        is_first = first[name.casefold()] == name
        stored[name] = (
            name if is_first else next(candidate for candidate in numbered if candidate.casefold() not in names_in_use)
        )
        names_in_use.add(stored[name].casefold())
    return stored


def check_unique_names(
    connection: Connection, file: File, names: Sequence[str], column_names_read: Sequence[str]
) -> None:
    """Raise InputError if the file has two columns whose names are equal or differ only in case, and `names` has one.

    In Parquet, the fields inside these columns are checked, too. column_names_read: DuckDB's names of the columns.
    """
    needed = {name.casefold() for name in names}
    for alike in equal_names(written_names(connection, file, column_names_read)):
        if alike[0].casefold() in needed:
            raise InputError(f"{file.name} has {equal_names_message(alike)} Rename them.")
    for column, fields in _fields(connection, file) if file.format == "parquet" else ():
        if column.casefold() in needed and (alike := _equal_fields(fields)):
            raise InputError(
                f"the column {column} of {file.name} has fields whose names differ only in case: {', '.join(alike)}. "
                "Rename them, or write the column as JSON text."
            )


def equal_names_message(names: Sequence[str]) -> str:
    """Return the part of a message that names columns with equal names, or names that differ only in case."""
    problem = "differ only in case" if len(set(names)) > 1 else "are equal"
    return f"columns whose names {problem}: {', '.join(names)}."


def _written_keys(connection: Connection, file: File, column_names_read: Sequence[str]) -> list[str]:
    if file.format == "parquet":
        return [name for name, _ in _fields(connection, file)]
    if file.format in ("csv", "tsv"):
        header = connection.execute(f"SELECT * FROM {text_source(file, header=False)} LIMIT 1").fetchall()[0]
        bases = [match[1] if (match := NUMBERED.fullmatch(name)) else name for name in column_names_read]
        return [
            base if base == text else name for base, text, name in zip(bases, header, column_names_read, strict=False)
        ]
    keys = f"SELECT unnest(json_keys(json)) AS key FROM {objects_source(file)}"
    places = f"SELECT key, row_number() OVER () AS place FROM ({keys})"
    rows = connection.execute(f"SELECT key FROM ({places}) GROUP BY key ORDER BY min(place)").fetchall()
    return [key for (key,) in rows]


Field = tuple[str, list["Field"]]  # its name and its own fields


def _fields(connection: Connection, file: File) -> list[Field]:
    """The columns of a Parquet file, each with its fields; in the file's schema, a column's fields follow it."""
    query = f"SELECT name, num_children FROM parquet_schema({file_literal(file.path)})"
    schema = iter(connection.execute(query).fetchall())

    def fields(children: int | None) -> list[Field]:
        return [(name, fields(inner)) for name, inner in islice(schema, children or 0)]

    return fields(next(schema)[1])


def _equal_fields(fields: Sequence[Field]) -> list[str]:
    """Return the first fields inside these, at any depth, whose names differ only in case; [] if there are none."""
    alike = equal_names(name for name, _ in fields)
    return alike[0] if alike else next(filter(None, (_equal_fields(inner) for _, inner in fields)), [])


def keys_in(connection: Connection, file: File, column: str) -> list[str]:
    """The keys of the first mapping in a column of a text or Parquet file, unchanged."""
    if file.format == "npz":
        return []
    as_text_option = as_texts([column]) if file.format in ("json", "jsonl") else ""
    source = parquet_source([file]) if file.format == "parquet" else text_source(file, as_text_option)
    name = identifier(column)
    json = f"to_json({name})" if file.format == "parquet" else f"CASE WHEN json_valid({name}) THEN {name} END"
    query = f"SELECT json_keys(json) FROM (SELECT {json} AS json FROM {source}) WHERE len(json_keys(json)) > 0 LIMIT 1"
    keys = connection.execute(query).fetchall()
    return [str(key) for key in keys[0][0]] if keys else []
