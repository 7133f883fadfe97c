"""Metrics of one's own, and their register."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.significance import Metric, compare, mean, metric_names, register
from howsure.significance.metrics.metric import find_metric, mean_loss, ratio
from tests.significance.made_systems import labels


def test_a_metric_of_ones_own_is_compared() -> None:
    targets, a, b = labels(100, 3, 1)

    def rows(true, predicted, problem):
        wrong = (true != predicted).astype(float)
        return np.stack([wrong, np.ones_like(wrong)], axis=-1)

    error = Metric("error_rate", "hard", rows, mean, higher_is_better=False, best=0.0)
    own, accuracy = compare(targets, a, b, metrics=[error, "accuracy"], adjust=None, alternative="better", rng=0)
    assert own.difference == pytest.approx(-accuracy.difference)
    assert own.p_value == pytest.approx(accuracy.p_value, abs=1e-15)
    assert (own.low, own.high) == pytest.approx((-accuracy.high, -accuracy.low))
    assert own.relative_error_reduction == pytest.approx(accuracy.relative_error_reduction)


def test_a_registered_metric_goes_by_its_name() -> None:
    twice = mean_loss("doubly_absolute", "soft", lambda t, q: 2 * np.abs(t - q).sum(axis=-1))
    register(twice)
    assert "doubly_absolute" in metric_names("soft")
    assert find_metric("doubly_absolute", "soft") is register(twice)
    rows = np.array([[0.5, 0.5], [1.0, 0.0]])
    found = compare(rows, rows, rows[::-1], metrics=["doubly_absolute", "total_variation"], rng=0)
    assert found[0].model_value == 4 * found[1].model_value


def test_what_cannot_be_registered() -> None:
    with pytest.raises(InputError, match="have a metric 'accuracy' already"):
        register(mean_loss("accuracy", "hard", lambda t, q: (t != q).astype(float)))
    with pytest.raises(InputError, match="must be one of hard, soft, probabilistic"):
        register(mean_loss("x", "ranked", lambda t, q: t))
    with pytest.raises(InputError, match="is a metric of soft predictions"):
        compare([0, 1], [0, 1], [0, 1], metrics=[mean_loss("x", "soft", lambda t, q: t)])


def test_nothing_below_the_line_is_undefined_without_a_warning() -> None:
    assert np.isnan(ratio(np.array([1.0, 0.0]), np.array([0.0, 2.0]))).tolist() == [True, False]
