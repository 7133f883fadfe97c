"""The public calls: what other tools get wrong, what a result says of itself, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.calibration import reference
from tests.calibration.samples import language_pairs

import howsure
from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.curve import binned_curve, calibration_curve
from howsure.calibration.slots import sum_by_slot
from howsure.inputs.pairs import Floats, Labels, Pairs


def orders(y: Labels, q: Floats) -> dict[str, np.ndarray]:
    """The same rows shuffled, with label 0 first among equal predictions, and with label 1 first."""
    return {
        "shuffled": np.random.default_rng(0).permutation(len(q)),
        "zeros first": np.lexsort((y, q)),
        "ones first": np.lexsort((1 - y.astype(np.int8), q)),
    }


def test_language_like_pairs_in_three_orders() -> None:
    """The pairs on which peers crash, lose 40 % of the rows, or change with the order."""
    y, q = language_pairs(20_000, np.random.default_rng(35))
    rows = reference.rows_of(y[:2_000], q[:2_000])
    small = float(reference.ece(reference.adaptive_bins(rows, 200)))
    assert calibration_curve(y[:2_000], q[:2_000], n_bins=10).ece.value == pytest.approx(small, abs=1e-12)
    curves = [calibration_curve(y[order], q[order], n_bins=10) for order in orders(y, q).values()]
    assert len({repr(curve.to_dict()) for curve in curves}) == 1
    assert curves[0].bins.count.sum() == 20_000
    assert len(curves[0].bins) == 6
    assert curves[0].bins.mean_prob[[0, -1]].tolist() == [0.0, 1.0]
    assert curves[0].bins.frequency[[0, -1]].tolist() == pytest.approx([0.05, 0.95], abs=0.01)


def test_two_values_of_which_one_is_wrong() -> None:
    """q = 0 sixty times with 30 positives, q = 0.5 forty times with 20: the error is 0.6 · 0.5."""
    q = np.repeat([0.0, 0.5], [60, 40])
    y = np.concatenate([np.arange(60) < 30, np.arange(40) < 20])
    curve = calibration_curve(y, q, n_bins=10)
    assert curve.ece.value == 0.3
    assert curve.max_error.value == 0.5
    assert curve.algorithm1_error.value == pytest.approx(math.sqrt(0.6 * 0.25))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_short_floats_are_summed_as_doubles(dtype: type) -> None:
    rng = np.random.default_rng(37)
    q = rng.random(200_000).astype(dtype)
    y = rng.random(200_000) < q.astype(np.float64) ** 2
    short, double = calibration_curve(y, q), calibration_curve(y, q.astype(np.float64))
    assert repr(short.to_dict()) == repr(double.to_dict())
    assert short.ece.value == pytest.approx(1 / 6, abs=0.01)


def test_more_rows_than_a_single_float_can_count() -> None:
    rng = np.random.default_rng(38)
    q = rng.random(1 << 17).astype(np.float32).astype(np.float64)
    once = many = sum_by_slot(Pairs((rng.random(1 << 17) < q**2).astype(np.uint8), q))
    for _ in range(8):
        many = many + many
    single, other = (binned_curve(slots, n_bins=1) for slots in (once, many))
    assert other.n == other.bins.count.sum() == 1 << 25
    assert other.ece.value == pytest.approx(single.ece.value, abs=1e-14)
    assert other.brier.score == pytest.approx(single.brier.score, abs=1e-14)


def test_fewer_rows_than_bins_and_one_bin_and_a_half() -> None:
    few = calibration_curve([0, 1, 1], [0.1, 0.5, 0.8], n_bins=10)
    assert few.bins.count.tolist() == [1, 1, 1]
    assert few.notes[0].startswith("3 pairs are left out of the debiased error")
    assert few.notes[1] == "most pairs are alone in their bin; use fewer and larger bins"
    assert math.isnan(few.error.value)
    assert few.ece.value == pytest.approx((0.1 + 0.5 + 0.2) / 3)
    q = np.linspace(0.01, 0.4, 150)
    half = calibration_curve(np.ones(150), q, bin_size=100)
    assert half.bins.count.tolist() == [150]
    assert half.algorithm1_error.value == pytest.approx(1 - q.mean())


def test_rounding_predictions_changes_little() -> None:
    rng = np.random.default_rng(39)
    q = rng.random(5_000)
    y = rng.random(5_000) < q
    exact, rounded = (
        calibration_error(y, predictions, bin_size=200, estimator="plugin").value for predictions in (q, q.round(3))
    )
    assert rounded == pytest.approx(exact, abs=0.005)  # a peer jumps from 0.010 to 0.077


def test_plain_duplication_of_every_row_keeps_the_curve() -> None:
    y, q = language_pairs(1_000, np.random.default_rng(40))
    once, twice = calibration_curve(y, q, bin_size=50), calibration_curve(np.tile(y, 2), np.tile(q, 2), bin_size=100)
    assert twice.algorithm1_error.value == pytest.approx(once.algorithm1_error.value, abs=1e-14)
    assert twice.bins.frequency.tolist() == pytest.approx(once.bins.frequency.tolist(), abs=1e-14)


def test_weights_are_repetitions_for_all_that_is_not_noise() -> None:
    rng = np.random.default_rng(41)
    q, times = rng.random(400), rng.integers(1, 4, 400)
    y = (rng.random(400) < q).astype(int)
    edges = calibration_curve(y, q, binning="uniform", n_bins=5, sample_weight=times)
    repeated = calibration_curve(np.repeat(y, times), np.repeat(q, times), binning="uniform", n_bins=5)
    for name in ("algorithm1_error", "mse", "ece", "max_error"):
        assert getattr(edges, name).value == pytest.approx(getattr(repeated, name).value, abs=1e-13)
    for score in ("brier", "log_loss"):
        for part in ("score", "calibration", "refinement", "within_bin"):
            expected = getattr(getattr(repeated, score), part)
            assert getattr(getattr(edges, score), part) == pytest.approx(expected, abs=1e-13)
    assert edges.base_rate == pytest.approx(repeated.base_rate, abs=1e-14)


def test_a_row_of_weight_0_counts_for_nothing() -> None:
    """Also where it is alone in its bin, or where all rows of a bin are such."""
    y, q, w = [0, 1, 1, 0, 1, 1], [0.1, 0.15, 0.3, 0.4, 0.8, 0.9], [0, 0, 2, 2, 1, 1]
    curve = calibration_curve(y, q, sample_weight=w, bin_size=2)
    without = calibration_curve(y[2:], q[2:], sample_weight=w[2:], bin_size=2)
    for name in ("algorithm1_error", "mse", "ece", "max_error", "error"):
        assert getattr(curve, name).value == pytest.approx(getattr(without, name).value, abs=1e-12), name
    assert curve.brier.calibration == pytest.approx(without.brier.calibration, abs=1e-12)
    assert curve.log_loss.score == pytest.approx(without.log_loss.score, abs=1e-12)


def test_value_and_interval_belong_together() -> None:
    rng = np.random.default_rng(42)
    q = rng.random(500)
    y = rng.random(500) < q**2
    for interval in ("debiased", "none"):
        curve = calibration_curve(y, q, interval=interval)
        assert (curve.algorithm1_error.low, curve.algorithm1_error.high, curve.algorithm1_error.method) == (
            None,
            None,
            "plugin",
        )
        assert (curve.mse.low, curve.max_error.high) == (None, None)
        assert curve.ece.low is not None
    for interval in ("nguyen-oconnor", "bootstrap"):
        curve = calibration_curve(y, q, interval=interval, rng=0)
        assert curve.algorithm1_error.method == curve.mse.method == interval
        assert curve.algorithm1_error.low is not None
        assert curve.error.method == "debiased"
        assert curve.error.low is not None
    assert calibration_error(y, q) == calibration_curve(y, q).error
    assert calibration_error(y, q, estimator="plugin") == calibration_curve(y, q).algorithm1_error
    assert curve.mse.value == pytest.approx(curve.algorithm1_error.value**2, abs=1e-15)


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only_is_reported_without_an_error(label: int) -> None:
    curve = calibration_curve([label] * 10, np.linspace(0, 1, 10), bin_size=5)
    note = f"every label is {label}, so refinement does not show how well labels are separated"
    assert note in curve.notes
    assert curve.base_rate == label


def test_intervals_of_bins_are_honest_at_0_and_1() -> None:
    curve = calibration_curve([0] * 20 + [1] * 20, [0.1] * 20 + [0.9] * 20, bin_size=20)
    assert curve.bins.frequency.tolist() == [0.0, 1.0]
    assert curve.bins.low[0] == 0.0
    assert 0.1 < curve.bins.high[0] < 0.2
    assert curve.bins.high[1] == 1.0
    paper = calibration_curve(
        [0] * 20 + [1] * 20, [0.1] * 20 + [0.9] * 20, bin_size=20, interval="nguyen-oconnor", rng=0
    )
    assert paper.bins.low.tolist() == paper.bins.high.tolist() == [0.0, 1.0]


def test_the_recipe_has_all_that_is_needed() -> None:
    y, q = [0, 1, 1, 0], [0.1, 0.7, 0.8, 0.3]
    recipe = calibration_curve(y, q).recipe
    assert recipe["howsure"] == howsure.__version__
    assert (recipe["n"], recipe["bin_size"], recipe["bin_size_rule"]) == (4, 2, "n^(2/3) / 2")
    assert (recipe["binning"], recipe["interval"], recipe["level"], recipe["bins"]) == ("adaptive", "debiased", 0.95, 2)
    assert (recipe["weighted"], recipe["clustered"]) == (False, False)
    assert calibration_curve(y, q, bin_size=2).recipe["bin_size_rule"] == "given"
    assert calibration_curve(y, q, n_bins=2).recipe["bin_size_rule"] == "n_bins"
    drawn = calibration_curve(y, q, interval="nguyen-oconnor", rng=7, sample_weight=[1, 1, 2, 1], clusters=[0, 0, 1, 1])
    assert (drawn.recipe["seed"], drawn.recipe["samples"]) == (7, 10_000)
    assert (drawn.recipe["weighted"], drawn.recipe["clustered"]) == (True, True)


def test_one_pair_is_one_in_the_notes() -> None:
    curve = calibration_curve([1, 0, 1, 1], [0.0, 0.2, 0.7, 0.8], bin_size=4)
    assert any(note.startswith("1 prediction of exactly 0 or 1 is wrong, ") for note in curve.notes)
