"""Calibration: do predicted probabilities match frequencies?"""

from howsure.calibration.curve import Bins, CalibrationCurve
from howsure.calibration.judging import calibration_curve, calibration_error
from howsure.calibration.scores import ProperLoss, ScoreParts, score_parts

__all__ = [
    "Bins",
    "CalibrationCurve",
    "ProperLoss",
    "ScoreParts",
    "calibration_curve",
    "calibration_error",
    "score_parts",
]
