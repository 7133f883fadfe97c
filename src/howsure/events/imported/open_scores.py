"""Open the scores of any model: files with a row per document and actor, or a column per actor."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from howsure.data.tables.database import Database
from howsure.data.tables.named_files import File, named_files
from howsure.data.tables.table import COPIED, Table, open_table
from howsure.errors import InputError
from howsure.events.corpus.documents import Corpus, Fields
from howsure.events.imported.score_checks import (
    check_actors,
    check_known,
    check_one_value,
    check_rows,
    check_scores,
)
from howsure.events.imported.scores import SCORES, ScoreColumns, Scores, collect_scores, first_rows
from howsure.inputs.naming import shortened

DOCUMENTS = "document_rows"
Path = str | os.PathLike[str]


def open_scores(
    paths: Sequence[Path],
    *,
    fields: Fields,
    columns: ScoreColumns,
    documents: Sequence[Path] = (),
    bad_dates: str = "error",
    format: str | None = None,
    spool: Path | None = None,
) -> Scores:
    """The scores in files or globs of CSV, TSV, JSON lines, Parquet or .npz, checked.

    `fields` names the columns of the document: `id` and `date`, and where there are such `title`, `text` and `story`.
    They stand in every row of a document, or in the files `documents`, with one row per document. All documents that
    were searched must be there, also those in which nobody acts (with a probability of 0, or without an actor): they
    count as documents of their period, and what the model misses lies among them.

    Raises InputError naming the file, the row and what to do.
    """
    name = _checked_fields(fields, columns)
    of_document = [one for one in (fields.date, fields.title, fields.text, fields.story) if one is not None]
    with Database(spool).opening() as database:
        files, others = _files(database, paths, documents, format)
        if others:
            described = _renamed(open_table(database, others, [name, *of_document]), DOCUMENTS)
            table = open_table(database, files, [name, *columns.names])
            check_rows(table, columns, name)
            corpus = Corpus(described, fields, bad_dates=bad_dates)
            check_known(table, described, name)
        else:
            table = open_table(database, files, [name, *of_document, *columns.names])
            check_rows(table, columns, name)
            corpus = _own_documents(table, fields, name, bad_dates, wide=bool(columns.actors))
        collect_scores(table, columns, name)
        n_samples = check_scores(table, columns, name)
        found = [str(actor) for (actor,) in table.connection.execute(f"SELECT DISTINCT actor FROM {SCORES}").fetchall()]
        actors = columns.actors or tuple(sorted(found))
        check_actors(actors, columns)
        return Scores(corpus, table, columns, actors, n_samples)


def _checked_fields(fields: Fields, columns: ScoreColumns) -> str:
    for role in ("id", "date"):
        if getattr(fields, role) is None:
            raise InputError(f"name the column of the {role}: {role}='COLUMN'.")
    names = [fields.id, fields.date, fields.title, fields.text, fields.story, *columns.names]
    named = [one for one in names if one is not None]
    twice = [one for one in dict.fromkeys(named) if named.count(one) > 1]
    if twice:
        raise InputError(f"a column has one meaning; {shortened(twice)} is named for two.")
    return str(fields.id)


def _files(
    database: Database, paths: Sequence[Path], documents: Sequence[Path], format: str | None
) -> tuple[tuple[File, ...], tuple[File, ...]]:
    spool = database.folder / "documents"
    spool.mkdir()
    files = named_files(paths, format=format, spool=database.folder)
    others = named_files(documents, format=format, spool=spool) if documents else ()
    database.allow_only([file.path for file in (*files, *others)])
    return files, others


def _own_documents(table: Table, fields: Fields, name: str, bad_dates: str, *, wide: bool) -> Corpus:
    """The documents of the scored rows themselves."""
    if wide:
        return Corpus(table, fields, bad_dates=bad_dates)
    every_row = Corpus(table, replace(fields, id=None), bad_dates=bad_dates)
    check_one_value(table, every_row, fields, name)
    first_rows(table, name, DOCUMENTS)
    return Corpus(replace(table, relation=DOCUMENTS), fields, bad_dates=bad_dates)


def _renamed(table: Table, name: str) -> Table:
    """A table whose copied rows make room for those of others."""
    if not table.is_copied:
        return table
    table.connection.execute(f"ALTER TABLE {COPIED} RENAME TO {name}")
    return replace(table, relation=name)
