"""Calibration: do predicted probabilities match frequencies?"""

from howsure.calibration.calibration_errors import calibration_error
from howsure.calibration.calibration_summaries import CalibrationSummaries
from howsure.calibration.calibration_summary import CalibrationSummary
from howsure.calibration.calibration_tests import CalibrationTest, calibration_test
from howsure.calibration.comparison import compare_calibration
from howsure.calibration.corp_results import ConsistencyBand, CorpCurve, CorpSteps
from howsure.calibration.curve import calibration_curve
from howsure.calibration.decomposition import ScoreDecomposition
from howsure.calibration.found_groups import find_groups
from howsure.calibration.group_results import FoundGroups, MiscalibratedGroup
from howsure.calibration.multicalibration import MulticalibrationError, multicalibration_error
from howsure.calibration.quantiles import QuantileCalibration, posterior_quantiles
from howsure.calibration.results import Bins, CalibrationComparison, CalibrationCurve
from howsure.calibration.scores import MulticlassScores, ProperLoss, ScoreParts, score_parts
from howsure.calibration.simulation import simulate_pairs
from howsure.calibration.table import CalibrationTable, GroupCalibration, calibration_table

__all__ = [
    "Bins",
    "CalibrationComparison",
    "CalibrationCurve",
    "CalibrationSummaries",
    "CalibrationSummary",
    "CalibrationTable",
    "CalibrationTest",
    "ConsistencyBand",
    "CorpCurve",
    "CorpSteps",
    "FoundGroups",
    "GroupCalibration",
    "MiscalibratedGroup",
    "MulticalibrationError",
    "MulticlassScores",
    "ProperLoss",
    "QuantileCalibration",
    "ScoreDecomposition",
    "ScoreParts",
    "calibration_curve",
    "calibration_error",
    "calibration_table",
    "calibration_test",
    "compare_calibration",
    "find_groups",
    "multicalibration_error",
    "posterior_quantiles",
    "score_parts",
    "simulate_pairs",
]
