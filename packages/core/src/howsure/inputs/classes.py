"""Reduce predictions over several classes to pairs of a probability and a label.

Predictions are probabilities, logits or log-probabilities of K classes. Labels are classes, or for each class the
proportion of annotators who chose it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, parameter
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import (
    GIVEN_PREFIX,
    check_clusters,
    check_codes,
    check_weights,
    missing,
    not_a_number,
    probability_advice,
)
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.numbers_and_names import (
    PERCENT,
    notes_on_percentages,
    parse_number,
    proportions,
    shortened,
    unknown_name,
)
from howsure.inputs.pairs import (
    CLASS_WISE,
    LOGITS,
    ROUNDING,
    SCALE_RULES,
    TOP_LABEL,
    Floats,
    Integers,
    Pairs,
    class_scores,
)
from howsure.inputs.parameter_types import ArrayLike, IntoFrame

# Convert logits, and log-probabilities that need not be normalised, to probabilities.


def softmax(matrix: npt.NDArray[Any], out: Floats | None = None) -> Floats:
    """Compute the softmax of each row (n, K) in float64; a score of -inf has probability 0.

    >>> softmax(np.array([[0.0, math.log(3)], [-math.inf, 2.0]])).round(3).tolist()
    [[0.25, 0.75], [0.0, 1.0]]
    """
    probabilities: Floats = np.subtract(matrix, matrix.max(axis=1, keepdims=True), out=out, dtype=np.float64)
    np.exp(probabilities, out=probabilities)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    return probabilities


def check_log_scale(matrix: Floats, names: tuple[str, ...], scale: str, *, name: str) -> None:
    """Raise InputError for a row whose logits are not finite, or whose log-probabilities exceed 0 or are all -inf."""
    wrong = ~np.isfinite(matrix) if scale == LOGITS else ~(matrix <= ROUNDING)
    rows = wrong.any(axis=1) | (matrix.max(axis=1) == -math.inf)
    if not rows.any():
        return
    row = int(rows.argmax())
    if not wrong[row].any():
        rule = "{parameter} must be greater than -inf for at least one class; {row} is -inf for every class"
        raise InputError(rule, name, row=row, remedy="leave_out_rows")
    column = int(wrong[row].argmax())
    remedy = "use_logprobs" if scale == LOGITS else "use_logits"
    raise InputError(
        SCALE_RULES[scale], name, value=float(matrix[row, column]), row=row, class_name=names[column], remedy=remedy
    )


def distributions(matrix: Floats, names: tuple[str, ...], scale: str | None, *, name: str) -> Floats:
    """Check scores of classes (n, K) and return them as probabilities.

    scale: "logits" or "logprobs", which are converted by softmax; None for probabilities, which are returned unchanged,
    except that rows whose rounded digits do not sum to 1 within 0.001, or exceed 1, are divided by their sum.
    name: the parameter or column in messages. Raises InputError for the first invalid row.
    """
    check_scores(matrix, names, scale, name=name)
    return without_rounding(matrix) if scale is None else softmax(matrix)


def check_scores(matrix: Floats, names: tuple[str, ...], scale: str | None, *, name: str) -> None:
    """Check scores of classes (n, K) as `distributions` does, without converting."""
    if scale is None:
        check_distributions(matrix, names, name=name, prefix=GIVEN_PREFIX)
    else:
        check_log_scale(matrix, names, scale, name=name)


# Reduce several classes to pairs: the top class, one class, or every class as a group.

SUM_TOLERANCE = 1e-3  # a softmax in float32 or float16 does not sum to 1 exactly
MAX_SUM_TOLERANCE = 1e-2  # of probabilities that were rounded to a few digits
MAX_DECIMALS = 5
MAX_ABOVE_1 = 2e-5  # by which a class of a row that sums to about 1 may exceed 1, as a softmax in float32 does
SHOWN = 5e-6  # a sum that is refused differs from the tolerance in the digits that the message shows


def rounded_rows(matrix: Floats) -> npt.NDArray[np.bool_]:
    """Return for each row whether its sum is not 1 within 0.001, or a class exceeds 1."""
    rounded: npt.NDArray[np.bool_] = np.abs(matrix.sum(axis=1) - 1.0) > SUM_TOLERANCE + SHOWN
    return rounded | (matrix.max(axis=1) > 1.0) if matrix.max() > 1.0 else rounded


def sum_tolerance(matrix: Floats) -> float:
    """Return how far from 1 the sum of K probabilities may be.

    This is 0.001, or more if all probabilities are rounded to d decimals: K · 0.5 · 10^-d, but at most 0.01.

    >>> sum_tolerance(np.array([[0.333, 0.333, 0.335]])), sum_tolerance(np.array([[0.33, 0.33, 0.33]]))
    (0.0015, 0.01)
    """
    steps = (10.0**-d for d in range(1, MAX_DECIMALS + 1))
    step = next((s for s in steps if np.abs(matrix / s - np.rint(matrix / s)).max() < SHOWN), 0.0)
    rounding = float(round(matrix.shape[1] * step / 2, MAX_DECIMALS + 1))
    return max(SUM_TOLERANCE, min(MAX_SUM_TOLERANCE, rounding))


def without_rounding(matrix: Floats) -> Floats:
    """Divide the rows that are rounded (see `rounded_rows`) by their sum; return the same matrix if there are none."""
    rounded = rounded_rows(matrix)
    return np.where(rounded[:, None], matrix / matrix.sum(axis=1, keepdims=True), matrix) if rounded.any() else matrix


def pairs_from_classes(
    y_true: ArrayLike,
    y_prob: ArrayLike | IntoFrame,
    *,
    reduce: object = TOP_LABEL,
    classes: Sequence[object] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Pairs:
    """Make prediction–label pairs from the probabilities of K classes per row.

    y_true (n,): class names. If some label is not a class name, all labels are read as indices from 0, unless all names
    are integers other than 0 … K-1. y_prob (n, K): an array, lists, or a data frame whose columns are the classes.
    reduce: "top-label" pairs the largest probability with whether its class is the label (n pairs; ties go to the first
    class). "class-wise" makes a pair of every row and class (n K pairs), with the class as group and, unless `clusters`
    is given, the row as cluster. The name of a class pairs its probability with whether this class is the label.

    >>> pairs = pairs_from_classes([0, 2], [[0.7, 0.2, 0.1], [0.5, 0.1, 0.4]])
    >>> pairs.probabilities, pairs.labels
    (array([0.7, 0.5]), array([1, 0], dtype=uint8))
    >>> pairs_from_classes(["no", "yes"], [[0.7, 0.3], [0.2, 0.8]], classes=["no", "yes"], reduce="yes").labels
    array([0, 1], dtype=uint8)

    Raises InputError if a probability is negative or above 1 (by more than 0.00002; up to this rounding error of
    float32, the row is divided by its sum), a row does not sum to 1 within 0.001 (or what the
    rounding of its digits explains, up to 0.01), or a label is not a class.
    """
    check_arguments(pairs_from_classes, locals())
    values: object = y_prob
    if is_frame(y_prob):
        columns, arrays = all_columns(y_prob)
        classes = columns if classes is None else classes
        values = np.column_stack(arrays) if arrays else ()
    matrix = class_columns(values, "`y_prob`")
    n = len(matrix)
    codes, labels = check_codes(y_true, n=n, name="y_true")
    names = None if classes is None else tuple(str(name) for name in classes)
    positions, names = class_positions(labels, names, matrix.shape[1], name="y_true")
    pairs = reduced(
        positions[codes],
        distributions(matrix, names, None, name="y_prob"),
        names,
        reduce=str(reduce),
        weights=None if sample_weight is None else check_weights(sample_weight, n=n),
        clusters=None if clusters is None else check_clusters(clusters, n=n),
    )
    return replace(pairs, notes=notes_on_percentages({"y_prob": values}))


def reduced(
    codes: Integers,
    matrix: Floats,
    names: tuple[str, ...],
    *,
    reduce: str,
    weights: Floats | None = None,
    clusters: Integers | None = None,
    all_classes: bool = True,
) -> Pairs:
    """Make pairs from checked rows. codes (n,): the index of the label's column in `matrix` (n, K). -0 becomes 0.

    all_classes: whether every class has a column; otherwise `class_scores` of the result is None.
    """
    n, k = matrix.shape
    scores = class_scores(codes, matrix) if all_classes else None
    if reduce == TOP_LABEL:
        top = matrix.argmax(axis=1)
        return Pairs(
            (top == codes).view(np.uint8),
            matrix[np.arange(n), top] + 0.0,
            weights,
            clusters=clusters,
            reduction=TOP_LABEL,
            class_scores=scores,
        )
    if reduce == CLASS_WISE:
        return Pairs(
            (codes == np.arange(k)[:, None]).view(np.uint8).ravel(),
            matrix.T.ravel() + 0.0,
            None if weights is None else np.tile(weights, k),
            groups=np.repeat(np.arange(k), n),
            group_names=names,
            clusters=np.tile(np.arange(n) if clusters is None else clusters, k),
            reduction=CLASS_WISE,
            class_scores=None if scores is None else scores.tiled(k),
        )
    if reduce not in names:
        raise unknown_name("class", reduce, names, place="the predictions (and no reduction: top-label, class-wise)")
    column_number = names.index(reduce)
    return Pairs(
        (codes == column_number).view(np.uint8),
        matrix[:, column_number] + 0.0,
        weights,
        clusters=clusters,
        reduction=CLASS_WISE,
        class_scores=scores,
        positive=reduce,
    )


def tied_rows(matrix: Floats) -> int:
    """Count the rows in which several classes have the largest probability."""
    return int(((matrix == matrix.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())


def class_positions(
    labels: Sequence[str], classes: tuple[str, ...] | None, k: int, *, name: str
) -> tuple[Integers, tuple[str, ...]]:
    """Match labels to classes; return the class index of each distinct label, and the names of the k classes.

    Labels are matched by name if all of them are class names, otherwise as indices from 0. If all names are integers,
    labels are compared with these integers instead and are never indices. Without `classes`, the names are "0" … "k-1".
    """
    if classes is not None and len(set(classes)) != k:
        raise InputError(f"classes must name each of the {k} classes once; it is {shortened(classes)}.")
    if classes is not None and set(labels) <= set(classes):
        return np.array([classes.index(label) for label in labels], dtype=np.int64), classes
    numbered = [_parse_integer(name) for name in classes or (None,)]
    place_of_number = {number: place for place, number in enumerate(range(k) if None in numbered else numbered)}
    numbers = [_parse_integer(label) for label in labels]
    if all(number in place_of_number for number in numbers):
        positions = np.array([place_of_number[number] for number in numbers], dtype=np.int64)
        return positions, classes or tuple(str(index) for index in range(k))
    if classes is None:
        raise InputError(
            "{name} contains {labels}, but the {k} probabilities of a row have no names. Name their classes "
            "in order: `classes=['A', 'B', 'C']`.",
            name=name,
            labels=list(labels),
            k=k,
        )
    others = [(label, number) for label, number in zip(labels, numbers, strict=True) if label not in classes]
    wrong = next((label for label, number in others if number not in place_of_number), others[0][0])
    index = ", or an index from 0" if None in numbered else ""
    remedy = _classes_of_columns(labels, classes)
    raise InputError(f"{name} must be one of the classes {shortened(classes)}{index}; it contains {wrong!r}.{remedy}")


def _classes_of_columns(labels: Sequence[str], classes: Sequence[str]) -> str:
    """Return the advice to name the classes of columns such as p_yes; "" if some label is a class, or some class
    has no label.

    >>> print(InputError(_classes_of_columns(["no", "yes"], ["p_yes", "p_no"])))
     Name the labels of the columns, in their order: classes=['yes', 'no'].
    """
    are_indices = any(_parse_integer(label) is not None for label in labels)
    if set(labels) & set(classes) or len(labels) != len(classes) or are_indices:
        return ""
    ends = [[label for label in labels if name.endswith(label)] for name in classes]
    order = [max(end, key=len) for end in ends if end]
    names = order if len({*order}) == len(classes) else [f"LABEL{place}" for place in range(1, len(classes) + 1)]
    return f" Name the labels of the columns, in their order: {parameter('classes', names)}."


def check_distributions(matrix: Floats, names: tuple[str, ...], *, name: str, prefix: str | None = None) -> None:
    """Raise InputError for the first row with a value outside [0, 1] (above 1 by more than `MAX_ABOVE_1`) or a sum that
    is not 1, as `sum_tolerance` says.

    prefix: see `probability_advice`.
    """
    low, high = matrix.min(), matrix.max()
    if not (low >= 0.0 and high <= 1.0 + MAX_ABOVE_1):
        row, column = (int(index) for index in np.argwhere(~((matrix >= 0.0) & (matrix <= 1.0 + MAX_ABOVE_1)))[0])
        value = float(matrix[row, column])
        if np.isnan(value):
            raise missing(name, row, class_name=names[column])
        remedy = probability_advice(value, float(high), prefix=prefix, transform="softmax")
        raise InputError("outside", name, value=value, row=row, low=0, high=1, class_name=names[column], remedy=remedy)
    if not rounded_rows(matrix).any():
        return
    sums = matrix.sum(axis=1)
    wrong = np.flatnonzero(np.abs(sums - 1.0) > sum_tolerance(matrix) + SHOWN)
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            "{parameter} must sum to 1 in every row (within {tolerance}); {row} sums to {total:.6g}",
            name,
            row=row,
            total=float(sums[row]),
            tolerance=SUM_TOLERANCE,
            remedy="Is a class missing? If columns answer separate questions, evaluate one at a time.",
        )


def class_columns(values: object, name: str) -> Floats:
    """Convert values to float64 (n, K), with a column per class. Raises InputError unless K ≥ 2 and n ≥ 1."""
    try:
        matrix = np.asarray(values)
        if matrix.ndim == 2 and matrix.dtype.kind in "OUT":  # percentages, as in the columns of a file
            rows = np.column_stack([part if (q := proportions(part)) is None else q for part in matrix.T]).tolist()
            for row, cell in ((row, cell) for row, cells in enumerate(rows) for cell in cells):
                if PERCENT.fullmatch(str(cell)):
                    raise not_a_number(name.strip("`"), cell, row=row)
            matrix = np.asarray(rows, dtype=np.float64)
        if np.iscomplexobj(matrix):
            raise TypeError("they are complex")
        matrix = matrix.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be numbers, one row per case and one column per class ({error}).") from error
    if matrix.ndim != 2 or matrix.shape[1] < 2:
        raise InputError(f"{name} must have the shape (rows, classes) with two classes or more; it is {matrix.shape}.")
    if len(matrix) == 0:
        raise InputError(f"{name} is empty. Give at least one row.")
    return matrix


def _parse_integer(label: str | None) -> int | None:
    """Return the integer that a string spells; None if it spells none."""
    number = parse_number(label or "")
    return int(number) if number is not None and number.is_integer() else None


def softly_reduced(
    shares: Floats,
    matrix: Floats,
    names: tuple[str, ...],
    *,
    reduce: str,
    weights: Floats | None = None,
    groups: Integers | None = None,
    group_names: tuple[str, ...] = (),
    clusters: Integers | None = None,
) -> Pairs:
    """Make pairs from rows whose labels are distributions over classes, `shares` (n, K), with probabilities `matrix`.

    Two pairs represent a class that a proportion s of annotators chose, as if an annotator were drawn at random: label
    1 with weight s and label 0 with weight 1 - s. Pairs of weight 0 are left out. The row is the cluster of its pairs
    unless `clusters` (n,) is given.

    >>> pairs = softly_reduced(np.array([[0.25, 0.75]]), np.array([[0.1, 0.9]]), ("no", "yes"), reduce="yes")
    >>> pairs.labels.tolist(), pairs.weights.tolist(), pairs.probabilities.tolist(), pairs.clusters.tolist()
    ([1, 0], [0.75, 0.25], [0.9, 0.9], [0, 0])
    """
    n, k = matrix.shape
    rows = np.arange(n)
    if reduce == CLASS_WISE:
        row, column = np.tile(rows, k), np.repeat(np.arange(k), n)
        groups, group_names = column, names
    elif reduce == TOP_LABEL:
        row, column = rows, matrix.argmax(axis=1)
    elif reduce in names:
        row, column = rows, np.full(n, names.index(reduce))
    else:
        raise unknown_name("class", reduce, names, place="the predictions (and no reduction: top-label, class-wise)")
    share = shares[row, column]
    row_of_pair = np.repeat(np.arange(len(row)), 2)  # row of each pair; label 1 comes first
    label = np.tile(np.array([1, 0], np.uint8), len(row))
    weight = np.where(label == 1, share[row_of_pair], 1.0 - share[row_of_pair])
    if weights is not None:
        weight = weight * weights[row][row_of_pair]
    kept = np.flatnonzero(np.where(label == 1, share[row_of_pair] > 0, share[row_of_pair] < 1))
    row_of_pair = row_of_pair[kept]
    return Pairs(
        label[kept],
        matrix[row, column][row_of_pair] + 0.0,
        weight[kept],
        groups=None if groups is None else (groups if reduce == CLASS_WISE else groups[row])[row_of_pair],
        group_names=group_names,
        clusters=(rows if clusters is None else clusters)[row][row_of_pair],
        reduction=TOP_LABEL if reduce == TOP_LABEL else CLASS_WISE,
    )
