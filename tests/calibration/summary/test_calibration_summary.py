"""CalibrationSummary: any split of the pairs, one answer."""

from __future__ import annotations

import numpy as np
import pytest

from howsure import CalibrationSummary, calibration_curve
from tests.calibration.samples import language_pairs


def test_parts_add_up_to_the_whole() -> None:
    y, q = language_pairs(5_000, np.random.default_rng(0))
    whole, parts = CalibrationSummary(), CalibrationSummary()
    whole.add(y, q)
    for rows in np.array_split(np.random.default_rng(1).permutation(len(y)), 7):
        part = CalibrationSummary()
        part.add(y[rows], q[rows])
        parts = part + parts
    assert parts == whole
    assert len(parts) == 5_000
    exact = calibration_curve(y, q, n_bins=5)
    curve = whole.curve(n_bins=5)
    assert np.array_equal(curve.bins.count, exact.bins.count)
    assert curve.error.low == pytest.approx(exact.error.low, abs=1e-12)
    assert whole.error(n_bins=5) == curve.error
