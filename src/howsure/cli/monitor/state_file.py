"""The file of a monitor's state."""

from __future__ import annotations

import os

from howsure.errors import InputError
from howsure.monitoring.calibration_monitor import CalibrationMonitor


def read_state(path: str) -> CalibrationMonitor:
    """The monitor in a file; InputError if there is none, or it is not one."""
    if not os.path.exists(path):
        raise InputError(f"no file {path}; howsure monitor update {path} FILE... begins it.")
    return CalibrationMonitor.load(path)
