"""Cox's intercept and slope: against scikit-learn's fit, and where the labels leave no finite answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression

from howsure.calibration.calibration_tests import calibration_test
from howsure.calibration.clustered_tests import _tail, cox_test
from howsure.inputs.pairs import Pairs

Q = np.random.default_rng(0).random(400)
Y = (np.random.default_rng(1).random(400) < expit(0.3 + 0.6 * logit(Q))).astype(np.uint8)
W = np.random.default_rng(2).exponential(size=400)


def log_likelihood(p: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    return float(w @ np.where(y == 1, np.log(p), np.log1p(-p)))


@pytest.mark.parametrize("weights", [None, W])
def test_the_fit_is_scikit_learns(weights: np.ndarray | None) -> None:
    x = logit(Q)[:, None]
    peer = LogisticRegression(C=math.inf, tol=1e-12, max_iter=1_000).fit(x, Y, weights)
    found = cox_test(Pairs(Y, Q, weights))
    assert found.intercept == pytest.approx(peer.intercept_[0], abs=1e-4)
    assert found.slope == pytest.approx(peer.coef_[0, 0], abs=1e-4)
    w = np.ones(400) if weights is None else weights
    gain = log_likelihood(expit(found.intercept + found.slope * x[:, 0]), Y, w) - log_likelihood(Q, Y, w)
    assert found.statistic == pytest.approx(2 * gain, rel=1e-9)


def test_the_p_value_is_that_of_chi_square_with_two_degrees_of_freedom() -> None:
    found = calibration_test(Y, Q, method="cox")
    assert found.p_value == pytest.approx(chi2.sf(found.statistic, 2), rel=1e-9)
    assert found.p_error == 0.0


def test_the_tail_of_unequal_weights_is_that_of_draws() -> None:
    drawn = np.random.default_rng(3).chisquare(1, (400_000, 2)) @ [3.0, 0.5]
    for x in (1.0, 5.0, 12.0):
        share = float(np.mean(drawn > x))
        assert _tail(x, np.array([3.0, 0.5])) == pytest.approx(share, abs=5 * math.sqrt(share / 400_000))
    assert _tail(4.0, np.array([1.0])) == pytest.approx(chi2.sf(4.0, 1), rel=1e-12)


def test_weights_that_are_equal_change_nothing() -> None:
    """Nor does their scale."""
    plain = calibration_test(Y, Q, method="cox")
    for weight in (1.0, 7.0, 1e-80, 1e200):
        equal = calibration_test(Y, Q, method="cox", sample_weight=np.full(400, weight))
        assert (equal.statistic, equal.p_value) == pytest.approx((plain.statistic, plain.p_value), rel=1e-9)
    uneven = calibration_test(Y, Q, method="cox", sample_weight=W)
    assert calibration_test(Y, Q, method="cox", sample_weight=1e200 * W).p_value == pytest.approx(uneven.p_value)


@given(st.integers(0, 2**32 - 1), st.floats(-1, 1), st.floats(0.5, 2))
def test_recalibrated_predictions_have_the_other_intercept_and_slope(seed: int, a: float, b: float) -> None:
    """If q = expit((x - a) / b), the fit to x is a + b times that to q."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=60)
    y = (rng.random(60) < expit(x)).astype(np.uint8)
    one, other = cox_test(Pairs(y, expit(x))), cox_test(Pairs(y, expit((x - a) / b)))
    if math.isfinite(one.intercept) and math.isfinite(one.slope):
        assert other.slope == pytest.approx(b * one.slope, rel=1e-4, abs=1e-4)
        assert other.intercept == pytest.approx(one.intercept + a * one.slope, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize(
    ("y", "q", "most", "intercept", "slope"),
    [
        ([0, 0, 1, 1], [0.1, 0.4, 0.6, 0.8], 0.0, math.nan, math.inf),
        ([1, 1, 0, 0], [0.1, 0.4, 0.6, 0.8], 0.0, math.nan, -math.inf),
        ([0, 0, 1, 0, 1], [0.1, 0.4, 0.4, 0.4, 0.8], 3 * math.log(3) - 2 * math.log(2), math.nan, math.inf),
        ([1, 1, 1], [0.1, 0.4, 0.6], 0.0, math.inf, math.nan),
        ([0, 0, 0], [0.1, 0.4, 0.6], 0.0, -math.inf, math.nan),
    ],
)
def test_separated_labels_have_a_likelihood_but_no_finite_fit(
    y: list[int], q: list[float], most: float, intercept: float, slope: float
) -> None:
    found = cox_test(Pairs(np.array(y, dtype=np.uint8), np.array(q)))
    null = log_likelihood(np.array(q), np.array(y), np.ones(len(q)))
    assert found.statistic == pytest.approx(2 * (-most - null))
    assert [found.intercept, found.slope] == pytest.approx([intercept, slope], nan_ok=True)
    assert 0.0 < found.p_value < 1.0


def test_predictions_all_equal_have_an_intercept_only() -> None:
    q, y = np.full(50, 0.3), np.arange(50) < 25
    found = calibration_test(y, q, method="cox")
    assert found.estimates["intercept"] == pytest.approx(-logit(0.3))
    assert math.isnan(found.estimates["slope"])
    statistic = 2 * (50 * math.log(0.5) - 25 * math.log(0.3) - 25 * math.log(0.7))
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(chi2.sf(statistic, 1))
    assert found.to_dict()["slope"] is None


@pytest.mark.parametrize("clusters", [None, np.arange(404) // 4])
def test_predictions_of_0_and_1_say_nothing_if_right_and_all_if_wrong(clusters: np.ndarray | None) -> None:
    options = {"method": "cox", "rng": 0}
    y, q = np.r_[Y, [0, 0, 1, 1]], np.r_[Q, [0.0, 0.0, 1.0, 1.0]]
    shorter = None if clusters is None else clusters[:400]
    right = calibration_test(y, q, clusters=clusters, **options)
    without = calibration_test(Y, Q, clusters=shorter, **options)
    assert right.statistic == pytest.approx(without.statistic)
    assert right.estimates == pytest.approx(without.estimates)
    y[-1] = 0
    wrong = calibration_test(y, q, clusters=clusters, **options)
    assert (wrong.statistic, wrong.p_value) == (math.inf, 0.0)
    assert wrong.estimates == right.estimates


@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1]])
def test_nothing_but_right_predictions_of_0_and_1_is_no_evidence(clusters: list[int] | None) -> None:
    found = calibration_test([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], method="cox", clusters=clusters)
    assert (found.statistic, found.p_value) == (0.0, 1.0)


def test_a_prediction_next_to_0_is_no_trouble() -> None:
    found = calibration_test(np.r_[Y, 0, 1], np.r_[Q, 1e-300, 1 - 2.0**-53], method="cox")
    assert found.p_value == pytest.approx(calibration_test(Y, Q, method="cox").p_value, rel=2)
    assert calibration_test(np.r_[Y, 1], np.r_[Q, 1e-300], method="cox").p_value < 1e-9
