"""Cox's intercept and slope: against scikit-learn's fit, and where the labels leave no finite answer."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import chi2
from sklearn.linear_model import LogisticRegression
from tests.calibration.reference import rows_of
from tests.calibration.samples import Small, pairs_of, small_pairs

from howsure.calibration.calibration_tests import calibration_test
from howsure.calibration.clustered_tests import SignTest, _tail, brownian_tail, cox_test, cumulative_test, sign_test
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
    fit = cox_test(Pairs(Y, Q, weights))
    assert fit.intercept == pytest.approx(peer.intercept_[0], abs=1e-4)
    assert fit.slope == pytest.approx(peer.coef_[0, 0], abs=1e-4)
    w = np.ones(400) if weights is None else weights
    gain = log_likelihood(expit(fit.intercept + fit.slope * x[:, 0]), Y, w) - log_likelihood(Q, Y, w)
    assert fit.statistic == pytest.approx(2 * gain, rel=1e-9)


def test_the_p_value_matches_chi_square_with_two_degrees_of_freedom() -> None:
    test = calibration_test(Y, Q, method="cox")
    assert test.p_value == pytest.approx(chi2.sf(test.statistic, 2), rel=1e-9)
    assert test.p_error == 0.0


def test_the_tail_of_unequal_weights_matches_draws() -> None:
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
    original, other = cox_test(Pairs(y, expit(x))), cox_test(Pairs(y, expit((x - a) / b)))
    if math.isfinite(original.intercept) and math.isfinite(original.slope):
        assert other.slope == pytest.approx(b * original.slope, rel=1e-4, abs=1e-4)
        assert other.intercept == pytest.approx(original.intercept + a * original.slope, rel=1e-4, abs=1e-4)


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
    fit = cox_test(Pairs(np.array(y, dtype=np.uint8), np.array(q)))
    null = log_likelihood(np.array(q), np.array(y), np.ones(len(q)))
    assert fit.statistic == pytest.approx(2 * (-most - null))
    assert [fit.intercept, fit.slope] == pytest.approx([intercept, slope], nan_ok=True)
    assert 0.0 < fit.p_value < 1.0


def test_predictions_all_equal_have_an_intercept_only() -> None:
    q, y = np.full(50, 0.3), np.arange(50) < 25
    test = calibration_test(y, q, method="cox")
    assert test.estimates["intercept"] == pytest.approx(-logit(0.3))
    assert math.isnan(test.estimates["slope"])
    statistic = 2 * (50 * math.log(0.5) - 25 * math.log(0.3) - 25 * math.log(0.7))
    assert test.statistic == pytest.approx(statistic)
    assert test.p_value == pytest.approx(chi2.sf(statistic, 1))
    assert test.to_dict()["slope"] is None


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
def test_only_right_predictions_of_0_and_1_are_not_evidence(clusters: list[int] | None) -> None:
    test = calibration_test([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], method="cox", clusters=clusters)
    assert (test.statistic, test.p_value) == (0.0, 1.0)


def test_a_prediction_next_to_0_is_allowed() -> None:
    test = calibration_test(np.r_[Y, 0, 1], np.r_[Q, 1e-300, 1 - 2.0**-53], method="cox")
    assert test.p_value == pytest.approx(calibration_test(Y, Q, method="cox").p_value, rel=2)
    assert calibration_test(np.r_[Y, 1], np.r_[Q, 1e-300], method="cox").p_value < 1e-9


@given(small_pairs())
def test_the_distance_is_the_largest_over_all_thresholds(small: Small) -> None:
    rows = rows_of(small.y, small.q, small.w)
    distances = [abs(sum((r.w * (r.y - r.q) for r in rows if r.q <= t), Fraction(0))) for t in {r.q for r in rows}]
    distance, p = cumulative_test(pairs_of(small))
    assert distance == pytest.approx(float(max(distances) / sum(row.w for row in rows)), rel=1e-9, abs=1e-12)
    assert 0.0 <= p <= 1.0


def test_the_tail_matches_the_largest_distance_of_a_random_walk() -> None:
    rng = np.random.default_rng(0)
    reached = np.concatenate(
        [
            np.abs(np.cumsum(rng.choice([-1.0, 1.0], (500, 4_000)), axis=1)).max(axis=1) / math.sqrt(4_000)
            for _ in range(8)
        ]
    )
    for x in (0.8, 1.2, 2.0):
        share = float(np.mean(reached + 0.5826 / math.sqrt(4_000) >= x))  # what steps overshoot on average
        assert brownian_tail(x) == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / 4_000))


def test_both_series_of_the_tail_are_one_function() -> None:
    """One holds below 1, the other above."""
    assert brownian_tail(1 - 1e-12) == pytest.approx(brownian_tail(1.0), abs=1e-10)
    assert brownian_tail(0.0) == 1.0
    assert brownian_tail(2.241402728) == pytest.approx(0.05, abs=1e-8)
    assert brownian_tail(2.807033768) == pytest.approx(0.01, abs=1e-8)
    assert brownian_tail(9.0) == pytest.approx(2 * math.erfc(9 / math.sqrt(2)))


def test_certain_predictions_are_impossible_or_no_evidence() -> None:
    assert calibration_test([0, 1], [0.0, 1.0], method="cumulative").p_value == 1.0
    assert calibration_test([0, 0], [0.0, 1.0], method="cumulative").p_value == 0.0


def largest(sums: np.ndarray) -> np.ndarray:
    return np.abs(sums).max(axis=1)


@given(st.integers(1, 7), st.integers(1, 4), st.integers(0, 2**32 - 1), st.floats(1.0, 3.0))
def test_few_clusters_try_all_signs(clusters: int, columns: int, seed: int, stretch: float) -> None:
    by_cluster = np.random.default_rng(seed).normal(size=(clusters, columns))
    value = np.abs(by_cluster.sum(axis=0)).max()
    all_signs = [np.abs(np.array(signs) @ by_cluster).max() for signs in product((-1, 1), repeat=clusters)]
    test = sign_test(by_cluster, largest, stretch=stretch, times=99, rng=np.random.default_rng(0))
    assert test.value == pytest.approx(value)
    assert test.p_value == np.mean(stretch * np.array(all_signs) >= value * (1 - 1e-9))
    assert test.p_error == 0.0


def test_many_clusters_draw_signs() -> None:
    """The law of the sum of 400 standard normal variables, known beforehand."""
    by_cluster = np.random.default_rng(1).normal(size=(400, 1))
    test = sign_test(by_cluster, largest, times=20_000, rng=np.random.default_rng(2))
    value, p, error = test.value, test.p_value, test.p_error
    assert error == pytest.approx(math.sqrt(p * (1 - p) / 20_001))
    assert p == pytest.approx(math.erfc(value / math.sqrt(2 * float((by_cluster**2).sum()))), abs=4 * error)


def test_draws_in_parts_are_the_same_test(monkeypatch: pytest.MonkeyPatch) -> None:
    by_cluster = np.random.default_rng(3).normal(size=(30, 5))
    whole = sign_test(by_cluster, largest, times=500, rng=np.random.default_rng(4))
    monkeypatch.setattr("howsure.calibration.clustered_tests.NUMBERS_AT_ONCE", 200)
    parts = sign_test(by_cluster, largest, times=500, rng=np.random.default_rng(4))
    np.testing.assert_allclose(parts.drawn, whole.drawn)


def test_the_rate_of_error_is_the_level() -> None:
    rng = np.random.default_rng(5)
    scale = rng.exponential(size=(12, 1))
    p_values = [sign_test(scale * rng.normal(size=(12, 3)), largest, times=99, rng=rng).p_value for _ in range(600)]
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(p_values) <= level) == pytest.approx(level, abs=4 * math.sqrt(level / 600))


@pytest.mark.parametrize("clusters", [4, 8, 30])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_what_exceeds_the_critical_value_has_a_p_value_of_at_most_the_rest(clusters: int, level: float) -> None:
    rng = np.random.default_rng(6)
    for _ in range(20):
        test = sign_test(rng.normal(size=(clusters, 2)), largest, times=199, rng=rng)
        for value in (*test.drawn[:40] * (1 + 1e-6), *test.drawn[:40] * (1 - 1e-6)):
            other = SignTest(float(value), test.drawn, test.exact)
            assert (value > test.critical(level)) == (other.p_value <= 1 - level + 1e-12)
