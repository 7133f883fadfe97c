"""Metrics of labels against scikit-learn, on whole sets and on resamples that lack classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from howsure.errors import InputError
from howsure.result import plain
from howsure.significance import compare
from tests.significance.made_systems import labels, one_metric, values_of

SCIKIT = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    **{
        f"{average}_{name}": lambda y, p, f=function, a=average: f(
            y, p, average=a, zero_division=0, labels=None if a == "micro" else np.unique(y)
        )
        for average in ("macro", "micro", "weighted")
        for name, function in (("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score))
    },
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("classes", [2, 3, 11])
@pytest.mark.parametrize("n", [5, 400])
def test_equals_scikit_learn(classes: int, n: int) -> None:
    for seed in range(2):
        targets, predictions, _ = labels(n, classes, seed)
        wanted = {name: value(targets, predictions) for name, value in SCIKIT.items()}
        assert values_of(targets, predictions, *SCIKIT) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("labels_asked", [[0, 2], [1], [0, 1, 2, 3]])
def test_labels_choose_the_classes_of_averages_as_in_scikit_learn(average: str, labels_asked: list[int]) -> None:
    """Class 3 is predicted and never true."""
    targets, a, b = labels(200, 3, 4)
    a[:5] = 3
    for name, function in (("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score)):
        row = compare(targets, a, b, metrics=f"{average}_{name}", classes=labels_asked, interval=None, rng=0)[0]
        for value, predictions in ((row.against_value, a), (row.model_value, b)):
            expected = function(targets, predictions, labels=labels_asked, average=average, zero_division=0)
            assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["macro_precision", "macro_recall", "macro_f1", "balanced_accuracy"])
def test_a_stray_prediction_changes_no_class_set(name: str) -> None:
    """One answer that is no class cost a third of the macro average, and in the resamples without it gave it back."""
    targets, a, b = (column.astype("U12") for column in labels(300, 2, 2))
    clean = compare(targets, a, b, metrics=name, method="bootstrap", rng=0)[0]
    b[np.flatnonzero(b != targets)[0]] = "unparseable"
    found = compare(targets, a, b, metrics=name, method="bootstrap", rng=0)
    assert found[0].model_value == pytest.approx(clean.model_value, abs=0.01)
    assert (found[0].low, found[0].high) == pytest.approx((clean.low, clean.high), abs=0.015)
    assert found[0].low < found[0].difference < found[0].high
    said = "model predicts 'unparseable' in 1 row, which the true labels never hold: wrong there, and no class of the"
    assert any(note.startswith(said) for note in found.notes)
    assert "Note: model predicts 'unparseable' in 1 row" in str(found)


def test_classes_that_a_system_never_predicts_are_named() -> None:
    targets = ["a", "b", "c", "c"] * 5
    result = compare(targets, targets, ["a", "b", "a", "b"] * 5, metrics="macro_f1", rng=0, n_resamples=50)
    assert result.notes == (
        "model never predicts 'c', which 10 rows of the true labels hold, worth 0 in every average over classes.",
    )


def test_labels_that_are_nowhere_are_refused() -> None:
    with pytest.raises(InputError, match="must name classes that y_true or predictions hold, a, b; z is not among"):
        compare(["a", "b"], ["a", "b"], ["b", "b"], classes=["a", "z"])


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_mcc_equals_scikit_learn_where_it_is_defined(pairs: list[tuple[int, int]]) -> None:
    targets, predictions = np.array(pairs).T
    value = one_metric("mcc", targets, predictions)
    if len(set(targets)) == 1 or len(set(predictions)) == 1:
        assert np.isnan(value)  # scikit-learn says 0
    else:
        assert value == pytest.approx(sk.matthews_corrcoef(targets, predictions), abs=1e-12)


@pytest.mark.parametrize("kind", [str, int, float])
def test_one_class_is_named_by_its_label(kind: type) -> None:
    """BooStSa takes the label for a position: with labels 1, 2, 3 it reports class 2 for class 1."""
    targets, baseline, model = labels(300, 3, 1)
    y, a, b = ([kind(value + 1) for value in column] for column in (targets, baseline, model))
    result = compare(y, a, b, metrics=["precision", "recall", "f1"], target_class=1, rng=0, n_resamples=10)
    expected = sk.precision_recall_fscore_support(targets, model, labels=[0])
    for row, value in zip(result, expected, strict=False):
        assert row.model_value == pytest.approx(value[0], abs=1e-12)
    assert result[2].metric == "f1[1]"


def test_a_class_that_is_nowhere_is_undefined() -> None:
    """Nothing of class b is true or predicted by the baseline: its F1 is undefined, and so is the difference."""
    row = compare(["a", "a", "c"], ["a", "c", "c"], ["a", "b", "c"], metrics="f1", target_class="b", rng=0)[0]
    assert np.isnan(row.against_value)
    assert np.isnan(row.difference)
    assert np.isnan(row.p_value)
    assert row.stars == ""
    assert plain(row)["p_value"] is None
