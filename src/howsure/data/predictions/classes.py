"""The probabilities of several classes per row, from several columns or from a column of lists, as pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure.data.predictions.groups import codes_sql
from howsure.data.predictions.labels import label_counts
from howsure.data.predictions.missing import Selection
from howsure.data.tables.columns import Column
from howsure.data.tables.database import Connection, NullFound, batches, chunks
from howsure.errors import InputError, parameter, way
from howsure.inputs.classes import class_positions, first_fault
from howsure.inputs.log_scale import LOG_PROBABILITIES, LOGITS, first_fault_in_scores, softmax
from howsure.inputs.naming import shortened
from howsure.inputs.numerals import comma_advice
from howsure.inputs.pairs import Floats, Integers


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
    positions, names = class_positions(labels, names, k, name=label.name, option="classes=['A', 'B', 'C']")
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
