"""Calibration over time: is a model still calibrated, and if not, since when?"""

from howsure.monitoring.calibration_monitor import CalibrationMonitor
from howsure.monitoring.results import GroupStatus, MonitorSeries, MonitorStatus, MonitorUpdate

__all__ = ["CalibrationMonitor", "GroupStatus", "MonitorSeries", "MonitorStatus", "MonitorUpdate"]
