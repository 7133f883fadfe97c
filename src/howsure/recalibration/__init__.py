"""Recalibration: maps from a model's probabilities to calibrated ones, and what they improve."""

from howsure.recalibration.evaluation.evaluate_recalibration import evaluate_recalibration, recalibration_table
from howsure.recalibration.evaluation.results import RecalibrationEvaluation, RecalibrationTable
from howsure.recalibration.recalibrate import recalibrate
from howsure.recalibration.results import RecalibrationMap

__all__ = [
    "RecalibrationEvaluation",
    "RecalibrationMap",
    "RecalibrationTable",
    "evaluate_recalibration",
    "recalibrate",
    "recalibration_table",
]
