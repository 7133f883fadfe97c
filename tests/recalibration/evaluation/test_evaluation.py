"""Errors and scores before and after: parity with the comparison of two models, brute force, and laws."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from howsure import Estimate, compare_calibration
from howsure.calibration.bins import bin_pairs
from howsure.inputs.pairs import Pairs
from howsure.recalibration.evaluation import evaluation_of
from howsure.recalibration.scores import Labelled, labelled_from

HOW: dict[str, Any] = {"method": "made up", "level": 0.9, "margin": 0.01}


def ends(e: Estimate) -> tuple[float, float | None, float | None]:
    return e.value, e.low, e.high


@pytest.fixture(scope="module")
def rows() -> tuple[Labelled, list[Any], Any]:
    """Rows, what three maps make of them, and folds."""
    rng = np.random.default_rng(7)
    q = rng.uniform(0.05, 0.95, 150)
    data = labelled_from(rng.random(150) < q**2, q, clusters=np.arange(150) // 2)
    fold = rng.permutation(75)[np.arange(150) // 2] % 3
    return data, [q**power for power in (1.6, 1.8, 2.0)], fold


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_of_one_map_it_is_the_comparison_of_two_models(clustered: bool, weighted: bool, rows: Any) -> None:
    data, (after, *_), _ = rows
    clusters = data.clusters if clustered else None
    weights = np.random.default_rng(1).uniform(0.5, 1.0, len(data)) if weighted else None
    given = labelled_from(data.labels, data.scores.probabilities, clusters=clusters, sample_weight=weights)
    found = evaluation_of(given, [(np.zeros(len(data), dtype=np.int64), [after])], recipe={}, **HOW)
    expected = compare_calibration(
        data.labels, data.scores.probabilities, against=after, clusters=clusters, sample_weight=weights, level=0.9
    )
    assert ends(found.error_before) == pytest.approx(ends(expected.error_a))
    assert ends(found.error_after) == pytest.approx(ends(expected.error_b))
    for one, other in (
        (found.squared_error, expected.squared_error_difference),
        (found.brier, expected.brier_difference),
        (found.log_loss, expected.log_loss_difference),
    ):
        assert ends(one.improvement) == pytest.approx(ends(other), rel=1e-12, abs=1e-15)
        assert one.before - one.after == pytest.approx(other.value, abs=1e-12)


def test_the_error_after_is_that_of_pairs_of_rows_of_one_fold_and_bin(rows: Any) -> None:
    """The bins are those of the curve after, so that both errors see equally fine waves."""
    data, after, fold = rows
    plain = labelled_from(data.labels, data.scores.probabilities)
    found = evaluation_of(plain, [(fold, after)], recipe={}, **HOW)
    q = np.choose(fold, after)
    bins = bin_pairs(Pairs(data.labels.astype(np.uint8), q)).bins_of(q)
    total, known = 0.0, 0
    for k, b in np.unique(np.column_stack([fold, bins]), axis=0):
        gaps = (q - data.labels)[(fold == k) & (bins == b)]
        if len(gaps) > 1:
            total += len(gaps) * np.mean([one * other for one, other in combinations(gaps, 2)])
            known += len(gaps)
    assert found.squared_error.after == pytest.approx(total / known, rel=1e-12)
    assert len(found.curves[1].bins) == bins.max() + 1


def test_each_of_few_values_is_a_bin(rows: Any) -> None:
    """Errors of neighbouring values of a histogram are independent of each other; in one bin, they would cancel."""
    data, after, fold = rows
    plain = labelled_from(data.labels, data.scores.probabilities)
    coarse = [np.round(3 * q) / 3 * (1 - 0.02 * k) for k, q in enumerate(after)]
    found = evaluation_of(plain, [(fold, coarse)], recipe={}, **HOW)
    total, known = 0.0, 0
    for k in range(3):
        q, y = coarse[k][fold == k], data.labels[fold == k]
        for value in np.unique(q):
            gaps = (q - y)[q == value]
            if len(gaps) > 1:
                total += len(gaps) * np.mean([one * other for one, other in combinations(gaps, 2)])
                known += len(gaps)
    assert found.squared_error.after == pytest.approx(total / known, rel=1e-12)


def test_the_order_of_the_rows_changes_nothing(rows: Any) -> None:
    data, after, fold = rows
    order = np.random.default_rng(3).permutation(150)
    one = evaluation_of(data, [(fold, after)], recipe={}, **HOW)
    other = evaluation_of(data.only(order), [(fold[order], [q[order] for q in after])], recipe={}, **HOW)
    for name, change in one.changes().items():
        assert ends(change.improvement) == pytest.approx(ends(other.changes()[name].improvement))
    assert str(one.error_after) == str(other.error_after)


def test_repeated_cross_fittings_are_averaged(rows: Any) -> None:
    data, after, fold = rows
    turned = (fold, after), ((fold + 1) % 3, after)
    alone = [evaluation_of(data, [one], recipe={}, **HOW) for one in turned]
    both = evaluation_of(data, turned, recipe={}, **HOW)
    for name, change in both.changes().items():
        means = [one.changes()[name] for one in alone]
        assert change.after == pytest.approx(np.mean([one.after for one in means]))
        assert change.improvement.value == pytest.approx(np.mean([one.improvement.value for one in means]))


def test_a_map_that_changes_first_choices_is_judged_by_its_own() -> None:
    rng = np.random.default_rng(2)
    matrix, labels = rng.dirichlet(np.ones(3), 60), rng.integers(0, 3, 60)
    data, turned = labelled_from(labels, matrix), np.roll(matrix, 1, axis=1)
    found = evaluation_of(data, [(np.zeros(60, dtype=np.int64), [turned])], recipe={}, **HOW)
    right = [(one.argmax(axis=1) == labels, one.max(axis=1)) for one in (matrix, turned)]
    means = [float(np.mean((q - y) ** 2)) for y, q in right]
    assert [found.brier.before, found.brier.after] == pytest.approx(means)
    onehot = np.eye(3)[labels]
    assert found.multiclass_brier.after == pytest.approx(np.mean(((turned - onehot) ** 2).sum(axis=1)))
    assert found.deciding is found.multiclass_brier


def test_a_certain_error_leaves_the_log_loss_without_a_difference() -> None:
    q = np.array([1.0, 0.4, 0.6, 0.5] * 10)
    data = labelled_from([0, 1, 1, 0] * 10, q)
    found = evaluation_of(data, [(np.zeros(40, dtype=np.int64), [np.full(40, 0.5)])], recipe={}, **HOW)
    assert np.isinf(found.log_loss.before)
    assert found.log_loss.improvement.low is None
    assert "before recalibration, 10 predictions of exactly 0 or 1 are wrong" in found.notes[0]
    assert found.brier.improvement.low is not None
