"""Probabilities given by class name, as in {"0": 0.7, "1": 0.3}, as lists in the order of the names."""

from __future__ import annotations

from dataclasses import replace

from howsure.data.tables.columns import Column
from howsure.data.tables.conditions import ALL
from howsure.data.tables.table import Table
from howsure.errors import InputError
from howsure.inputs.naming import natural_order


def with_keys(table: Table, column: Column, only: str = ALL) -> Column:
    """The column, and if its first value is a JSON object (in Parquet a STRUCT or MAP), the names in it, in order.

    `only` says in SQL which rows are wanted.

    Raises InputError at the first row with other names.
    """
    if not (column.is_text or column.type.startswith(("STRUCT", "MAP"))):
        return column
    json = column.json
    found = table.ask(f"json_keys({json})", rest=f"WHERE {only} AND {column.sql} IS NOT NULL LIMIT 1")
    names = found[0][0] if found else None
    if not isinstance(names, list) or not names:
        return column
    keyed = replace(column, keys=tuple(sorted(set(map(str, names)), key=natural_order)))
    other = f"{only} AND {column.sql} IS NOT NULL AND NOT coalesce({keyed.has_keys}, FALSE)"
    if table.ask("1", rest=f"WHERE {other} LIMIT 1"):
        place, held = table.place(other, column.text)
        listed = ", ".join(map(repr, keyed.keys))
        raise InputError(
            f"{column.name} must hold the same names in every row, {listed} as in the first; {place} holds "
            f"{held!r:.200}. A class without votes has a probability of 0: write it."
        )
    return keyed


def holds_lists(table: Table, column: Column, only: str = ALL) -> bool:
    """Whether the first value that is there is a list with numbers, or a text that spells one; [invalid] is a text."""
    there = f"WHERE {only} AND {column.sql} IS NOT NULL LIMIT 1"
    found = table.ask(f"coalesce(list_count({column.numbers}), 0) > 0", rest=there)
    return bool(found and found[0][0]) and not column.is_number
