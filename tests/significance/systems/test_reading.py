"""The door: what is refused, and how it is said."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from howsure.errors import InputError
from howsure.significance import compare
from howsure.significance.reading import check_predictions

GOOD = [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]]


def with_row(row: list[float]) -> list[list[float]]:
    return [GOOD[0], row, GOOD[2]]


@pytest.mark.parametrize(
    ("targets", "baseline", "model", "message"),
    [
        (GOOD, GOOD, with_row([0.5, 0.6]), "model must have rows that sum to 1; row 1 sums to 1.1"),
        (GOOD, GOOD, with_row([-0.1, 1.1]), "model must lie in \\[0, 1\\]; row 1 holds -0.1 in column 0"),
        (GOOD, with_row([np.nan, 0.5]), GOOD, "baseline must lie in \\[0, 1\\]; row 1 holds nan"),
        (GOOD, GOOD, with_row([-0.0005, 1.0005]), "model must lie in \\[0, 1\\]; row 1 holds -0.0005 in column 0"),
        (GOOD, GOOD, with_row([0.0, 1.0005]), "model must lie in \\[0, 1\\]; row 1 holds 1.0005 in column 1. Rounding"),
        (GOOD, GOOD, with_row([3.0, -2.0]), "Are these logits"),
        (with_row([0.5, 0.6]), GOOD, GOOD, "y_true must have rows that sum to 1"),
        (GOOD, GOOD, [[0.5, 0.5], [0.5, 0.5]], "model must have as many rows as y_true; it has 2, y_true has 3"),
        (GOOD, GOOD, [[0.5, 0.25, 0.25]] * 3, "model must have as many columns as y_true; it has 3"),
        (GOOD, GOOD, [[0.5, 0.5], [1.0], [0.5, 0.5]], "rows of the same length; row 0 has 2 values, row 1 has 1"),
        (GOOD, GOOD, [["a", "b"]] * 3, "model must be numbers"),
        (GOOD, [0, 1, 0], GOOD, "all systems must give labels, or all rows of probabilities"),
        (GOOD, [0, 1, 0], [0, 1, 0], "y_true has rows of probabilities, the predictions are labels"),
        ([0, 1, 0], [0, 1], [0, 1, 1], "baseline must have as many rows as y_true; it has 2, y_true has 3"),
        ([0, 1, 0], [0, 1, 0], [0, 1, None], "model must not be missing; row 2"),
        ([0, 1, 0], [0, 1, 0], [0, float("nan"), 0], "model must not be missing; row 1"),
        ([0, 1, 0], ["0", "1", "0"], [0, 1, 0], "labels must be of one type"),
        ([0, 1, 0], [0, 1, 0], [0.2, 0.7, 0.1], "row 0 holds 0.2. For probabilities name metrics"),
        ([0, "b", 0], [0, "b", 0], [0, "b", 0], "y_true holds text and numbers"),
        ([], [], [], "y_true is empty"),
        (None, [0], [0], "y_true must be a list"),
        ("file.txt", [0], [0], "y_true must be a list"),
        (["x", "y", "x"], GOOD, GOOD, "y_true row 0 holds 'x', which is none of the columns 0, 1. .* classes="),
        ([0, 1, 0], [0, 1, 0], {}, "model must name one model or more"),
    ],
)
def test_bad_input_is_refused(targets: object, baseline: object, model: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(targets, baseline, model, n_resamples=10)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (lambda y: y.astype(complex), "its type is complex128"),
        (lambda y: y.astype("datetime64[D]"), "its type is datetime64"),
        (lambda y: y.astype("timedelta64[s]"), "its type is timedelta64"),
        (lambda y: np.array([(one, 1) for one in y], dtype=[("a", "i4"), ("b", "i4")]), "its type is "),
        (lambda y: [datetime.date(2020, 1, 1 + one) for one in y], "of type date"),
        (lambda y: np.array([complex(one) for one in y], dtype=object), "of type complex"),
        (lambda y: [{"label": one} for one in y], "of type dict"),
    ],
)
def test_what_is_no_label_is_refused(kind: object, said: str) -> None:
    """They were compared by their text, complex numbers without their imaginary part."""
    y = np.array([0, 1, 1, 0])
    for name, columns in {"y_true": (kind(y), y, y), "baseline": (y, kind(y), y), "model": (y, y, kind(y))}.items():
        with pytest.raises(InputError, match=f"{name} must hold labels, numbers or text; .*{said}"):
            compare(*columns, n_resamples=10)


def test_probabilities_of_one_class_are_checked() -> None:
    with pytest.raises(InputError, match=r"model must lie in \[0, 1\]; row 1 holds 1.7"):
        compare([0, 1], [0.2, 0.5], [0.1, 1.7], metrics="brier")
    with pytest.raises(InputError, match=r"classes=\.\.\. name classes; where all are rows"):
        compare(GOOD, GOOD, GOOD, classes=["a", "b"])
    with pytest.raises(InputError, match="classes must name the 2 columns"):
        compare(["a", "b"], GOOD[:2], GOOD[:2], classes=["a", "a"])


@pytest.mark.parametrize(
    "kind",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        lambda values: pd.Series(values, index=[9, 8, 7, 6]),
        lambda values: pd.Series(values, dtype="category"),
        lambda values: np.array(values, dtype=object),
        lambda values: np.array(values)[:, None],
    ],
)
@pytest.mark.parametrize("pair", [("a", "b"), (1, 2), (1.0, 2.0), (True, False)])
def test_any_kind_of_column_and_label(kind: object, pair: tuple[object, object]) -> None:
    a, b = pair
    values, other = [a, b, b, a], [a, a, b, b]
    result = compare(kind(values), kind(other), kind(values), metrics="accuracy", rng=0, n_resamples=10)
    assert (result[0].against_value, result[0].model_value) == (0.5, 1.0)


@pytest.mark.parametrize("kind", [list, np.array, pd.DataFrame, lambda rows: pd.Series(list(rows))])
def test_any_kind_of_rows(kind: object) -> None:
    result = compare(kind(GOOD), kind(GOOD), kind(GOOD), metrics="total_variation", rng=0, n_resamples=10)
    assert result[0].model_value == 0


def test_rows_of_unequal_length_with_runs_are_refused() -> None:
    with pytest.raises(InputError, match="model must have rows of the same length; row 0 has 2 values, row 2 has 1"):
        compare(GOOD[:2] * 2, GOOD[:2] * 2, [*GOOD[:2], [1.0], GOOD[0]], run=[0, 0, 1, 1])


@pytest.mark.parametrize("type", ["complex", "V2", "M8[D]", "m8[s]", "i4,f4"])
def test_values_of_other_types_are_no_labels(type: str) -> None:
    column = np.zeros(4, type)
    with pytest.raises(InputError, match="must hold labels, numbers or text; its type is"):
        check_predictions(column, name="predictions")
    with pytest.raises(InputError, match="must hold labels"):
        check_predictions(np.array([1j, 2j], dtype=object), name="predictions")
    with pytest.raises(InputError, match=r"must hold labels, numbers or text; it holds .'a': 1."):
        check_predictions(np.array([{"a": 1}, {"b": 1}], dtype=object), name="predictions")


def test_bytes_are_read_as_the_text_that_they_are() -> None:
    assert check_predictions(np.array([b"a", b"b"]), name="predictions").tolist() == ["a", "b"]
