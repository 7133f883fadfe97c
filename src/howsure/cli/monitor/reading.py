"""Rows with dates from files: labelled ones, and the days of those whose label has not come; the file of a state."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from howsure.cli.terminal.options import opened
from howsure.data.predictions.arrays import load_values
from howsure.data.predictions.faults import missing_value
from howsure.data.predictions.selection import SEPARATE, Selection, file_of
from howsure.data.tables.columns import Column
from howsure.data.tables.table import ALL as EVERY_ROW
from howsure.data.tables.table import Table
from howsure.data.tables.where import condition
from howsure.errors import InputError
from howsure.inputs.pairs import Integers
from howsure.monitoring.calibration_monitor import CalibrationMonitor
from howsure.monitoring.settings import ADVICE, ALL, Rows, fingerprint

ISO = r"\d{4}-\d{2}-\d{2}([T ].*)?"
ONE_ROW = "--reduce must leave one pair a row: top-label, or the name of one class."


def dated_rows(files: tuple[str, ...], *, date: str, skip_missing: bool, **reading: Any) -> Rows:
    """The rows of files. A missing label is one that has not come yet; any other missing value is an error, or with
    `skip_missing` left out."""
    with opened(files, skip_missing=True, features=(date,), **reading) as predictions:
        selection, missing = predictions.selection, reading["missing"]
        table = selection.table
        rows = condition(reading["where"])
        only = EVERY_ROW if rows is None else rows.sql(table, missing)
        label = table.columns[reading["label"]]
        unlabelled = f"{only} AND {label.missing(missing)}"
        others = [name for name in predictions.skipped if name != label.name]
        if others and not skip_missing:
            column = table.columns[others[0]]
            test = f"{only} AND NOT {label.missing(missing)} AND {column.missing(missing, kind='number')}"
            raise missing_value(table, column, test, values=missing)
        day = _day_sql(table.columns[date])
        _check_dates(table, table.columns[date], day, f"({selection.where} OR ({unlabelled}))")
        days = np.asarray(load_values(selection, day)).astype("datetime64[D]")
        waiting = table.ask(f"{day}, count(*)", rest=f"WHERE {unlabelled} GROUP BY 1 ORDER BY 1")
        pairs = predictions.pairs()
        cluster = predictions.columns.get("cluster")
        clusters = (
            None
            if cluster is None
            else _clusters(predictions.selection, table.columns[cluster], separate=reading["across_files"] == SEPARATE)
        )
    if len(pairs) != len(days):
        raise InputError(ONE_ROW)
    groups = np.zeros(len(days), dtype=np.int64) if pairs.groups is None else pairs.groups
    names = (ALL,) if pairs.groups is None else pairs.group_names
    dates = np.array([one for one, _ in waiting], dtype="datetime64[D]")
    counts = np.array([int(str(count)) for _, count in waiting], dtype=np.int64)
    return Rows(days, pairs.labels, pairs.probabilities, groups, names, clusters, np.repeat(dates, counts))


def _clusters(selection: Selection, column: Column, *, separate: bool) -> Integers:
    """The fingerprint of each row's cluster; of files that number theirs apart, by the file's place, too."""
    found: Integers = load_values(selection, f"md5_number_lower({column.text})").astype(np.uint64).view(np.int64)
    if not separate:
        return found
    files = np.array([fingerprint(os.path.realpath(file.name)) for file in selection.table.files], dtype=np.int64)
    return found ^ files[file_of(selection, selection.positions())]


def _day_sql(column: Column) -> str:
    """The day of a date in SQL; null where there is none."""
    if column.type in ("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"):
        return f"CAST({column.sql} AS DATE)"
    if column.type == "TIMESTAMP WITH TIME ZONE":
        return f"CAST(make_timestamp(epoch_us({column.sql})) AS DATE)"
    if not column.is_text or column.parts:
        raise InputError(f"--date must be a column of {ADVICE.removeprefix('a ')}s; {column.name} is {column.type}.")
    text = f"trim({column.sql})"
    return f"CASE WHEN regexp_full_match({text}, '{ISO}') THEN TRY_CAST(substr({text}, 1, 10) AS DATE) END"


def _check_dates(table: Table, column: Column, day: str, wanted: str) -> None:
    """Raise InputError at the first row in use that has no date."""
    if table.ask("1", rest=f"WHERE {wanted} AND {day} IS NULL LIMIT 1"):
        place, held = table.place(f"{wanted} AND {day} IS NULL", column.text)
        shown = "nothing" if held is None or not str(held).strip() else repr(held)
        raise InputError(f"{column.name} must be {ADVICE}; {place} holds {shown}.")


def read_state(path: str) -> CalibrationMonitor:
    """The monitor in a file; InputError if there is none, or it is not one."""
    if not os.path.exists(path):
        raise InputError(f"no file {path}; howsure monitor update {path} FILE... begins it.")
    return CalibrationMonitor.load(path)
