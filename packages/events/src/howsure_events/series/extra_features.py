"""Further features of (document, actor) pairs: scores provided by the user, and scores learned from labelled texts."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

import numpy as np

from howsure.counts.learn_score import learn_score
from howsure.counts.proxy import clipped_logit
from howsure.data.tables.database import Database
from howsure.data.tables.named_files import named_files
from howsure.data.tables.table import Table, column_names, open_table
from howsure.errors import InputError
from howsure.inputs.checks import is_missing
from howsure.inputs.pairs import Floats
from howsure_events.labels.answers import require_labelling
from howsure_events.series.labelled_pairs import PairFeatures
from howsure_events.store.store_queries import Store, chosen_actors, query_rows

ScoreKey = str | tuple[str, str]  # the id of a document, or (id, code of an actor)
Scores = Mapping[str, Mapping[str, float] | Mapping[ScoreKey, float]]  # by name: a number for each key
SEED = 0
LEARNED = "learned from the texts"


def score_features(store: Store, pairs: PairFeatures, scores: Scores | None) -> dict[str, Floats]:
    """Return a column (N,) of the pairs for each score; a score of documents is repeated for all actors."""
    if not scores:
        return {}
    ids = [name for (name,) in query_rows(store, "SELECT id FROM documents ORDER BY document")]
    names_in_use = [*pairs.features, LEARNED]
    for name in scores:
        if name in names_in_use:
            raise InputError(f"the score {name!r} has the name of a feature of the store; rename it.")
    return {name: _column(name, scores_of_documents, ids, pairs.actors) for name, scores_of_documents in scores.items()}


def learned_features(store: Store, pairs: PairFeatures, labels: Floats) -> dict[str, Floats]:
    """Return the logit of a score learned from the labelled texts, with a separate regression for each actor.

    labels (N,): the labels of the pairs, NaN if missing. A labelled document is scored by a fit that did not use its
    label.
    """
    texts = document_texts(store)
    if not any(texts):
        raise InputError("learn needs the texts of the documents, and this store has none: only events were imported.")
    by_actor = labels.reshape(-1, len(pairs.actors))
    logits = [clipped_logit(learn_score(texts, column, rng=SEED)) for column in by_actor.T]
    return {LEARNED: np.column_stack(logits).ravel()}


def document_texts(store: Store) -> list[str]:
    """Return the words of each stored document as a string, in the order of the documents' numbers."""
    texts = query_rows(
        store,
        "SELECT d.document, string_agg(array_to_string(s.words, ' '), ' ' ORDER BY s.sentence) FROM documents d "
        "LEFT JOIN sentences s USING (document) GROUP BY d.document ORDER BY d.document",
    )
    return [text or "" for _, text in texts]


def _column(name: str, values: Mapping[Any, float], ids: list[str], actors: tuple[str, ...]) -> Floats:
    of_pairs = any(isinstance(key, tuple) for key in values)
    keys: list[Any] = [(document, actor) for document in ids for actor in actors] if of_pairs else ids
    lacking = next((key for key in keys if key not in values), None)
    if lacking is not None:
        every = "every document of the store" + (" and actor that coders were asked about" if of_pairs else "")
        raise InputError(f"scores[{name!r}] must have a number for {every}; {lacking!r} has none.")
    unknown = next(iter({key[0] if of_pairs else key for key in values} - set(ids)), None)
    if unknown is not None:
        raise InputError(f"scores[{name!r}] has a number for {unknown!r}, which is not a document of the store.")
    try:
        column = np.array([float(values[key]) for key in keys])
    except (TypeError, ValueError):
        raise InputError(f"scores[{name!r}] must contain numbers only.") from None
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise InputError(
            f"scores[{name!r}] must contain finite numbers; document {keys[int(bad[0])]!r} has {column[bad[0]]!r}."
        )
    return column if of_pairs else np.repeat(column, len(actors))


DOCUMENT, ACTOR = "document", "actor"


def read_scores(store: Store, path: str | os.PathLike[str]) -> Scores:
    """Read scores for `corrected_series` from a file (CSV, TSV, JSON lines, Parquet or .npz).

    The file has a column document (an id), optionally a column actor (a code or title), and one or more columns of
    numbers, each a score with the name of the column. It needs one row for each stored document or, with a column
    actor, for each stored document and each actor that coders were asked about. Rows of other actors are checked, but
    not used.
    """
    asked_actors = require_labelling(store).actors
    with ExitStack() as ending:
        database = Database()
        ending.callback(database.close)
        files = named_files([path], format=None, spool=database.folder)
        database.allow_only([file.path for file in files])
        names = column_names(database, files[0])
        keys = [DOCUMENT, *([ACTOR] if ACTOR in names else [])]
        scored = [name for name in names if name not in keys]
        table = open_table(database, files, [*keys, *scored])
        if not scored:
            raise InputError(
                f"{table.name} has no column of scores besides {' and '.join(keys)}. Add one with a number in each row."
            )
        return _checked(store, table, keys, scored, asked_actors)


def _checked(
    store: Store, table: Table, keys: Sequence[str], scored: Sequence[str], asked_actors: Sequence[str]
) -> Scores:
    documents = [name for (name,) in query_rows(store, "SELECT id FROM documents ORDER BY document")]
    stored, codes = set(documents), dict[str, str]()
    scores: dict[str, dict[ScoreKey, float]] = {name: {} for name in scored}
    places: dict[ScoreKey, int] = {}
    for at, row in enumerate(_rows(table, keys, scored)):
        document = row[0]
        if document is None or is_missing(document):
            raise InputError(f"{DOCUMENT} must not be missing; {table.place_of(at)} has none.")
        if document not in stored:
            raise InputError(
                f"{DOCUMENT} must be the id of a document in {store.path}; {table.place_of(at)} is {document!r}, "
                "which is not in the store. Remove the rows of other documents."
            )
        key: ScoreKey = document
        if ACTOR in keys:
            key = (document, _code(store, table, at, row[1], codes))
        if key in places:
            same = f"{document!r} with {key[1]!r}" if isinstance(key, tuple) else repr(document)
            raise InputError(
                f"there must be one row per {' and '.join(keys)}; {same} is in {table.place_of(places[key])} and "
                f"in {table.place_of(at)}. Remove one of them."
            )
        places[key] = at
        values = row[len(keys) :]
        for name, text, number in zip(scored, values[::2], values[1::2], strict=True):
            value = _number(table, at, name, text, number)
            if ACTOR not in keys or key[1] in asked_actors:
                scores[name][key] = value
    _check_complete(table, store, places, documents, asked_actors if ACTOR in keys else None)
    return scores


def _rows(table: Table, keys: Sequence[str], scored: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    """Return, for each row, the keys as strings, and each score as a string and as a number."""
    columns = [table.columns[name].text for name in keys]
    columns += [column for name in scored for column in (table.columns[name].text, table.columns[name].number)]
    query = f"SELECT {', '.join(columns)} FROM {table.numbered} ORDER BY {table.position}"
    return table.fetch(query)


def _code(store: Store, table: Table, at: int, name: str | None, codes: dict[str, str]) -> str:
    """Return the code of a row's actor; `codes` is a cache."""
    if name is None or is_missing(name):
        raise InputError(
            f"{ACTOR} must not be missing; {table.place_of(at)} has none. Leave the column out if scores are for "
            "documents, not for actors."
        )
    if name not in codes:
        try:
            codes[name] = chosen_actors(store, [name])[0]
        except InputError as error:
            raise error.inside(f"{ACTOR} in {table.place_of(at)}") from None
    return codes[name]


def _number(table: Table, at: int, name: str, text: str | None, number: object) -> float:
    if text is None or is_missing(text):
        raise InputError(f"{name} must not be missing; {table.place_of(at)} has none.")
    if not isinstance(number, int | float | Decimal) or not math.isfinite(number):
        raise InputError(
            f"{name} must be a finite number, with a decimal point; {table.place_of(at)} is {text[:60]!r}. Remove "
            "columns that are not scores."
        )
    return float(number)


def _check_complete(
    table: Table, store: Store, places: Iterable[ScoreKey], documents: Sequence[str], asked_actors: Sequence[str] | None
) -> None:
    """Check that every document has a row, or every document with every actor that coders were asked about."""
    given_keys = set(places)
    if asked_actors is None:
        lacking = [repr(document) for document in documents if document not in given_keys]
        expected = "every document"
    else:
        named = {key[1] for key in given_keys}
        nowhere = next((actor for actor in asked_actors if actor not in named), None)
        if nowhere is not None:
            raise InputError(
                f"{table.name} must have rows of every actor that coders were asked about, {', '.join(asked_actors)}; "
                f"{nowhere} has none."
            )
        lacking = [
            f"{document!r} with {actor!r}"
            for document in documents
            for actor in asked_actors
            if (document, actor) not in given_keys
        ]
        expected = "every document and actor that coders were asked about"
    if lacking:
        raise InputError(
            f"{table.name} must have a row for {expected} in {store.path}; {lacking[0]} has none ({len(lacking):,} "
            "such). Add the scores."
        )
