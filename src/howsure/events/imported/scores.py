"""The scores of a model as read from files: the documents, and how probably each actor acts in each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from howsure.data.tables.database import identifier, literals, reading
from howsure.data.tables.table import Table
from howsure.errors import InputError
from howsure.events.corpus.documents import Corpus
from howsure.inputs.naming import shortened

FETCHED = 1_000  # rows at a time
SCORES = "scores"  # a table of the database: where a row stands, the document's id, the actor, p, the samples as digits


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreColumns:
    """The columns that hold the scores: in long form a row per document and actor, in wide form a column per actor.

    Long: `actor`, and `prob` or `samples` or both; a row without an actor is a document in which none acts. `samples`
    are lists of 0 and 1, of one length. Wide: `actors`, columns of probabilities named after their actors.

    Raises InputError for columns of both forms, or of none.
    """

    actor: str | None = None
    prob: str | None = None
    samples: str | None = None
    actors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        long = [name for name in (self.actor, self.prob, self.samples) if name is not None]
        if self.actors and long:
            raise InputError(
                f"name the columns of one form: either actors (a column each), or actor and prob (a row each); "
                f"both are named: {shortened([*self.actors, *long])}."
            )
        if not self.actors and (self.actor is None or (self.prob is None and self.samples is None)):
            raise InputError(
                "name the columns of the scores: actor and prob (or samples), with a row per document and actor; or "
                "actors, with a column of probabilities per actor."
            )

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [name for name in (self.actor, self.prob, self.samples, *self.actors) if name is not None]


@dataclass(frozen=True, slots=True)
class Score:
    """An actor that may act in a document: the probability, and the samples as a text of 0 and 1 if they are given."""

    actor: str
    probability: float
    samples: str | None


@dataclass(frozen=True, slots=True)
class Scores:
    """Checked scores: the documents, the actors in alphabetical order, and the number of given samples (None: none)."""

    corpus: Corpus
    table: Table
    columns: ScoreColumns
    actors: tuple[str, ...]
    n_samples: int | None

    @property
    def recipe(self) -> dict[str, Any]:
        """What was read, as plain values."""
        said = {"actor": self.columns.actor, "prob": self.columns.prob, "samples": self.columns.samples}
        held = said | {"actors": list(self.columns.actors)} if self.columns.actors else said
        recipe = self.corpus.recipe
        return {**recipe, "columns": {**recipe["columns"], **held}}

    @property
    def has_probabilities(self) -> bool:
        """Whether probabilities are given, and are not only the shares of samples."""
        return self.columns.samples is None or self.columns.prob is not None

    def of_documents(self) -> Iterator[tuple[int, Score]]:
        """The number of a document and a score above 0, by document and actor, a few in memory at a time."""
        connection, documents = self.table.connection, self.corpus.table
        fields = self.corpus.fields
        name = documents.columns[fields.id or ""].text
        query = (
            f"SELECT number, actor, probability, samples FROM {SCORES} JOIN "
            f"(SELECT {name} AS id, row_number() OVER () - 1 AS number FROM {documents.relation}) USING (id) "
            "WHERE probability > 0 ORDER BY number, actor"
        )
        with reading(self.table.name, self.table.files[0].path), connection.cursor() as cursor:
            cursor.execute(query)
            while rows := cursor.fetchmany(FETCHED):
                for number, actor, probability, samples in rows:
                    yield number, Score(actor, probability, samples)


def collect_scores(table: Table, columns: ScoreColumns, name: str) -> None:
    """Put the scores of checked rows into the table `scores`; `name` is the column of the id."""
    held, position = table.columns, table.position
    if columns.actors:
        listed = ", ".join(held[actor].number for actor in columns.actors)
        scored = f"unnest([{literals(columns.actors)}]) AS actor, unnest([{listed}]) AS probability, NULL AS samples"
    else:
        scored = (
            f"{actor_in(table, columns)} AS actor, {probability_in(table, columns)} AS probability, "
            f"{samples_in(table, columns)} AS samples"
        )
    query = f"SELECT {position} AS place, {held[name].text} AS id, {scored} FROM {table.numbered}"
    with reading(table.name, table.files[0].path):
        table.connection.execute(f"CREATE TABLE {SCORES} AS SELECT * FROM ({query}) WHERE actor IS NOT NULL")


def actor_in(table: Table, columns: ScoreColumns) -> str:
    """The actor of a row in SQL; null if there is none."""
    return f"nullif(trim({table.columns[columns.actor or ''].text}), '')"


def probability_in(table: Table, columns: ScoreColumns) -> str:
    """The probability of a row in SQL: the given one, or the share of the samples."""
    if columns.prob is not None:
        return table.columns[columns.prob].number
    return f"list_avg({table.columns[columns.samples or ''].numbers})"


def samples_in(table: Table, columns: ScoreColumns) -> str:
    """The samples of a row as a text of 0 and 1 in SQL."""
    if columns.samples is None:
        return "NULL::VARCHAR"
    return f"array_to_string([x::TINYINT FOR x IN {table.columns[columns.samples].numbers}], '')"


def first_rows(table: Table, name: str, into: str) -> None:
    """The first row of each document as a table of its own, in the order of rows; `name` is the column of the id."""
    key, listed = table.columns[name].text, ", ".join(map(identifier, table.columns))
    query = (
        f"SELECT {listed} FROM {table.numbered} WHERE {table.position} IN "
        f"(SELECT min({table.position}) FROM {table.numbered} GROUP BY {key}) ORDER BY {table.position}"
    )
    with reading(table.name, table.files[0].path):
        table.connection.execute(f"CREATE TABLE {identifier(into)} AS {query}")
