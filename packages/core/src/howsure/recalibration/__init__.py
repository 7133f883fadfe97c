"""Recalibration: functions ("maps") from a model's probabilities to calibrated ones, and what these maps improve.

`RecalibratedClassifier`, a scikit-learn classifier, is loaded when it is first used.
"""

from typing import Any

from howsure.recalibration.evaluate_recalibration import evaluate_recalibration, recalibration_table
from howsure.recalibration.evaluation_results import RecalibrationEvaluation, RecalibrationTable
from howsure.recalibration.recalibrate import recalibrate, recalibrate_file
from howsure.recalibration.results import RecalibrationMap

__all__ = [
    "RecalibrationEvaluation",
    "RecalibrationMap",
    "RecalibrationTable",
    "evaluate_recalibration",
    "recalibrate",
    "recalibrate_file",
    "recalibration_table",
]


def __getattr__(name: str) -> Any:
    if name == "RecalibratedClassifier":
        from howsure.recalibration import recalibrated_classifier

        return recalibrated_classifier.RecalibratedClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
