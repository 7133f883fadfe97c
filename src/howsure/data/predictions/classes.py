"""The probabilities of several classes per row, from columns, lists or mappings, as pairs; labels that are shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.data.predictions.predictions import ClassRows, PairStream, Predictions, extras
from howsure.data.predictions.selection import Selection, codes_sql, group_sizes, label_counts
from howsure.data.tables.columns import Column
from howsure.data.tables.database import Connection, NullFound, batches, chunks, identifier, reading
from howsure.data.tables.table import Table
from howsure.errors import GIVEN, ColumnName, Fault, InputError, parameter, shown, way
from howsure.inputs.classes import (
    CLASS_WISE,
    LOG_PROBABILITIES,
    LOGITS,
    TOP_LABEL,
    class_positions,
    first_fault,
    first_fault_in_scores,
    reduced,
    softly_reduced,
    softmax,
    tied_rows,
)
from howsure.inputs.naming import shortened
from howsure.inputs.numbers import comma_advice
from howsure.inputs.pairs import Floats, Integers

if TYPE_CHECKING:
    from howsure.data.predictions.open_predictions import ProbabilityColumns


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
            name = ColumnName(column.name, "y_prob")
            return InputError(Fault(name, f"must hold {wanted}", repr(held), place=place, advice=advice))
    return InputError(f"{shortened(column.name for column in columns)}: the values changed while they were read.")


def _unequal(selection: Selection, column: Column, k: int) -> InputError:
    place, length = selection.place(f"len({column.numbers}) <> {k}", f"len({column.numbers})")
    return InputError(f"{column.name} must hold lists of the same length; the first has {k}, {place} has {length}.")


def several_classes(
    selection: Selection,
    columns: dict[str, Column],
    source: ProbabilityColumns,
    names: dict[str, Any],
    notes: dict[str, Any],
    reduce: str,
    classes: Sequence[str] | None,
    *,
    ragged: bool,
    keep_classes: bool = False,
    soft: bool = False,
) -> Predictions:
    """The predictions of several classes per row, reduced to pairs; rows of different numbers of them if `ragged`. With
    `keep_classes`, they are kept as they were, too; labels may be shares of classes where they may be `soft`."""
    matrix = class_matrix(selection, source.columns, lists=source.is_lists, ragged=ragged)
    shown = shortened(column.name for column in source.columns)
    if soft:
        names_of = tuple(classes) if classes is not None else tuple(str(one) for one in range(matrix.shape[1]))
        matrix = as_probabilities(selection, matrix, names_of, shown, source.scale)
        return _soft(selection, columns, matrix, names, notes, reduce, classes)
    codes, class_names = class_labels(selection, columns["label"], classes, matrix.shape[1])
    rows = ClassRows(matrix, source.scale, codes, class_names) if keep_classes else None
    matrix = as_probabilities(selection, matrix, class_names, shown, source.scale)
    sizes = {} if "group" not in columns else group_sizes(selection, columns["group"])
    weights, groups, group_names, clusters = extras(selection, columns, tuple(sizes), notes)
    pairs = reduced(codes, matrix, class_names, reduce=reduce, weights=weights, clusters=clusters)
    if reduce == CLASS_WISE:
        sizes = dict.fromkeys(class_names, selection.n)
    else:
        pairs = replace(pairs, groups=groups, group_names=group_names)
    notes |= {"reduce": reduce, "classes": list(class_names)}
    if reduce == TOP_LABEL:
        notes["ties"] = tied_rows(matrix)
    return Predictions(len(pairs), names, sizes, selection, lambda: pairs, None, notes, class_rows=rows)


def _soft(
    selection: Selection,
    columns: dict[str, Column],
    matrix: Floats,
    names: dict[str, Any],
    notes: dict[str, Any],
    reduce: str,
    classes: Sequence[str] | None,
) -> Predictions:
    shares, class_names = class_shares(selection, columns["label"], classes, matrix.shape[1])
    sizes = {} if "group" not in columns else group_sizes(selection, columns["group"])
    weights, groups, group_names, clusters = extras(selection, columns, tuple(sizes), notes)
    pairs = softly_reduced(
        shares, matrix, class_names, reduce=reduce, weights=weights, groups=groups, group_names=group_names,
        clusters=clusters,
    )  # fmt: skip
    if reduce == CLASS_WISE:
        sizes = dict.fromkeys(class_names, selection.n)
    notes |= {"reduce": reduce, "classes": list(class_names), "soft_labels": True}
    return Predictions(len(pairs), names, sizes, selection, lambda: pairs, None, notes)


def soft_pairs(
    selection: Selection,
    columns: dict[str, Column],
    source: ProbabilityColumns,
    names: dict[str, Any],
    notes: dict[str, Any],
    positive: str | None,
) -> Predictions:
    """The predictions of one probability per row whose labels are shares of two classes."""
    label = columns["label"]
    stream = PairStream(selection, label, source.columns[0], "NULL", scale=source.scale)
    classes, chosen = two_classes(label, positive)
    ones = stream.probabilities()
    of_class = {chosen: ones, (classes[0] if classes[1] == chosen else classes[1]): 1 - ones}
    matrix = np.column_stack([of_class[name] for name in classes])
    found = _soft(selection, columns, matrix, names, notes, chosen, classes)
    pairs = replace(found.pairs(), reduction=None)
    return replace(found, load=lambda: pairs)


# A column of texts that state a confidence, as a column of numbers beside it.

STATED = "stated"  # the table of what each row states, in the order of the rows
KIND = "kind of what is stated"


def with_stated_confidence(table: Table, text: Column, only: str, *, skip: bool) -> tuple[Table, Column]:
    """The table with a column of the confidence that a text states, missing where it states none or is unclear.

    Raises InputError naming the first row that does not state one, of those that `only` wants, unless it is to `skip`.
    """
    from howsure.inputs.stated_confidence import NONE, UNCLEAR, stated_confidence

    connection, name = table.connection, f"confidence stated in {text.name}"
    with reading(table.name):
        held = connection.sql(f"SELECT {text.text} AS value FROM {table.relation}").fetchall()
    found = [stated_confidence("" if one is None else str(one)) for (one,) in held]
    values = np.array([one if isinstance(one, float) else np.nan for one in found])
    kinds = np.array([0 if isinstance(one, float) else (NONE, UNCLEAR).index(one) + 1 for one in found], np.int8)
    connection.register("parsed", {"value": values, "kind": kinds})
    columns = f"CASE WHEN kind = 0 THEN value END AS {identifier(name)}, kind AS {identifier(KIND)}"
    connection.execute(f"CREATE TABLE {STATED} AS SELECT {columns} FROM parsed")
    connection.unregister("parsed")
    beside = f"SELECT * FROM {table.relation} POSITIONAL JOIN {STATED}"
    if table.is_copied:
        connection.execute(f"CREATE OR REPLACE TABLE {table.relation} AS {beside}")
    else:
        table = replace(table, relation=f"({beside})")
    stated = Column(name, "DOUBLE")
    table = replace(table, columns=table.columns | {name: stated, KIND: Column(KIND, "TINYINT")})
    if not skip:
        _check(table, text, only)
    return table, stated


def _check(table: Table, text: Column, only: str) -> None:
    kind = identifier(KIND)
    counts = [f"count(*) FILTER ({only} AND {kind} = {number})" for number in (1, 2)]
    none, unclear = (int(str(count)) for count in table.ask(", ".join(counts))[0])
    if none + unclear:
        place, held = table.place(f"{only} AND {kind} > 0", text.text)
        raise InputError(
            f"{text.name} must state one confidence in every row; {place} holds {shown('' if held is None else held)} "
            f"({none + unclear:,} in all: {none:,} state none, {unclear:,} are unclear). Leave such rows out with "
            f"{parameter('skip_missing', True)}."
        )
