"""The state of a monitor in the text format that Prometheus reads (version 0.0.4)."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable

from howsure.monitoring.results import GroupStatus, MonitorStatus
from howsure.show.table import in_a_line

Sample = tuple[str | None, float]  # the group, and its value


def metrics_text(status: MonitorStatus) -> str:
    """One gauge after another, each with a sample by group; what is not known yet is left out."""
    rows = list(status)
    lines = [
        *_gauge("calibration_error", "Calibration error over all periods.", _of(rows, "error", "value")),
        *_gauge("calibration_error_low", "Lower end of its band.", _of(rows, "error", "low")),
        *_gauge("calibration_error_high", "Upper end of its band.", _of(rows, "error", "high")),
        *_gauge("calibration_error_latest", "Calibration error of the last period.", _of(rows, "latest", "value")),
        *_gauge("calibration_e_value", "Evidence against calibration.", [(row.name, row.e_value) for row in rows]),
        *_gauge("calibration_e_threshold", "Evidence of an alarm.", [(row.name, row.threshold) for row in rows]),
        *_gauge("calibration_alarm", "1 after an alarm, else 0.", [(r.name, float(r.alarm is not None)) for r in rows]),
        *_gauge("monitor_rows", "Rows with labels in the periods taken.", [(row.name, float(row.n)) for row in rows]),
        *_gauge("monitor_unlabelled_rows", "Rows without a label in them.", [(None, float(status.unlabelled))]),
    ]
    if status.last is not None:
        last = datetime.datetime.fromisoformat(status.last).replace(tzinfo=datetime.UTC)
        lines += _gauge("monitor_last_period_timestamp_seconds", "Start of the last period taken, UTC.",
                        [(None, last.timestamp())])  # fmt: skip
    return "\n".join(lines) + "\n"


def _of(rows: Iterable[GroupStatus], name: str, end: str) -> list[Sample]:
    return [(row.name, math.nan if (held := getattr(getattr(row, name), end)) is None else held) for row in rows]


def _gauge(name: str, told: str, samples: Iterable[Sample]) -> list[str]:
    full = f"howsure_{name}"
    known = [(group, value) for group, value in samples if not math.isnan(value)]
    found = [f"{full}{_labels(group)} {value!r}" for group, value in known]
    return [f"# HELP {full} {told}", f"# TYPE {full} gauge", *found] if found else []


def _labels(group: str | None) -> str:
    """The label of a group: no line ends, backslashes and quotes escaped."""
    if group is None:
        return ""
    escaped = in_a_line(group).replace("\\", "\\\\").replace('"', '\\"')
    return f'{{group="{escaped}"}}'
