"""Assign dates to periods (weeks, months, quarters, years), whose labels sort chronologically."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, parameter
from howsure.inputs.checks import Coded, as_column, first_missing, is_missing, missing
from howsure.inputs.date_formats import (
    ISO,
    SERIAL_NUMBER,
    SPREADSHEET_EPOCH,
    YEAR_OR_MONTH,
    best_formats,
    check_date_format,
    count_date_formats,
    format_note,
    has_short_year,
    is_written,
    last_year,
    read_day,
    read_iso,
    several_formats,
)
from howsure.inputs.numbers_and_names import unknown_name

Day = str | datetime.date
PERIODS = ("week", "month", "quarter", "year")
DAY = datetime.timedelta(days=1)
# days in the longest period
LONGEST = {"week": 7, "month": 31, "quarter": 92, "year": 366}
IN_FOUR_HUNDRED_YEARS = {"week": 20_871, "month": 4_800, "quarter": 1_600, "year": 400}
DAYS_OF_THEM = 146_097
MAX_PERIODS = 10_000  # in a series, which suffices for all years from 1 to 9999 or for 190 years of weeks


def find_period(date: str | datetime.date, *, period: str) -> str:
    """Return the period of a date: `2003-W12` (ISO week), `2003-03`, `2003-Q1` or `2003`.

    A date is an ISO 8601 string (`2003-03-20`, with or without a time, which does not change the day) or a Python date.

    >>> [find_period("2003-03-20T05:34:00+03:00", period=period) for period in PERIODS]
    ['2003-W12', '2003-03', '2003-Q1', '2003']
    """
    _check_period(period)
    return _label(_date(date, "date"), period)


def find_periods(dates: Iterable[str | datetime.date | None], *, period: str, name: str = "dates") -> tuple[str, ...]:
    """Return the period of each date; see `find_period`.

    >>> find_periods(["2003-03-20", ""], period="month", name="published")
    Traceback (most recent call last):
    howsure.errors.InputError: published[1] has no date. Leave out such documents, or give them a date.
    """
    _check_period(period)
    return tuple(_label(_date(date, f"{name}[{row}]"), period) for row, date in enumerate(dates))


def periods_between(first: str, last: str, *, period: str) -> tuple[str, ...]:
    """Return all periods from the period of `first` to the period of `last`, without gaps.

    >>> periods_between("1999-11-30", "2000-02-01", period="month")
    ('1999-11', '1999-12', '2000-01', '2000-02')
    """
    _check_period(period)
    day, end = _date(first, "first"), _date(last, "last")
    if end < day:
        raise InputError(f"last must not be before first; they are {last} and {first}.")
    labels = [_label(day, period)]
    while (last_day := period_end(labels[-1])) < end:
        labels.append(_label(last_day + DAY, period))
    return tuple(labels)


@lru_cache(MAX_PERIODS)
def period_start(label: str) -> datetime.date:
    """Return the first day of a period, given by its label from `find_period`.

    >>> print(period_start("2003-Q1"), period_start("2003-W12"))
    2003-01-01 2003-03-17
    """
    year, _, part = label.partition("-")
    try:
        if part.startswith("W"):
            return datetime.date.fromisocalendar(int(year), int(part[1:]), 1)
        month = 3 * int(part[1:]) - 2 if part.startswith("Q") else int(part or 1)
        return datetime.date(int(year), month, 1)
    except ValueError as error:
        raise InputError(f"a period must look like 2003-W12, 2003-03, 2003-Q1 or 2003; it is {label!r}.") from error


@lru_cache(MAX_PERIODS)
def period_end(label: str) -> datetime.date:
    """Return the last day of a period, given by its label from `find_period`.

    >>> print(period_end("2000-02"), period_end("2003-Q4"), period_end("2003-W12"), period_end("9999"))
    2000-02-29 2003-12-31 2003-03-23 9999-12-31
    """
    start, period = period_start(label), period_length(label)
    if (datetime.date.max - start).days < LONGEST[period]:
        return datetime.date.max
    return period_start(_label(start + LONGEST[period] * DAY, period)) - DAY


def period_length(label: str) -> str:
    """Return the length of a period ("week", "month", "quarter" or "year"), from the form of its label.

    >>> [period_length(label) for label in ("2003-W12", "2003-03", "2003-Q1", "2003")]
    ['week', 'month', 'quarter', 'year']
    """
    _, _, part = label.partition("-")
    return {"": "year", "W": "week", "Q": "quarter"}.get(part[:1], "month")


def check_span(first: datetime.date, last: datetime.date, *, period: str, advice: str) -> None:
    """Raise InputError if there are more than 10,000 periods between two dates.

    More periods than this indicate a wrong date, such as the placeholder 9999-12-31. advice: the remedy in the message.
    """
    if n_periods(first, last, period=period) > MAX_PERIODS:
        raise InputError(
            f"the documents range from {first} to {last}: {n_periods(first, last, period=period):,} periods of a "
            f"{period}, more than {MAX_PERIODS:,}. Is a date wrong? {advice}"
        )


def n_periods(first: datetime.date, last: datetime.date, *, period: str) -> int:
    """Return the approximate number of periods between two days.

    >>> n_periods(datetime.date(2001, 1, 1), datetime.date(2002, 12, 31), period="quarter")
    8
    """
    return (last - first).days * IN_FOUR_HUNDRED_YEARS[period] // DAYS_OF_THEM + 1


def _check_period(period: str) -> None:
    if period not in PERIODS:
        raise unknown_name("period", period, PERIODS, place="howsure")


def _label(day: datetime.date, period: str) -> str:
    if period == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    if period == "month":
        return f"{day.year:04}-{day.month:02}"
    return f"{day.year:04}-Q{(day.month + 2) // 3}" if period == "quarter" else f"{day.year:04}"


def as_date(value: Day | None, *, name: str) -> datetime.date | None:
    """Convert an ISO 8601 string or a Python date to a date; None stays None."""
    return None if value is None else _date(value, name)


def _date(value: str | datetime.date | None, place: str) -> datetime.date:
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    if value is None or is_missing(value):
        raise InputError(f"{place} has no date. Leave out such documents, or give them a date.")
    try:
        return read_iso(value).date()
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{place} must be a date such as 2003-03-20 (ISO 8601); it is {value!r}.") from error


@dataclass(frozen=True, slots=True)
class ReadPeriods:
    """The period of each date, the format in which the dates were read, and the first and the last date."""

    periods: Coded
    date_format: str
    first: datetime.date
    last: datetime.date


def read_periods(dates: object, *, period: str, date_format: str | None = None, name: str = "date") -> ReadPeriods:
    """Return the period of each date (n,), as codes and labels in chronological order; the format of the dates, and
    their range.

    date_format: a format of strptime. Without it, ISO 8601 is tried first, then the one other format that reads all
    dates.

    >>> read_periods(["20.03.2003", "1.4.2003"], period="month").periods.names
    ('2003-03', '2003-04')
    """
    _check_period(period)
    coded = code_dates(dates, name)
    days, written = read_days(coded, date_format=date_format, name=name)
    labels = [_label(day, period) for day in days]
    distinct = sorted(set(labels))
    places = {label: place for place, label in enumerate(distinct)}
    periods = Coded(np.array([places[label] for label in labels], dtype=np.int32)[coded.codes], tuple(distinct))
    return ReadPeriods(periods, written, min(days, default=datetime.date.min), max(days, default=datetime.date.max))


def code_dates(dates: object, name: str) -> Coded:
    """Return the strings of dates (n,) and the codes of the rows; raise InputError for a missing date."""
    if isinstance(dates, Coded):
        if any(map(is_missing, dates.names)):
            raise missing(name, next(row for row, date in _first_rows(dates) if is_missing(date)))
        return dates
    column = as_column(dates, name=name)
    if (lacking := first_missing(column)) is not None:
        raise missing(name, lacking)
    texts, codes = np.unique(column.astype(str), return_inverse=True)
    return Coded(codes, tuple(texts.tolist()))


def read_days(dates: Coded, *, date_format: str | None, name: str) -> tuple[list[datetime.date], str]:
    """Return the day of each of the distinct dates, and their format; see `read_periods`."""
    if date_format is not None:
        check_date_format(date_format)
    written = date_format or _seen_format(dates, name)
    try:
        days = [read_day(date, written) for date in dates.names]
    except ValueError:
        bad = [(row, date) for row, date in _first_rows(dates) if not is_written(date, written)]
        of_all = f"{len(dates.names) - len(bad):,} of {len(dates.names):,} different dates"
        like = "such as 2003-03-20" if written == ISO else f"written as {written}"
        row, date = bad[0]
        problem = f"{parameter(name)} must contain dates {like}; `row {row}` is {date!r}."
        advice = " If they have another format, give it, such as `date_format='%d.%m.%Y'`."
        if date_format is None and len(bad) < len(dates.names):
            advice = f" {ISO if written == ISO else written} fits {of_all}: correct the others."
        if YEAR_OR_MONTH.fullmatch(date.casefold()):
            raise InputError(f"{problem} For a month without a day, write its first day, as in 2019-05-01.") from None
        if SERIAL_NUMBER.fullmatch(date):
            day = SPREADSHEET_EPOCH + datetime.timedelta(days=int(date))
            raise InputError(f"{problem} If this is a spreadsheet's number of a day, write {day} instead.") from None
        raise InputError(problem + (advice if date_format is None else "")) from None
    if has_short_year(written):
        last = last_year({day.year for day in days})
        days = [day.replace(year=day.year - 100) if day.year > last else day for day in days]
    return days, written


def as_days(
    dates: object, name: str = "dates", *, date_format: str | None = None
) -> tuple[npt.NDArray[np.datetime64], tuple[str, ...]]:
    """Convert dates to days, with a note on their format unless it is ISO 8601.

    A time is dropped without conversion to another time zone. date_format: see `read_periods`.

    >>> as_days(["2026-11-22T23:59:00+03:00", "2026-11-23"])
    (array(['2026-11-22', '2026-11-23'], dtype='datetime64[D]'), ())
    """
    column = dates if isinstance(dates, Coded) else as_column(dates, name=name)
    if not isinstance(column, Coded) and column.dtype.kind == "M" and not np.isnat(column).any():
        return column.astype("datetime64[D]"), ()
    coded = code_dates(column, name)
    days, written = read_days(coded, date_format=date_format, name=name)
    note = () if written == ISO else (format_note(written, min(days), max(days)),)
    return np.array(days, dtype="datetime64[D]")[coded.codes], note


def _seen_format(dates: Coded, name: str) -> str:
    """Return the format that reads the most dates; ISO 8601 if no other format reads more."""
    n_iso = sum(is_written(date, ISO) for date in dates.names)
    if n_iso == len(dates.names):
        return ISO
    counts = count_date_formats(dates.names)
    formats = best_formats(counts)
    if not formats or counts[formats[0]] <= n_iso:
        return ISO
    if len(formats) > 1:
        row_by_date = {date: row for row, date in _first_rows(dates)}
        raise several_formats(
            list(row_by_date), formats, name=parameter(name), place=lambda date: f"`row {row_by_date[date]}`"
        )
    return formats[0]


def _first_rows(dates: Coded) -> list[tuple[int, str]]:
    """Return the first row of each distinct date, in the order of the rows."""
    codes, rows = np.unique(dates.codes, return_index=True)
    order = np.argsort(rows)
    return [(row, dates.names[code]) for row, code in zip(rows[order].tolist(), codes[order].tolist(), strict=True)]
