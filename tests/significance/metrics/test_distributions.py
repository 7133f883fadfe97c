"""Metrics of distributions and probabilities against scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cosine, jensenshannon
from sklearn import metrics as sk

from howsure.result import plain
from howsure.significance import compare
from tests.significance.made_systems import distributions, one_metric


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


def test_cross_entropy_is_that_of_scikit_learn_for_certain_targets() -> None:
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
        compare(targets, good, one, metrics="entropy_correlation", rng=1, n_resamples=50)[0] for one in (sure, even)
    ]
    for row in (infinite, *constant):
        assert np.isnan(row.p_value)
        assert np.isnan(row.low)
        assert row.stars == ""


def test_calibration_error_is_that_of_the_bins() -> None:
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
