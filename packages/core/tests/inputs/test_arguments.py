"""Columns must differ where two roles are compared, and pandas objects must have their rows in the same order."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure
from howsure.errors import InputError
from howsure.inputs.arguments import check_row_order
from howsure.significance.boostsa import Bootstrap


def rows() -> pd.DataFrame:
    """Labels, probabilities, scores, models and items of 80 rows."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "y": rng.integers(0, 2, 80),
            "p": rng.random(80),
            "s": rng.integers(0, 2, 80),
            "m": ["a", "b"] * 40,
            "i": range(80),
        }
    )


CALLS: dict[str, Callable[[Any], object]] = {
    "score_table": lambda data: howsure.score_models(y_true="y", prediction="y", data=data),
    "score_table by model": lambda data: howsure.mean_scores("s", model="s", data=data),
    "compare": lambda data: howsure.compare_models("y", "y", "s", metrics="accuracy", data=data),
    "compare rows": lambda data: howsure.compare_models("y", prediction="y", model="m", id="i", data=data),
    "calibration_error": lambda data: howsure.calibration_error("y", "y", data=data),
    "selective_curve": lambda data: howsure.selective_curve("y", "y", data=data),
    "check_scores": lambda data: howsure.check_score("s", against="s", data=data),
    "correct_judge_scores": lambda data: howsure.correct_judge_scores("y", "y", data=data),
    "correct_judge_scores twice": lambda data: howsure.correct_judge_scores("y", "s", second="y", data=data),
    "judge_bias": lambda data: howsure.judge_bias("y", y_true="y", length="p", data=data),
    "rater_agreement": lambda data: howsure.rater_agreement("y", rater="y", id="i", data=data),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("form", ["frame", "files"])
def test_a_column_is_not_compared_with_itself(name: str, form: str, tmp_path: Any) -> None:
    data: Any = rows()
    if form == "files":
        rows().to_csv(tmp_path / "rows.csv", index=False)
        data = howsure.read(tmp_path / "rows.csv")
    with pytest.raises(InputError, match=r"name the same column, '[ys]'\. Name two|is this model's own column"):
        CALLS[name](data)


def test_an_order_and_results_in_another_row_order_are_matched_by_id() -> None:
    """Rows of `order` and of `data` are matched by the item, so their indexes are not compared."""
    order = howsure.draw_order("id", data=pd.DataFrame({"id": [*"abcdefghij"]}), rng=1).to_frame()
    results = pd.DataFrame({"id": [*order.id[:5]] * 2, "model": ["A"] * 5 + ["B"] * 5, "score": [0, 1] * 5})
    in_order = howsure.race_models("score", model="model", id="id", order=order, data=results, bounds=(0, 1))
    sorted_by_item = results.sort_values("id")
    race = howsure.race_models("score", model="model", id="id", order=order, data=sorted_by_item, bounds=(0, 1))
    assert race.to_dict() == in_order.to_dict()


def test_a_column_may_be_label_and_group_or_item_and_cluster() -> None:
    howsure.score_models(y_true="y", prediction="s", groups="y", data=rows())
    howsure.mean_scores("s", id="i", clusters="i", data=rows())


def series(values: list[Any], index: list[Any]) -> pd.Series[Any]:
    return pd.Series(values, index=index)


MONITOR = howsure.CalibrationMonitor()
MAP = howsure.recalibrate([0, 1, 1, 0] * 10, [0.3, 0.7, 0.4, 0.6] * 10, method="temperature")


@pytest.mark.parametrize(
    "call",
    [
        lambda y, p: howsure.calibration_error(y, p),
        lambda y, p: howsure.calibration_error([0, 1, 1, 0], [0.1] * 4, clusters=y, sample_weight=p),
        lambda y, p: howsure.calibration_error(y, howsure.Probabilities("logits", p)),
        lambda y, p: howsure.compare_models(y, y, {"new": y, "shuffled": p}),
        lambda y, p: howsure.compare_models("y", "a", data={"y": y, "a": p}),
        lambda y, p: howsure.mean_scores(p, model=y),
        lambda y, p: howsure.pairs_from_classes(y, pd.DataFrame({"no": p, "yes": 1 - p})),
        lambda y, p: howsure.CalibrationSummary().add(y, p),
        lambda y, p: howsure.SequentialComparison(items_total=9).add(p, 1 - y),
        lambda y, p: MONITOR.update(["2001-01-01"] * 4, y, p),
        lambda y, p: MAP.evaluate(y, p),
        lambda y, p: MAP.apply(p, groups=y),
        lambda y, p: howsure.compare_models(y, y, howsure.Runs([y, p])),
        lambda y, p: howsure.compare_models([0, 1, 1, 0], y, howsure.Runs([p])),
        lambda y, p: howsure.calibration_error(howsure.Pairs(y, p)),
        lambda y, p: howsure.calibration_error(howsure.Pairs([0, 1, 1, 0], p), clusters=y),
        lambda y, p: howsure.CalibrationSummary().add(howsure.Pairs(y, p)),
        lambda y, p: howsure.selective_curve(howsure.Pairs(y, p)),
        lambda y, p: Bootstrap().feed("base", preds=p, targs=y),
    ],
)
def test_pandas_objects_with_the_same_labels_in_other_orders_are_refused(call: Callable[[Any, Any], object]) -> None:
    in_order, shuffled = series([0, 1, 1, 0], ["a", "b", "c", "d"]), series([0.9, 0.2, 0.1, 0.8], ["b", "a", "d", "c"])
    with pytest.raises(InputError, match=r"have the same index labels in different orders; row 0 is '(a|b)'"):
        call(in_order, shuffled)


def test_all_functions_of_two_arrays_compare_their_indexes() -> None:
    in_order, shuffled = series([0, 1, 1, 0], [*"abcd"]), series([0.9, 0.2, 0.1, 0.8], [*"badc"])
    tried = 0
    for name in filter(str.islower, howsure.__all__):
        function = getattr(howsure, name)
        parameters = signature(function).parameters.values()
        first, *others = [item.name for item in parameters if "ArrayLike" in str(item.annotation)] or [""]
        required = {item.name: 0.5 for item in parameters if item.default is item.empty}
        for other in set(others) - {"data"}:
            with pytest.raises(InputError, match="have the same index labels in different orders"):
                function(**required | {first: in_order, other: shuffled})
            tried += 1
    assert tried > 150


@pytest.mark.parametrize(
    ("index", "other"),
    [
        ([3, 1, 2, 0], [3, 1, 2, 0]),
        ([7, 1, 9, 4], [0, 1, 2, 3]),  # a test set and its predictions
        ([0, 0, 1, 1], [0, 1, 1, 1]),
        (["0", "1", "2", "3"], [3, 2, 1, 0]),
        ([0, 1, 2, 3], [0, 1, 2]),
    ],
)
def test_other_indexes_are_ignored(index: list[Any], other: list[Any]) -> None:
    check_row_order({"y_true": series([0] * 4, index), "y_prob": series([0] * len(other), other), "clusters": [0, 1]})


def test_repeated_labels_and_levels_of_an_index_are_compared() -> None:
    with pytest.raises(InputError, match=r"row 1 is 0 in y_true and 1 in y_prob"):
        check_row_order({"y_true": series([1] * 3, [0, 0, 1]), "y_prob": series([1] * 3, [0, 1, 0])})
    levels = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)])
    y_true, y_prob = pd.Series([0, 1], index=levels), pd.Series([0.1, 0.9], index=levels[::-1])
    with pytest.raises(InputError, match=r"row 0 is \('a', 1\) in y_true and \('b', 2\) in y_prob"):
        check_row_order({"y_true": y_true, "y_prob": y_prob})
    assert howsure.calibration_error(y_true, y_prob.reindex(levels)) == howsure.calibration_error([0, 1], [0.9, 0.1])
