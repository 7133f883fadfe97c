"""One column of the used rows in memory: pairs, weights, group codes, cluster codes, all in the order of the files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.groups import codes_sql, enumerated_sql
from howsure.data.predictions.missing import Selection
from howsure.data.predictions.stream import PairStream
from howsure.data.tables.columns import Column
from howsure.data.tables.database import NullFound, chunks, reading
from howsure.data.tables.pooling import apart_by_file
from howsure.errors import InputError
from howsure.inputs.checks import check_clusters, check_weights
from howsure.inputs.pairs import Floats, Integers, Labels

MOST_CODED = 1_000_000  # names that become a type of the database


def load_pairs(stream: PairStream) -> tuple[Floats, Labels]:
    """The probabilities and labels of all pairs of a stream."""
    probabilities, labels = np.empty(stream.selection.n), np.empty(stream.selection.n, np.uint8)
    start = 0
    for some_probabilities, some_labels in stream.chunks():
        stop = start + len(some_labels)
        probabilities[start:stop], labels[start:stop] = some_probabilities, some_labels
        start = stop
    return probabilities, labels


def load_weights(selection: Selection, column: Column) -> Floats:
    """The weights; InputError naming file and row if one is no number, negative or infinite."""
    query = selection.query([column.number])
    try:
        weights: Floats = np.concatenate([part for (part,) in chunks(selection.table.connection, query, [np.float64])])
    except NullFound:
        weights = np.array([math.nan])
    if weights.min() >= 0 and weights.max() < math.inf:
        return check_weights(weights, n=selection.n, name=column.name)
    number = column.number
    bad = f"({number} IS NULL OR NOT ({number} >= 0 AND {number} < CAST('inf' AS DOUBLE)))"
    place, held = selection.place(bad, column.text)
    raise InputError(f"{column.name} must be a weight, finite and not negative; {place} holds {held}.")


def load_groups(selection: Selection, column: Column, names: tuple[str, ...]) -> Integers:
    """The position of each row's group among `names`."""
    connection = selection.table.connection
    query = selection.query([codes_sql(connection, column.text, names)])
    return np.concatenate([codes for (codes,) in chunks(connection, query, [np.int64])])


def load_clusters(selection: Selection, column: Column, *, separate: bool = False) -> Integers:
    """The cluster of each row as a code from 0; if `separate`, equal values of different files are two clusters."""
    codes = _text_codes(selection, column) if column.parts or column.is_text else None
    if codes is None:
        values = load_values(selection, f"{column.sql if column.is_integer else column.text}")
        codes = check_clusters(values, n=selection.n, name=column.name)
    return apart_by_file(selection, codes) if separate else codes


def _text_codes(selection: Selection, column: Column) -> Integers | None:
    """The position of each row's text among all of them, in order; None where they are too many for a type of names.

    The database codes them: as objects of Python, long keys of many rows take seconds.
    """
    (count,) = selection.ask(f"approx_count_distinct({column.text})")[0]
    if int(str(count)) > MOST_CODED:
        return None
    connection = selection.table.connection
    query = selection.query([enumerated_sql(selection, column)])
    return np.concatenate([codes for (codes,) in chunks(connection, query, [np.int64])])


def load_values(selection: Selection, sql: str) -> npt.NDArray[Any]:
    """An expression of each used row, in the order of the files."""
    with reading(selection.table.name):
        return np.asarray(selection.table.connection.sql(selection.query([f"{sql} AS value"])).fetchnumpy()["value"])
