"""Dates and periods: labels, their order, gaps and errors."""

from __future__ import annotations

import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.events.periods import (
    PERIODS,
    check_span,
    n_periods,
    period_end,
    period_of,
    period_start,
    periods_between,
    periods_of,
)

DATES = st.dates(datetime.date(1950, 1, 1), datetime.date(2049, 12, 31))


@pytest.mark.parametrize(
    ("date", "labels"),
    [
        ("2005-01-01", ("2004-W53", "2005-01", "2005-Q1", "2005")),
        ("1987-12-31", ("1987-W53", "1987-12", "1987-Q4", "1987")),
        ("2018-12-31T23:59:59Z", ("2019-W01", "2018-12", "2018-Q4", "2018")),
        ("20030320", ("2003-W12", "2003-03", "2003-Q1", "2003")),
        (" 2003-03-20 05:34 ", ("2003-W12", "2003-03", "2003-Q1", "2003")),
    ],
)
def test_labels(date: str, labels: tuple[str, ...]) -> None:
    assert tuple(period_of(date, period=by) for by in PERIODS) == labels


def test_dates_of_python() -> None:
    assert periods_of([datetime.date(1999, 3, 24), datetime.datetime(1999, 6, 10, 23)], period="quarter") == (
        "1999-Q1",
        "1999-Q2",
    )


@given(DATES, DATES, st.sampled_from(PERIODS))
def test_periods_sort_as_time_does_and_leave_no_gap(one: datetime.date, other: datetime.date, by: str) -> None:
    first, last = min(one, other), max(one, other)
    periods = periods_between(first.isoformat(), last.isoformat(), period=by)
    assert (periods[0], periods[-1]) == (period_of(first, period=by), period_of(last, period=by))
    assert list(periods) == sorted(set(periods))
    starts = [period_start(period) for period in periods]
    assert all(period_of(start, period=by) == period for start, period in zip(starts, periods, strict=True))
    days = {(b - a).days for a, b in pairwise(starts)}
    longest = {"week": 7, "month": 31, "quarter": 92, "year": 366}[by]
    assert all(0 < gap <= longest for gap in days)


@pytest.mark.parametrize("missing", ["", "  ", None])
def test_a_missing_date_is_named_by_its_row(missing: str | None) -> None:
    with pytest.raises(InputError, match=r"dates\[2\] holds no date"):
        periods_of(["1999-01-01", "1999-01-02", missing], period="month")


@pytest.mark.parametrize("wrong", ["March 1999", "1999-13-01", "1999-02-30", "1999", "1999-03", 1999, "24/3/1999"])
def test_a_wrong_date_is_named(wrong: object) -> None:
    with pytest.raises(InputError, match=r"published\[0\] must be a date such as 2003-03-20 \(ISO 8601\); it is"):
        periods_of([wrong], period="month", name="published")  # type: ignore[list-item]


@pytest.mark.parametrize("period", PERIODS)
def test_the_last_days_that_there_are(period: str) -> None:
    held = periods_between("9998-12-30", "9999-12-31", period=period)
    assert held[-1] == period_of("9999-12-31", period=period)
    assert period_end(held[-1]) == datetime.date.max
    assert periods_between("0001-01-01", "0001-01-02", period=period) == (period_of("0001-01-01", period=period),)


def test_more_periods_than_anybody_looks_at() -> None:
    first, last = datetime.date(1, 1, 1), datetime.date(2003, 5, 1)
    with pytest.raises(InputError, match=r"of 0001-01-01 to 2003-05-01: 24,0\d\d periods of a month, more than 10,000"):
        check_span(first, last, period="month", advice="Look at it.")
    check_span(first, last, period="year", advice="Look at it.")
    assert n_periods(datetime.date(1999, 1, 1), datetime.date(2003, 5, 1), period="month") in (52, 53)


def test_other_bad_input() -> None:
    with pytest.raises(InputError, match=r"no period 'quarters' .* Did you mean quarter\?"):
        period_of("1999-01-01", period="quarters")
    with pytest.raises(InputError, match="last must not be before first"):
        periods_between("1999-01-02", "1999-01-01", period="week")
    for label in ("1999-Q5", "1999-W54", "1999-13", "yes", ""):
        with pytest.raises(InputError, match="a period must look like"):
            period_start(label)
