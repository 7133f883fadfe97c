"""One HTML file that holds everything about a result and needs no network."""

from howsure.report.calibration import calibration_report
from howsure.report.files import write_report

__all__ = ["calibration_report", "write_report"]
