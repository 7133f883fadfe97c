"""Scores by label: against literal loops and the score itself; what a proper score's parts must be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.calibration.scores import BRIER, LOG, ProperLoss, decompose_score
from howsure.calibration.scores_by_label import decompose_score_by_label
from howsure.errors import InputError

SPHERICAL = ProperLoss("spherical", lambda q: -q / np.hypot(q, 1 - q), lambda q: -(1 - q) / np.hypot(q, 1 - q))
TRIPLES = st.lists(st.tuples(st.integers(0, 1), st.floats(0.01, 0.99), st.integers(1, 5)), min_size=1, max_size=30)


@given(TRIPLES, st.sampled_from([BRIER, LOG, SPHERICAL]))
def test_against_literal_loops(triples: list[tuple[int, float, int]], loss: ProperLoss) -> None:
    y, q, w = map(list, zip(*triples, strict=True))
    result = decompose_score_by_label(y, q, score=loss, sample_weight=w)
    assert [row.label for row in result] == sorted(set(y), reverse=True)
    for row in result:
        chosen = [(p, weight) for label, p, weight in triples if label == row.label]
        total = sum(weight for _, weight in chosen)
        cost = loss.if_true if row.label else loss.if_false
        mean = sum(p * weight for p, weight in chosen) / total
        score = sum(float(cost(np.float64(p))) * weight for p, weight in chosen) / total
        assert row.n == len(chosen)
        assert row.base_rate == pytest.approx(total / sum(w))
        assert row.mean_prediction == pytest.approx(mean)
        assert row.score == pytest.approx(score)
        assert row.of_mean == pytest.approx(float(cost(np.float64(mean))))
        assert row.of_mean + row.spread == pytest.approx(row.score)
    assert result.score == pytest.approx(decompose_score(y, q, score=loss, sample_weight=w, bin_size=1).score)


@given(TRIPLES)
def test_the_spread_of_the_brier_score_is_a_variance(triples: list[tuple[int, float, int]]) -> None:
    y, q, _ = (np.array(column) for column in zip(*triples, strict=True))
    for row in decompose_score_by_label(y, q):
        of_label = q[y == row.label]
        assert row.spread == pytest.approx(of_label.var(), abs=1e-12)
        assert row.of_mean == pytest.approx((of_label.mean() - row.label) ** 2, abs=1e-12)


def test_equal_predictions_have_no_spread() -> None:
    for row in decompose_score_by_label([1, 1, 1, 0, 0, 0], [0.1, 0.1, 0.1, 0.7, 0.7, 0.7]):
        assert str(row.spread) == "0.0"


def test_one_label_and_wrong_certainty() -> None:
    alone = decompose_score_by_label([1, 1], [0.9, 0.7])
    assert len(alone) == 1
    assert "only label 1 occurs, so discrimination is unknown" in str(alone)
    assert "nan" not in str(alone)
    assert math.isnan(alone.discrimination)
    certain = decompose_score_by_label([1, 0], [0.0, 0.5], score="log")
    assert certain.score == math.inf
    assert math.isnan(certain.rows[0].spread)
    assert certain.discrimination == -0.5


def test_an_unknown_score_is_an_error() -> None:
    with pytest.raises(InputError, match="score must be 'brier', 'log' or a ProperLoss, not 'accuracy'"):
        decompose_score_by_label([1, 0], [0.2, 0.3], score="accuracy")
