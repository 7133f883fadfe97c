"""The probabilities of several classes per row: where they stand in columns, lists or mappings, and their matrix."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.data.predictions.selection import Selection, codes_sql, label_counts
from howsure.data.tables.columns import Column
from howsure.data.tables.database import Connection, NullFound, batches, chunks
from howsure.data.tables.table import Table
from howsure.data.tables.where import ALL
from howsure.errors import GIVEN, InputError, parameter, shown, way
from howsure.inputs.classes import (
    LOG_PROBABILITIES,
    LOGITS,
    class_positions,
    first_fault,
    first_fault_in_scores,
    softmax,
)
from howsure.inputs.naming import natural_order, shortened
from howsure.inputs.numbers import comma_advice
from howsure.inputs.pairs import Floats, Integers

# Probabilities given by class name, as in {"0": 0.7, "1": 0.3}, as lists in the order of the names.


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
        choice = " or ".join(parameter("pos_label", key) for key in keys)
        raise InputError(
            f"{label.name} holds shares of {' and '.join(map(repr, keys))}. Say which is positive: {choice}."
        )
    return (keys[0], keys[1]), chosen


# Where the probabilities of a row stand: one number, several columns, or a column of lists; perhaps on a log scale.

ONE, SEVERAL, LISTS = "one", "several", "lists"
VERBALISED = "verbalised"
SOURCES = ("prob", "probs", "probs_column", LOGITS, LOG_PROBABILITIES, VERBALISED)
ONE_COLUMN = ", ".join(way(one, "COL") for one in ("prob", "probs_column", LOGITS, LOG_PROBABILITIES, "verbalised"))
WAYS = f"{ONE_COLUMN} or {way('probs', ['COL', 'COL', GIVEN])}"


@dataclass(frozen=True, slots=True)
class Source:
    """The columns of probabilities, the parameter that names them, and on which scale they are (None: as they are)."""

    role: str
    names: tuple[str, ...]
    kind: str
    scale: str | None = None
    columns: tuple[Column, ...] = ()

    @property
    def shown(self) -> str | list[str]:
        """The names as the user gave them."""
        return list(self.names) if self.kind == SEVERAL else self.names[0]

    def found(self, table: Table, only: str) -> Source:
        """The source with its columns; of logits, whether the one column holds lists."""
        columns = tuple(table.columns[name] for name in self.names)
        if self.kind != LISTS:
            return replace(self, columns=columns)
        column = with_keys(table, columns[0], only)
        lists = self.role == "probs_column" or holds_lists(table, column, only)
        return replace(self, kind=LISTS if lists else ONE, columns=(column,))


def source_of(**given: str | Sequence[str] | None) -> Source:
    """The source that parameters name: those of SOURCES.

    Raises InputError if it is not exactly one, or a column is named twice.
    """
    named = {role: names for role, names in given.items() if names is not None}
    if len(named) != 1:
        raise InputError(f"name the probability in one way: {WAYS}.")
    ((role, names),) = named.items()
    scale = role if role in (LOGITS, LOG_PROBABILITIES) else None
    listed = (names,) if isinstance(names, str) else tuple(names)
    kind = ONE if role in ("prob", VERBALISED) else SEVERAL if role == "probs" or len(listed) > 1 else LISTS
    if kind == SEVERAL and len(set(listed)) != max(2, len(listed)):
        raise InputError(f"{role}=[...] must name two columns or more, each once; it names {shortened(listed)}.")
    return Source(role, listed, kind, scale)


# The probabilities of several classes per row, from several columns or from a column of lists, as pairs.


def class_matrix(selection: Selection, columns: Sequence[Column], *, lists: bool, ragged: bool = False) -> Floats:
    """The probabilities (n, K) of the used rows, from K columns of numbers or from one column of lists.

    `ragged` lists may differ in length: what a row has no class for has the probability 0.
    """
    connection, n = selection.table.connection, selection.n
    try:
        if lists:
            return _from_lists(connection, selection, columns[0], n, ragged=ragged)
        return _from_columns(connection, selection, columns, n)
    except NullFound:
        raise _no_numbers(selection, columns, lists=lists) from None


def class_labels(
    selection: Selection, label: Column, classes: Sequence[str] | None, k: int
) -> tuple[Integers, tuple[str, ...]]:
    """Which of the k classes is the label of each used row, and the names of the classes."""
    labels = tuple(label_counts(selection, label, limit=selection.n))
    names = None if classes is None else tuple(classes)
    positions, names = class_positions(labels, names, k, name=label.name)
    query = selection.query([codes_sql(selection.table.connection, label.text, labels)])
    parts = [codes for (codes,) in chunks(selection.table.connection, query, [np.int64])]
    return positions[np.concatenate(parts)], names


def class_shares(
    selection: Selection, label: Column, classes: Sequence[str] | None, k: int
) -> tuple[Floats, tuple[str, ...]]:
    """The share (n, K) of each of the k classes in the label of each row, and their names.

    Raises InputError if the label names other classes, or a row is no distribution over them.
    """
    numbered = tuple(str(index) for index in range(k))
    names = numbered if classes is None else tuple(classes)
    if label.keys:
        if sorted(label.keys) != sorted(names):
            held, wanted = (shortened(map(repr, some)) for some in (label.keys, names))
            advice = (
                f" Say which classes they are, in order: {parameter('classes', ['A', 'B', 'C'])}."
                if classes is None
                else ""
            )
            raise InputError(
                f"{label.name} must name the classes of the probabilities, {wanted}; it names {held}.{advice}"
            )
        label = replace(label, keys=names)
    shares = class_matrix(selection, [label], lists=True)
    if shares.shape[1] != k:
        raise InputError(f"{label.name} must hold the shares of {k} classes; it holds {shares.shape[1]}.")
    fault = first_fault(shares, names)
    if fault is not None:
        place, _ = selection.table.place(selection.where, skip=fault[0])
        what = fault[1].partition(". ")[0]
        raise InputError(
            f"{label.name} must hold the share of annotators for each class; {place} {what}. Divide counts by the "
            "number of annotators."
        )
    return shares, names


def as_probabilities(
    selection: Selection, matrix: Floats, names: tuple[str, ...], what: str, scale: str | None
) -> Floats:
    """The rows as distributions over the classes: as they are, or from logits or log-probabilities.

    Raises InputError at the first row that is none.
    """
    fault = first_fault(matrix, names, scales=way) if scale is None else first_fault_in_scores(matrix, names, scale)
    if fault is not None:
        place, _ = selection.table.place(selection.where, skip=fault[0])
        held = {None: "the probabilities", LOGITS: "the logits", LOG_PROBABILITIES: "log-probabilities"}[scale]
        raise InputError(f"{what} must hold {held} of the classes; {place} {fault[1]}")
    return matrix if scale is None else softmax(matrix)


def _from_columns(connection: Connection, selection: Selection, columns: Sequence[Column], n: int) -> Floats:
    matrix, start = np.empty((n, len(columns))), 0
    query = selection.query([column.number for column in columns])
    rows = max(1, (1 << 22) // len(columns))
    for arrays in chunks(connection, query, [np.float64] * len(columns), rows=rows):
        stop = start + len(arrays[0])
        for position, array in enumerate(arrays):
            matrix[start:stop, position] = array
        start = stop
    return matrix


def _from_lists(connection: Connection, selection: Selection, column: Column, n: int, *, ragged: bool) -> Floats:
    matrix, start = np.empty((0, 0)), 0
    if ragged:
        ((k,),) = selection.ask(f"max(len({column.numbers}))")
        matrix = np.zeros((n, int(str(k or 0))))
    for lengths, values in _list_batches(connection, selection.query([column.numbers])):
        if start == 0 and not ragged:
            matrix = np.empty((n, int(lengths[0])))
        k = matrix.shape[1]
        if not ragged and not bool((lengths == k).all()):
            raise _unequal(selection, column, k)
        matrix[start : start + len(lengths)][np.arange(k) < lengths[:, None]] = values
        start += len(lengths)
    if matrix.shape[1] < 2:
        raise InputError(f"{column.name} must hold lists of two numbers or more; they have length {matrix.shape[1]}.")
    return matrix


def _list_batches(connection: Connection, query: str) -> Iterator[tuple[Any, Any]]:
    """The lengths of the lists and their concatenated values, one batch at a time; valid until the next one."""
    for batch in batches(connection, query):
        lists = batch.child(0)
        values = lists.child(0)
        if lists.null_count or values.null_count:
            raise NullFound
        offsets = np.asarray(lists.buffer(1))[: batch.length + 1]
        yield np.diff(offsets), np.asarray(values.buffer(1))[offsets[0] : offsets[-1]]


def _no_numbers(selection: Selection, columns: Sequence[Column], *, lists: bool) -> InputError:
    for column in columns:
        value = column.numbers if lists else column.number
        condition = f"{value} IS NULL" + (f" OR list_count({value}) < len({value})" if lists else "")
        if selection.has(f"({condition})"):
            place, held = selection.place(f"({condition})", column.text)
            wanted = "lists of numbers" if lists else "numbers"
            advice = "" if lists else comma_advice(str(held))
            return InputError(f"{column.name} must hold {wanted}; {place} holds {held!r}. {advice}".rstrip())
    return InputError(f"{shortened(column.name for column in columns)}: the values changed while they were read.")


def _unequal(selection: Selection, column: Column, k: int) -> InputError:
    place, length = selection.place(f"len({column.numbers}) <> {k}", f"len({column.numbers})")
    return InputError(f"{column.name} must hold lists of the same length; the first has {k}, {place} has {length}.")
