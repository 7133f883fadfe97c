"""Read labels, and probabilities of several classes with hard or soft labels, and make pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.data.predictions.selection import Selection, class_matrix
from howsure.data.tables.database import Column, identifier
from howsure.data.tables.table import Table
from howsure.errors import ColumnName, InputError, parameter, quote, renumbered_rows
from howsure.inputs.checks import positive_values
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
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import CLASS_WISE, TOP_LABEL, Floats, Integers, Pairs

if TYPE_CHECKING:
    from howsure.data.predictions.predictions import Scores


def two_classes(label: Column, pos_label: str | None) -> tuple[tuple[str, str], str]:
    """Return the two classes of soft labels with one probability per row, and the class of this probability."""
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


# Convert labels to 0 and 1: booleans, 0 and 1 in any notation, or any two values of which one is named as positive.

LISTED = 1000  # most distinct labels that are examined


def label_sql(selection: Selection, column: Column, pos_label: str | None) -> str:
    """Return SQL for the label: 1, 0, or null if it is neither."""
    if pos_label is None and column.type == "BOOLEAN":
        return f"CAST({column.sql} AS UTINYINT)"
    if pos_label is None and column.is_integer:
        return f"TRY_CAST({column.sql} AS UTINYINT)"
    if pos_label is None and column.is_number:
        return f"CAST(CASE WHEN {column.sql} = 1 THEN 1 WHEN {column.sql} = 0 THEN 0 END AS UTINYINT)"
    counts = label_counts(selection, column)
    ones = positive_values(counts, pos_label, name=column.called, decimal_comma=column.comma, in_file=True)
    return f"CAST({column.among(ones)} AS UTINYINT)"


def label_counts(selection: Selection, column: Column, *, limit: int = LISTED) -> dict[str, int]:
    """The frequency of each label, as text, the most frequent first."""
    rows = selection.ask(f"{column.text}, count(*)", rest=f"GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT {limit}")
    return {str(value): int(str(count)) for value, count in rows}


# Classes: their labels and shares.


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
    """Return each row's proportions of the k classes in its soft label, (n, k), and the names of the classes."""
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
    """Return the columns, with keys of mappings in the order of the classes, and the names of classes, if any."""
    classes, keys = scores.specification.classes, scores.columns[0].keys
    if not keys:
        return scores.columns, scores.specification.columns if classes is None and len(scores.columns) > 1 else classes
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
    reduce, scale = scores.specification.reduce or TOP_LABEL, scores.specification.scale
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
    """Add a column with the confidence that an answer states; missing if it states none or is ambiguous."""
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
