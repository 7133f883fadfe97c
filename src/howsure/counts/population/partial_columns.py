"""Columns that hold something for some units only: labels, and how the units with labels were drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import Column, as_column, check_labels, is_missing
from howsure.inputs.numbers import spelled_number
from howsure.inputs.pairs import Floats, Integers


def partial_column(values: object, *, n: int, name: str) -> tuple[Integers, Column]:
    """The rows that hold something, in ascending order, and what they hold.

    A column (N,), in which None, NaN and "" stand for nothing, or a mapping of rows (from 0) to values.

    >>> partial_column({7: 1, 2: 0}, n=10, name="labels")
    (array([2, 7]), array([0, 1], dtype=object))
    """
    if isinstance(values, Mapping):
        return _of_mapping(values, n, name)
    column = as_column(values, name=name)
    if len(column) != n:
        raise InputError(f"{name} must have as many rows as y_prob; it has {len(column):,}, y_prob has {n:,}.")
    if column.dtype.kind == "f":
        known = np.flatnonzero(~np.isnan(column))
    elif column.dtype.kind in "OUT":
        known = np.array([k for k, one in enumerate(column.tolist()) if not _is_nothing(one)], dtype=np.int64)
    else:
        known = np.arange(n)
    return known, column[known]


def partial_labels(labels: object, *, n: int, pos_label: object = None) -> tuple[Integers, Floats]:
    """The rows that have a label, and their labels as 0.0 or 1.0, or 1.0 where they are `pos_label`.

    See `partial_column`. Raises InputError for other labels than 0 and 1, or, with pos_label, for three values.
    """
    known, held = partial_column(labels, n=n, name="labels")
    if len(known) == 0:
        return known, np.empty(0)
    plain = _spelled_plainly(held)
    try:
        return known, check_labels(plain, pos_label=pos_label, name="labels").astype(np.float64)
    except (InputError, TypeError):
        odd = next((k for k, one in enumerate(plain.tolist()) if one not in (0, 1, "0", "1")), None)
        if odd is None or pos_label is not None:
            raise
        texts = Counter(map(str, held.tolist()))
        advice = f" Say which value is positive: pos_label={texts.most_common(1)[0][0]!r}." if len(texts) == 2 else ""
        said = f"labels must be 0, 1 or missing; row {known[odd]} holds {held.tolist()[odd]!r}.{advice}"
        raise InputError(said) from None


def _of_mapping(values: Mapping[object, object], n: int, name: str) -> tuple[Integers, Column]:
    for row in values:
        if isinstance(row, (bool, np.bool_)) or not isinstance(row, (int, np.integer)) or not 0 <= row < n:
            raise InputError(f"{name} must map rows, 0 to {n - 1:,}, to values; one of its rows is {row!r}.")
    rows = sorted(int(row) for row, one in values.items() if not _is_nothing(one))  # type: ignore[call-overload]
    held = np.empty(len(rows), dtype=object)
    held[:] = [values[row] for row in rows]
    return np.array(rows, dtype=np.int64), held


def _is_nothing(value: object) -> bool:
    return is_missing(value) or (isinstance(value, str) and not value.strip())


def _spelled_plainly(labels: Column) -> Column:
    """Texts such as "1.0", which a column with gaps becomes in many programs, as "1" or "0"; the others as they are."""
    if labels.dtype.kind not in "OUT":
        return labels
    numbers = [spelled_number(one) if isinstance(one, str) else None for one in labels.tolist()]
    plain = np.empty(len(labels), dtype=object)
    plain[:] = [f"{n:g}" if n in (0.0, 1.0) else one for n, one in zip(numbers, labels.tolist(), strict=True)]
    return plain
