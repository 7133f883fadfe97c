from howsure_cli.report.calibration import calibration_report as calibration_report
from howsure_cli.report.pages import write_report as write_report
