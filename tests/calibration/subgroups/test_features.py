"""Cells and conditions of features: a row is in a condition just where the condition's words are true of it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.calibration.features import FEW_VALUES, MOST_VALUES, feature_of
from howsure.errors import InputError
from howsure.inputs.checks import Coded

STRETCH = re.compile(r"(?:(?P<low>\S+) < )?x(?: ≤ (?P<high>\S+))?(?: > (?P<above>\S+))?")


def rows(values: object, *, min_rows: int = 1) -> dict[str, list[bool]]:
    feature = feature_of(values, name="x", n=len(values), min_rows=min_rows)  # type: ignore[arg-type]
    return {
        words: (member[feature.codes] > 0).tolist()
        for words, member in zip(feature.conditions, feature.members, strict=True)
    }


def holds(words: str, value: float) -> bool:
    if words == "x is missing" or np.isnan(value):
        return words == "x is missing" and bool(np.isnan(value))
    found = STRETCH.fullmatch(words)
    assert found is not None
    low, high, above = (None if end is None else float(end) for end in found.group("low", "high", "above"))
    return (low is None or value > low) and (high is None or value <= high) and (above is None or value > above)


@settings(max_examples=60)
@given(st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), min_size=FEW_VALUES + 1, max_size=60))
def test_a_row_is_in_a_condition_where_its_words_are_true(numbers: list[float]) -> None:
    if len({x for x in numbers if x == x}) <= FEW_VALUES:
        return
    for words, inside in rows(np.array(numbers)).items():
        assert inside == [holds(words, value) for value in numbers]
        assert not all(inside)


def test_numbers_are_cut_at_their_quantiles() -> None:
    feature = feature_of(np.arange(1000), name="x", n=1000, min_rows=50)
    one_sided = [words for words, pair in zip(feature.conditions, feature.in_pairs, strict=True) if pair]
    cuts = [49, 99, 249, 499, 749, 899, 949]
    assert set(one_sided) == {f"x ≤ {cut}" for cut in cuts} | {f"x > {cut}" for cut in cuts}
    assert len(feature.conditions) == 35


def test_cuts_are_rounded_as_far_as_the_spread_allows() -> None:
    rng = np.random.default_rng(0)
    for scale, digits in ((1.0, 2), (1000.0, -1), (1e-6, 8)):
        feature = feature_of(rng.standard_normal(5000) * scale, name="x", n=5000, min_rows=50)
        cuts = [float(words.removeprefix("x > ")) for words in feature.conditions if words.startswith("x > ")]
        assert len(cuts) == 7
        assert all(abs(cut / 10.0**-digits - round(cut / 10.0**-digits)) < 1e-6 for cut in cuts)


def test_few_numbers_booleans_and_names_are_categories() -> None:
    assert list(rows([3, 1, 1, 2.5])) == ["x = 1", "x = 2.5", "x = 3"]
    assert list(rows(np.array([True, False]))) == ["x = False", "x = True"]
    assert list(rows(["b10", "b2", None, "b2"])) == ["x = b2", "x = b10", "x is missing"]
    assert rows(["b", "a", None]) == {
        "x = a": [False, True, False],
        "x = b": [True, False, False],
        "x is missing": [False, False, True],
    }


def test_missing_values_of_every_kind_are_one_value() -> None:
    wanted = {"x = 1": [True, False, True], "x is missing": [False, True, False]}
    for values in (
        np.array([1.0, np.nan, 1.0]),
        [1, None, 1],
        pd.Series([1, pd.NA, 1], dtype="Int64").to_numpy(),
        np.ma.MaskedArray([1, 5, 1], mask=[False, True, False]),
        Coded(np.array([0, -1, 0]), ("1",)),
    ):
        assert rows(values) == wanted


def test_dates_are_cut_as_dates() -> None:
    days = np.datetime64("2026-01-01") + np.arange(100)
    found = rows(np.append(days, np.datetime64("NaT")))
    assert found["x > 2026-02-19"] == [False] * 50 + [True] * 50 + [False]
    assert found["x is missing"] == [False] * 100 + [True]


def test_rare_values_share_a_condition_and_are_counted() -> None:
    values = ["a"] * 10 + ["b"] * 5 + [f"rare {i}" for i in range(7)]
    feature = feature_of(values, name="x", n=22, min_rows=5)
    assert feature.conditions == ("x = a", "x = b", "x = another value (7 rare ones)")
    assert feature.pooled == (7, 7)
    many = np.repeat([f"v{i}" for i in range(MOST_VALUES + 5)], 20)
    feature = feature_of(many, name="x", n=len(many), min_rows=5)
    assert len(feature.conditions) == MOST_VALUES + 1
    assert feature.pooled == (5, 100)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([1, 2], "features: x must have as many rows as y_true; it has 2, y_true has 3."),
        (np.zeros((3, 2)), "x must have one dimension"),
        (np.array([1j, 2, 3]), "features: x must hold numbers, dates or names; its values are of type complex128."),
    ],
)
def test_what_is_no_column_is_refused(values: object, told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        feature_of(values, name="x", n=3, min_rows=1)
