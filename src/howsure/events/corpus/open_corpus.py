"""Open a corpus: table rows with a text, or CoNLL-U from any parser."""

from __future__ import annotations

import os
from collections.abc import Sequence

from howsure.data.tables.columns import Column
from howsure.data.tables.database import Database
from howsure.data.tables.named_files import named_files
from howsure.data.tables.table import open_table
from howsure.errors import InputError
from howsure.events.corpus.conllu_files import is_conllu, open_conllu
from howsure.events.corpus.documents import Corpus, Fields


def open_corpus(
    paths: Sequence[str | os.PathLike[str]],
    *,
    fields: Fields,
    bad_dates: str = "error",
    format: str | None = None,
    spool: str | os.PathLike[str] | None = None,
) -> Corpus:
    """The documents of files or globs: rows of CSV, TSV, JSON lines, Parquet, or CoNLL-U (`.conllu`, plain or gzip).

    Text formats are copied once to a scratch file in the folder `spool`, so that memory does not grow with the corpus.
    In CoNLL-U the date is `# meta::date = …`, `# meta::dateCreated = …` or `# date = …` of the first sentence, or
    what `fields.date` names; so are title and category.

    Raises InputError naming the file, the row and what to do: a missing column, a missing or repeated id, and, unless
    `bad_dates` is "leave-out", a missing or invalid date.
    """
    parsed = [format == "conllu" or (format is None and is_conllu(os.fspath(path))) for path in paths]
    if any(parsed):
        if not all(parsed):
            raise InputError("all files must be CoNLL-U, or none; run the others separately.")
        return open_conllu(paths, fields=fields, bad_dates=bad_dates, spool=spool)
    for name in ("text", "date"):
        if getattr(fields, name) is None:
            raise InputError(f"name the column of the {name}: {name}='COLUMN'.")
    with Database(spool).opening() as database:
        files = named_files(paths, format=format, spool=database.folder)
        database.allow_only([file.path for file in files])
        names = [getattr(fields, name) for name in ("id", "date", "title", "category", "story", "text")]
        table = open_table(database, files, [name for name in names if name is not None])
        _check_text(table.columns[fields.text or ""])
        return Corpus(table, fields, bad_dates=bad_dates)


def _check_text(column: Column) -> None:
    if not column.is_text:
        raise InputError(f"{column.name} must be a column of texts; its type is {column.type}.")
