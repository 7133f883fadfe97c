"""What a curve looks like in JSON, as a data frame, and as bins."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.calibration.curve import calibration_curve
from tests.calibration.samples import language_pairs

Y, Q = language_pairs(500, np.random.default_rng(43))


def test_what_is_undefined_is_null() -> None:
    held = calibration_curve([0, 1], [0.2, 0.9], bin_size=1).to_dict()
    assert held["error"] == {"value": None, "low": None, "high": None, "level": 0.95, "method": "debiased", "n": 2}


def test_bins_are_in_order_and_within_bounds() -> None:
    bins = calibration_curve(Y, Q, sample_weight=np.arange(500) % 7 + 0.5).bins
    assert (np.diff(bins.upper) > 0).all()
    assert (np.diff(bins.mean_prob) > 0).all()
    for column in (bins.mean_prob, bins.frequency, bins.low, bins.high):
        assert ((column >= 0) & (column <= 1)).all()
    assert ((bins.low <= bins.frequency) & (bins.frequency <= bins.high)).all()
    assert bins.weight.sum() == pytest.approx((np.arange(500) % 7 + 0.5).sum())
    assert bins.count.sum() == 500


def test_the_histogram_is_of_the_predictions_of_each_label() -> None:
    curve = calibration_curve([0, 0, 1, 1], [0.0, 0.02, 0.5, 1.0], sample_weight=[1, 2, 3, 4], bin_size=2)
    assert curve.histogram.shape == (2, 64)
    assert curve.histogram[0, :2].tolist() == [1, 2]
    assert curve.histogram[1, [32, 63]].tolist() == [3, 4]
    assert curve.histogram.sum() == 10
