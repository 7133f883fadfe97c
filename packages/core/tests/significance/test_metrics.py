"""Metrics of one's own, and their register."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cosine, jensenshannon
from sklearn import metrics as sk
from tests.significance.made_systems import distributions, labels, one_metric, values_of

import howsure
from howsure.errors import InputError
from howsure.result import plain
from howsure.significance import Metric, mean, metric_names, register
from howsure.significance.comparison import compare
from howsure.significance.metrics.metric import find_metric, mean_loss, ratio


def test_a_metric_of_ones_own_is_compared() -> None:
    targets, a, b = labels(100, 3, 1)

    def rows(true, predicted, problem):
        wrong = (true != predicted).astype(float)
        return np.stack([wrong, np.ones_like(wrong)], axis=-1)

    error = Metric("error_rate", "hard", rows, mean, higher_is_better=False, best=0.0)
    own_metric, accuracy = compare(targets, a, b, metrics=[error, "accuracy"], adjust=None, alternative="better", rng=0)
    assert own_metric.difference == pytest.approx(-accuracy.difference)
    assert own_metric.p_value == pytest.approx(accuracy.p_value, abs=1e-15)
    assert (own_metric.low, own_metric.high) == pytest.approx((-accuracy.high, -accuracy.low))
    assert own_metric.relative_error_reduction == pytest.approx(accuracy.relative_error_reduction)


def test_a_registered_metric_goes_by_its_name() -> None:
    twice = mean_loss("doubly_absolute", "soft", lambda t, q: 2 * np.abs(t - q).sum(axis=-1))
    register(twice)
    assert "doubly_absolute" in metric_names("soft")
    assert find_metric("doubly_absolute", "soft") is register(twice)
    rows = np.array([[0.5, 0.5], [1.0, 0.0]])
    comparison = compare(rows, rows, rows[::-1], metrics=["doubly_absolute", "total_variation"], rng=0)
    assert comparison[0].model_value == 4 * comparison[1].model_value


def test_nothing_below_the_line_is_undefined_without_a_warning() -> None:
    assert np.isnan(ratio(np.array([1.0, 0.0]), np.array([0.0, 2.0]))).tolist() == [True, False]


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
        expected = {name: value(targets, predictions) for name, value in SCIKIT.items()}
        assert values_of(targets, predictions, *SCIKIT) == pytest.approx(expected, abs=1e-12)


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
    """One answer that is not a class lowered the macro average by a third, except in resamples without it."""
    targets, a, b = (column.astype("U12") for column in labels(300, 2, 2))
    clean = compare(targets, a, b, metrics=name, method="bootstrap", rng=0)[0]
    b[np.flatnonzero(b != targets)[0]] = "unparseable"
    comparison = compare(targets, a, b, metrics=name, method="bootstrap", rng=0)
    assert comparison[0].model_value == pytest.approx(clean.model_value, abs=0.01)
    assert (comparison[0].low, comparison[0].high) == pytest.approx((clean.low, clean.high), abs=0.015)
    assert comparison[0].low < comparison[0].difference < comparison[0].high
    note_start = "model predicts 'unparseable' in 1 row, never a true label: counted as wrong; averages over"
    assert any(note.startswith(note_start) for note in comparison.notes)
    assert "Note: model predicts 'unparseable' in 1 row" in str(comparison)


def test_classes_that_a_system_never_predicts_are_named() -> None:
    targets = ["a", "b", "c", "c"] * 5
    result = compare(targets, targets, ["a", "b", "a", "b"] * 5, metrics="macro_f1", rng=0, n_resamples=50)
    assert result.notes == (
        "model never predicts 'c', the true label of 10 rows. Averages over classes count each such class as 0.",
    )


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


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_equal_scipy(classes: int) -> None:
    targets, predictions, _ = distributions(200, classes, 3)
    targets[5], predictions[7] = np.eye(classes)[0], np.eye(classes)[1]
    distances = np.array([jensenshannon(t, q) for t, q in zip(targets, predictions, strict=True)])
    entropies = [stats.entropy(rows, axis=1) / np.log(classes) for rows in (targets, predictions)]
    expected = {
        "clipped_cross_entropy": -(np.clip(targets, 1e-12, 1 - 1e-12) * np.log(np.clip(predictions, 1e-12, 1 - 1e-12)))
        .sum(axis=1)
        .mean(),
        "jensen_shannon_distance": distances.mean(),
        "jensen_shannon_divergence": (distances**2).mean(),
        "total_variation": 0.5 * np.abs(targets - predictions).sum(axis=1).mean(),
        "entropy_similarity": 1 - cosine(*entropies),
        "entropy_correlation": np.corrcoef(*entropies)[0, 1],
    }
    for name, value in expected.items():
        assert one_metric(name, targets, predictions) == pytest.approx(value, abs=1e-12), name


def test_cross_entropy_matches_scikit_learn_for_certain_targets() -> None:
    targets, predictions, _ = distributions(100, 4, 5)
    hard = targets.argmax(axis=1)
    value = sk.log_loss(hard, predictions)
    assert one_metric("cross_entropy", np.eye(4)[hard], predictions) == pytest.approx(value, abs=1e-12)
    assert one_metric("log_loss", hard, predictions) == pytest.approx(value, abs=1e-12)


def test_brier_equals_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    q, y = rng.random(100), rng.integers(0, 2, 100)
    assert one_metric("brier", y, q) == pytest.approx(sk.brier_score_loss(y, q), abs=1e-12)
    many, hard = rng.dirichlet(np.ones(5), 100), rng.integers(0, 5, 100)
    assert one_metric("multiclass_brier", hard, many) == pytest.approx(sk.brier_score_loss(hard, many), abs=1e-12)


def test_log_loss_of_one_class() -> None:
    rng = np.random.default_rng(0)
    q, y = rng.random(100), rng.integers(0, 2, 100)
    assert one_metric("log_loss", y, q) == pytest.approx(sk.log_loss(y, q), abs=1e-12)


def test_the_columns_have_the_names_given() -> None:
    q = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4]])
    value = compare(["n", "e"], q, q, metrics="log_loss", classes=["e", "c", "n"], rng=0, n_resamples=5)[0].model_value
    assert value == pytest.approx(-(np.log(0.1) + np.log(0.3)) / 2)


def test_what_is_infinite_or_constant_is_never_significant() -> None:
    targets, good, _ = distributions(60, 3, 1)
    sure, even = np.eye(3)[targets.argmax(axis=1)], np.full((60, 3), 1 / 3)
    infinite = compare(targets, good, sure, metrics="cross_entropy", rng=1, n_resamples=50)[0]
    assert np.isinf(infinite.model_value)
    assert plain(infinite)["model_value"] is None
    constant = [
        compare(targets, good, predictions_of_model, metrics="entropy_correlation", rng=1, n_resamples=50)[0]
        for predictions_of_model in (sure, even)
    ]
    for row in (infinite, *constant):
        assert np.isnan(row.p_value)
        assert np.isnan(row.low)
        assert row.stars == ""


def test_calibration_error_matches_the_bins() -> None:
    """In each of 20 bins the product of the gaps of every two rows, averaged: no noise is counted."""
    rng = np.random.default_rng(2)
    q = np.append(rng.random(148), [0.0, 1.0])
    y = (rng.random(150) < q**2).astype(int)
    total, n = 0.0, 0
    for k in range(20):
        gap = (q - y)[(q >= k / 20) & ((q < (k + 1) / 20) | (k == 19))]
        m = len(gap)
        if m > 1:
            total += m * (np.outer(gap, gap).sum() - (gap**2).sum()) / (m * (m - 1))
            n += m
    assert one_metric("squared_calibration_error", y, q) == pytest.approx(total / n, abs=1e-12)
    assert one_metric("calibration_error", y, q) == pytest.approx(np.sqrt(max(total, 0) / n), abs=1e-12)


def test_a_miscalibrated_model_is_found() -> None:
    rng = np.random.default_rng(5)
    q = rng.random(3000)
    y = (rng.random(3000) < q).astype(int)
    worse = np.clip(q + 0.15 * np.sign(q - 0.5), 0, 1)
    row = compare(y, q, worse, metrics="calibration_error", rng=0, n_resamples=500)[0]
    assert row.difference > 0.05
    assert row.p_value <= 1 / 501 + 1e-12


def test_the_interval_of_the_calibration_error_lies_around_the_difference() -> None:
    """A calibrated model against one that is off by .1: resampling puts noise back in, which is taken out again."""
    rng = np.random.default_rng(1)
    q = 0.1 + 0.8 * rng.random(4000)
    y = (rng.random(4000) < q).astype(int)
    for interval in ("basic", "percentile"):
        row = compare(y, q, q + 0.1, metrics="squared_calibration_error", interval=interval, rng=0, n_resamples=1000)[0]
        assert row.difference == pytest.approx(0.01, abs=0.003)
        assert row.low < 0.01 < row.high
        assert (row.low + row.high) / 2 == pytest.approx(row.difference, abs=0.0006)


@pytest.mark.parametrize(("positives", "noted"), [(9, True), (10, False)])
def test_few_items_of_a_rare_class_are_noted(positives: int, noted: bool) -> None:
    y = np.arange(100) < positives
    model, other = y ^ (np.arange(100) % 7 == 1), y ^ (np.arange(100) % 7 == 2)
    for metrics, names in (({"f1": True, "recall": True}, "f1[True], recall[True]"), ("mcc", "mcc")):
        notes = howsure.compare_models(y, other, model, metrics=metrics, rng=0).notes
        sentence = f"{names}: only 9 items of a rare class, so the interval may be too narrow."
        assert (sentence in notes) == noted


@pytest.mark.parametrize(("positives", "has_interval"), [(4, False), (5, True)])
def test_fewer_than_five_items_of_a_rare_class_give_no_interval(positives: int, has_interval: bool) -> None:
    y = np.arange(100) < positives
    model, other = y ^ (np.arange(100) % 7 == 1), y ^ (np.arange(100) % 7 == 2)
    for metrics in ({"f1": True}, "mcc"):
        result = howsure.compare_models(y, other, model, metrics=metrics, groups=np.arange(100) < 60, rng=0)
        name = result.rows[0].metric
        assert (np.isfinite(result.rows[0].low), np.isfinite(result.rows[0].p_value)) == (has_interval, True)
        sentence = f"{name}: only 4 items of a rare class, too few for an interval (at least 5 are needed)."
        assert (sentence in result.notes) == (not has_interval)
        assert not any("no interval" in note for note in result.notes)
        in_group = result.groups["True", "model", name]
        assert np.isfinite(in_group.low) == has_interval
        assert ("too few for an interval" in "".join(in_group.notes)) == (not has_interval)


def test_an_unknown_metric_is_answered_with_all_metrics() -> None:
    with pytest.raises(InputError) as refusal:
        howsure.compare_models([0, 1], [0, 1], [1, 1], metrics="macro_f2")
    assert ", ".join(metric_names("hard")) in str(refusal.value)
