"""Scores by model: what is taken, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from howsure.errors import InputError
from howsure.result import plain
from howsure.significance import Runs, compare


def test_a_data_frame_has_a_column_for_each_model() -> None:
    scores = {"a": [0.5, 1.0, 0.0, 1.0], "b": [1.0, 1.0, 0.5, 1.0]}
    assert compare(score=pd.DataFrame(scores)).to_dict() == compare(score=scores).to_dict()


def test_booleans_are_scores() -> None:
    first = compare(score={"a": [True, False, True], "b": np.array([True, True, True])})
    assert plain(first[0]) == plain(compare(score={"a": [1, 0, 1], "b": [1, 1, 1]})[0])


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ({"a": [1, 2]}, {}, "score must hold the scores of two models or more"),
        ([1, 2], {}, "score must hold the scores of two models or more"),
        ({"a": [1, 2], "b": [1]}, {}, "all models must have a score for each item; a has 2, b has 1"),
        ({"a": Runs([[1, 2], [1]]), "b": [1, 2]}, {}, "every run of a must have the same items"),
        ({"a": [1, None], "b": [1, 2]}, {}, "a must not be missing; row 1 holds None"),
        ({"a": ["x", "y"], "b": [1, 2]}, {}, "a must be numbers; row 0 holds 'x'"),
        ({"a": [1, 2], "b": [1, np.inf]}, {}, "b must be finite; row 1 holds inf"),
        ({"a": [1, 2], "b": [1, 3]}, {"against": "c"}, "no model 'c'"),
        ({"a": [1, 2], "b": [1, 3]}, {"against": [1, 2]}, "against must be the name of a model"),
        ({"a": [1, 2], "b": [1, 3]}, {"id": "x"}, "id cannot be given with score="),
        ({"a": [1, 2], "b": [1, 3]}, {"clusters": [1, 1]}, "clusters must be two or more"),
        ({"a": [1, 2], "b": [1, 3]}, {"method": "mcnemar"}, "tests accuracy"),
    ],
)
def test_what_is_refused(given, options: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        compare(score=given, **options)


def test_arrays_take_no_options_of_tables() -> None:
    with pytest.raises(InputError, match="skip_missing is for tables with one row per model and item"):
        compare([0, 1], [0, 1], [0, 1], skip_missing=True)
    with pytest.raises(InputError, match="give y_true, against and model; or data="):
        compare(pd.DataFrame({"a": [1.0, 0.5]}))
    with pytest.raises(InputError, match="lower_is_better is for scores; every metric of predictions knows its own"):
        compare([0, 1], [0, 1], [0, 1], lower_is_better=True)
