"""Read probabilities of several classes from columns, lists or mappings, with hard or soft labels, and make pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.data.predictions.selection import Selection, label_counts
from howsure.data.tables.connections import Connection
from howsure.data.tables.database import (
    COMMA,
    POINT,
    Column,
    NullFound,
    batches,
    chunks,
    first_null,
    identifier,
    literal,
)
from howsure.data.tables.table import Table
from howsure.errors import ColumnName, InputError, parameter, quote, renumbered_rows
from howsure.inputs.checks import not_a_number
from howsure.inputs.classes import (
    check_distributions,
    class_positions,
    distributions,
    reduced,
    rounded_rows,
    softly_reduced,
    tied_rows,
    without_rounding,
)
from howsure.inputs.numbers_and_names import PERCENT, parse_number, shortened
from howsure.inputs.pairs import CLASS_WISE, TOP_LABEL, Floats, Integers, Pairs

if TYPE_CHECKING:
    from howsure.data.predictions.predictions import Scores


def two_classes(label: Column, pos_label: str | None) -> tuple[tuple[str, str], str]:
    """Return the two classes of soft labels with one probability per row, and the class of this probability.

    Raises InputError if there are not two classes, or if it is unclear to which class the probability belongs.
    """
    keys = label.keys or ("0", "1")
    chosen = "1" if pos_label is None and sorted(keys) == ["0", "1"] else pos_label
    if len(keys) != 2:
        raise InputError(
            f"{label.name} contains proportions of {len(keys)} classes, {shortened(map(repr, keys))}, but the "
            "probability of one class can be evaluated only with labels of two. Name the probabilities of all: "
            "`Probabilities.probs_column='COL'` or `Probabilities.probs=['COL', 'COL', ...]`."
        )
    if chosen not in keys:
        choice = " or ".join(parameter("pos_label", key) for key in keys)
        raise InputError(
            f"{label.name} contains proportions of {' and '.join(map(repr, keys))}. Say which is positive: {choice}."
        )
    return (keys[0], keys[1]), chosen


def class_matrix(selection: Selection, columns: Sequence[Column], *, lists: bool, ragged: bool = False) -> Floats:
    """Return the probabilities (n, K) of the used rows, from K columns of numbers or from one column of lists.

    ragged: whether lists may have different lengths; missing classes get probability 0.
    """
    connection, n = selection.table.connection, selection.n
    try:
        if lists:
            return _from_lists(connection, selection, columns[0], n, ragged=ragged)
        return _from_columns(connection, selection, columns, n)
    except NullFound as null:
        raise not_a_number_in(selection, columns[null.column], null.row, lists=lists) from None


def class_labels(
    selection: Selection, label: Column, classes: Sequence[str] | None, k: int
) -> tuple[Integers, tuple[str, ...]]:
    """Return the index of each used row's label among the k classes, and the names of the classes."""
    labels = tuple(label_counts(selection, label, limit=selection.n))
    names = None if classes is None else tuple(classes)
    positions, names = class_positions(labels, names, k, name=label.name)
    return positions[selection.codes(label.text, labels)], names


def class_shares(
    selection: Selection, label: Column, classes: Sequence[str] | None, k: int
) -> tuple[Floats, tuple[str, ...]]:
    """Return each row's proportions of the k classes in its soft label, (n, k), and the names of the classes.

    Raises InputError if the label has other classes, or if a row is not a distribution over the classes.
    """
    numbered = tuple(str(index) for index in range(k))
    names = numbered if classes is None else tuple(classes)
    if label.keys:
        if sorted(label.keys) != sorted(names):
            label_keys, class_names = (shortened(map(repr, some)) for some in (label.keys, names))
            advice = " Say which classes they are, in order: `classes=['A', 'B', 'C']`." if classes is None else ""
            raise InputError(
                f"{label.name} must name the classes of the probabilities, {class_names}; it names "
                f"{label_keys}.{advice}"
            )
        label = replace(label, keys=names)
    shares = class_matrix(selection, [label], lists=True)
    if shares.shape[1] != k:
        raise InputError(f"{label.name} must contain the proportions of {k} classes; it contains {shares.shape[1]}.")
    try:
        check_distributions(shares, names, name=ColumnName(label.name, "y_true"))
        shares = without_rounding(shares)
    except InputError as error:
        remedy = "Give the proportion of annotators for each class: divide counts by the number of annotators."
        if error.fault is None:
            raise
        raise InputError(replace(error.fault.at(selection.place_of), remedy=remedy)) from None
    return shares, names


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
            row = int((lengths != k).argmax())
            raise InputError(
                f"{column.name} must contain lists of the same length; the first has {k}, "
                f"{selection.place_of(start + row)} has {lengths[row]}."
            )
        matrix[start : start + len(lengths)][np.arange(k) < lengths[:, None]] = values
        start += len(lengths)
    if matrix.shape[1] < 2:
        raise InputError(
            f"{column.name} must contain lists of two numbers or more; they have length {matrix.shape[1]}."
        )
    return matrix


def _list_batches(connection: Connection, query: str) -> Iterator[tuple[Any, Any]]:
    """Yield the lengths of lists and their concatenated values; a batch is valid until the next batch is read."""
    n_before = 0
    for batch in batches(connection, query):
        lists = batch.child(0)
        values = lists.child(0)
        offsets = np.asarray(lists.buffer(1))[: batch.length + 1]
        rows = [first_null(lists)] if lists.null_count else []
        rows += [int(np.searchsorted(offsets, first_null(values), side="right")) - 1] if values.null_count else []
        if rows:
            raise NullFound(n_before + min(rows))
        n_before += batch.length
        yield np.diff(offsets), np.asarray(values.buffer(1))[offsets[0] : offsets[-1]]


def not_a_number_in(selection: Selection, column: Column, row: int, *, lists: bool) -> InputError:
    """Build the error for a used row without a number, or without a list of numbers, by its position from 0."""
    place, value = selection.table.place(selection.where, column.text, skip=row)
    unsigned = f"NOT {column.is_percentage} AND NOT {column.missing()}"
    if PERCENT.fullmatch(str(value)) and selection.has(unsigned):
        unsigned_place, unsigned_value = selection.place(unsigned, column.text)
        if parse_number(str(unsigned_value).strip().replace(",", ".")) is None:
            return not_a_number(column.called, unsigned_value, place=unsigned_place)
        signs = "{parameter} must have a percent sign in each row or in none"
        rule = signs + "; {row} is {value!r}, but others have none, such as {other!r}."
        return InputError(rule, column.called, place=place, value=value, other=unsigned_value)
    if not lists:
        return _point_among_commas(selection, column) or not_a_number(column.called, value, place=place)
    return InputError("not_a_list_of_numbers", column.called, value=value, place=place, remedy="leave_out_rows")


def _point_among_commas(selection: Selection, column: Column) -> InputError | None:
    """Build the error for a column in which most numbers have a decimal comma and some a point; None otherwise."""
    if not column.is_text or column.percent or selection.has(f"NOT {column.is_numeric_text}"):
        return None
    comma, point = (f"regexp_full_match({column.sql}, {literal(pattern)})" for pattern in (COMMA, POINT))
    if selection.ask(f"count(*) FILTER ({comma}) > count(*) FILTER ({point}) AND bool_or({point})") != [(True,)]:
        return None
    place, value = selection.place(point, column.text)
    rule = "{parameter} must have one decimal mark in all rows; {row} is {value!r}, but more rows are like {other!r}."
    return InputError(rule, column.called, place=place, value=value, other=selection.place(comma, column.text)[1])


@dataclass(frozen=True, slots=True)
class ClassRows:
    """The scores of the classes in each row, before they are reduced to pairs.

    matrix (n, K): probabilities or, according to `scale`, logits or log-probabilities. codes (n,): the index of the
    label's column. names: the classes of the columns.
    """

    matrix: Floats
    scale: str | None
    codes: Integers
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """Pairs from rows of several classes, notes on the reduction for a recipe, and the rows unless labels are soft."""

    pairs: Pairs
    notes: dict[str, Any]
    rows: ClassRows | None = None


def _in_order(scores: Scores) -> tuple[Sequence[Column], Sequence[str] | None]:
    """Return the columns, with the keys of mappings in the order of the classes, and the names of the classes, if any.

    Raises InputError if the classes are not the keys.
    """
    classes, keys = scores.given.classes, scores.columns[0].keys
    if not keys:
        return scores.columns, scores.given.columns if classes is None and len(scores.columns) > 1 else classes
    if classes is None:
        return scores.columns, keys
    if sorted(classes) != sorted(keys):
        class_keys = shortened(map(repr, keys))
        raise InputError(
            f"`classes=...` must name the classes in {scores.shown}, {class_keys}; it is {shortened(classes)}."
        )
    return [replace(scores.columns[0], keys=tuple(classes))], classes


Beside = Callable[[], tuple[Floats | None, Integers | None, tuple[str, ...], Integers | None]]  # see `pair_columns`


def pairs_of_classes(
    selection: Selection, label: Column, scores: Scores, other_columns: Beside, *, ragged: bool, soft: bool
) -> Reduced:
    """Make pairs from rows of several classes. ragged: rows may differ in their classes. soft: labels are soft."""
    columns, classes = _in_order(scores)
    reduce, scale = scores.given.reduce or TOP_LABEL, scores.given.scale
    matrix = class_matrix(selection, columns, lists=scores.lists, ragged=ragged)
    rows = None
    if soft:
        names = tuple(str(number) for number in range(matrix.shape[1])) if classes is None else tuple(classes)
    else:
        codes, names = class_labels(selection, label, classes, matrix.shape[1])
        rows = ClassRows(matrix, scale, codes, names)
    with renumbered_rows(selection.place_of):
        rounded = 0 if scale is not None else int(rounded_rows(matrix).sum())
        matrix = distributions(matrix, names, scale, name=ColumnName(scores.shown, "y_prob"))
    if rows is None:
        return pairs_of_shares(selection, label, matrix, classes, reduce, other_columns)
    weights, groups, group_names, clusters = other_columns()
    pairs = reduced(codes, matrix, names, reduce=reduce, weights=weights, clusters=clusters)
    if reduce != CLASS_WISE:
        pairs = replace(pairs, groups=groups, group_names=group_names)
    notes = {"reduce": reduce, "classes": list(names), **({"rounded_rows": rounded} if rounded else {})}
    return Reduced(pairs, notes | ({"ties": tied_rows(matrix)} if reduce == TOP_LABEL else {}), rows)


def pairs_of_shares(
    selection: Selection,
    label: Column,
    matrix: Floats,
    classes: Sequence[str] | None,
    reduce: str,
    other_columns: Beside,
) -> Reduced:
    """Make pairs from rows with soft labels, which are proportions of the classes."""
    shares, names = class_shares(selection, label, classes, matrix.shape[1])
    weights, groups, group_names, clusters = other_columns()
    pairs = softly_reduced(
        shares, matrix, names, reduce=reduce, weights=weights, groups=groups, group_names=group_names, clusters=clusters
    )
    return Reduced(pairs, {"reduce": reduce, "classes": list(names), "soft_labels": True})


def pairs_of_one_share(
    selection: Selection,
    label: Column,
    probabilities: Callable[[], Floats],
    pos_label: str | None,
    other_columns: Beside,
) -> Reduced:
    """Make pairs from one probability per row and soft labels, which are proportions of two classes."""
    classes, chosen = two_classes(label, pos_label)
    ones = probabilities()
    matrix = np.column_stack([ones if name == chosen else 1 - ones for name in classes])
    reduced_pairs = pairs_of_shares(selection, label, matrix, classes, chosen, other_columns)
    return replace(reduced_pairs, pairs=replace(reduced_pairs.pairs, reduction=None))


# Convert a column of answers that state a confidence to a column of numbers.

STATED = "stated"  # the table of the confidence that each row states, in the order of the rows
KIND = "kind of what is stated"


def with_stated_confidence(table: Table, text: Column, only: str, *, skip_missing: bool) -> tuple[Table, Column]:
    """Add a column with the confidence that an answer states; missing if it states none or is ambiguous.

    Raises InputError, which names the row, for the first of the rows `only` without a confidence, unless
    `skip_missing`.
    """
    from howsure.inputs.stated_confidence import NONE, UNCLEAR, stated_confidence

    connection, name = table.connection, f"confidence stated in {text.name}"
    answers = table.ask(text.text)
    confidences = [stated_confidence("" if answer is None else str(answer)) for (answer,) in answers]
    values = np.array([confidence if isinstance(confidence, float) else np.nan for confidence in confidences])
    kinds = np.array(
        [0 if isinstance(confidence, float) else (NONE, UNCLEAR).index(confidence) + 1 for confidence in confidences],
        np.int8,
    )
    connection.register("parsed", {"value": values, "kind": kinds})
    columns = f"CASE WHEN kind = 0 THEN value END AS {identifier(name)}, kind AS {identifier(KIND)}"
    connection.execute(f"CREATE TABLE {STATED} AS SELECT {columns} FROM parsed")
    connection.unregister("parsed")
    joined = f"SELECT * FROM {table.relation} POSITIONAL JOIN {STATED}"
    if table.is_copied:
        connection.execute(f"CREATE OR REPLACE TABLE {table.relation} AS {joined}")
    else:
        table = replace(table, relation=f"({joined})")
    stated = Column(name, "DOUBLE")
    table = replace(table, columns=table.columns | {name: stated, KIND: Column(KIND, "TINYINT")})
    if not skip_missing:
        _check(table, text, only)
    return table, stated


def _check(table: Table, text: Column, only: str) -> None:
    kind = identifier(KIND)
    counts = [f"count(*) FILTER ({only} AND {kind} = {number})" for number in (1, 2)]
    none, unclear = (int(str(count)) for count in table.ask(", ".join(counts))[0])
    if none + unclear:
        place, value = table.place(f"{only} AND {kind} > 0", text.text)
        raise InputError(
            f"{text.name} must state one confidence in every row; {place} is {quote('' if value is None else value)} "
            f"({none + unclear:,} in all: {none:,} state none, {unclear:,} are unclear). Leave such rows out with "
            "`skip_missing=True`."
        )
