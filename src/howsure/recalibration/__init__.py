"""Recalibration: maps from a model's probabilities to calibrated ones."""

from howsure.recalibration.recalibrate import recalibrate
from howsure.recalibration.results import RecalibrationMap

__all__ = ["RecalibrationMap", "recalibrate"]
