"""Metrics of several kinds in one call: each as if it were asked for alone, p adjusted for all."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.significance import compare
from howsure.stats.p_values import adjust_p_values
from tests.significance.made_systems import distributions

OPTIONS = {"rng": 0, "n_resamples": 200}


def test_labels_of_probabilities_are_the_most_probable_class() -> None:
    y, a, b = distributions(80, 3, 1)
    gold = y.argmax(axis=1)
    mixed = compare(gold, a, b, metrics=["macro_f1", "log_loss", "accuracy", "total_variation"], **OPTIONS)
    assert [row.metric for row in mixed] == ["macro_f1", "log_loss", "accuracy", "total_variation"]
    hard = compare(gold, a.argmax(axis=1), b.argmax(axis=1), metrics=["macro_f1", "accuracy"], **OPTIONS)
    soft = compare(np.eye(3)[gold], a, b, metrics="total_variation", **OPTIONS)
    for row in [*hard, *soft, *compare(gold, a, b, metrics="log_loss", **OPTIONS)]:
        assert mixed["model", row.metric].p_value == row.p_value
        assert mixed["model", row.metric].difference == row.difference
    assert [row.p_adjusted for row in mixed] == adjust_p_values([row.p_value for row in mixed]).tolist()
    assert any("metrics of labels are of the most probable class" in note for note in mixed.notes)
    assert any("each true label for a distribution" in note for note in mixed.notes)
    assert mixed.recipe["task"] == "hard, probabilistic, soft"


def test_votes_give_labels_and_what_is_tied_is_counted() -> None:
    votes = np.array([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1], [0.7, 0.3]] * 5)
    a, b = np.tile([[0.6, 0.4], [0.4, 0.6], [0.5, 0.5], [0.8, 0.2]], (5, 1)), np.tile([[0.3, 0.7]], (20, 1))
    found = compare(votes, a, b, metrics=["cross_entropy", "accuracy", "log_loss"], **OPTIONS)
    gold = np.tile([0, 1, 0, 0], 5)
    assert found["model", "accuracy"].against_value == 1.0
    assert found["model", "log_loss"].difference == compare(gold, a, b, metrics="log_loss", **OPTIONS)[0].difference
    said = " ".join(found.notes)
    assert "most probable class; in 5 rows several are" in said
    assert "the likeliest true class for true; in 5 rows several have" in said


def test_one_column_of_probabilities_is_cut_at_one_half() -> None:
    y, p, q = [0, 1, 1, 0], [0.5, 0.6, 0.4, 0.1], [0.2, 0.9, 0.9, 0.1]
    found = compare(y, p, q, metrics=["accuracy", "brier"], **OPTIONS)
    assert (found[0].against_value, found[0].model_value) == (0.75, 1.0)
    assert any("in 1 row several are, and the first of these counts" in note for note in found.notes)


@pytest.mark.parametrize(
    ("metrics", "said"),
    [
        ("brier", "the Brier score of probabilities of 3 classes is called 'multiclass_brier', not 'brier'"),
        (["log_loss", "log_loss"], "log_loss is named twice"),
        ("acuracy", "no metric 'acuracy'"),
        ("f1", "say which by target_class"),
    ],
)
def test_what_is_refused(metrics, said: str) -> None:
    y, a, b = distributions(10, 3, 1)
    with pytest.raises(InputError, match=said):
        compare(y.argmax(axis=1), a, b, metrics=metrics)
    with pytest.raises(InputError, match="of one class is called 'brier'"):
        compare([0, 1], [0.2, 0.7], [0.3, 0.6], metrics=["multiclass_brier"])


def test_labels_have_no_probabilities() -> None:
    with pytest.raises(InputError, match="cross_entropy is a metric of soft predictions, but these are hard"):
        compare(["a", "b"], ["a", "b"], ["b", "b"], metrics=["accuracy", "cross_entropy"])


def test_the_f1_of_a_class_of_probabilities() -> None:
    y, a, b = distributions(60, 3, 2)
    gold = y.argmax(axis=1)
    found = compare(gold, a, b, metrics=["f1", "log_loss"], target_class=1, **OPTIONS)
    hard = compare(gold, a.argmax(axis=1), b.argmax(axis=1), metrics="f1", target_class=1, **OPTIONS)
    assert found[0].p_value == hard[0].p_value
