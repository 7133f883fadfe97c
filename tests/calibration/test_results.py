"""What a curve looks like in JSON, as a data frame, and as bins."""

from __future__ import annotations

import json

import numpy as np
import pytest

from howsure.calibration.curve import calibration_curve
from howsure.calibration.results import BIN_COLUMNS
from tests.calibration.samples import language_pairs

Y, Q = language_pairs(500, np.random.default_rng(43))


def test_the_json_form_keeps_its_schema() -> None:
    curve = calibration_curve(Y, Q)
    held = json.loads(json.dumps(curve.to_dict(), allow_nan=False))
    assert list(held) == [
        "recipe", "group", "n", "base_rate", "error", "algorithm1_error", "mse", "ece", "max_error", "p_value", "brier",
        "log_loss", "notes", "bins",
    ]  # fmt: skip
    assert held["n"] == 500 == sum(row["n"] for row in held["bins"])
    assert list(held["error"]) == ["value", "low", "high", "level", "method", "n"]
    assert held["algorithm1_error"]["low"] is None
    assert held["ece"] == curve.ece.to_dict()
    assert list(held["brier"]) == list(held["log_loss"])
    assert list(held["log_loss"]) == ["score", "calibration", "refinement", "within_bin", "infinite_rows"]
    assert held["log_loss"]["score"] is None
    assert held["log_loss"]["infinite_rows"] == int(((Q == 0) & (Y == 1)).sum() + ((Q == 1) & (Y == 0)).sum()) > 0
    assert list(held["bins"][0]) == ["n", "mean_prob", "frequency", "low", "high"]
    assert any("log loss is infinite" in note for note in held["notes"])


def test_what_is_undefined_is_null() -> None:
    held = calibration_curve([0, 1], [0.2, 0.9], bin_size=1).to_dict()
    assert held["error"] == {
        "value": None, "low": None, "high": None, "level": 0.95, "method": "debiased", "n": 2
    }  # fmt: skip


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_bins_as_a_data_frame(backend: str) -> None:
    curve = calibration_curve(Y, Q)
    frame = curve.to_frame(backend)
    names = list(frame.columns) if backend != "pyarrow" else frame.column_names
    assert names == list(BIN_COLUMNS)
    assert [float(value) for value in frame["frequency"].to_numpy()] == curve.bins.frequency.tolist()
    assert len(frame) == len(curve.bins)


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
