"""Monitoring of calibration over time: detects whether a model is no longer calibrated, and since when."""

from howsure.monitoring.calibration_monitor import CalibrationMonitor
from howsure.monitoring.results import GroupStatus, MonitorSeries, MonitorStatus, MonitorUpdate

__all__ = ["CalibrationMonitor", "GroupStatus", "MonitorSeries", "MonitorStatus", "MonitorUpdate"]
