"""A numpy column from a list, a series or a tensor; and lists passed by the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import Fault, InputError, shown

Column = npt.NDArray[Any]
REMEDY = "Leave such rows out first."


def as_column(values: object, *, name: str) -> Column:
    """A one-dimensional numpy array of the values of a list, tuple, array, series or tensor; no copy of an array.

    >>> as_column([0.5, None], name="y_prob")
    array([0.5, None], dtype=object)

    Raises InputError if the values are not a column, or if a masked array hides some of them.
    """
    if isinstance(values, (str, bytes, dict, set, frozenset)) or values is None:
        raise InputError(f"{name} must be a list, an array or a series; it is {_kind(values)}.")
    if isinstance(values, np.ma.MaskedArray):
        _refuse_hidden(values, name)
    try:
        column = np.asarray(values)
    except Exception as error:  # a ragged list, a tensor that needs gradients or lives on another device
        advice = "torch: pass tensor.detach().cpu()" if hasattr(values, "detach") else "give one value per row"
        raise InputError(f"{name} cannot be read as a column ({error}); {advice}.") from error
    if column.dtype.kind == "U" and column.ndim == 1 and isinstance(values, (list, tuple)):
        spelled = np.flatnonzero(column == "nan")  # what numpy makes of a NaN among texts
        column = np.asarray(values, dtype=object) if any(is_missing(values[row]) for row in spelled) else column
    if column.ndim == 0:
        raise InputError(f"{name} must be a list, an array or a series; it is {_kind(values)}.")
    if column.ndim > 1:
        raise InputError(f"{name} must have one dimension; its shape is {column.shape}. Take one column: {name}[:, 1].")
    if len(column) == 0:
        raise InputError(f"{name} is empty: there is nothing to evaluate.")
    return column


def array_of(values: Any) -> Column:
    """Values as an array of any shape; of objects where lists in them differ in length, which numpy does not take.

    >>> array_of([[0], [0, 1]]).shape, array_of([[0, 1], [0, 2]]).shape
    ((2,), (2, 2))
    """
    try:
        return np.asarray(values)
    except ValueError:
        held = np.empty(len(values), dtype=object)
        for row, value in enumerate(values):
            held[row] = value
        return held


def first_missing(column: Column) -> int | None:
    """The first row that contains None, NaN, NaT or a data frame's NA; None if no row does."""
    if column.dtype.kind == "O":
        if not any(map(is_missing, _distinct(column))):
            return None
        return next(row for row, value in enumerate(column) if is_missing(value))
    if column.dtype.kind in "fcmM":
        rows = np.flatnonzero(np.isnan(column) if column.dtype.kind in "fc" else np.isnat(column))
        return int(rows[0]) if len(rows) else None
    return None


def is_missing(value: object) -> bool:
    """Whether a value means "missing": None, NaN, NaT, or the NA of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def _distinct(column: Column) -> Iterable[object]:
    try:
        return set(column.tolist())
    except TypeError:  # lists and the like have no hash
        return column


def missing(
    name: str, row: int | None = None, *, place: str | None = None, value: str = "nothing", remedy: str = REMEDY
) -> InputError:
    """The error for a missing value."""
    return InputError(Fault(name, "must not be missing", value, row, place, remedy))


def _refuse_hidden(values: np.ma.MaskedArray[Any, Any], name: str) -> None:
    hidden = np.flatnonzero(np.ma.getmaskarray(values))
    if len(hidden):
        raise missing(name, int(hidden[0]))


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def listed(values: object, *, name: str, of: str) -> list[Any]:
    """The values as a list; InputError naming the parameter if they are not a list, or are text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list of {of}; it is {shown(values)}.")
    return list(values)
