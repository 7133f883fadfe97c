from howsure.report.files import write_report as write_report
from howsure.report.page import calibration_report as calibration_report
