"""The rules for the tables of a store, as queries: columns, references, ranges and lengths.

The small tables, on which all counts are based, are checked whenever a store is opened; those of the documents when a
document is read; all of them by `howsure.events.store.check_store.check_store`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from howsure.events.store.arrow import types_of
from howsure.events.store.origin import is_imported
from howsure.events.store.reading import Store, rows_of
from howsure.events.store.schema import LABEL_TABLES, TABLES, tables_of
from howsure.inputs.naming import counted, shortened

AT_OPENING = ("documents", "left_out", "stories", "events")
OF_LABELS = tuple(LABEL_TABLES)
OF_DOCUMENTS = ("sentences", "mentions", "antecedents", "clusterings", "evidence")
KNOWN_DATE = "isfinite(t.date) AND t.date BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"
ABSENT, ORPHANS = "d.document IS NULL", "document must be one of the table documents"
PROBABILITY = "NOT t.probability BETWEEN 0 AND 1", "probability must lie in [0, 1]"
BITS = "octet_length(t.samples) <> (CAST($samples AS BIGINT) + 7) // 8", "samples must hold one bit per sample"

# By table: what is wrong with a row t of a document d (mentions: in a sentence s), and the rule that it breaks.
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
        ("octet_length(t.entities) <> CAST($samples AS BIGINT)", "entities must hold a byte a sample"),
        ("t.best_entities < 0", "best_entities must be 0 or more"),
        ("t.best <> (t.best_entities > 0)", "best must be true where best_entities is above 0, and only there"),
    ),
    "sentences": (
        (ABSENT, ORPHANS),
        ("len(t.words) <> len(t.spaces)", "words and spaces must have one length"),
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
        ("octet_length(t.best) <> 2::HUGEINT * d.mentions", "best must hold two bytes per mention"),
        (
            "octet_length(t.samples) <> 2::HUGEINT * d.mentions * CAST($samples AS BIGINT)",
            "samples must hold two bytes per mention and sample",
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
        ("NOT (t.inclusion > 0 AND t.inclusion <= 1)", "inclusion must lie above 0, and be at most 1"),
    ),
    "answers": (
        (ABSENT, ORPHANS),
        ("t.document NOT IN (SELECT document FROM label_sample)", "document must be one of the table label_sample"),
        ("t.entry < 1 OR t.revision < 1", "entry and revision must be 1 or more"),
        ("t.coder = ''", "coder must be a name"),
        ("list_count(t.acting) < len(t.acting)", "acting must be codes"),
        ("t.unclear AND coalesce(len(t.acting), 1) > 0", "acting must be empty where the text is unclear"),
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
# By table: which documents are wrong as a whole, and the rule that they break. {of} chooses among the documents.
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
            "SELECT document FROM (FROM documents {of}) d LEFT JOIN (SELECT document, count(*) AS n, "
            "count(DISTINCT mention) AS k, max(mention) AS last, min(mention) AS first FROM mentions {of} "
            "GROUP BY document) USING (document) "
            "WHERE coalesce(n, 0) <> d.mentions OR k < n OR last >= n OR first <> 0",
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
OF = "WHERE document IN (SELECT unnest($documents))"


@dataclass(frozen=True, slots=True)
class Damage:
    """A rule violated by a table: the number of rows (None: the table as a whole), and the first document if known."""

    table: str
    rule: str
    rows: int | None = None
    document: int | None = None

    def __str__(self) -> str:
        where = "" if self.document is None else f", the first of document {self.document}"
        told = "" if self.rows is None else f" ({counted(self.rows, 'row')}{where})"
        return f"table {self.table}: {self.rule}{told}"


def schema_damage(store: Store) -> Iterator[Damage]:
    """Errors in the tables themselves: columns that are missing, of another type, or computed; functions."""
    tables = (
        "SELECT table_name, sql FROM system.main.duckdb_tables() "  # in full: a macro of the store may have its name
        "WHERE schema_name = 'main' AND NOT internal AND NOT temporary"
    )
    held = dict(rows_of(store, tables))
    columns: dict[str, dict[str, str]] = {}
    listed = "SELECT table_name, column_name, data_type FROM system.main.duckdb_columns() WHERE schema_name = 'main'"
    for table, column, kind in rows_of(store, listed):
        columns.setdefault(table, {})[column] = kind
    for table in tables_of(store.settings.get("version")):
        if table not in held:
            yield Damage(table, "it is missing")
            continue
        for column, kind in types_of(table).items():
            found = columns[table].get(column)
            if found is None:
                yield Damage(table, f"column {column} is missing")
            elif found != kind:
                yield Damage(table, f"column {column} must be of type {kind}; it is {found}")
        if "GENERATED ALWAYS" in held[table]:
            yield Damage(table, "a column is computed, and not stored")
    own = rows_of(store, "SELECT DISTINCT function_name FROM system.main.duckdb_functions() WHERE NOT internal")
    if own:
        yield Damage("settings", f"a store has no functions of its own; it has {shortened([name for (name,) in own])}")


def small_tables(store: Store) -> tuple[str, ...]:
    """The tables that are checked when a store is opened: those that counts are based on, and its labels."""
    return AT_OPENING if OF_LABELS[0] not in tables_of(store.settings.get("version")) else (*AT_OPENING, *OF_LABELS)


def table_damage(store: Store, tables: Iterable[str], *, documents: Collection[int] | None = None) -> Iterator[Damage]:
    """The rules violated by tables, in all their rows or in those of some documents."""
    given = {} if documents is None else {"documents": list(documents)}
    asked = tuple(tables)
    each = " UNION ALL ".join(f"(SELECT '{table}' FROM {table} LIMIT 1)" for table in asked)
    filled = {table for (table,) in rows_of(store, each)}
    for table in asked:
        if table in filled:  # otherwise no row breaks a rule
            yield from _broken_rows(store, table, given)
        required = table in filled or table in OF_DOCUMENTS  # of which a document may lack rows
        for query, rule in [*(_keys(table) if table in filled else []), *(_wholes(store, table) if required else [])]:
            tally = f"SELECT count(*), min(document) FROM ({query.format(of=OF if given else '')})"
            ((n, first),) = rows_of(store, tally, **given)
            if n:
                yield Damage(table, rule, n, first)


def _broken_rows(store: Store, table: str, given: dict[str, list[int]]) -> Iterator[Damage]:
    missing = [(f"t.{column} IS NULL", f"{column} must not be missing") for column in _required(table)]
    rules = [*missing, *RULES[table]]
    document = "t.document" if "document" in types_of(table) else "NULL::BIGINT"
    counts = ", ".join(f"count(*) FILTER ({wrong}), min({document}) FILTER ({wrong})" for wrong, _ in rules)
    joined = f" LEFT JOIN documents d ON d.document = {document}" if "d." in counts else ""
    query, parameters = f"SELECT {counts} FROM {table} t{joined}", dict[str, Any](given)
    if table == "mentions":
        query += " LEFT JOIN sentences s ON s.document = t.document AND s.sentence = t.sentence"
    if "$samples" in counts:
        parameters["samples"] = store.settings.get("samples")  # where it is not said, no length is right or wrong
    if given:
        query += " WHERE t.document IN (SELECT unnest($documents))"
    (found,) = rows_of(store, query, **parameters)
    for (_, rule), n, first in zip(rules, found[::2], found[1::2], strict=True):
        if n:
            yield Damage(table, rule, n, first)


def _wholes(store: Store, table: str) -> tuple[tuple[str, str], ...]:
    """The rules for the documents as a whole; of imported events, no clusterings are known."""
    return () if table == "clusterings" and is_imported(store.settings) else WHOLES.get(table, ())


def _keys(table: str) -> list[tuple[str, str]]:
    if table not in KEYS:
        return []
    key = KEYS[table]
    one = "any_value(document)" if "document" in types_of(table) else "NULL::BIGINT"
    query = f"SELECT {one} AS document FROM {table} {{of}} GROUP BY {key} HAVING count(*) > 1"
    return [(query, f"there must be one row a {key.replace(', ', ' and ')}")]


def _required(table: str) -> list[str]:
    lines = [line.strip() for line in TABLES[table].strip().splitlines()]
    return [line.split()[0] for line in lines if "NOT NULL" in line or "PRIMARY KEY" in line]
