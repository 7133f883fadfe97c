"""Probabilities given by class name, as in {"0": 0.7, "1": 0.3}, as lists in the order of the names."""

from __future__ import annotations

from dataclasses import replace

from howsure.data.tables.columns import Column
from howsure.data.tables.conditions import ALL
from howsure.data.tables.table import Table
from howsure.errors import GIVEN, InputError, parameter, shown, way
from howsure.inputs.naming import natural_order, shortened


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
            f"{shown(held)}. A class without votes has a probability of 0: write it."
        )
    return keyed


def holds_lists(table: Table, column: Column, only: str = ALL) -> bool:
    """Whether the first value that is there is a list with numbers, or a text that spells one; [invalid] is a text."""
    there = f"WHERE {only} AND {column.sql} IS NOT NULL LIMIT 1"
    found = table.ask(f"coalesce(list_count({column.numbers}), 0) > 0", rest=there)
    return bool(found and found[0][0]) and not column.is_number


def is_soft(table: Table, label: Column, only: str = ALL) -> bool:
    """Whether a column of labels holds distributions over classes: by name, or as lists of numbers."""
    return bool(label.keys) or (not label.is_number and label.type != "BOOLEAN" and holds_lists(table, label, only))


def label_of(table: Table, column: Column, only: str, *, soft: bool) -> Column:
    """The column of labels, with the names of the classes if it holds shares of them.

    Raises InputError if it does, and labels must not be `soft`.
    """
    label = with_keys(table, column, only)
    if soft or not is_soft(table, label, only):
        return label
    raise InputError(
        f"{column.name} holds distributions over classes; `howsure calibration` and `howsure significance` read such "
        "labels. Here, name a column with one label per row."
    )


def two_classes(label: Column, positive: str | None) -> tuple[tuple[str, str], str]:
    """The two classes of soft labels beside one probability, and which of them it is that of.

    Raises InputError if there are more, or it is unclear which is meant.
    """
    keys = label.keys or ("0", "1")
    chosen = "1" if positive is None and sorted(keys) == ["0", "1"] else positive
    if len(keys) != 2:
        raise InputError(
            f"{label.name} holds shares of {len(keys)} classes, {shortened(map(repr, keys))}; the probability of one "
            f"needs labels of two. Name the probabilities of all: {way('probs_column', 'COL')} or "
            f"{way('probs', ['COL', 'COL', GIVEN])}."
        )
    if chosen not in keys:
        choice = " or ".join(f"{parameter('pos_label', key)}" for key in keys)
        raise InputError(
            f"{label.name} holds shares of {' and '.join(map(repr, keys))}. Say which is positive: {choice}."
        )
    return (keys[0], keys[1]), chosen
