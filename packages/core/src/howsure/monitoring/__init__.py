"""Calibration over time: whether a model is still calibrated, and if not, since when."""

from howsure.monitoring.calibration_monitor import CalibrationMonitor
from howsure.monitoring.results import GroupStatus, MonitorSeries, MonitorStatus, MonitorUpdate

__all__ = ["CalibrationMonitor", "GroupStatus", "MonitorSeries", "MonitorStatus", "MonitorUpdate"]
