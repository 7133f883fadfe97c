"""The rules for the tables of a store, their checks, and the error for a store that violates them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Integers
from howsure_events.store.store_queries import REMEDY, Store, is_imported, query_rows
from howsure_events.store.tables import LABEL_TABLES, TABLES, column_types

KNOWN_DATE = "isfinite(t.date) AND t.date BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"
ABSENT, ORPHANS = "d.document IS NULL", "document must be one of the table documents"
PROBABILITY = "NOT t.probability BETWEEN 0 AND 1", "probability must be in [0, 1]"
BITS = "octet_length(t.samples) <> (CAST($samples AS BIGINT) + 7) // 8", "samples must contain one bit per sample"


# By table: an SQL condition for an invalid row t (of document d, for mentions also of sentence s), and the rule.
RULES: dict[str, tuple[tuple[str, str], ...]] = {
    "documents": (
        ("t.document < 0", "document must be 0 or more"),
        (f"NOT ({KNOWN_DATE})", "date must be a day of the years 1 to 9999"),
        ("t.words < 0", "words must be 0 or more"),
        ("t.mentions < 0", "mentions must be 0 or more"),
    ),
    "left_out": (
        ("t.document < 0", "document must be 0 or more"),
        (f"t.date IS NOT NULL AND NOT ({KNOWN_DATE})", "date must be a day of the years 1 to 9999"),
        ("d.document IS NOT NULL", "document must not be one of the table documents"),
    ),
    "stories": ((ABSENT, ORPHANS), ("t.story < 0", "story must be 0 or more")),
    "events": (
        (ABSENT, ORPHANS),
        PROBABILITY,
        BITS,
        ("octet_length(t.entities) <> CAST($samples AS BIGINT)", "entities must contain one byte per sample"),
        ("t.best_entities < 0", "best_entities must be 0 or more"),
        ("t.best <> (t.best_entities > 0)", "best must be true where best_entities is above 0, and only there"),
    ),
    "sentences": (
        (ABSENT, ORPHANS),
        ("len(t.words) <> len(t.spaces)", "words and spaces must have equal lengths"),
        ("list_count(t.words) < len(t.words) OR list_count(t.spaces) < len(t.spaces)", "words and spaces have no gaps"),
        (
            " OR ".join(
                f"(t.{layer} IS NOT NULL AND len(t.{layer}) <> len(t.words))"
                for layer in ("lemmas", "tags", "universal_tags", "features", "heads", "relations")
            ),
            "each layer of the parse must have one value per word",
        ),
        ("list_min(t.heads) < -1 OR list_max(t.heads) >= len(t.words)", "heads must be words of the sentence, or -1"),
    ),
    "mentions": (
        (ABSENT, ORPHANS),
        ("s.document IS NULL", "sentence must be one of the document's"),
        (
            "NOT (0 <= t.start AND t.start <= t.head AND t.head < t.stop AND t.stop <= len(s.words))",
            "start, head and stop must be words of the sentence, in this order",
        ),
        ("NOT t.verb BETWEEN 0 AND len(s.words) - 1", "verb must be a word of the sentence"),
        ("list_count(t.actors) < len(t.actors)", "actors must be codes"),
    ),
    "antecedents": (
        (ABSENT, ORPHANS),
        (
            "NOT (0 <= t.antecedent AND t.antecedent <= t.mention AND t.mention < d.mentions)",
            "antecedent must be an earlier mention, or the mention itself",
        ),
        PROBABILITY,
    ),
    "clusterings": (
        (ABSENT, ORPHANS),
        ("d.mentions = 0", "its document must have mentions"),
        ("octet_length(t.best) <> 2::HUGEINT * d.mentions", "best must contain two bytes per mention"),
        (
            "octet_length(t.samples) <> 2::HUGEINT * d.mentions * CAST($samples AS BIGINT)",
            "samples must contain two bytes per mention and sample",
        ),
    ),
    "evidence": (
        (ABSENT, ORPHANS),
        (
            "NOT (t.named BETWEEN 0 AND d.mentions - 1 AND t.agent BETWEEN 0 AND d.mentions - 1)",
            "named and agent must be mentions of the document",
        ),
        PROBABILITY,
        BITS,
    ),
    "label_draw": (("t.draw < 1", "draw must be 1 or more"),),
    "label_strata": ((ABSENT, ORPHANS),),
    "label_sample": (
        (ABSENT, ORPHANS),
        ("t.draw NOT IN (SELECT draw FROM label_draw)", "draw must be one of the table label_draw"),
        ("t.position < 1", "position must be 1 or more"),
        ("NOT (t.inclusion > 0 AND t.inclusion <= 1)", "inclusion must be greater than 0 and at most 1"),
    ),
    "answers": (
        (ABSENT, ORPHANS),
        ("t.document NOT IN (SELECT document FROM label_sample)", "document must be one of the table label_sample"),
        ("t.entry < 1 OR t.revision < 1", "entry and revision must be 1 or more"),
        ("t.coder = ''", "coder must be a name"),
        ("list_count(t.acting) < len(t.acting)", "acting must be codes"),
        ("t.unclear AND coalesce(len(t.acting), 1) > 0", "acting must be empty if the text is unclear"),
        ("t.undoes >= t.entry", "undoes must be an earlier entry"),
    ),
}
KEYS = {
    "documents": "document",
    "left_out": "document",
    "stories": "document",
    "antecedents": "document, mention, antecedent",
    "clusterings": "document",
    "events": "document, actor",
    "label_draw": "draw",
    "label_strata": "document",
    "label_sample": "document",
}


# By table: an SQL query for documents that violate a rule about several rows, and the rule. {of} selects documents.
WHOLES: dict[str, tuple[tuple[str, str], ...]] = {
    "documents": (
        (
            "SELECT any_value(document) AS document FROM documents {of} GROUP BY id HAVING count(*) > 1",
            "id must be unique",
        ),
    ),
    "stories": (
        (
            "SELECT document FROM (FROM stories {of}) WHERE story NOT IN (SELECT document FROM documents)",
            "story must be one of the table documents",
        ),
    ),
    "sentences": (
        (
            "SELECT document FROM sentences {of} GROUP BY document "
            "HAVING min(sentence) <> 0 OR max(sentence) >= count(*) OR count(DISTINCT sentence) < count(*)",
            "sentences must be numbered from 0",
        ),
    ),
    "mentions": (
        (
            "SELECT document FROM (FROM documents {of}) d LEFT JOIN (SELECT document, count(*) AS n, count(DISTINCT "
            "mention) AS k, max(mention) AS last, min(mention) AS first FROM mentions {of} GROUP BY document) USING "
            "(document) WHERE coalesce(n, 0) <> d.mentions OR k < n OR last >= n OR first <> 0",
            "mentions must be numbered from 0, as many as the table documents says",
        ),
    ),
    "antecedents": (
        (
            "SELECT document FROM antecedents {of} GROUP BY document, mention HAVING abs(sum(probability) - 1) > 1e-6",
            "the probabilities of a mention must sum to 1",
        ),
        (
            "SELECT document FROM (FROM clusterings {of}) JOIN documents d USING (document) LEFT JOIN "
            "(SELECT document, count(DISTINCT mention) AS n FROM antecedents {of} GROUP BY document) USING (document) "
            "WHERE coalesce(n, 0) <> d.mentions",
            "every mention of a document with clusterings must have antecedents",
        ),
    ),
    "clusterings": (
        (
            "SELECT DISTINCT document FROM events {of} EXCEPT SELECT document FROM clusterings {of}",
            "a document with an event must have clusterings",
        ),
    ),
    "label_strata": (
        (
            "SELECT document FROM (FROM documents {of}) WHERE document NOT IN (SELECT document FROM label_strata) "
            "AND EXISTS (FROM label_strata)",
            "every document must have a stratum, or none",
        ),
    ),
    "label_sample": (
        (
            "SELECT any_value(document) AS document FROM label_sample {of} GROUP BY position HAVING count(*) > 1",
            "position must be unique",
        ),
    ),
    "answers": (
        (
            "SELECT any_value(document) AS document FROM answers {of} GROUP BY entry HAVING count(*) > 1",
            "entry must be unique",
        ),
    ),
}


# The small tables (events and labels) are checked whenever a store is opened, the tables of documents when a document
# is read, and all tables by `howsure_events.store.check_store.check_store`.

AT_OPENING = ("documents", "left_out", "stories", "events", *LABEL_TABLES)
DOCUMENT_TABLES: tuple[str, ...] = ("sentences", "mentions", "antecedents", "clusterings", "evidence")
DOCUMENT_FILTER = "WHERE document IN (SELECT unnest($documents))"
Documents = dict[str, list[int]]  # the parameter of DOCUMENT_FILTER; empty for all documents


@dataclass(frozen=True, slots=True)
class Damage:
    """A violated rule of a table, the number of invalid rows (None: the table itself), and the first such document."""

    table: str
    rule: str
    rows: int | None = None
    document: int | None = None

    def __str__(self) -> str:
        where = "" if self.document is None else f", the first of document {self.document}"
        rows_text = "" if self.rows is None else f" ({counted(self.rows, 'row')}{where})"
        return f"table {self.table}: {self.rule}{rows_text}"


def schema_damage(store: Store) -> Iterator[Damage]:
    """Yield errors in the schema: missing tables or columns, wrong types, computed columns, and added functions."""
    tables = (
        "SELECT table_name, sql FROM system.main.duckdb_tables() "  # in full: a macro of the store may have its name
        "WHERE schema_name = 'main' AND NOT internal AND NOT temporary"
    )
    kinds_by_table = dict(query_rows(store, tables))
    columns = _columns(store, [table for table in TABLES if table in kinds_by_table])
    for table in TABLES:
        if table not in kinds_by_table:
            yield Damage(table, "it is missing")
            continue
        for column, kind in column_types(table).items():
            column_kind = columns[table].get(column)
            if column_kind is None:
                yield Damage(table, f"column {column} is missing")
            elif column_kind != kind:
                yield Damage(table, f"column {column} must be of type {kind}; it is {column_kind}")
        if "GENERATED ALWAYS" in kinds_by_table[table]:
            yield Damage(table, "a column is computed, and not stored")
    own_functions = query_rows(
        store, "SELECT DISTINCT function_name FROM system.main.duckdb_functions() WHERE NOT internal"
    )
    if own_functions:
        yield Damage(
            "settings", f"a store has no functions of its own; it has {shortened([name for (name,) in own_functions])}"
        )


def _columns(store: Store, tables: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the column types of tables. DuckDB's list of all columns is not used, since it binds every view first."""
    each = (f"SELECT '{table}', name, type FROM system.main.pragma_table_info('main.{table}')" for table in tables)
    columns: dict[str, dict[str, str]] = {table: {} for table in tables}
    for table, column, kind in query_rows(store, " UNION ALL ".join(each)) if tables else ():
        columns[table][column] = kind
    return columns


def table_damage(store: Store, tables: Iterable[str], *, documents: Collection[int] | None = None) -> Iterator[Damage]:
    """Yield the rules that tables violate, in all their rows or in the rows of some documents."""
    parameters = {} if documents is None else {"documents": list(documents)}
    names = tuple(tables)
    filled = _filled(store, names)
    for table in names:
        if _keeps_its_rules(store, table, filled, parameters):
            continue
        if table in filled:  # otherwise no row breaks a rule
            yield from _broken_rows(store, table, parameters)
        for query, rule in _questions(store, table, filled, parameters):
            ((n, first),) = query_rows(store, f"SELECT count(*), min(document) FROM ({query})", **parameters)
            if n:
                yield Damage(table, rule, n, first)


def _filled(store: Store, tables: Sequence[str]) -> set[str]:
    each = " UNION ALL ".join(f"(SELECT '{table}' FROM {table} LIMIT 1)" for table in tables)
    return {table for (table,) in query_rows(store, each)}


def _keeps_its_rules(store: Store, table: str, filled: Set[str], documents: Documents) -> bool:
    """Return whether a table violates no rule, with a single fast query that counts nothing."""
    parts = [f"({query})" for query, _ in _questions(store, table, filled, documents)]
    parameters = dict[str, Any](documents)
    if table in filled:
        rows, parameters = _rows(store, table, documents)
        wrong = " OR ".join(f"({wrong})" for wrong, _ in _rules(table))
        parts.append(f"{rows}{' AND' if documents else ' WHERE'} ({wrong})")
    each = " UNION ALL ".join(f"(SELECT 1 FROM {part} LIMIT 1)" for part in parts)
    return not parts or not query_rows(store, each, **parameters)


def _broken_rows(store: Store, table: str, documents: Documents) -> Iterator[Damage]:
    document = "t.document" if "document" in column_types(table) else "NULL::BIGINT"
    rules, (rows, parameters) = _rules(table), _rows(store, table, documents)
    counts = ", ".join(f"count(*) FILTER ({wrong}), min({document}) FILTER ({wrong})" for wrong, _ in rules)
    (results,) = query_rows(store, f"SELECT {counts} FROM {rows}", **parameters)
    for (_, rule), n, first in zip(rules, results[::2], results[1::2], strict=True):
        if n:
            yield Damage(table, rule, n, first)


def _rules(table: str) -> list[tuple[str, str]]:
    missing = [(f"t.{column} IS NULL", f"{column} must not be missing") for column in _required(table)]
    return [*missing, *RULES[table]]


def _rows(store: Store, table: str, documents: Documents) -> tuple[str, dict[str, Any]]:
    """Return the SQL for the rows of a table, joined with documents if rules refer to them, and its parameters."""
    conditions = " ".join(wrong for wrong, _ in RULES[table])
    rows, parameters = f"{table} t", dict[str, Any](documents)
    if "d." in conditions:
        document = "t.document" if "document" in column_types(table) else "NULL::BIGINT"
        rows += f" LEFT JOIN documents d ON d.document = {document}"
    if table == "mentions":
        rows += " LEFT JOIN sentences s ON s.document = t.document AND s.sentence = t.sentence"
    if "$samples" in conditions:
        parameters["samples"] = store.settings.get("samples")  # if this is missing (null), lengths are not checked
    if documents:
        rows += " WHERE t.document IN (SELECT unnest($documents))"
    return rows, parameters


def _questions(store: Store, table: str, filled: Set[str], documents: Documents) -> list[tuple[str, str]]:
    """Return queries for documents that violate rules about keys or several rows, each with its rule."""
    queries = _keys(table) if table in filled else []
    if table in filled or table in DOCUMENT_TABLES:  # of which a document may lack rows
        queries = [*queries, *(() if table == "clusterings" and is_imported(store.settings) else WHOLES.get(table, ()))]
    return [(query.format(of=DOCUMENT_FILTER if documents else ""), rule) for query, rule in queries]


def _keys(table: str) -> list[tuple[str, str]]:
    if table not in KEYS:
        return []
    key = KEYS[table]
    document_column = "any_value(document)" if "document" in column_types(table) else "NULL::BIGINT"
    query = f"SELECT {document_column} AS document FROM {table} {{of}} GROUP BY {key} HAVING count(*) > 1"
    return [(query, f"there must be one row per {key.replace(', ', ' and ')}")]


def _required(table: str) -> list[str]:
    lines = [line.strip() for line in TABLES[table].strip().splitlines()]
    return [line.split()[0] for line in lines if "NOT NULL" in line or "PRIMARY KEY" in line]


State = tuple[tuple[int, ...], ...]
_WHOLE: dict[Path, State] = {}  # stores that this process found undamaged, and the state in which they were checked


class DamagedStoreError(InputError):
    """Error for a store that violates a rule which every extraction follows."""


def store_state(path: Path) -> State:
    """Return a value that changes whenever a store's file changes, or the log (.wal) to which DuckDB writes first."""
    file_states = [file.stat() for file in (path, path.with_name(f"{path.name}.wal")) if file.exists()]
    return tuple(
        (file_state.st_dev, file_state.st_ino, file_state.st_size, file_state.st_mtime_ns, file_state.st_ctime_ns)
        for file_state in file_states
    )


def was_undamaged(path: Path, state: State) -> bool:
    """Return whether this process already found a store undamaged in this state, so it need not be checked again."""
    return _WHOLE.get(path.absolute()) == state


def remember_undamaged(path: Path, state: State) -> None:
    """Remember that a store was found undamaged. state: its state before it was opened."""
    _WHOLE[path.absolute()] = state


def check_opened(store: Store) -> None:
    """Check the schema and the small tables of a store that is being opened."""
    _refuse(chain(schema_damage(store), table_damage(store, AT_OPENING)), store)


def check_complete_input(store: Store) -> None:
    """Raise InputError for a store that contains only a part of its input, whose counts would be too low."""
    part = store.settings.get("part")
    if part is not None:
        raise InputError(
            f"{store.path} contains only part {part['number']} of {part['of']} of its input. Merge all parts with "
            "howsure events merge, and use the merged store."
        )


def check_documents(store: Store, documents: Collection[int], *, tables: Collection[str] = DOCUMENT_TABLES) -> None:
    """Check the rows of some documents, except the numbers within their clusterings.

    tables: the tables to check; by default all tables of documents.
    """
    _refuse(table_damage(store, tables, documents=documents), store)


def check_everything(store: Store) -> None:
    """Check the tables that are not checked on opening, except the numbers within clusterings."""
    _refuse(table_damage(store, DOCUMENT_TABLES), store)


def _refuse(damage: Iterator[Damage], store: Store) -> None:
    first_damage = next(damage, None)
    if first_damage is not None:
        path = getattr(store, "path", "the store")
        raise DamagedStoreError(f"{path} is damaged: {first_damage}. {REMEDY}; howsure events check {path} says more.")


def are_clusterings(labels: Integers) -> bool:
    """Return whether, in all samples (rows), each mention (column) has the number of the first mention of its entity.

    >>> are_clusterings(np.array([[0, 0, 2]])), are_clusterings(np.array([[0, 2, 1]]))
    (True, False)
    """
    n = labels.shape[1]
    if (labels > np.arange(n)).any():
        return False
    return bool((np.take_along_axis(labels, labels, axis=1) == labels).all())
