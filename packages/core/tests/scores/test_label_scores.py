"""Scores of models in metrics of labels: macro F1, MCC, the F1 of a class."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

import howsure
from howsure.errors import InputError
from howsure.scores.class_errors import ClassErrors
from howsure.scores.label_scores import CodedLabels
from howsure.scores.score_table import score_table
from howsure.significance.metrics.labels import PER_CLASS
from howsure.significance.metrics.metric import find_metric

TRUE, PREDICTED = list("aaaaabbbbbcc") * 5, list("aaaabbbbbacb") * 5
BY_SCIKIT = {
    "macro_f1": lambda true, predicted: sklearn.metrics.f1_score(
        true, predicted, average="macro", labels=np.unique(true)
    ),
    "macro_precision": lambda true, predicted: sklearn.metrics.precision_score(
        true, predicted, average="macro", labels=np.unique(true), zero_division=0
    ),
    "weighted_f1": lambda true, predicted: sklearn.metrics.f1_score(true, predicted, average="weighted"),
    "mcc": sklearn.metrics.matthews_corrcoef,
}


@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_values_are_those_of_scikit_learn_in_each_group(data: st.DataObject) -> None:
    labels = st.sampled_from("abc")
    rows = data.draw(st.lists(st.tuples(labels, labels), min_size=4, max_size=20))
    groups = {
        "g": [("a", "b"), ("b", "b"), ("a", "a"), ("b", "a"), *rows],
        "h": [("b", "b"), ("b", "a"), ("a", "a")] * 3,
    }
    true, predicted = zip(*(pair for pairs in groups.values() for pair in pairs), strict=True)
    codes = [group for group, pairs in groups.items() for _ in pairs]
    for metric, by_scikit in BY_SCIKIT.items():
        table = howsure.score_models(true, predicted, metrics=metric, groups=codes)
        for row in table:
            if row.group in groups:
                assert row.mean.value == pytest.approx(by_scikit(*zip(*groups[row.group], strict=True)), abs=1e-12)


def test_one_class() -> None:
    table = howsure.score_models(TRUE, PREDICTED, metrics={"precision": "c", "recall": "c", "f1": "c"})
    values = {row.score: row.mean.value for row in table}  # of c: 5 of 10 found, and nothing else is called c
    assert values == pytest.approx({"precision[c]": 1.0, "recall[c]": 0.5, "f1[c]": 2 / 3})
    with pytest.raises(InputError, match="the class 'd' does not occur; targets and predictions contain a, b, c"):
        howsure.score_models(TRUE, PREDICTED, metrics={"f1": "d"})
    with pytest.raises(InputError, match="'f1' is a metric of one class"):
        howsure.score_models(TRUE, PREDICTED, metrics="f1")


WRITERS = {
    ".csv": partial(pandas.DataFrame.to_csv, index=False),
    ".jsonl": partial(pandas.DataFrame.to_json, orient="records", lines=True),
    ".parquet": pandas.DataFrame.to_parquet,
}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(
    ("labels", "target_class", "positive"), [([0, 1, 2], 1, 1), ([0, 1, 2], "1", 1), ([True, False], "True", True)]
)
def test_a_class_is_found_however_it_is_spelled(
    labels: list[object], target_class: object, positive: object, suffix: str, tmp_path: Path
) -> None:
    frame = pandas.DataFrame({"y": labels * 10, "p": labels * 9 + [labels[0]] * len(labels)})
    path = tmp_path / f"x{suffix}"
    WRITERS[suffix](frame, path)
    (row,) = howsure.score_models("y", "p", metrics={"f1": target_class}, data=howsure.read(path))
    expected = sklearn.metrics.f1_score(frame.y == positive, frame.p == positive)
    assert (row.score, row.mean.value) == (f"f1[{target_class}]", pytest.approx(expected))
    with pytest.raises(InputError, match=r"(?i)does not occur; targets and predictions contain (0, 1, 2|true, false)"):
        howsure.score_models("y", "p", metrics={"f1": "spam"}, data=howsure.read(path))


def test_labels_with_a_leading_zero_are_texts() -> None:
    row = howsure.score_models(["01", "1"] * 10, ["1", "1"] * 10)[0]
    assert row.mean.value == 0.5
    assert howsure.score_models(["1.0", "true"] * 10, [1, 1] * 10)[0].mean.value == 1.0


def test_an_undefined_value_is_0_without_an_interval() -> None:
    """In group h, no item is c and a single class is true; the other group keeps its values."""
    groups, h = ["g"] * 60 + ["h"] * 12, (["a"] * 12, ["a"] * 11 + ["c"])
    for metrics in ("mcc", {"recall": "c"}):
        table = howsure.score_models(TRUE + h[0], PREDICTED + h[1], metrics=metrics, groups=groups)
        of_group = {row.group: row for row in table}
        assert of_group["g"].mean.low is not None
        assert (of_group["h"].mean.value, of_group["h"].mean.low) == (0.0, None)
        assert "too few items count in this metric; an undefined value is 0" in of_group["h"].notes[0]
    once = howsure.score_models(["c", *["a"] * 20], ["c", *["a"] * 20], metrics={"f1": "c"})[0]
    assert (once.mean.value, once.mean.low) == (1.0, None)


def test_the_worst_rows_are_wrong_and_labels_that_are_never_true_are_noted() -> None:
    predicted = [*PREDICTED[:-1], "d"]
    table = howsure.score_models(TRUE, predicted, metrics="macro_f1", worst=3, show={"said": predicted, "true": TRUE})
    assert {(item.mean, item.shown["said"] == item.shown["true"]) for item in table.worst} == {(0.0, False)}
    assert any("predicts 'd' in 1 row, never a true label: counted as wrong; averages" in note for note in table.notes)


@pytest.mark.parametrize("metric", ["macro_f1", "mcc", "weighted_recall", "micro_f1"])
def test_contributions_are_those_of_a_jackknife_over_clusters(metric: str) -> None:
    rng = np.random.default_rng(2)
    true, predicted, clusters = rng.choice(list("abc"), 60), rng.choice(list("abc"), 60), rng.integers(0, 12, 60)
    labels = CodedLabels.of(true.astype(object), predicted.astype(object))
    parts, _, _ = labels.scored(find_metric(metric, "hard"), np.arange(60), None, clusters)
    left = [
        howsure.score_models(true[kept], predicted[kept], metrics=metric)[0].mean.value
        for kept in (clusters != c for c in range(12))
    ]
    pseudo = -11 * np.array(left)
    sizes = np.bincount(clusters)
    value = howsure.score_models(true, predicted, metrics=metric)[0].mean.value
    expected = value + (pseudo - pseudo.mean()) * 60 / (12 * sizes)
    assert parts == pytest.approx(expected[clusters], rel=1e-9)


def test_answers_without_a_label_are_wrong() -> None:
    """Two of the ten c, which were not found, have no answer: nothing changes for c, but b has fewer false alarms."""
    unanswered = [None if pair == ("c", "b") else pair[1] for pair in zip(TRUE, PREDICTED, strict=True)]
    recall, precision = (
        [
            howsure.score_models(TRUE, answers, metrics={name: label})[0].mean.value
            for answers in (PREDICTED, unanswered)
        ]
        for name, label in (("recall", "c"), ("precision", "b"))
    )
    assert recall == [0.5, 0.5]
    assert precision == pytest.approx([20 / 30, 20 / 25])


def test_a_class_of_few_items_widens_the_interval() -> None:
    """Two items of a class, both right, leave its recall almost unknown; 98 do not."""
    rare = howsure.score_models(["a"] * 98 + ["b"] * 2, ["a"] * 93 + ["b"] * 5 + ["b"] * 2, metrics="balanced_accuracy")
    many = howsure.score_models(
        ["a"] * 98 + ["b"] * 98, ["a"] * 93 + ["b"] * 5 + ["b"] * 98, metrics="balanced_accuracy"
    )
    assert rare[0].mean.value == pytest.approx(many[0].mean.value)
    assert 0.3 < rare[0].mean.low < 0.72 < 0.9 < many[0].mean.low  # 0.72: if the recall of b were a half


def test_errors_of_classes_are_those_of_a_loop() -> None:
    rng = np.random.default_rng(1)
    true, predicted = rng.choice(3, (2, 40), p=[0.1, 0.3, 0.6])
    indicators = np.stack([np.eye(3)[true] * np.eye(3)[predicted], np.eye(3)[predicted], np.eye(3)[true]], axis=1)
    errors = ClassErrors.of(PER_CLASS["precision"], indicators.reshape(40, 9))
    variances, smaller, counts = [], [], []
    for label in range(3):
        right_of_predicted = true[predicted == label] == label
        share, n = right_of_predicted.mean(), len(right_of_predicted)
        smaller.append(share * (1 - share) / n * 40 / 39)
        laplace = (right_of_predicted.sum() + 1) / (n + 2)
        variances.append(max(smaller[-1], laplace * (1 - laplace) / (n + 1)))
        counts.append(n)
    assert errors.variance == pytest.approx(sum(variances) / 9)
    assert errors.added == pytest.approx((sum(variances) - sum(smaller)) / 9)
    squares = sum(variance**2 / (n + 2) for variance, n in zip(variances, counts, strict=True))
    assert errors.degrees == pytest.approx(sum(variances) ** 2 / squares)
    both = ClassErrors.of_mean([errors, errors])
    assert (both.variance, both.degrees) == pytest.approx((errors.variance / 2, 2 * errors.degrees))


@pytest.mark.long
def test_intervals_hold_where_a_class_is_rare() -> None:
    """See benchmarks/macro_averages.py."""
    rng, covering = np.random.default_rng(0), 0
    for _ in range(200):
        true = np.where(rng.random(100) < 0.06, "rare", "other")
        right = rng.random(100) < np.where(true == "rare", 0.77, 0.97)
        predicted = np.where(right, true, np.where(true == "rare", "other", "rare"))
        recalls = [0.77, 0.97] if "rare" in true else [0.97]
        interval = howsure.score_models(true, predicted, metrics="balanced_accuracy")[0].mean
        covering += interval.low <= np.mean(recalls) <= interval.high
    assert covering / 200 > 0.93


def test_predictions_without_an_answer_are_counted_in_a_note() -> None:
    table = howsure.score_models(["a", "b"] * 10, ["a", "b"] * 9 + ["n/a", "n/a"], metrics="accuracy")
    assert any("predicts 'n/a' in 2 rows, never a true label: counted as wrong." in note for note in table.notes)


def test_files_of_predictions_and_targets_may_have_a_column_file(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("id,file,label\n" + "".join(f"{k},t{k % 3}.txt,{k % 2}\n" for k in range(20)))
    rows = [json.dumps({"id": k, "file": f"t{k % 3}.txt", "label": int(k % 2 and k > 3)}) for k in range(20)]
    (tmp_path / "model.jsonl").write_text("\n".join(rows))
    how = {"id": "id", "y_true": "label", "prediction": "label", "metrics": "accuracy"}
    (row,) = score_table(targets=str(tmp_path / "gold.csv"), data=howsure.read(tmp_path / "model.jsonl"), **how)
    assert row.mean.value == 0.9
