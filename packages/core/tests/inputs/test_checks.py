"""The door: what is let in, as what, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import howsure
from howsure.errors import InputError
from howsure.inputs.checks import (
    MAX_GROUPS,
    as_column,
    check_clusters,
    check_codes,
    check_labels,
    check_probabilities,
    check_same_length,
    check_weights,
    factorised,
    first_missing,
    is_missing,
)
from howsure.inputs.numbers_and_names import check_level


def refusal_of(check: Any, *values: object, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        check(*values, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        [True, False, True],
        [1, 0, 1],
        [1.0, 0.0, 1.0],
        ["1", "0", "1"],
        [True, 0, 1.0],
        np.array([True, False, True]),
        np.array([1, 0, 1], dtype=np.uint64),
        np.array([1, 0, 1], dtype=np.float16),
        np.array(["1", "0", "1"]),
        np.array([1, 0, 1], dtype=object),
        np.array([Decimal("1.00"), Decimal(0), Decimal(1)]),
        pd.Series([1, 0, 1], dtype="Int64"),
        pd.Series([True, False, True], dtype="boolean"),
        pd.Series(["1", "0", "1"]),
        pd.Categorical(["1", "0", "1"]),
        pl.Series([True, False, True]),
        pa.array([True, False, True]),
        pa.chunked_array([[1, 0], [1]]),
    ],
    ids=lambda values: f"{type(values).__name__}-{getattr(values, 'dtype', '')}",
)
def test_labels_of_every_type(values: object) -> None:
    labels = check_labels(values)
    assert labels.dtype == np.uint8
    assert labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("values", "positive", "expected"),
    [
        (["yes", "no"], "yes", [1, 0]),
        (["yes", "no"], "no", [0, 1]),
        (["yes", "yes"], "yes", [1, 1]),
        ([1, 2], 2, [0, 1]),
        ([-1.0, 1.0], 1, [0, 1]),
        ([0, 0], 1, [0, 0]),
        ([0, 1], 0, [1, 0]),
        ([True, False], True, [1, 0]),
        (pd.Series(["a", "b"], dtype="category"), "b", [0, 1]),
        (pl.Series(["a", "b"]), "b", [0, 1]),
        (pa.array(["a", "b"]), "b", [0, 1]),
        (np.array(["a", "b"], dtype=object), "b", [0, 1]),
    ],
)
def test_two_values_and_which_is_positive(values: object, positive: object, expected: list[int]) -> None:
    assert check_labels(values, pos_label=positive).tolist() == expected


@given(st.lists(st.booleans(), min_size=1), st.sampled_from([bool, int, float, str]))
def test_labels_are_what_they_were(values: list[bool], type: Any) -> None:
    written = [type(int(value)) for value in values]
    assert check_labels(written).tolist() == [int(value) for value in values]
    assert check_labels(np.array(written)).tolist() == [int(value) for value in values]


@pytest.mark.parametrize(
    "values",
    [
        [0, 0.5, 1],
        np.array([0, 0.5, 1], dtype=np.float16),
        np.array([0, 0.5, 1], dtype=np.float32),
        np.array([0, 0.5, 1], dtype=np.longdouble),
        np.array([0, 0.5, 1], dtype=">f8"),
        np.array([0, 0.5, 1], dtype=object),
        pd.Series([0.0, 0.5, 1.0], dtype="Float32"),
        pl.Series([0.0, 0.5, 1.0]),
        pa.array([0.0, 0.5, 1.0]),
    ],
    ids=lambda values: f"{type(values).__name__}-{getattr(values, 'dtype', '')}",
)
def test_probabilities_of_every_type(values: object) -> None:
    checked = check_probabilities(values)
    assert checked.dtype == np.float64
    assert checked.dtype.isnative
    assert checked.tolist() == [0.0, 0.5, 1.0]


def test_double_precision_is_not_copied_and_negative_zero_is_zero() -> None:
    values = np.array([0.0, 0.5])
    assert check_probabilities(values) is values
    checked = check_probabilities([-0.0, 0.5])
    assert not np.signbit(checked).any()


@given(st.lists(st.floats(), min_size=1))
def test_probabilities_are_let_in_exactly_if_all_are_in_the_unit_interval(values: list[float]) -> None:
    if all(0 <= value <= 1 for value in values):
        assert check_probabilities(values).tolist() == values
    else:
        bad = next(row for row, value in enumerate(values) if not 0 <= value <= 1)
        assert f"row {bad} is" in refusal_of(check_probabilities, values)


def test_lengths() -> None:
    message = "y_prob must have as many rows as the other columns; it has 2, they have 3."
    assert refusal_of(check_probabilities, [0.5, 0.5], n=3) == message
    assert check_same_length(y_true=[1, 0], y_prob=np.ones(2), groups=None) == 2
    message = refusal_of(check_same_length, y_true=[1, 0], groups=[1])
    assert "y_true, groups must have the same number of rows; they have 2, 1." in message


def test_weights() -> None:
    assert check_weights([0, 2], n=2).tolist() == [0.0, 2.0]
    assert "sample_weight must be finite and not negative; row 1 is -1.0." in refusal_of(check_weights, [1, -1], n=2)
    assert "row 0 is inf" in refusal_of(check_weights, [float("inf"), 1], n=2)
    assert "row 1 is empty" in refusal_of(check_weights, [1, float("nan")], n=2)
    assert "sample_weight is 0 in every row" in refusal_of(check_weights, [0, 0], n=2)
    assert "as many rows" in refusal_of(check_weights, [1, 1], n=3)


CODED: list[Any] = [
    ["b10", "b2", "b10"],
    np.array(["b10", "b2", "b10"]),
    pd.Series(["b10", "b2", "b10"]),
    pd.Categorical(["b10", "b2", "b10"]),
    pl.Series(["b10", "b2", "b10"]),
    [10, 2, 10],
    [10**15, -5, 10**15],
    np.array([2**63 + 5, 1, 2**63 + 5], dtype=np.uint64),
    [10.5, 2.5, 10.5],
    [True, False, True],
    np.array(["2021", "1999", "2021"], dtype="datetime64[D]"),
    ["b", "a", "b"],
]


@pytest.mark.parametrize("values", CODED, ids=str)
def test_codes_follow_the_natural_order_of_names(values: Any) -> None:
    codes, names = check_codes(values, n=3, name="groups")
    assert codes.dtype == np.int64
    assert codes.tolist() == [1, 0, 1]
    high, low, _ = (str(value) for value in values)
    assert names == (low, high)
    clusters = check_clusters(values, n=3)
    assert clusters[0] == clusters[2] != clusters[1]
    assert set(clusters.tolist()) == {0, 1}


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(-5, 5), min_size=1) | st.lists(st.text(), min_size=1))
def test_codes_name_every_row(values: list[Any]) -> None:
    assume(not any(map(is_missing, values)))
    codes, names = check_codes(values, n=len(values), name="groups")
    assert [names[code] for code in codes] == [str(value) for value in np.array(values).tolist()]
    assert len(set(names)) == len(names) == len(set(codes.tolist()))


def test_codes_of_equal_text_are_one_group() -> None:
    codes, names = check_codes(np.array([1, "1", "2"], dtype=object), n=3, name="groups")
    assert (codes.tolist(), names) == ([0, 0, 1], ("1", "2"))


def test_levels() -> None:
    assert check_level(0.9) == 0.9
    assert check_level(np.float32(0.5)) == 0.5


@pytest.mark.long
def test_groups_that_are_too_many_to_be_evaluated_one_by_one() -> None:
    message = r"groups must have at most 50,000 different values; its 50,001 rows have 50,001\. .* at least 2 minutes"
    names = [f"g{row}" for row in range(MAX_GROUPS + 1)]
    with pytest.raises(InputError, match=message):
        check_codes(names, n=len(names), name="groups", groups=True)
    assert len(check_codes(names[1:], n=MAX_GROUPS, name="groups", groups=True)[1]) == MAX_GROUPS
    assert len(check_codes(names, n=len(names), name="ids")[1]) == len(names)  # items may be as many as rows


# Columns from whatever holds one.


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
        (np.array(["", "b"]), 0),
        (np.array(["a", "NaN "]), 1),
        (np.array(["a", "NA"]), None),
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


def test_a_nan_among_texts_is_missing_also_where_it_is_spelled() -> None:
    assert first_missing(as_column(["a", float("nan"), "nan"], name="groups")) == 1
    assert first_missing(as_column(["a", "nan"], name="groups")) == 1


@pytest.mark.parametrize(
    "rows",
    [
        ["b"] * 9 + ["a"] * 9 + ["b"] * 9,
        ["b", "a", "c"] * 5,
        ["b"],
        ["é" * 9] * 8 + [""],
        ["b", "a"] * 600 + ["g", "f", "e", "d"],
        ["b", "a"] * 600 + ["e", "d"],
    ],
)
def test_adjacent_equal_names_have_the_codes_of_the_rows_one_by_one(rows: list[str]) -> None:
    codes, names = factorised(np.array(rows))
    expected_codes, expected_names = factorised(np.array(rows, dtype=object))
    assert codes.tolist() == expected_codes.tolist()
    assert names == expected_names


@given(st.lists(st.text("ab\0é😀", max_size=3), min_size=1, max_size=300) | st.lists(st.text(max_size=70), min_size=1))
def test_codes_of_texts_match_the_rows_one_by_one(rows: list[str]) -> None:
    column = np.array(rows)
    distinct = list(dict.fromkeys(column.tolist()))
    codes, names = factorised(column)
    assert names == distinct
    assert codes.tolist() == [distinct.index(name) for name in column.tolist()]


def test_whole_numbers_beyond_63_bits_have_codes() -> None:
    for values in ([2**63 + 6, 2**63 + 5, 2**63 + 6], [2**63, 2**63 - 1, 2**63]):
        codes, names = factorised(np.array(values, dtype=np.uint64))
        assert codes.tolist() == [1, 0, 1]
        assert names == sorted(set(values))


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, partial(np.array, dtype=object)])
def test_a_text_among_numbers_is_the_row_that_is_named(kind: Callable[[Any], Any]) -> None:
    """numpy converts the numbers of such a list to strings."""
    values = kind([1, 0.5, "x"])
    with pytest.raises(InputError, match=r"^score must be numbers; row 2 is 'x'\. .* pos_label='x'"):
        howsure.mean_scores(values, model=["a", "b", "a"], id=[0, 0, 1])
    with pytest.raises(InputError, match=r"^y_prob must be a number; row 2 is 'x'\."):
        howsure.calibration_curve([0, 1, 1], values)
