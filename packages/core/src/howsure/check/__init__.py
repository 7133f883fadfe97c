"""Checks with a verdict: whether a limit is met, or a model is better than, or not worse than, another model."""

from howsure.check.calibration import check_calibration
from howsure.check.evidence import Baseline
from howsure.check.scores import check_score, check_score_so_far
from howsure.check.selective import check_selective
from howsure.check.verdicts import Check, Verdict

__all__ = ["Baseline", "Check", "Verdict", "check_calibration", "check_score", "check_score_so_far", "check_selective"]
