"""A calibration curve in words."""

from __future__ import annotations

from howsure.calibration.curve import CalibrationCurve


def summary(curve: CalibrationCurve) -> str:
    """The figures of a curve as text."""
    return f"CalibrationCurve(n={curve.n}, debiased_error={curve.debiased_error})"
