"""The file of a monitor's state: read whole, and replaced whole or not at all."""

from __future__ import annotations

import os

from howsure.errors import InputError
from howsure.files.text import read_text
from howsure.files.whole import write_whole
from howsure.monitoring.calibration_monitor import CalibrationMonitor


def read_state(path: str) -> CalibrationMonitor:
    """The monitor in a file; InputError if there is none, or it is not one."""
    if not os.path.exists(path):
        raise InputError(f"no file {path}; howsure monitor update {path} FILE... begins it.")
    text = read_text(path).content
    try:
        return CalibrationMonitor.from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def write_state(monitor: CalibrationMonitor, path: str) -> None:
    """Put the state in the place of the old one."""
    write_whole(monitor.to_json().encode(), path)
