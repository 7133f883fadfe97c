"""Selective answers: a model answers only if it is confident."""

from howsure.selective.curve import selective_curve, selective_table
from howsure.selective.results import (
    AtAccuracy,
    AtCoverage,
    Candidates,
    RiskCoverage,
    SelectiveCurve,
    SelectiveTable,
    SelectiveThreshold,
)
from howsure.selective.threshold import selective_threshold

__all__ = [
    "AtAccuracy",
    "AtCoverage",
    "Candidates",
    "RiskCoverage",
    "SelectiveCurve",
    "SelectiveTable",
    "SelectiveThreshold",
    "selective_curve",
    "selective_table",
    "selective_threshold",
]
