"""Labels in Arrow's arrays, plain and chunked, give the result of the same labels in lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow
import pytest

import howsure

GOLD, FIRST, SECOND = ["a", "b"] * 20, ["a", "b"] * 15 + ["b", "a"] * 5, ["a"] * 40
FORMS: list[Callable[[list[str]], Any]] = [
    pyarrow.array,
    lambda labels: pyarrow.chunked_array([labels[:7], labels[7:]]),
]


@pytest.mark.parametrize("form", FORMS, ids=["array", "chunks"])
def test_arrays_of_arrow_are_columns_of_labels(form: Callable[[list[str]], Any]) -> None:
    gold, first, second = map(form, (GOLD, FIRST, SECOND))
    assert howsure.score_models(gold, first).rows == howsure.score_models(GOLD, FIRST).rows
    compared = howsure.compare_models(gold, first, {"b": second}, rng=0)
    assert compared.rows == howsure.compare_models(GOLD, FIRST, {"b": SECOND}, rng=0).rows
