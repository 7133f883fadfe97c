"""Metrics of labels against scikit-learn, on whole sets and on resamples that lack classes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from howsure.significance import compare
from tests.significance.systems import labels, one_metric

SCIKIT = {
    "accuracy": sk.accuracy_score,
    "balanced_accuracy": sk.balanced_accuracy_score,
    **{
        f"{average}_{name}": lambda y, p, f=function, a=average: f(y, p, average=a, zero_division=0)
        for average in ("macro", "micro", "weighted")
        for name, function in (("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score))
    },
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", SCIKIT)
@pytest.mark.parametrize("classes", [2, 3, 11])
@pytest.mark.parametrize("n", [5, 30, 400])
def test_equals_scikit_learn(name: str, classes: int, n: int) -> None:
    for seed in range(5):
        targets, predictions, _ = labels(n, classes, seed)
        assert one_metric(name, targets, predictions) == pytest.approx(SCIKIT[name](targets, predictions), abs=1e-12)


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
    assert np.isnan(row.baseline_value)
    assert np.isnan(row.difference)
    assert np.isnan(row.p_value)
    assert row.stars == ""
    assert row.to_dict()["p_value"] is None
