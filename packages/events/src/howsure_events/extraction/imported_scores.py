"""Scores of any model in files: the documents, and the probability that each actor acts in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure.data.tables.database import Database, identifier, literal, literals, reading
from howsure.data.tables.named_files import File, named_files
from howsure.data.tables.table import COPIED, Table, open_table
from howsure.errors import InputError, parameter
from howsure.inputs.numbers_and_names import comma_advice, shortened
from howsure_events.corpus import Corpus, Fields

FETCHED = 1_000  # rows read at a time
ROW_NUMBER = "CAST(row_number() OVER () AS VARCHAR)"
SCORES = "scores"  # a table of the database: position of a row, the document's id, the actor, the probability


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreColumns:
    """The columns of a table of scores, in long form (a row per document and actor) or wide form (a column per actor).

    actor, prob: the columns of the long form; a row without an actor is a document in which no actor acts. actors: the
    columns of the wide form, which contain probabilities and are named after their actors.

    Raises InputError if columns of both forms, or of neither, are named.
    """

    actor: str | None = None
    prob: str | None = None
    actors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        long = [name for name in (self.actor, self.prob) if name is not None]
        if self.actors and long:
            raise InputError(
                "name either `actors` (a column of probabilities per actor), or `actor` and `prob` (a row per document "
                f"and actor), not both; the columns named are {shortened([*self.actors, *long])}."
            )
        if self.prob is not None and self.actor is None and not self.actors:
            raise InputError(
                "`prob` needs the column of the actors, too: `actor=...`. For one yes/no question, name the column of "
                f"probabilities as an actor: {parameter('actors', self.prob)}."
            )
        if not self.actors and len(long) < 2:
            raise InputError(
                "name the columns of the scores: `actor` and `prob`, with a row per document and actor; or "
                "`actors`, with a column of probabilities per actor."
            )

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [name for name in (self.actor, self.prob, *self.actors) if name is not None]


@dataclass(frozen=True, slots=True)
class Score:
    """An actor that may act in a document, and the probability."""

    actor: str
    probability: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a model: the documents (corpus), the table with its columns, and the actors.

    In long form the actors are in alphabetical order, in wide form in the order of their columns.
    """

    corpus: Corpus
    table: Table
    columns: ScoreColumns
    actors: tuple[str, ...]

    @property
    def recipe(self) -> dict[str, Any]:
        """A description of the input, as plain values."""
        names = {"actor": self.columns.actor, "prob": self.columns.prob}
        columns_recipe = names | {"actors": list(self.columns.actors)} if self.columns.actors else names
        recipe = self.corpus.recipe
        return {**recipe, "columns": {**recipe["columns"], **columns_recipe}}

    def iterate_documents(self) -> Iterator[tuple[int, Score]]:
        """Yield (number of the document, score) for all scores above 0, ordered by document and actor."""
        connection, documents = self.table.connection, self.corpus.table
        fields = self.corpus.fields
        name = ROW_NUMBER if fields.id is None else documents.columns[fields.id].text
        query = (
            f"SELECT number, actor, probability FROM {SCORES} JOIN (SELECT {name} AS id, row_number() OVER () - 1 AS "
            f"number FROM {documents.relation}) USING (id) WHERE probability > 0 ORDER BY number, actor"
        )
        with reading(self.table.name, self.table.files[0].path), connection.cursor() as cursor:
            cursor.execute(query)
            while rows := cursor.fetchmany(FETCHED):
                for number, actor, probability in rows:
                    yield number, Score(actor, probability)


def collect_scores(table: Table, columns: ScoreColumns, name: str | None) -> None:
    """Create the table `scores` from checked rows; name: the column of the id, None for the row number."""
    table_columns, position = table.columns, table.position
    key = f"CAST({position} + 1 AS VARCHAR)" if name is None else table_columns[name].text
    if columns.actors:
        listed = ", ".join(table_columns[actor].number for actor in columns.actors)
        scored = f"unnest([{literals(columns.actors)}]) AS actor, unnest([{listed}]) AS probability"
    else:
        scored = f"{actor_in(table, columns)} AS actor, {table_columns[columns.prob or ''].number} AS probability"
    query = f"SELECT {position} AS place, {key} AS id, {scored} FROM {table.numbered}"
    with reading(table.name, table.files[0].path):
        table.connection.execute(f"CREATE TABLE {SCORES} AS SELECT * FROM ({query}) WHERE actor IS NOT NULL")


def actor_in(table: Table, columns: ScoreColumns) -> str:
    """Return SQL for the actor of a row; null if there is none."""
    return f"nullif(trim({table.columns[columns.actor or ''].text}), '')"


def first_rows(table: Table, name: str, into: str) -> None:
    """Create the table `into` with the first row of each document, in order; name: the column of the id."""
    key, listed = table.columns[name].text, ", ".join(map(identifier, table.columns))
    query = (
        f"SELECT {listed} FROM {table.numbered} WHERE {table.position} IN "
        f"(SELECT min({table.position}) FROM {table.numbered} GROUP BY {key}) ORDER BY {table.position}"
    )
    with reading(table.name, table.files[0].path):
        table.connection.execute(f"CREATE TABLE {identifier(into)} AS {query}")


def check_rows(table: Table, columns: ScoreColumns, name: str | None) -> None:
    """Check the id, the actor and the probability of each row."""
    if name is not None:
        key = table.columns[name]
        message = f"{name} must not be missing; {{place}} has none ({{count}} such). Give every document an id."
        _refuse(table, f"({key.sql} IS NULL OR trim({key.text}) = '')", "NULL", message)
    for actor in columns.actors:
        _check_probabilities(table, actor, "TRUE")
    if columns.actor is not None:
        named = f"({actor_in(table, columns)} IS NOT NULL)"
        _check_probabilities(table, columns.prob or "", named)
        p = table.columns[columns.prob or ""].number
        message = (
            f"{columns.actor} must not be missing if the probability is above 0; {{place}} has none, with "
            "{value:g} ({count} such). A row without an actor is a document in which none acts."
        )
        _refuse(table, f"NOT {named} AND {p} > 0", p, message)


def check_scores(table: Table, columns: ScoreColumns, name: str | None) -> None:
    """Check that there is only one score per document and actor."""
    pairs = f"FROM {SCORES} GROUP BY id, actor HAVING count(*) > 1 ORDER BY min(place) LIMIT 1"
    twice = table.connection.execute(f"SELECT id, actor, min(place), max(place) {pairs}").fetchall()
    if twice:
        document, actor, first, last = twice[0]
        rows = f"{table.place_of(int(first))} and in {table.place_of(int(last))}"
        raise InputError(
            f"there must be one row per document and actor; {name} {document!r} with {columns.actor or 'actors'} "
            f"{actor!r} is in {rows}. Remove one of them."
        )


def check_one_value(table: Table, corpus: Corpus, fields: Fields, name: str) -> None:
    """Check that all rows of a document have the same date, title, text and story; all but the date may be empty."""
    key = table.columns[name].text
    values = {fields.date or "": corpus.date}
    for column in (fields.title, fields.text, fields.story):
        if column is not None:
            values[column] = f"nullif(trim({table.columns[column].text}), '')"
    for column, value in values.items():
        repeated = table.ask(key, rest=f"GROUP BY {key} HAVING count(DISTINCT {value}) > 1 LIMIT 1")
        if repeated:
            same = f"{key} = {literal(str(repeated[0][0]))} AND {value} IS NOT NULL"
            first, was = table.place(same, value)
            second, now = table.place(f"{same} AND {value} <> {literal(str(was))}", value)
            raise InputError(
                f"{column} must be the same in all rows of a document; that with {name} {repeated[0][0]!r} has "
                f"{_short(was)} in {first} and {_short(now)} in {second}."
            )


def check_known(table: Table, documents: Table, name: str) -> None:
    """Check that the document of every row is in the table of documents."""
    key, known_ids = table.columns[name].text, documents.columns[name].text
    _refuse(
        table,
        f"{key} NOT IN (SELECT {known_ids} FROM {documents.relation})",
        key,
        f"{name} must be that of a document in {documents.name}; {{place}} is {{value!r}}, which is not one "
        "({count} such). Add these documents, or remove their rows.",
    )


def check_actors(actors: tuple[str, ...], columns: ScoreColumns) -> None:
    """Raise InputError if there is no actor, or if a name contains a comma, which separates actors in commands."""
    if not actors:
        raise InputError(f"{columns.actor} is empty in every row; at least one row must name an actor.")
    odd = [actor for actor in actors if "," in actor]
    if odd:
        raise InputError(
            f"an actor's name must not contain a comma, which separates actors in commands; {odd[0]!r} has one."
        )


def _check_probabilities(table: Table, column: str, where: str) -> None:
    spec = table.columns[column]
    missing = spec.missing(kind="number")
    message = f"{column} must not be missing; {{place}} has none ({{count}} such). Write 0 if the actor does not act."
    _refuse(table, f"{where} AND {missing}", "NULL", message)
    message = (
        f"{column} must be a number from 0 to 1, such as 0.55; {{place}} is {{value!r}} ({{count}} such).{{advice}}"
    )
    _refuse(table, f"{where} AND {spec.number} IS NULL", spec.text, message)
    message = (
        f"{column} must be between 0 and 1; {{place}} is {{value}} ({{count}} such). Divide percentages by 100, and "
        "turn "
    )
    _refuse(table, f"{where} AND NOT {spec.number} BETWEEN 0 AND 1", spec.text, f"{message}logits into probabilities.")


def _refuse(table: Table, wrong: str, shown: str, message: str) -> None:
    """Raise InputError if the SQL condition `wrong` is true for a row.

    message: a format string with the fields place, value (of the column `shown`), count and advice (on a comma or
    percent sign).
    """
    (count,) = table.ask("count(*)", rest=f"WHERE {wrong}")[0]
    if count:
        place, value = table.place(wrong, shown)
        advice = comma_advice(str(value))
        count_text = f"{int(str(count)):,}"
        raise InputError(message.format(place=place, value=value, count=count_text, advice=advice and f" {advice}"))


def _short(value: object) -> str:
    text = repr(str(value))
    return text if len(text) <= 60 else f"{text[:59]}…"


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
    """Read and check the scores in files or globs of CSV, TSV, JSON lines, Parquet or .npz.

    fields: the columns of a document's `id` and `date`, and optionally of its `title`, `text` and `story`. They are in
    every row of a document, or in the files `documents`, which have one row per document. In wide form, without
    `documents`, the id is by default the number of the row. columns: the columns of the scores.

    All searched documents must be included, also those in which no actor acts (with a probability of 0, or without an
    actor): they count as documents of their period, and events that the model missed are among them.

    Raises InputError naming the file, the row and what to do.
    """
    name = _checked_fields(fields, columns, has_own_documents=not documents)
    of_document = [column for column in (fields.date, fields.title, fields.text, fields.story) if column is not None]
    with Database(spool).opening() as database:
        files, others = _files(database, paths, documents, format, fields.encoding)
        if others and name is not None:
            described = _renamed(open_table(database, others, [name, *of_document]), DOCUMENTS)
            table = open_table(database, files, [name, *columns.names])
            check_rows(table, columns, name)
            corpus = Corpus(described, fields, bad_dates=bad_dates)
            check_known(table, described, name)
        else:
            table = open_table(database, files, [*([] if name is None else [name]), *of_document, *columns.names])
            check_rows(table, columns, name)
            corpus = _own_documents(table, fields, name, bad_dates, wide=bool(columns.actors))
        collect_scores(table, columns, name)
        check_scores(table, columns, name)
        actor_rows = [
            str(actor) for (actor,) in table.connection.execute(f"SELECT DISTINCT actor FROM {SCORES}").fetchall()
        ]
        actors = columns.actors or tuple(sorted(actor_rows))
        check_actors(actors, columns)
        return Scores(corpus, table, columns, actors)


def _checked_fields(fields: Fields, columns: ScoreColumns, *, has_own_documents: bool) -> str | None:
    """The column of the id; None for the number of the row, if each row is a document."""
    for role in ("id", "date"):
        if getattr(fields, role) is None and not (role == "id" and columns.actors and has_own_documents):
            raise InputError(f"name the column of the {role}: {parameter(role, 'COLUMN')}.")
    names = [fields.id, fields.date, fields.title, fields.text, fields.story, *columns.names]
    named = [name for name in names if name is not None]
    twice = [column for column in dict.fromkeys(named) if named.count(column) > 1]
    if twice:
        raise InputError(f"a column can have only one role; {shortened(twice)} is named for two.")
    return fields.id


def _files(
    database: Database, paths: Sequence[Path], documents: Sequence[Path], format: str | None, encoding: str | None
) -> tuple[tuple[File, ...], tuple[File, ...]]:
    spool = database.folder / "documents"
    spool.mkdir()
    files = named_files(paths, format=format, spool=database.folder, encoding=encoding)
    others = named_files(documents, format=format, spool=spool, encoding=encoding) if documents else ()
    database.allow_only([file.path for file in (*files, *others)])
    return files, others


def _own_documents(table: Table, fields: Fields, name: str | None, bad_dates: str, *, wide: bool) -> Corpus:
    """Return the documents of the rows with scores, if there are no separate files of documents."""
    if wide or name is None:
        return Corpus(table, fields, bad_dates=bad_dates)
    every_row = Corpus(table, replace(fields, id=None), bad_dates=bad_dates)
    check_one_value(table, every_row, fields, name)
    first_rows(table, name, DOCUMENTS)
    return Corpus(replace(table, relation=DOCUMENTS), fields, bad_dates=bad_dates)


def _renamed(table: Table, name: str) -> Table:
    """Rename the database table of copied rows, so that another table can be copied; return the renamed table."""
    if not table.is_copied:
        return table
    table.connection.execute(f"ALTER TABLE {COPIED} RENAME TO {name}")
    return replace(table, relation=name)
