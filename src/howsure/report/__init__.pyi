from howsure.report.calibration import calibration_report as calibration_report
from howsure.report.pages import write_report as write_report
