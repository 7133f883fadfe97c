"""How the dates of a column are written, against formats and days written by hand; DuckDB reads them alike."""

from __future__ import annotations

import datetime
from pathlib import Path

import duckdb
import numpy as np
import pytest

import howsure
from howsure.data.predictions.rows import rows_of_files
from howsure.errors import InputError
from howsure.inputs.checks import Coded
from howsure.inputs.date_formats import (
    ISO,
    ISO_DATE,
    best_formats,
    check_date_format,
    count_date_formats,
    is_written,
    plain_format,
    read_day,
    read_iso,
    reading_steps,
)
from howsure.inputs.frames import Kind
from howsure.inputs.periods import as_days, read_periods

WRITTEN = {
    "28 December 2022|3 May 2021 10:30": ("%d %B %Y", "2022-12-28 2021-05-03"),
    "1-Jan-96|30-Dec-06": ("%d-%b-%y", "1996-01-01 2006-12-30"),
    "16-02-2015 23.36|1-3-2015": ("%d-%m-%Y", "2015-02-16 2015-03-01"),
    "12.3.99": ("%d.%m.%y", "1999-03-12"),
    "3. März 2001|17. Mai 2001": ("%d. %B %Y", "2001-03-03 2001-05-17"),
    "lunes, 5 de marzo de 2012": ("%d de %B de %Y", "2012-03-05"),
    "1er janvier 2010|2 août 2011": ("%d %B %Y", "2010-01-01 2011-08-02"),
    "28 febbraio 2014|2 giugno 2015, 08:15": ("%d %B %Y", "2014-02-28 2015-06-02"),
    "28 februari 2014|1 mei 2015": ("%d %B %Y", "2014-02-28 2015-05-01"),
    "3 de março de 2011|1º de dezembro de 2010": ("%d de %B de %Y", "2011-03-03 2010-12-01"),
    "Sept. 3, 2001|May 4, 2002|July 4th, 1999": ("%b. %d, %Y", "2001-09-03 2002-05-04 1999-07-04"),
    "20010304": ("%Y%m%d", "2001-03-04"),
    "Wed Aug 27 13:08:45 +0000 2008|Mon Apr 06 22:19:45 PDT 2009": ("%b %d %Y", "2008-08-27 2009-04-06"),
    "8/30/2017 1:05:00 PM": ("%m/%d/%Y", "2017-08-30"),
    "2/24/15 11:35": ("%m/%d/%y", "2015-02-24"),
    "2017/3/4": ("%Y/%m/%d", "2017-03-04"),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_one_format_reads_all_dates(written: str) -> None:
    date_format, days = WRITTEN[written]
    dates = written.split("|")
    counts = count_date_formats(dates)
    (best,) = best_formats(counts)
    assert plain_format(best) == plain_format(date_format)
    check_date_format(best)
    assert counts[best] == len(dates)
    assert [read_day(date, best).isoformat() for date in dates] == days.split()


def test_duckdb_reads_what_python_reads() -> None:
    for written, (date_format, days) in WRITTEN.items():
        text = "$1"
        for number, _ in enumerate(reading_steps(date_format)):
            text = f"regexp_replace({text}, ${2 * number + 2}, ${2 * number + 3}, 'gi')"
        steps = [part for step in reading_steps(date_format) for part in step]
        for date, day in zip(written.split("|"), days.split(), strict=True):
            query = f"SELECT CAST(strptime({text}, '{plain_format(date_format)}') AS DATE)"
            assert duckdb.execute(query, [date, *steps]).fetchall() == [(datetime.date.fromisoformat(day),)]


def test_a_day_above_12_decides_and_values_without_a_date_do_not() -> None:
    assert best_formats(count_date_formats(["12/03/2020", "12/04/2020"])) == ["%d/%m/%Y", "%m/%d/%Y"]
    assert best_formats(count_date_formats(["12/03/2020", "13/03/2020", "none"])) == ["%d/%m/%Y"]
    assert count_date_formats(["none", "3", "31/31/2020", "1 2 3 4 5 6 7"]) == {}


def test_a_format_with_a_time_reads_the_time() -> None:
    assert is_written("16-02-2015 23.36", "%d-%m-%Y %H.%M")
    assert not is_written("16-02-2015", "%d-%m-%Y %H.%M")
    assert not is_written("16-02-2015 and more", "%d-%m-%Y")


def test_dates_that_no_format_reads_together_name_the_format_that_reads_most() -> None:
    problem = r"written as %d-%b-%y; row 2 is '96'. %d-%b-%y fits 2 of 3 different dates"
    with pytest.raises(InputError, match=problem):
        read_periods(["1-Jan-96", "2-Jan-96", "96"], period="year")
    with pytest.raises(InputError, match="number of a day, write 2019-01-02 instead"):
        read_periods(["43467", "43468"], period="year")
    with pytest.raises(InputError, match="give it, such as date_format="):
        read_periods(["last week"], period="year")
    assert read_periods(["1-Jan-96", "2-Feb-96", "3-Jan-96"], period="month").periods.names == ("1996-01", "1996-02")
    with pytest.raises(InputError, match="%d/%m/%Y fits as many dates as %m/%d/%Y"):
        read_periods(["13/03/2020", "04/13/2020"], period="year")


def test_the_first_of_several_invalid_dates_is_named() -> None:
    """In the order of the rows, not of the texts, which is that of the codes."""
    dates = ["2026-01-02", "2026-01-01", "zoon", "2026-01-03", "asoon"]
    with pytest.raises(InputError, match="row 2 is 'zoon'"):
        as_days(dates)
    with pytest.raises(InputError, match="row 1 is '13/03/2020'"):
        as_days(["04/04/2020", "13/03/2020", "04/13/2020"])
    with pytest.raises(InputError, match="dates must not be missing; row 1 is empty"):
        as_days(Coded(np.array([1, 0, 0]), ("", "2026-01-01")))


def test_short_years_do_not_lie_ahead() -> None:
    sixties = ["05.06.60", "01.02.68", "03.04.69", "31.12.71"]
    assert read_periods(sixties, period="year").periods.names == ("1960", "1968", "1969", "1971")
    periods = read_periods(sixties, period="year")
    assert (periods.date_format, str(periods.first), str(periods.last)) == ("%d.%m.%y", "1960-06-05", "1971-12-31")
    assert read_periods(["05.06.99", "13.02.01"], period="year").periods.names == ("1999", "2001")
    next_year = datetime.date.today().year + 1  # as in forecasts: a century of others would lie between
    assert read_periods([f"05.06.{next_year % 100:02}", "13.02.01"], period="year").periods.names == (
        "2001",
        str(next_year),
    )


@pytest.mark.parametrize("time", ["25:99", "12:60", "25:00", "99:00"])
def test_times_that_do_not_exist_are_not_cut_off(time: str) -> None:
    assert not is_written(f"31/12/2001 {time}", "%d/%m/%Y")
    assert count_date_formats([f"31/12/2001 {time}"]) == {}


TIMES = (
    *("", "T", " ", "T12:30", "T1230", "T12.30", "T12h30", " 12", " 12:30 ", "t12:30z", "T12:30:45.", "T12:30:45,5"),
    *("T23:59:60", "T24:00:00", "T12:30-0500", "T12:30+14", " 12:30 UTC", " 12:30 GMT+1", "T23:59:59+14:00"),
    *("T10:00:00+00:19:32", " 10:00:00-001932"),
    *(" 1:30 PM", " 01:30:00 p.m. CET", " 12:30:00 +0000 UTC", " 12:30:00.5 -0300 -03 m=+0.000000001"),
    *("T12:30:00+01:00[Europe/Berlin]", "T12:30Z[UTC]", " 12:30:00 America/Argentina/Buenos_Aires"),
)
NO_TIMES = (
    *("T25:61", "T24:30", "T24:00:01", "T12:60", "T12:30:61Z", "T12:3", " 13:30 PM", " noon", " 12:30 o'clock"),
    *("T12:30+99:99", "T12:30 GMT+15", "T12:30+0560", "T12:30+05:60", "T12:30 +0560", "T12:30+1500", "T12:30+99"),
)


def test_python_and_duckdb_read_iso_dates_with_possible_times() -> None:
    possible = {f"2020-01-02{time}": time in TIMES for time in (*TIMES, *NO_TIMES)}
    query = "SELECT date, regexp_full_match(date, ?) FROM (SELECT unnest(?) AS date)"
    with duckdb.connect() as connection:
        assert dict(connection.execute(query, [ISO_DATE, [*possible]]).fetchall()) == possible
    assert {date: is_written(date, ISO) for date in possible} == possible


@pytest.mark.parametrize("time", ["T10:00:00+01:75", "T10:00-0160", " 10:00:00.5+02:99", "T1000+15", "T10:00 +0560"])
def test_python_refuses_impossible_time_zones(time: str) -> None:
    corrected = time.replace("75", "45").replace("60", "30").replace("99", "00").replace("+15", "+14")
    assert read_iso(f"2024-01-02{corrected}").day == 2
    for reader in (read_iso, lambda text: as_days([text])):
        with pytest.raises(ValueError, match="2024-01-02"):
            reader(f"2024-01-02{time}")


@pytest.mark.parametrize("zone", ["+0560", "+05:60", "+1500"])
@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_time_is_removed_unless_its_zone_is_impossible(zone: str, ending: str, tmp_path: Path) -> None:
    path, text = tmp_path / f"dates.{ending}", f"2024-01-10T23:00:00{zone}"
    path.write_text(f"when\n{text}\n" if ending == "csv" else f'{{"when": "{text}"}}\n')
    days = rows_of_files(howsure.read(path), {"when": Kind.DAYS})[0]["when"]
    assert days.names == (text,)
    path.write_text(path.read_text().replace(zone, "+05:30"))
    assert rows_of_files(howsure.read(path), {"when": Kind.DAYS})[0]["when"].names == ("2024-01-10",)


@pytest.mark.parametrize("time", ["24:30", "13:30 pm", "12:30 +99:99"])
def test_other_dates_with_impossible_times_are_refused(time: str) -> None:
    assert not is_written(f"31.12.2020 {time}", "%d.%m.%Y")
    assert is_written("31.12.2020 12:30:00 +0000 UTC", "%d.%m.%Y")
