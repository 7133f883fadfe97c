"""Columns from whatever holds one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from howsure.inputs.checks import as_column, first_missing


class Tensor:
    """Like a tensor: it turns into an array, or refuses to until it is detached."""

    def __init__(self, values: list[float], *, refuses: bool = False) -> None:
        self.values, self.refuses = values, refuses

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.refuses:
            raise RuntimeError("it requires grad")
        return np.array(self.values, dtype=dtype)

    def detach(self) -> Tensor:
        return Tensor(self.values)


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 0.25],
        (0.5, 0.25),
        np.array([0.5, 0.25]),
        np.ma.masked_array([0.5, 0.25], mask=[False, False]),
        pd.Series([0.5, 0.25]),
        pd.Series([0.5, 0.25], dtype="Float64"),
        pl.Series([0.5, 0.25]),
        pa.array([0.5, 0.25]),
        pa.chunked_array([[0.5], [0.25]]),
        Tensor([0.5, 0.25]),
    ],
    ids=lambda values: type(values).__name__,
)
def test_every_kind_of_column(values: object) -> None:
    column = as_column(values, name="y_prob")
    assert isinstance(column, np.ndarray)
    assert [float(value) for value in column] == [0.5, 0.25]


def test_an_array_is_not_copied() -> None:
    values = np.arange(3.0)
    assert as_column(values, name="y_prob") is values


@pytest.mark.parametrize(
    ("values", "row"),
    [
        (np.array([1, 2]), None),
        (np.array(["", "b"]), None),
        (np.array([1.0, np.nan]), 1),
        (np.array([1, None], dtype=object), 1),
        (np.array(["a", float("nan"), None], dtype=object), 1),
        (np.array([pd.NA, 1], dtype=object), 0),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), 1),
        (np.array([pd.NaT], dtype=object), 0),
        (np.array([[1], None, 3], dtype=object), 1),
        (np.array([np.float32("nan")], dtype=object), 0),
    ],
)
def test_the_first_missing_row(values: np.ndarray[Any, Any], row: int | None) -> None:
    assert first_missing(values) == row


def test_a_nan_among_texts_is_missing_and_not_a_name() -> None:
    """numpy would spell it."""
    assert first_missing(as_column(["a", float("nan"), "nan"], name="groups")) == 1
    assert first_missing(as_column(["a", "nan"], name="groups")) is None
