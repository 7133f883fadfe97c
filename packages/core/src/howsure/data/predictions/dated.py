"""Predictions with dates: those with labels, and the dates of those whose labels are not yet known."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.data.predictions.selection import SEPARATE, file_of, missing_value
from howsure.data.tables.database import Column
from howsure.data.tables.table import ALL as EVERY_ROW
from howsure.data.tables.table import Table
from howsure.data.tables.where import condition
from howsure.errors import InputError
from howsure.inputs.frames import AS_READ, Dated

if TYPE_CHECKING:
    from howsure.data.sources import Files

DATE = "a date such as 2026-11-22 (ISO 8601)"
ONE_ROW = "`reduce` must leave one pair a row: top-label, or the name of one class."


def dated_of(
    source: Files, dates: str, y_true: Any, y_prob: Any, *, fingerprint: Callable[[str], int], **roles: Any
) -> Dated:
    """The rows of files. A missing label is not yet known; other missing values are an error or, with `skip_missing`,
    their rows are left out. fingerprint: the fingerprint of a text, for files that number their clusters separately.

    Raises InputError naming the file, the column, the row and the value that violated a rule.
    """
    every = replace(source, skip_missing=True)
    how = {"find_items": True, "items_are_clusters": False}
    with every.predictions(y_true, y_prob, features=(dates,), **how, **roles) as predictions_read:
        predictions: Any = predictions_read
        pairs = predictions.pairs()  # sums have none
        selection, missing = predictions.selection, list(source.missing_values)
        table = selection.table
        rows = condition(source.where)
        only = EVERY_ROW if rows is None else rows.sql(table, missing)
        label = table.columns[predictions.columns[AS_READ["y_true"]]]
        unlabelled = f"{only} AND {label.missing(missing)}"
        others = [name for name in predictions.skipped if name != label.name]
        if others and not source.skip_missing:
            column = table.columns[others[0]]
            test = f"{only} AND NOT {label.missing(missing)} AND {column.missing(missing, kind='number')}"
            raise missing_value(table, column, test, values=missing)
        day = _day_sql(table.columns[dates])
        _check_dates(table, table.columns[dates], day, f"({selection.where} OR ({unlabelled}))")
        days = selection.values(day).astype("datetime64[D]")
        waiting = table.ask(f"{day}, count(*)", rest=f"WHERE {unlabelled} GROUP BY 1 ORDER BY 1")
        cluster, clusters = predictions.columns.get(AS_READ["clusters"]), None
        if cluster is not None:
            clusters = selection.values(f"md5_number_lower({table.columns[cluster].text})")
            clusters = clusters.astype(np.uint64).view(np.int64)
            if source.across_files == SEPARATE:
                files = [fingerprint(os.path.realpath(file.name)) for file in table.files]
                clusters = clusters ^ np.array(files, dtype=np.int64)[file_of(selection, selection.positions())]
    if len(pairs) != len(days):
        raise InputError(ONE_ROW)
    when = np.array([date for date, _ in waiting], dtype="datetime64[D]")
    return Dated(pairs, days, clusters, np.repeat(when, [int(str(count)) for _, count in waiting]))


def _day_sql(column: Column) -> str:
    """The day of a date in SQL; null if there is none."""
    if not column.type.startswith(("DATE", "TIMESTAMP")) and (not column.is_text or column.parts):
        raise InputError(f"`dates` must be a column of {DATE.removeprefix('a ')}s; {column.name} is {column.type}.")
    return column.day


def _check_dates(table: Table, column: Column, day: str, rows_wanted: str) -> None:
    """Raise InputError at the first used row without a date."""
    if table.ask("1", rest=f"WHERE {rows_wanted} AND {day} IS NULL LIMIT 1"):
        place, value = table.place(f"{rows_wanted} AND {day} IS NULL", column.text)
        shown = "empty" if value is None or not str(value).strip() else repr(value)
        raise InputError(f"{column.name} must be {DATE}; {place} is {shown}.")
