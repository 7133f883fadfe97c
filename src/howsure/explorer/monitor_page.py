"""The page of a monitor as one file: the series of each group, and the calibration curve of each period."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.explorer.assembly import Design, assemble
from howsure.inputs.numbers_and_names import counted
from howsure.monitoring import CalibrationMonitor, GroupStatus
from howsure.monitoring.bets import EDGES, CellSums
from howsure.monitoring.results import SERIES
from howsure.result import recipe_rows
from howsure.stats.proportions import wilson_interval

MONITORING = Design(
    "monitor.html",
    ("style.css", "monitor.css"),
    ("dom", "axes", "monitor_charts", "monitor"),
)
DIGITS = 6


def monitor_report(monitor: CalibrationMonitor, *, title: str = "Is the model still calibrated?") -> str:
    """The page of a monitor as one HTML text that needs neither server nor network. Numbers are kept to six digits."""
    status = monitor.status()
    data = {
        "by": monitor.settings.period,
        "facts": _facts(monitor),
        "recipe": [list(row) for row in recipe_rows(monitor.recipe)],
        "groups": [_group(monitor, row) for row in status],
    }
    return assemble(data, design=MONITORING, title=title).html


def _facts(monitor: CalibrationMonitor) -> str:
    status = monitor.status()
    if status.first is None:
        return "No period was taken yet."
    rows = counted(sum(row.n for row in status), "row")
    last = status.last if monitor.settings.period == "day" else f"the {monitor.settings.period} from {status.last}"
    tested = f"{rows} tested, {status.first} to {last}"
    return ". ".join([tested, *(f"{note[0].upper()}{note[1:]}" for note in status.notes)]) + "."


def _group(monitor: CalibrationMonitor, row: GroupStatus) -> dict[str, Any]:
    series = monitor.series(row.name)
    columns = zip(*(getattr(series, name) for name in SERIES), strict=True)
    periods = [{name: _short(value) for name, value in zip(SERIES, values, strict=True)} for values in columns]
    for one in periods:
        one["curve"] = _curve(monitor.sums(one["period"], group=row.name), level=monitor.settings.level)
    return {
        "name": row.name,
        "n": row.n,
        "total": str(row.error),
        "e_value": _short(row.e_value),
        "threshold": _short(row.threshold),
        "alarm": row.alarm,
        "since": row.since,
        "told": _told(row),
        "periods": periods,
    }


def _told(row: GroupStatus) -> str:
    sentence = row.sentence
    return f"{sentence[0].upper()}{sentence[1:]}."


def _curve(sums: CellSums, *, level: float) -> list[dict[str, Any]]:
    """The cells with rows; with clusters, intervals use the effective number of rows."""
    filled = np.flatnonzero(sums.n)
    n, squares = sums.n[filled], np.maximum(sums.squares[filled], 1e-300)
    design = np.maximum(sums.cluster_squares[filled] / squares, 1.0)
    observed, predicted = sums.observed[filled] / n, sums.predicted[filled] / n
    low, high = wilson_interval(observed, n / design, level=level)
    rows = zip(filled.tolist(), n, predicted, observed, low, high, strict=True)
    return [
        {
            "cell": f"{EDGES[cell]:g} to {EDGES[cell + 1]:g}",
            "n": int(n),
            "predicted": _short(float(q)),
            "observed": _short(float(y)),
            "low": _short(float(a)),
            "high": _short(float(b)),
        }
        for cell, n, q, y, a, b in rows
    ]


def _short(value: Any) -> Any:
    """A number to six digits."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
