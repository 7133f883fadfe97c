"""Ways to damage a store by hand: statements of SQL by what they do, for tests of all that reads stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from tests.events.made_up_store import hussein_document, store_file, write_store

from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import Store
from howsure_events.store.tables import TABLES

# What is seen when the store is opened.
SHAPES = {
    **{f"{table} is gone": f"DROP TABLE {table}" for table in TABLES},
    "a column is gone": "ALTER TABLE events DROP COLUMN probability",
    "a column of documents is gone": "ALTER TABLE documents DROP COLUMN title",
    "a column has another name": "ALTER TABLE events RENAME COLUMN samples TO bits",
    "a table has another name": "ALTER TABLE sentences RENAME TO lines",
    "a table is a view": "ALTER TABLE left_out RENAME TO gone; CREATE VIEW left_out AS FROM gone",
    "an endless view": (
        "DROP TABLE left_out; CREATE VIEW left_out AS WITH RECURSIVE r AS (SELECT 1 AS document, 'a' AS id, "
        "DATE '2000-01-01' AS date, 'x' AS reason UNION ALL FROM r) FROM r"
    ),
    "probabilities are texts": "ALTER TABLE events ALTER COLUMN probability TYPE VARCHAR",
    "dates are texts": "ALTER TABLE documents ALTER COLUMN date TYPE VARCHAR",
    "dates are times": "ALTER TABLE documents ALTER COLUMN date TYPE TIMESTAMP",
    "samples are texts": "ALTER TABLE events ALTER COLUMN samples TYPE VARCHAR",
    "words are one text": "ALTER TABLE sentences ALTER COLUMN words TYPE VARCHAR USING array_to_string(words, ' ')",
    "actors are one text": "ALTER TABLE mentions ALTER COLUMN actors TYPE VARCHAR USING 'IRQ'",
    "numbers are huge": "ALTER TABLE events ALTER COLUMN best_entities TYPE HUGEINT",
    "a function replaces one of DuckDB": "CREATE MACRO date_trunc(a, b) AS 3",
    "a function hides another": (
        "CREATE MACRO duckdb_functions() AS TABLE SELECT 'x' AS function_name, true AS internal; "
        "CREATE MACRO date_trunc(a, b) AS 3"
    ),
    "a function without an end": (
        "CREATE MACRO list_contains(a, b) AS (SELECT count(*) > 0 FROM "
        "(WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL FROM r) FROM r))"
    ),
    "a computed column": (
        "CREATE TABLE other AS FROM left_out; DROP TABLE left_out; CREATE TABLE left_out (document BIGINT, id VARCHAR, "
        "date DATE, reason VARCHAR GENERATED ALWAYS AS (repeat('x', 1000000000)))"
    ),
}
VALUES = {
    f"{name} is {value[:12]}": f"UPDATE settings SET value = '{value}' WHERE name = '{name}'"
    for name, values in {
        "samples": ("0", "-1", "40.5", "true", '"40"', "null", "[]", "1" + "0" * 12, "41", "9" * 400, "NaN"),
        "version": ("5", "2", "3.0", '"3"', "null", "true", "1e400"),
        "actors": ("[]", "3", '{"IRQ": 3}', '"IRQ"', "null"),
        "names": ("{}", '[["IRQ"]]', "[[1, 2]]"),
        "rule": ("[]", '"attack"', '{"name": 3}', '{"name": "a", "forms": 3}', '{"name": "a", "verbs": [[1]]}'),
        "finished": ("3", '"yes"', "null"),
        "parser": ("[[]]", "NaN"),
        "seed": ("Infinity", "{", "[" * 100_000, '"x"', "-1"),
    }.items()
    for value in values
}
SETTINGS = {
    "filters are a number": "INSERT INTO settings VALUES ('filters', '3')",
    "a filter is a number": "INSERT INTO settings VALUES ('filters', '{\"keep\": 5}')",
    "how stories were found is a list": "INSERT INTO settings VALUES ('stories', '[1]')",
    "settings are computed without end": (
        "CREATE TABLE other AS FROM settings; DROP TABLE settings; CREATE VIEW settings AS "
        "SELECT name, value FROM other, range(1000000) a, range(1000000) b"
    ),
    "no version is said": "DELETE FROM settings WHERE name = 'version'",
    "no settings": "DELETE FROM settings",
}
COUNTS = {
    "no documents": "DELETE FROM documents",
    "a document is gone": "DELETE FROM documents WHERE document = 0",
    "a negative document": "UPDATE documents SET document = -1 WHERE document = 2",
    "an event of no document": "UPDATE events SET document = 99999 WHERE document = 0",
    "a story of no document": "INSERT INTO stories VALUES (99999, 0)",
    "a story that begins nowhere": "INSERT INTO stories VALUES (0, 99999)",
    "kept and left out": "INSERT INTO left_out VALUES (0, 'again', NULL, 'empty')",
    "an endless date": "UPDATE documents SET date = 'infinity' WHERE document = 0",
    "a date without a beginning": "UPDATE documents SET date = '-infinity' WHERE document = 0",
    "a date before all years": "UPDATE documents SET date = '0044-03-15 (BC)' WHERE document = 0",
    "a date after all years": "UPDATE documents SET date = '12000-01-01' WHERE document = 0",
    "an endless date of what was left out": "UPDATE left_out SET date = 'infinity'",
    "negative words": "UPDATE documents SET words = -5 WHERE document = 0",
    "negative mentions": "UPDATE documents SET mentions = -5 WHERE document = 0",
    "a negative probability": "UPDATE events SET probability = -0.5 WHERE document = 0",
    "a probability above one": "UPDATE events SET probability = 1.5",
    "a probability that is not a number": "UPDATE events SET probability = 'nan' WHERE document = 0",
    "an endless probability": "UPDATE events SET probability = 'inf' WHERE document = 0",
    "no bits": "UPDATE events SET samples = ''::BLOB",
    "too few bits": "UPDATE events SET samples = '\\x01'::BLOB WHERE document = 0",
    "too many bits": "UPDATE events SET samples = samples || repeat('\\xFF', 100000)::BLOB WHERE document = 0",
    "no entities": "UPDATE events SET entities = ''::BLOB WHERE document = 0",
    "too many entities": "UPDATE events SET entities = entities || '\\x01'::BLOB",
    "a negative count": "UPDATE events SET best_entities = -3 WHERE document = 0",
    "a 1-best that contradicts itself": "UPDATE events SET best = NOT best",
}
MISSING = {
    f"{table}.{column} is missing": (
        f"CREATE TABLE copied AS FROM {table}; DROP TABLE {table}; ALTER TABLE copied RENAME TO {table}; "
        f"UPDATE {table} SET {column} = NULL"
    )
    for table, columns in {
        "documents": ("document", "id", "date", "words"),
        "left_out": ("document", "id", "reason"),
        "events": ("document", "actor", "probability", "samples", "entities", "best", "best_entities"),
    }.items()
    for column in columns
}
TWICE = {
    f"{table} twice": (
        f"CREATE TABLE copied AS FROM {table}; DROP TABLE {table}; ALTER TABLE copied RENAME TO {table}; "
        f"INSERT INTO {table} FROM {table}"
    )
    for table in ("documents", "left_out", "events")
}
AT_OPENING = {**SHAPES, **VALUES, **SETTINGS, **COUNTS, **MISSING, **TWICE}
GONE = [f"{table} is gone" for table in TABLES]
# Seen by the rules that see some of the others.
ALIKE = {*VALUES, *MISSING, *GONE} - {*[*VALUES][::4], *[*MISSING][::4], *GONE[::4]}

# What is seen when a document is read.
OF_DOCUMENTS = {
    "no sentences": "DELETE FROM sentences",
    "no mentions": "DELETE FROM mentions",
    "no antecedents": "DELETE FROM antecedents",
    "no clusterings": "DELETE FROM clusterings",
    "a sentence is gone": "DELETE FROM sentences WHERE sentence = 0",
    "a mention is gone": "DELETE FROM mentions WHERE mention = 0",
    "sentences from 5": "UPDATE sentences SET sentence = sentence + 5",
    "mentions from 5": "UPDATE mentions SET mention = mention + 5",
    "mentions twice": "INSERT INTO mentions FROM mentions",
    "sentences twice": "INSERT INTO sentences FROM sentences",
    "another number of mentions": "UPDATE documents SET mentions = mentions + 1",
    "absurdly many mentions": "UPDATE documents SET mentions = 4611686018427387904",
    "a word without a space": "UPDATE sentences SET spaces = spaces[2:]",
    "a word that is missing": "UPDATE sentences SET words = list_prepend(NULL, words[2:])",
    "no words": "UPDATE sentences SET words = []",
    "a parse of other words": "UPDATE sentences SET lemmas = ['a']",
    "heads that are elsewhere": "UPDATE sentences SET heads = list_transform(words, lambda w: 99)",
    "a mention in no sentence": "UPDATE mentions SET sentence = 99",
    "a mention before its sentence": "UPDATE mentions SET start = -5",
    "a mention beyond its sentence": "UPDATE mentions SET stop = 999",
    "a mention without words": "UPDATE mentions SET stop = start",
    "a head outside its mention": "UPDATE mentions SET head = 99",
    "a verb beyond its sentence": "UPDATE mentions SET verb = 999",
    "an actor without a code": "UPDATE mentions SET actors = [NULL]",
    "an antecedent that comes later": "UPDATE antecedents SET antecedent = 99",
    "a negative antecedent": "UPDATE antecedents SET antecedent = -1",
    "an antecedent of no mention": "UPDATE antecedents SET mention = 99, antecedent = 99",
    "antecedents that do not sum to one": "UPDATE antecedents SET probability = 0.1",
    "an antecedent that is improbable beyond measure": "UPDATE antecedents SET probability = 'nan'",
    "no samples": "UPDATE clusterings SET samples = ''::BLOB",
    "half a sample": "UPDATE clusterings SET samples = '\\x01'::BLOB",
    "no 1-best": "UPDATE clusterings SET best = ''::BLOB",
    "samples of later mentions": "UPDATE clusterings SET samples = repeat('\\xFF', 240)::BLOB",
    "a 1-best of later mentions": "UPDATE clusterings SET best = repeat('\\xFF', 6)::BLOB",
    "evidence of no mention": "UPDATE evidence SET named = 99",
    "evidence before all mentions": "UPDATE evidence SET agent = -1",
    "evidence beyond all probability": "UPDATE evidence SET probability = 2",
    "evidence without bits": "UPDATE evidence SET samples = ''::BLOB",
}

# What only a look at everything finds, and no command trips over.
ELSEWHERE = {
    "no samples are said": "DELETE FROM settings WHERE name = 'samples'",
    "a sentence of no document": "INSERT INTO sentences (document, sentence, words, spaces) VALUES (99999, 0, [], [])",
    "a mention of no document": "INSERT INTO mentions VALUES (99999, 0, 0, 0, 1, 0, [], NULL)",
    "clusterings of no document": "INSERT INTO clusterings VALUES (99999, ''::BLOB, ''::BLOB)",
    "evidence of no document": "INSERT INTO evidence VALUES (99999, 'IRQ', 0, 0, 0.5, repeat('a', 5)::BLOB)",
    "bits that are not the probability": "UPDATE events SET samples = repeat('\\xFF', 5)::BLOB WHERE document = 0",
    "entities that are not the bits": "UPDATE events SET entities = repeat('\\x01', 40)::BLOB WHERE document = 0",
    "bits that are not the evidence": "UPDATE evidence SET samples = repeat('\\xFF', 5)::BLOB WHERE document = 0",
}


def damaged(whole: Path, path: Path, statements: str) -> Path:
    """A copy of a store, after some statements."""
    path.write_bytes(whole.read_bytes())
    with duckdb.connect(path) as connection:
        connection.execute(statements)
    return path


@dataclass(frozen=True)
class _OneTransaction:
    """A store as it is seen inside a transaction: every cursor is the connection that began it."""

    path: Path
    begun: duckdb.DuckDBPyConnection
    settings: Mapping[str, Any]

    @property
    def connection(self) -> Any:
        return self

    def cursor(self) -> Any:
        return nullcontext(self.begun)


@contextmanager
def damaged_for_now(store: EventStore, statements: str) -> Iterator[Store]:
    """An open store after some statements, which are taken back at the end: no file is copied, none opened."""
    store.connection.execute("BEGIN")
    try:
        store.connection.execute(statements)
        yield _OneTransaction(store.path, store.connection, store.settings)
    finally:
        store.connection.execute("ROLLBACK")


def of_document(statement: str, number: int = 0) -> str:
    """A statement of `DOCUMENT_TABLES`, for one document only."""
    return f"{statement}{' AND' if ' WHERE ' in statement else ' WHERE'} document = {number}"


def ruined_store(path: Path) -> Path:
    """A store of as many documents as there are ways to damage one, each damaged in its own way."""
    write_store(path, [hussein_document(number) for number in range(len(OF_DOCUMENTS))]).close()
    with duckdb.connect(path) as connection:
        for number, statement in enumerate(OF_DOCUMENTS.values()):
            connection.execute(of_document(statement, number))
    return path


def whole_store(path: Path) -> Path:
    """A store of 20 made-up documents with 40 samples, some left out."""
    store_file(path, documents=20, samples=40, names=[["IRQ", "Iraq"]])
    return path
