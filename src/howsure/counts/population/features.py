"""Columns of numbers that may tell labels apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import as_column
from howsure.inputs.frames import all_columns, is_frame
from howsure.inputs.pairs import Floats

LARGEST = 1e100  # number in a feature, so that its square is finite
NO_NUMBERS = "cmMSV"  # kinds of dtypes whose values numpy would cut or count to make numbers of them


def read_features(features: Any, *, n: int) -> dict[str, Floats]:
    """Columns of numbers by their names: a mapping, a data frame, a list of columns, one column or a matrix (N, K).

    Raises InputError for a column of another length, or with a value that is no finite number.
    """
    if features is None:
        return {}
    if is_frame(features):
        features = dict(zip(*all_columns(features), strict=True))
    if not isinstance(features, (Mapping, Iterable)):
        raise InputError(f"features must be columns of numbers; it is a {type(features).__name__}.")
    if not isinstance(features, Mapping):
        features = list(features.T if isinstance(features, np.ndarray) else features)
        one = len(features) > 0 and np.ndim(features[0]) == 0
        features = {f"feature {k + 1}": v for k, v in enumerate([features] if one else features)}
    return {str(name): _numbers(values, f"features[{str(name)!r}]", n) for name, values in features.items()}


def _numbers(values: object, name: str, n: int) -> Floats:
    held = as_column(values, name=name)
    if held.shape != (n,):
        raise InputError(f"{name} must have {n:,} rows as y_prob has; its shape is {held.shape}.")
    try:
        if held.dtype.kind in NO_NUMBERS:
            raise TypeError
        column = held.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        row = next((k for k, one in enumerate(held.tolist()) if not _is_real(one)), 0)
        raise InputError(f"{name} must be a column of numbers; row {row} holds {held.tolist()[row]!r}.") from None
    low, high = float(column.min()), float(column.max())
    if not (low >= -LARGEST and high <= LARGEST):
        row = int(np.flatnonzero(~(np.abs(column) <= LARGEST))[0])
        raise InputError(
            f"{name} must be finite numbers, at most {LARGEST:g} in size; row {row} holds {float(column[row])!r}."
        )
    return column


def _is_real(value: Any) -> bool:
    try:
        float(value)
        return not isinstance(value, (bytes, complex))
    except (TypeError, ValueError):
        return False
