"""The pairs of the used rows, with weights, group codes and cluster codes, all in the order of the files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.classes import (
    LISTS,
    Source,
    as_probabilities,
    class_labels,
    class_matrix,
    class_shares,
    is_soft,
    two_classes,
)
from howsure.data.predictions.predictions import ClassRows, Predictions
from howsure.data.predictions.selection import (
    SEPARATE,
    Selection,
    apart_by_file,
    codes_sql,
    enumerated_sql,
    group_sizes,
    label_sql,
)
from howsure.data.predictions.stream import BadValue, PairStream, bad_weight
from howsure.data.tables.columns import Column
from howsure.data.tables.database import NullFound, chunks, reading
from howsure.inputs.checks import check_clusters, check_weights
from howsure.inputs.classes import CLASS_WISE, TOP_LABEL, reduced, softly_reduced, tied_rows
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs

MOST_CODED = 1_000_000  # names that become a type of the database


def one_probability(
    selection: Selection,
    columns: dict[str, Column],
    source: Source,
    names: dict[str, Any],
    notes: dict[str, Any],
    positive: str | None,
    exact_up_to: int,
    *,
    soft: bool = False,
) -> Predictions:
    """The predictions of one probability per row, added up where they are more than `exact_up_to`; labels may be shares
    of classes where they may be `soft`."""
    label, group = columns["label"], columns.get("group")
    if soft and is_soft(selection.table, label, selection.where):
        stream = PairStream(selection, label, source.columns[0], "NULL", scale=source.scale)
        classes, chosen = two_classes(label, positive)
        ones = stream.probabilities()
        of_class = {chosen: ones, (classes[0] if classes[1] == chosen else classes[1]): 1 - ones}
        matrix = np.column_stack([of_class[name] for name in classes])
        found = _soft(selection, columns, matrix, names, notes, chosen, classes)
        pairs = replace(found.pairs(), reduction=None)
        return replace(found, load=lambda: pairs)
    targets = label_sql(selection, label, positive)
    stream = PairStream(selection, label, source.columns[0], targets, group, columns.get("weight"), source.scale)
    sizes = {} if group is None else group_sizes(selection, group)

    def load() -> Pairs:
        probabilities, labels = load_pairs(stream)
        return Pairs(labels, probabilities, *_extras(selection, columns, tuple(sizes), notes))

    streamed = stream if selection.n > exact_up_to else None
    return Predictions(selection.n, names, sizes, selection, load, streamed, notes)


def several_classes(
    selection: Selection,
    columns: dict[str, Column],
    source: Source,
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
    matrix = class_matrix(selection, source.columns, lists=source.kind == LISTS, ragged=ragged)
    shown = shortened(column.name for column in source.columns)
    if soft and is_soft(selection.table, columns["label"], selection.where):
        names_of = tuple(classes) if classes is not None else tuple(str(one) for one in range(matrix.shape[1]))
        matrix = as_probabilities(selection, matrix, names_of, shown, source.scale)
        return _soft(selection, columns, matrix, names, notes, reduce, classes)
    codes, class_names = class_labels(selection, columns["label"], classes, matrix.shape[1])
    rows = ClassRows(matrix, source.scale, codes, class_names) if keep_classes else None
    matrix = as_probabilities(selection, matrix, class_names, shown, source.scale)
    sizes = {} if "group" not in columns else group_sizes(selection, columns["group"])
    weights, groups, group_names, clusters = _extras(selection, columns, tuple(sizes), notes)
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
    weights, groups, group_names, clusters = _extras(selection, columns, tuple(sizes), notes)
    pairs = softly_reduced(
        shares, matrix, class_names, reduce=reduce, weights=weights, groups=groups, group_names=group_names,
        clusters=clusters,
    )  # fmt: skip
    if reduce == CLASS_WISE:
        sizes = dict.fromkeys(class_names, selection.n)
    notes |= {"reduce": reduce, "classes": list(class_names), "soft_labels": True}
    return Predictions(len(pairs), names, sizes, selection, lambda: pairs, None, notes)


def _extras(
    selection: Selection, columns: dict[str, Column], group_names: tuple[str, ...], notes: dict[str, Any]
) -> tuple[Floats | None, Integers | None, tuple[str, ...], Integers | None]:
    weight, group, cluster = (columns.get(role) for role in ("weight", "group", "cluster"))
    separate = notes.get("across_files") == SEPARATE
    return (
        None if weight is None else load_weights(selection, weight),
        None if group is None else load_groups(selection, group, group_names),
        group_names,
        None if cluster is None else load_clusters(selection, cluster, separate=separate),
    )


def load_pairs(stream: PairStream) -> tuple[Floats, Labels]:
    """The probabilities and labels of all pairs of a stream."""
    probabilities, labels = np.empty(stream.selection.n), np.empty(stream.selection.n, np.uint8)
    start = 0
    try:
        for chunk in stream.chunks(weighted=False):
            stream.check(chunk)
            stop = start + len(chunk[0])
            probabilities[start:stop], labels[start:stop] = chunk
            start = stop
    except BadValue:
        raise stream.fault() from None
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
    raise bad_weight(selection, column)


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
