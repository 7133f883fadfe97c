"""Values of any kind, one value or one row per item, as an array."""

from __future__ import annotations

import enum
import numbers

import numpy as np

from howsure.errors import InputError, shown
from howsure.inputs.checks import Column, as_column, is_missing

LABELS = (str, bytes, bool, np.bool_, numbers.Real, enum.Enum)
NO_LABELS = "cmMV"  # numpy's kinds of complex numbers, times and records


def rows_of(values: object, name: str) -> Column:
    """An array with one or two dimensions from any container; a column of lists becomes rows, and rows with one value
    become a column.

    >>> rows_of([[0.0], [1.0]], "model")
    array([0., 1.])

    Raises InputError if rows differ in length, if text and numbers are mixed, or if there are no values.
    """
    if not isinstance(values, (np.ndarray, list, tuple)) and hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if isinstance(values, np.ndarray) and values.dtype.kind == "O" and values.ndim == 1:
        values = values.tolist() if len(values) and isinstance(values[0], (list, tuple, np.ndarray)) else values
    if isinstance(values, (list, tuple)) and len(values) and isinstance(values[0], (list, tuple, np.ndarray)):
        widths = [len(row) if isinstance(row, (list, tuple, np.ndarray)) else 0 for row in values]
        if len(set(widths)) != 1:
            row = next(k for k, width in enumerate(widths) if width != widths[0])
            raise InputError(
                f"{name} must have rows of the same length; row 0 has {widths[0]} values, row {row} has {widths[row]}."
            )
        values = np.asarray(values)
    if isinstance(values, (list, tuple)) and len({isinstance(one, str) for one in values if one is not None}) == 2:
        raise InputError(f"{name} holds text and numbers; convert one of them first.")
    if isinstance(values, np.ndarray) and values.ndim == 2:
        if len(values) == 0:
            raise InputError(f"{name} is empty: there is nothing to compare.")
        return values[:, 0] if values.shape[1] == 1 else values
    return as_column(values, name=name)


def readable(array: Column, name: str) -> Column:
    """An array of numbers, text, or label objects, unchanged.

    Raises InputError for dates, complex numbers and records, and for other objects.
    """
    if array.dtype.kind in NO_LABELS:
        raise InputError(f"{name} must hold labels, numbers or text; its type is {array.dtype}.")
    if array.dtype.kind != "O":
        return array
    strange = {kind for kind in set(map(type, array.ravel())) if not issubclass(kind, LABELS)}
    for row, value in enumerate(array.ravel()) if strange else ():
        if type(value) in strange and not is_missing(value):
            held = f"row {row} holds {shown(value)}, of type {type(value).__name__}"
            raise InputError(f"{name} must hold labels, numbers or text; {held}.")
    return array
