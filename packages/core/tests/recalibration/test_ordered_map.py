"""Ordered levels recalibrated: Platt scaling at two, scipy's optimum, planted shifts, crossing cut points, refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.optimize import minimize

import howsure
from howsure import RecalibrationMap, recalibrate

RNG = np.random.default_rng(0)
ABILITY = RNG.normal(0, 1.5, (4000, 1))
CUTS = np.array([-1.5, -0.5, 0.5, 1.5])


def probabilities(cuts: np.ndarray, slope: float = 1.0) -> np.ndarray:
    below = 1 / (1 + np.exp(slope * ABILITY - cuts))
    return np.diff(below, axis=1, prepend=0, append=1)


GRADES = (RNG.random((4000, 1)) > probabilities(CUTS).cumsum(axis=1)).sum(axis=1)
PREDICTED = probabilities(1.5 * CUTS + [-0.6, 0, 0, 0.6], 1.5)  # T = 1.5, shifts of 0.4


@pytest.mark.parametrize("weighted", [False, True])
def test_two_levels_are_platt_scaling(weighted):
    rng = np.random.default_rng(1)
    q = rng.random(500)
    y = (rng.random(500) < q**2 / (q**2 + (1 - q) ** 2)).astype(int)
    weight = rng.integers(0, 4, 500).astype(float) if weighted else None
    both = np.column_stack([1 - q, q])
    recalibration = recalibrate(y, both, method="ordered", sample_weight=weight)
    platt = recalibrate(y, q, method="platt", sample_weight=weight)
    assert 1 / recalibration.parameters["T"] == pytest.approx(platt.parameters["b"], rel=1e-7)
    assert recalibration.parameters["s"] == pytest.approx([platt.parameters["a"]], abs=1e-7)
    np.testing.assert_allclose(recalibration.apply(both)[:, 1], platt.apply(q), rtol=0, atol=1e-8)


def test_the_optimum_matches_scipy():
    y, predicted = GRADES[:300], PREDICTED[:300]
    odds = np.array([[np.log(row[k:].sum() / row[:k].sum()) for k in range(1, 5)] for row in predicted])
    above = np.array([[grade >= k for k in range(1, 5)] for grade in y])
    ones = above.sum(axis=0)
    targets = np.where(above, (ones + 1) / (ones + 2), 1 / (300 - ones + 2))

    def loss(at: np.ndarray) -> float:
        eta = odds * at[0] + at[1:]
        return float((np.logaddexp(0, eta) - targets * eta).sum())

    best = minimize(loss, [1.0, 0, 0, 0, 0], method="BFGS", options={"gtol": 1e-8}).x
    parameters = recalibrate(y, predicted, method="ordered").parameters
    assert [1 / parameters["T"], *parameters["s"]] == pytest.approx(best, abs=1e-5)


def test_a_planted_distortion_is_found_and_corrected():
    recalibration = recalibrate(GRADES[:2000], PREDICTED[:2000], method="ordered")
    assert recalibration.parameters["T"] == pytest.approx(1.5, abs=0.15)
    assert recalibration.parameters["s"] == pytest.approx([-0.4, 0, 0, 0.4], abs=0.15)
    after = recalibration.apply(PREDICTED[2000:])
    before, recalibrated = (
        howsure.ordinal_calibration(GRADES[2000:], predicted) for predicted in (PREDICTED[2000:], after)
    )
    assert before.error.low > 0.02
    assert recalibrated.error.value < 0.03
    assert recalibrated.rps.value < before.rps.value
    judged = howsure.evaluate_recalibration(GRADES, PREDICTED, method="ordered", repeats=1, rng=0)
    assert judged.multiclass_log_loss.improvement.low > 0


def test_a_level_between_crossing_cut_points_keeps_a_thousandth_of_its_probability():
    content = json.loads(recalibrate(GRADES, PREDICTED, method="ordered").to_json())
    content["parameters"]["s"] = [-2.0, 3.0, 0.0, 0.0]  # a level above 1 would be more probable than one above 0
    row = np.array([[0.1, 0.2, 0.3, 0.2, 0.2]])
    after = RecalibrationMap.from_json(json.dumps(content)).apply(row)[0]
    least = row[0, 1] / 1000
    assert after.sum() == pytest.approx(1.0, abs=1e-15)
    assert least / 2 < after[1] <= least
    unbroken = recalibrate(GRADES, PREDICTED, method="ordered").apply(PREDICTED)
    assert unbroken.sum(axis=1) == pytest.approx(np.ones(4000), abs=1e-14)
    assert (unbroken > 0).all()


def test_it_is_another_map_for_levels_in_another_order():
    order = [2, 0, 4, 1, 3]
    mixed = recalibrate(np.argsort(order)[GRADES], PREDICTED[:, order], method="ordered")
    recalibration = recalibrate(GRADES, PREDICTED, method="ordered")
    assert np.abs(mixed.apply(PREDICTED[:, order]) - recalibration.apply(PREDICTED)[:, order]).max() > 0.1


def test_auto_does_not_try_it():
    choice = recalibrate(GRADES[:500], PREDICTED[:500], folds=2, penalty=0.1).choice
    assert [candidate.method for candidate in choice.candidates] == [
        "none",
        "temperature",
        "vector",
        "dirichlet (penalty 0.1)",
    ]
