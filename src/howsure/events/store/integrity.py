"""Whether the tables of a store keep their rules: the columns, and what `howsure.events.store.integrity_rules` says.

The small tables, on which all counts are based, are checked whenever a store is opened; those of the documents when a
document is read; all of them by `howsure.events.store.check_store.check_store`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from howsure.events.store.arrow import types_of
from howsure.events.store.integrity_rules import KEYS, RULES, WHOLES
from howsure.events.store.origin import is_imported
from howsure.events.store.reading import Store, rows_of
from howsure.events.store.schema import LABEL_TABLES, TABLES, tables_of
from howsure.inputs.naming import counted, shortened

AT_OPENING = ("documents", "left_out", "stories", "events")
OF_LABELS = tuple(LABEL_TABLES)
OF_DOCUMENTS: tuple[str, ...] = ("sentences", "mentions", "antecedents", "clusterings", "evidence")
OF = "WHERE document IN (SELECT unnest($documents))"

Documents = dict[str, list[int]]  # the parameter of OF; empty for all documents


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
    wanted = tables_of(store.settings.get("version"))
    columns = _columns(store, [table for table in wanted if table in held])
    for table in wanted:
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


def _columns(store: Store, tables: Sequence[str]) -> dict[str, dict[str, str]]:
    """The types of the columns of tables; a list of all columns would bind each view of the system first."""
    each = (f"SELECT '{table}', name, type FROM system.main.pragma_table_info('main.{table}')" for table in tables)
    columns: dict[str, dict[str, str]] = {table: {} for table in tables}
    for table, column, kind in rows_of(store, " UNION ALL ".join(each)) if tables else ():
        columns[table][column] = kind
    return columns


def small_tables(store: Store) -> tuple[str, ...]:
    """The tables that are checked when a store is opened: those that counts are based on, and its labels."""
    return AT_OPENING if OF_LABELS[0] not in tables_of(store.settings.get("version")) else (*AT_OPENING, *OF_LABELS)


def table_damage(store: Store, tables: Iterable[str], *, documents: Collection[int] | None = None) -> Iterator[Damage]:
    """The rules violated by tables, in all their rows or in those of some documents."""
    given = {} if documents is None else {"documents": list(documents)}
    asked = tuple(tables)
    filled = _filled(store, asked)
    for table in asked:
        if _keeps_its_rules(store, table, filled, given):
            continue
        if table in filled:  # otherwise no row breaks a rule
            yield from _broken_rows(store, table, given)
        for query, rule in _questions(store, table, filled, given):
            ((n, first),) = rows_of(store, f"SELECT count(*), min(document) FROM ({query})", **given)
            if n:
                yield Damage(table, rule, n, first)


def _filled(store: Store, tables: Sequence[str]) -> set[str]:
    each = " UNION ALL ".join(f"(SELECT '{table}' FROM {table} LIMIT 1)" for table in tables)
    return {table for (table,) in rows_of(store, each)}


def _keeps_its_rules(store: Store, table: str, filled: Set[str], given: Documents) -> bool:
    """Whether no rule is violated: one query, which counts nothing, so that a store without damage is opened soon."""
    parts, parameters = [f"({query})" for query, _ in _questions(store, table, filled, given)], dict[str, Any](given)
    if table in filled:
        rows, parameters = _rows(store, table, given)
        wrong = " OR ".join(f"({wrong})" for wrong, _ in _rules(table))
        parts.append(f"{rows}{' AND' if given else ' WHERE'} ({wrong})")
    each = " UNION ALL ".join(f"(SELECT 1 FROM {part} LIMIT 1)" for part in parts)
    return not parts or not rows_of(store, each, **parameters)


def _broken_rows(store: Store, table: str, given: Documents) -> Iterator[Damage]:
    document = "t.document" if "document" in types_of(table) else "NULL::BIGINT"
    rules, (rows, parameters) = _rules(table), _rows(store, table, given)
    counts = ", ".join(f"count(*) FILTER ({wrong}), min({document}) FILTER ({wrong})" for wrong, _ in rules)
    (found,) = rows_of(store, f"SELECT {counts} FROM {rows}", **parameters)
    for (_, rule), n, first in zip(rules, found[::2], found[1::2], strict=True):
        if n:
            yield Damage(table, rule, n, first)


def _rules(table: str) -> list[tuple[str, str]]:
    missing = [(f"t.{column} IS NULL", f"{column} must not be missing") for column in _required(table)]
    return [*missing, *RULES[table]]


def _rows(store: Store, table: str, given: Documents) -> tuple[str, dict[str, Any]]:
    """What rules say something of: the rows of a table, with their documents if rules name them, and parameters."""
    said = " ".join(wrong for wrong, _ in RULES[table])
    rows, parameters = f"{table} t", dict[str, Any](given)
    if "d." in said:
        document = "t.document" if "document" in types_of(table) else "NULL::BIGINT"
        rows += f" LEFT JOIN documents d ON d.document = {document}"
    if table == "mentions":
        rows += " LEFT JOIN sentences s ON s.document = t.document AND s.sentence = t.sentence"
    if "$samples" in said:
        parameters["samples"] = store.settings.get("samples")  # where it is not said, no length is right or wrong
    if given:
        rows += " WHERE t.document IN (SELECT unnest($documents))"
    return rows, parameters


def _questions(store: Store, table: str, filled: Set[str], given: Documents) -> list[tuple[str, str]]:
    """Queries for the documents that are wrong as a whole, each with the rule that they break."""
    found = _keys(table) if table in filled else []
    if table in filled or table in OF_DOCUMENTS:  # of which a document may lack rows
        found = [*found, *_wholes(store, table)]
    return [(query.format(of=OF if given else ""), rule) for query, rule in found]


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
