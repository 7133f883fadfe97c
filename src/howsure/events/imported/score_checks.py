"""The checks of imported scores: each names the first row that breaks a rule, and says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.data.tables.database import literal
from howsure.data.tables.table import Table
from howsure.errors import InputError
from howsure.events.corpus.documents import Corpus, Fields
from howsure.events.imported.scores import SCORES, ScoreColumns, actor_in, probability_in
from howsure.inputs.naming import counted

FEWEST, MOST = 2, 10**6  # samples
RAREST = 1e-9  # chance of samples from their probability, below which they contradict it


def check_rows(table: Table, columns: ScoreColumns, name: str) -> None:
    """Check each row for itself: its id, its actor, its probability and its samples.

    Raises InputError naming the first row that breaks a rule.
    """
    key = table.columns[name]
    told = f"{name} must not be missing; {{place}} has none ({{count}} such). Give every document an id."
    _refuse(table, f"({key.sql} IS NULL OR trim({key.text}) = '')", "NULL", told)
    for actor in columns.actors:
        _check_probabilities(table, actor, "TRUE")
    if columns.actor is not None:
        named = f"({actor_in(table, columns)} IS NOT NULL)"
        if columns.prob is not None:
            _check_probabilities(table, columns.prob, named)
        if columns.samples is not None:
            _check_samples(table, columns.samples, named)
        _check_actors(table, columns, columns.actor, named)


def check_scores(table: Table, columns: ScoreColumns, name: str) -> int | None:
    """Check the scores among each other: one per document and actor, samples of one length that fit the probability.

    Returns the number of samples of each, None if none are given. Raises InputError naming the rows.
    """
    pairs = f"FROM {SCORES} GROUP BY id, actor HAVING count(*) > 1 ORDER BY min(place) LIMIT 1"
    twice = _asked(table, f"SELECT id, actor, min(place), max(place) {pairs}")
    if twice:
        one, actor, first, last = twice[0]
        rows = f"{table.place_of(int(first))} and of {table.place_of(int(last))}"
        raise InputError(
            f"there must be one row per document and actor; {name} {one!r} with {columns.actor or 'actors'} {actor!r} "
            f"is that of {rows}. Remove one of them."
        )
    if columns.samples is None:
        return None
    lengths = _asked(table, f"SELECT length(samples), min(place) FROM {SCORES} GROUP BY ALL ORDER BY 2 LIMIT 2")
    n = int(lengths[0][0]) if lengths else FEWEST
    if len(lengths) > 1:
        other, at = lengths[1]
        raise InputError(
            f"{columns.samples} must have the same number of samples in every row; {table.place_of(int(at))} has "
            f"{other:,}, and {table.place_of(int(lengths[0][1]))} has {n:,}."
        )
    if not FEWEST <= n <= MOST:
        raise InputError(f"{columns.samples} must hold {FEWEST} to {MOST:,} samples per row; it holds {n:,}.")
    if columns.prob is not None:
        _check_agreement(table, columns, n)
    return n


def check_one_value(table: Table, corpus: Corpus, fields: Fields, name: str) -> None:
    """Check that the rows of a document agree on its date, title, text and story; a later row may leave them empty,
    except the date.

    Raises InputError naming two rows that do not.
    """
    key = table.columns[name].text
    values = {fields.date or "": corpus.date}
    for column in (fields.title, fields.text, fields.story):
        if column is not None:
            values[column] = f"nullif(trim({table.columns[column].text}), '')"
    for column, value in values.items():
        found = table.ask(key, rest=f"GROUP BY {key} HAVING count(DISTINCT {value}) > 1 LIMIT 1")
        if found:
            same = f"{key} = {literal(str(found[0][0]))} AND {value} IS NOT NULL"
            first, was = table.place(same, value)
            second, now = table.place(f"{same} AND {value} <> {literal(str(was))}", value)
            raise InputError(
                f"{column} must be the same in all rows of a document; that with {name} {found[0][0]!r} has "
                f"{_short(was)} in {first} and {_short(now)} in {second}."
            )


def check_known(table: Table, documents: Table, name: str) -> None:
    """Check that every document with a row is one of the named documents.

    Raises InputError naming the first row that has another.
    """
    key, known = table.columns[name].text, documents.columns[name].text
    _refuse(table, f"{key} NOT IN (SELECT {known} FROM {documents.relation})", key,
            f"{name} must be that of a document in {documents.name}; {{place}} holds {{value!r}}, which is none "
            "({count} such). Add these documents, or remove their rows.")  # fmt: skip


def check_actors(actors: tuple[str, ...], columns: ScoreColumns) -> None:
    """Check that there are actors, and that commands can name each.

    Raises InputError if not.
    """
    if not actors:
        raise InputError(f"{columns.actor} must name an actor in some row; it names none.")
    odd = [actor for actor in actors if "," in actor]
    if odd:
        raise InputError(
            f"an actor's name must not have a comma, which separates actors in commands; {odd[0]!r} has one."
        )


def _check_probabilities(table: Table, column: str, where: str) -> None:
    held = table.columns[column]
    missing = held.missing(role="number")
    told = f"{column} must not be missing; {{place}} has none ({{count}} such). Write 0 where the actor does not act."
    _refuse(table, f"{where} AND {missing}", "NULL", told)
    told = f"{column} must be a number from 0 to 1, with a decimal point; {{place}} holds {{value!r}} ({{count}} such)."
    _refuse(table, f"{where} AND {held.number} IS NULL", held.text, told)
    told = (
        f"{column} must lie in [0, 1]; {{place}} holds {{value}} ({{count}} such). Divide percentages by 100, and turn "
    )
    _refuse(table, f"{where} AND NOT {held.number} BETWEEN 0 AND 1", held.text, f"{told}logits into probabilities.")


def _check_samples(table: Table, column: str, where: str) -> None:
    held = table.columns[column]
    told = f"{column} must be a list of 0 and 1, such as [0, 1, 1]; {{place}} holds {{value!r}} ({{count}} such)."
    _refuse(table, f"{where} AND {held.numbers} IS NULL", held.text, told)
    others = f"len([x FOR x IN {held.numbers} IF x IS NULL OR (x <> 0 AND x <> 1)]) > 0"
    told = f"{column} must hold 0 and 1 only; {{place}} holds {{value}} ({{count}} such)."
    _refuse(table, f"{where} AND {others}", held.text, told)


def _check_actors(table: Table, columns: ScoreColumns, column: str, named: str) -> None:
    probability = probability_in(table, columns)
    _refuse(table, f"NOT {named} AND {probability} > 0", probability,
            f"{column} must not be missing where the probability is above 0; {{place}} has none, with {{value:g}} "
            "({count} such). A row without an actor is a document in which none acts.")  # fmt: skip


def _check_agreement(table: Table, columns: ScoreColumns, n: int) -> None:
    """Refuse samples that are all but impossible under their probability."""
    from scipy.special import bdtr, bdtrc

    query = f"SELECT place, probability, length(replace(samples, '0', '')) FROM {SCORES} ORDER BY place"
    with table.connection.cursor() as cursor:
        cursor.execute(query)
        while rows := cursor.fetchmany(10_000):
            at, p, k = (np.array(column) for column in zip(*rows, strict=True))
            fewer, more = bdtr(k, n, p), np.where(k > 0, bdtrc(np.maximum(k - 1, 0), n, p), 1.0)
            wrong = np.flatnonzero(np.minimum(fewer, more) < RAREST)
            if len(wrong):
                i = int(wrong[0])
                raise InputError(
                    f"{columns.prob} must fit the samples; {table.place_of(int(at[i]))} holds {p[i]:g}, and "
                    f"{counted(int(k[i]), 'sample')} of {n:,} with the event. Leave prob out if the samples are right: "
                    "the probability is then their share."
                )


def _refuse(table: Table, wrong: str, shown: str, message: str) -> None:
    """Raise InputError if a row is wrong: `message` with its place, the value shown, and the number of such rows."""
    (count,) = table.ask("count(*)", rest=f"WHERE {wrong}")[0]
    if count:
        place, value = table.place(wrong, shown)
        raise InputError(message.format(place=place, value=value, count=f"{int(str(count)):,}"))


def _asked(table: Table, query: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = table.connection.execute(query).fetchall()
    return found


def _short(value: object) -> str:
    text = repr(str(value))
    return text if len(text) <= 60 else f"{text[:59]}…"
