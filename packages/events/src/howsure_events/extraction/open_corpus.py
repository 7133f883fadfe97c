"""Reading a corpus of dated documents: rows of a table with texts, or CoNLL-U from any parser."""

from __future__ import annotations

import glob
import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, cast

from howsure.data.documents.conllu import (
    META,
    begins_document,
    blocks_in,
    conllu_documents,
    name_of_document,
    parse_comments,
)
from howsure.data.documents.document import Document
from howsure.data.tables.database import Column, Database
from howsure.data.tables.named_files import File, named_files
from howsure.data.tables.table import COPIED, Table, open_table
from howsure.errors import InputError, parameter
from howsure.files.input_files import Text, check_each_once, detect_compression, missing_file
from howsure.inputs.numbers_and_names import natural_order, shortened
from howsure.inputs.source_names import source_names
from howsure_events.corpus import ALL, Corpus, Fields, InputDocument, Part

SUFFIXES = (".conllu", ".conll-u", ".conllu.gz", ".conll-u.gz")
DATES = ("date", "dateCreated")  # metadata keys of the date
NO_DATES = {"newdoc", "newdoc id", "newpar", "newpar id", "id", "sent_id", "text", "global.Entity", "global.columns"}
INDEXED = 1_000  # documents whose headers are stored at a time
HEADER = ("id", "date", "title", "category", "story")
ROW = "(" + ", ".join("?" * len(HEADER)) + ")"


class Lines(Text):
    """Some lines of a file, whose line numbers in error messages are those in the file."""

    def __init__(self, name: str, content: str, before: int) -> None:
        super().__init__(name, content)
        object.__setattr__(self, "before", before)

    def fault(self, line: int, what: str) -> InputError:
        before: int = getattr(self, "before", 0)
        return Text.fault(self, max(1, line + before), what)


@dataclass(frozen=True, slots=True)
class Passage:
    """The lines of one CoNLL-U document. header: metadata in its first comments. before: number of lines before it."""

    header: dict[str, str]
    text: str
    before: int


class ConlluCorpus(Corpus):
    """The documents of CoNLL-U files. Their headers are stored in a table; their sentences are read when needed."""

    def documents(self, start: int = 0, part: Part = ALL) -> Iterator[InputDocument]:
        """Yield the documents of a part from a position on, with only one in memory at a time."""
        passages = islice(enumerate(_all_passages(self.table.files)), start, None)
        passages_of_part = (passage for number, passage in passages if part.holds(number))
        for (number, name, date, title, category, story, _), (file, passage) in zip(
            self._rows(start, part), passages_of_part, strict=True
        ):
            yield InputDocument(number, name, date, title, category, passage.text, file, passage.before, story or None)


class HeaderTable(Table):
    """A table with the headers of all documents, one row per document."""

    def place(self, condition: str, shown: str = "NULL", *, skip: int = 0) -> tuple[str, object]:
        place, value = Table.place(self, condition, shown, skip=skip)
        return place.replace("row", "document", 1).replace(" (counted from 1)", ""), value


def open_conllu(
    paths: Sequence[str | os.PathLike[str]],
    *,
    fields: Fields,
    bad_dates: str = "error",
    spool: str | os.PathLike[str] | None = None,
) -> ConlluCorpus:
    """Open the documents of CoNLL-U files; see `open_corpus`."""
    if fields.encoding is not None:
        raise InputError("CoNLL-U is UTF-8; leave `encoding=...` out.")
    if fields.text is not None or fields.id is not None:
        raise InputError(
            "documents in CoNLL-U have their text and id (# newdoc id = …); leave `text=...` and `id=...` out."
        )
    files = _files(paths)
    with Database(spool).opening() as database:
        database.connection.execute(f"CREATE TABLE {COPIED} ({', '.join(f'{name} VARCHAR' for name in HEADER)})")
        starts, count, dated = [], 0, bad_dates != "error"
        for file, name in _named(files):
            starts.append(count)
            headers = (_header(passage, fields) for passage in _passages(file, name))
            while rows := list(islice(headers, INDEXED)):
                dated = dated or any(row[1] for row in rows)
                listed = ", ".join([ROW] * len(rows))
                database.connection.execute(
                    f"INSERT INTO {COPIED} VALUES {listed}", [cell for row in rows for cell in row]
                )
                count += len(rows)
        if not dated:
            _refuse_undated(files[0], fields)
        database.allow_only([])
        columns = {name: Column(name, "VARCHAR") for name in HEADER}
        table = HeaderTable(database, COPIED, columns, files, tuple(starts))
        usual_fields = {"id": "id", "date": "date", "title": "title"}
        optional_fields = {name: name if getattr(fields, name) else None for name in ("category", "story")}
        all_fields = replace(fields, **usual_fields, **optional_fields)
        return ConlluCorpus(table, all_fields, bad_dates=bad_dates, is_parsed=True)


def read_part(document: InputDocument) -> Document:
    """Parse the sentences of a document in CoNLL-U."""
    parsed = conllu_documents(Lines(document.file, document.text, document.line), mentions=False)[0]
    return replace(parsed, name=document.id)


def _files(paths: Sequence[str | os.PathLike[str]]) -> tuple[File, ...]:
    files_given = [file for path in paths for file in _matching_files(os.fspath(path))]
    check_each_once(files_given, what="documents")
    for file in files_given:
        if not os.path.isfile(file):
            raise InputError(f"{file} is not a file; name files of CoNLL-U.")
    return tuple(File(file, file, "conllu") for file in files_given)


def _matching_files(path: str) -> list[str]:
    matches = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True), key=natural_order)
    if not matches:
        raise missing_file(path)
    return matches


def _all_passages(files: Sequence[File]) -> Iterator[tuple[str, Passage]]:
    return ((file.name, passage) for file, name in _named(files) for passage in _passages(file, name))


def _named(files: Sequence[File]) -> Iterator[tuple[File, str]]:
    return zip(files, source_names([file.name for file in files]), strict=True)


def _header(passage: Passage, fields: Fields) -> list[str | None]:
    header = passage.header
    date = next((header[key] for key in ((fields.date,) if fields.date else DATES) if header.get(key)), None)
    optional_values = [header.get(name) if name else None for name in (fields.category, fields.story)]
    return [header["id"], date, header.get(fields.title or "title"), *optional_values]


def _refuse_undated(file: File, fields: Fields) -> None:
    """Raise InputError with the metadata that the first document has instead of a date, if it has any."""
    names = sorted({*next(_passages(file, file.name)).header} - NO_DATES)
    if names:
        needed_field = f"{META}{fields.date or DATES[0]}"
        raise InputError(
            f"no document has a date, # {needed_field} = …; the first one of {file.name} has {shortened(names)}. Name "
            "the field of the date with `date=...`, or leave such documents out with `bad_dates='leave-out'`."
        )


def _passages(file: File, name: str) -> Iterator[Passage]:
    """Yield the documents of a file, with its blank lines; name: used for the ids of documents without an id."""
    before = number = end = 0
    header: dict[str, str] = {}
    lines: list[str] = []
    for line, comments, rows in blocks_in(_lines(file)):
        named = parse_comments(comments)
        if begins_document(named) or not lines:
            if lines:
                yield Passage(header, "\n".join(lines), before)
            number, before, lines = number + 1, line - 1, []
            header = {key.removeprefix(META): value for key, value in named.items()}
            header["id"] = name_of_document(named, stem=name, number=number)
        else:
            lines.append("\n" * (line - end - 1))
        lines += [*comments, *rows]
        end = line + len(comments) + len(rows)
    if not lines:
        raise InputError(f"{file.name} is empty.")
    yield Passage(header, "\n".join(lines), before)


def _lines(file: File) -> Iterator[str]:
    try:
        with _opened(file.path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig") as text:
            for line in text:
                yield line.rstrip("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{file.name} is not UTF-8 text (0x{error.object[error.start]:02x}); convert it.") from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{file.name} cannot be unpacked: {error}. Is it damaged or truncated?") from error
    except OSError as error:
        raise InputError(f"{file.name} cannot be read: {error.strerror}.") from error


def _opened(path: str) -> IO[bytes]:
    with open(path, "rb") as file:
        packed = detect_compression(file.read(4)) == "gzip"
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else open(path, "rb")


def open_corpus(
    paths: Sequence[str | os.PathLike[str]],
    *,
    fields: Fields,
    bad_dates: str = "error",
    format: str | None = None,
    spool: str | os.PathLike[str] | None = None,
) -> Corpus:
    """Open the documents of files or globs: CSV, TSV, JSON lines, Parquet, or CoNLL-U (`.conllu`, plain or gzip).

    Text formats are copied once to a temporary file in the folder `spool`, so that memory does not grow with the
    corpus. In CoNLL-U, metadata are comments of the first sentence. The date is `# meta::date = …`,
    `# meta::dateCreated = …` or `# date = …`, or the key `fields.date`; title and category are read in the same way.

    Raises InputError naming the file, the row and what to do: a missing column, a missing or repeated id, and, unless
    `bad_dates` is "leave-out", a missing or invalid date.
    """
    parsed = [format == "conllu" or (format is None and os.fspath(path).lower().endswith(SUFFIXES)) for path in paths]
    if any(parsed):
        if not all(parsed):
            raise InputError("all files must be CoNLL-U, or none; run the others separately.")
        return open_conllu(paths, fields=fields, bad_dates=bad_dates, spool=spool)
    for name in ("text", "date"):
        if getattr(fields, name) is None:
            raise InputError(f"name the column of the {name}: {parameter(name, 'COLUMN')}.")
    with Database(spool).opening() as database:
        files = named_files(paths, format=format, spool=database.folder, encoding=fields.encoding)
        database.allow_only([file.path for file in files])
        names = [getattr(fields, name) for name in ("id", "date", "title", "category", "story", "text")]
        table = open_table(database, files, [name for name in names if name is not None])
        _check_text(table.columns[fields.text or ""])
        return Corpus(table, fields, bad_dates=bad_dates)


def _check_text(column: Column) -> None:
    if not column.is_text:
        raise InputError(f"{column.name} must be a column of texts; its type is {column.type}.")
