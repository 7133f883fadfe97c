"""Days and the periods that they are taken in: days, weeks from Monday on, months."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, at_row, shown
from howsure.inputs.checks import as_column, first_missing

Days = npt.NDArray[np.datetime64]
PERIODS = ("day", "week", "month")
MONDAY = np.datetime64("1970-01-05", "D")
DAY = np.timedelta64(1, "D")
ADVICE = "a date such as 2026-11-22 (ISO 8601)"


def as_days(dates: object, *, name: str = "dates") -> Days:
    """Dates, or ISO 8601 texts, as days; of a time, the day as it is written.

    >>> as_days(["2026-11-22T23:59:00+03:00", "2026-11-23"])
    array(['2026-11-22', '2026-11-23'], dtype='datetime64[D]')

    Raises InputError naming the row that holds no date.
    """
    column = as_column(dates, name=name)
    row = first_missing(column)
    if row is not None:
        raise InputError(f"{name} must not be missing; {at_row(row)} holds nothing. Leave such rows out first.")
    if column.dtype.kind == "M":
        return column.astype("datetime64[D]")
    distinct: dict[Any, np.datetime64] = {}
    for row, value in enumerate(column.tolist()):
        if value not in distinct:
            distinct[value] = _day(value, f"{name} must be dates; row {row} holds {shown(value)}. Write {ADVICE}.")
    return np.array([distinct[value] for value in column.tolist()], dtype="datetime64[D]")


def as_day(date: str | datetime.date | np.datetime64, *, name: str) -> np.datetime64:
    """One date as a day.

    Raises InputError for anything else.
    """
    return _day(date, f"{name} must be {ADVICE}; it is {shown(date)}.")


def _day(value: object, message: str) -> np.datetime64:
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value.strip())
        except ValueError:
            raise InputError(message) from None
    if isinstance(value, datetime.datetime):
        value = value.date()
    if isinstance(value, datetime.date | np.datetime64):
        return np.datetime64(str(value)[:10], "D")
    raise InputError(message)


def starts_of(days: Any, *, by: str) -> Any:
    """The first day of the period of each day.

    >>> starts_of(np.array(["2026-11-22", "2026-11-23"], "M8[D]"), by="week").astype(str).tolist()
    ['2026-11-16', '2026-11-23']
    """
    if by == "month":
        return days.astype("datetime64[M]").astype("datetime64[D]")
    return days - (days - MONDAY) % np.timedelta64(7, "D") if by == "week" else days
