"""Checks with a verdict: is a limit kept, is a model better, or at least not worse, than another one?"""

from howsure.check.calibration import check_calibration
from howsure.check.results import Check, Verdict

__all__ = ["Check", "Verdict", "check_calibration"]
