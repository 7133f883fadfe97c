"""Recognise how the dates of a column are written, and read them.

Formats are those of strptime, such as %d/%m/%Y for 31/12/2001. Names of months may be in any of seven languages. A
format without a time reads dates with and without a time; the time and its zone never change the day.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from howsure.errors import InputError

ISO = "YYYY-MM-DD"
# English, German, Spanish, French, Italian, Portuguese and Dutch, in lower case and without points
MONTHS = (
    "january januar jänner janeiro januari enero janvier gennaio jan ene janv gen",
    "february februar fevereiro februari febrero février febbraio feb fev févr",
    "march märz maart março marco marzo mars mar mär mrt mrz",
    "april avril aprile abril apr abr avr",
    "may mai mei mayo maio maggio mag",
    "june juni junho junio juin giugno jun giu",
    "july juli julho julio juillet luglio jul juil lug",
    "august augustus agosto août aug ago aoû",
    "september septiembre setiembre septembre settembre setembro sept sep set",
    "october oktober octubre octobre ottobre outubro oct okt ott out",
    "november noviembre novembre novembro nov",
    "december dezember diciembre décembre dicembre dezembro dec dez dic déc",
)
ENGLISH = tuple(names.split()[0][:3].title() for names in MONTHS)
MONTH_NAMES = {name: month for month, names in zip(ENGLISH, MONTHS, strict=True) for name in names.split()}
YEAR_OR_MONTH = re.compile(rf"(?:(?:{'|'.join(MONTH_NAMES)})\.? )?(?:1[89]|20)\d\d(?:-\d\d)?")
SERIAL_NUMBER = re.compile(r"[2-6]\d{4}")  # of days from 1954 to 2091, as spreadsheets count them
SPREADSHEET_EPOCH = datetime.date(1899, 12, 30)
WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday mon tues tue wed thurs thu fri sat sun "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag lunes martes miércoles jueves viernes sábado domingo "
    "lundi mardi mercredi jeudi vendredi samedi dimanche lunedì martedì mercoledì giovedì venerdì sabato domenica "
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira maandag dinsdag woensdag donderdag vrijdag"
)
# Regular expressions that mean the same in Python and DuckDB, and their replacements. In DuckDB, \b considers only
# ASCII letters. This does no harm because longer names come first.
MERIDIEM = r" ?[aApP]\.?[mM]\.?"
OFFSET = r"[+-](?:0?[0-9]|1[0-4])(?::?[0-5][0-9](?::?[0-5][0-9])?)?"  # with seconds: local time before 1950
ZONE = (  # Z, UTC+1, +01:00[Europe/Berlin], +0000 UTC and -0300 -03 (written by Go), Europe/Berlin
    rf"(?: ?(?:[Zz]|(?:UTC|GMT)?{OFFSET}))?"
    rf"(?: ?(?:\[[A-Za-z0-9_/+-]+\]|[A-Za-z]+(?:/[A-Za-z0-9_+-]+)+|[A-Za-z]{{3,5}}|{OFFSET})(?: m=[+-][0-9.]+)?)?"
)


def _clock(separator: str, optional: str = "") -> str:
    """Return a pattern for a time of day. optional: "?" if an hour without minutes is accepted."""
    minutes = rf"(?:{separator}[0-5][0-9](?:{separator}(?:[0-5][0-9]|60)(?:[.,][0-9]*)?)?){optional}"
    midnight = rf"24(?:{separator}00(?:{separator}00(?:[.,]0*)?)?){optional}"
    return rf"(?:(?:0?[0-9]|1[0-2]){minutes}{MERIDIEM}|(?:[01]?[0-9]|2[0-3]){minutes}|{midnight})"


TIME = (  # at the end, or before a year at the end, as in Aug 27 13:08:45 +0000 2008
    rf"(?: |, ?|T){_clock('[:.h]')}{ZONE}( [0-9]{{4}})?$",
    r"\1",
)
# ISO 8601 with or without a possible time: 2001-12-31, 2001-12-31T23:59:59.5+01:00
ISO_DATE = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:[Tt ]+(?:{_clock('[:.h]?', '?')}{ZONE})?)?\s*"
WEEKDAY = (rf"^(?:{'|'.join(WEEKDAYS.split())})\.?,? +", "")
ORDINAL = (r"([0-9])(?:st|nd|rd|th|er|º|ª)([ ,.]|$)", r"\1\2")
MONTH_STEPS = tuple(
    (rf"\b(?:{'|'.join(sorted(names.split(), key=len, reverse=True))})\b\.?", month)
    for month, names in zip(ENGLISH, MONTHS, strict=True)
)
DIRECTIVE = re.compile(r"%-?(.)")
KNOWN = "aAbBdfGHIjmMpSuUVwWyYzZ%"  # directives that Python and DuckDB interpret in the same way
DAYS = ({"Y", "y", "G"}, {"m", "b", "B", "j", "V", "U", "W"}, {"d", "j", "u", "w", "a", "A"})
ORDERS = ("dmY", "mdY", "Ymd", "dmy", "mdy", "dbY", "bdY", "Ybd", "dby", "bdy")


def check_date_format(written: str) -> None:
    """Raise InputError unless a format contains the year, the month and the day, as in %d/%m/%Y."""
    directives = {directive[1] for directive in DIRECTIVE.finditer(written)}
    unknown = sorted(directives - set(KNOWN))
    if unknown:
        raise InputError(
            "{parameter} must be a format of strptime; %{unknown} in {written!r} is not one of its codes.",
            "date_format",
            unknown=unknown[0],
            written=written,
        )
    if not all(directives & day for day in DAYS):
        raise InputError(
            "{parameter} must contain the year, the month and the day; it is {written!r}. The format of "
            "31/12/2001 is '%d/%m/%Y'.",
            "date_format",
            written=written,
        )


@lru_cache(100)
def reading_steps(date_format: str) -> tuple[tuple[str, str], ...]:
    """Return the case-insensitive replacements, in order, after which `strptime` reads a date by `plain_format`."""
    directives = {directive[1] for directive in DIRECTIVE.finditer(date_format)}
    return (
        *([] if directives & set("HIMSpzf") else [TIME]),
        *([] if directives & set("aA") else [WEEKDAY]),
        *([ORDINAL] if directives & set("bB") else []),
        *(MONTH_STEPS if directives & set("bB") else []),
    )


def plain_format(date_format: str) -> str:
    """Return the format after the replacements: months are abbreviated in English, without a point; %-d becomes %d."""
    return date_format.replace("%-", "%").replace("%B", "%b").replace("%b.", "%b")


def read_day(text: str, date_format: str) -> datetime.date:
    """Return the day of a date that is written in a format, or in ISO 8601 (`ISO`).

    >>> print(read_day("1-Jan-96", "%d-%b-%y"), read_day("16-02-2015 23.36", "%d-%m-%Y"), read_day("2001-12-31", ISO))
    1996-01-01 2015-02-16 2001-12-31
    >>> print(read_day("3 de março de 2011", "%d de %B de %Y"), read_day("July 4th, 1999", "%B %d, %Y"))
    2011-03-03 1999-07-04

    Raises ValueError if the date has another format.
    """
    text = text.strip()
    if date_format == ISO:
        text = text[:10] if re.fullmatch(ISO_DATE, text) else text
        return read_iso(text).date()
    for pattern, replacement in reading_steps(date_format):
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return datetime.datetime.strptime(text, plain_format(date_format)).date()


def read_iso(text: str) -> datetime.datetime:
    """Return a date, or a date and time, in ISO 8601.

    Raises ValueError for another format, and for impossible time zones such as +01:75 or +1500, which Python reads.
    """
    offset = re.search(r"[Tt ].*?([+-][0-9:]+)$", text.strip())
    if offset and not re.fullmatch(OFFSET, offset[1]):
        raise ValueError(f"time zone of {text!r}")
    return datetime.datetime.fromisoformat(text.strip())


def format_note(written: str, first: object, last: object) -> str:
    """Return the sentence on the format in which dates were read.

    >>> format_note("%d.%m.%Y", "2020-03-12", "2021-03-13")
    'the dates were read as %d.%m.%Y: 2020-03-12 to 2021-03-13'
    """
    return f"the dates were read as {written}: {first} to {last}"


def has_short_year(date_format: str | None) -> bool:
    """Whether years have two digits in a format."""
    return date_format is not None and "y" in DIRECTIVE.findall(date_format)


def last_year(years: Collection[int]) -> int:
    """Return the last possible year of dates with two-digit years, which strptime reads as 1969 to 2068.

    Later years belong to the century before. The last year is the current year, unless the dates would then span more
    years.

    >>> last_year([2060, 2068, 1969, 1971]) < 2060
    True
    """
    now = datetime.date.today().year
    earlier = [year - 100 if year > now else year for year in years]
    return now if years and max(earlier) - min(earlier) <= max(years) - min(years) else datetime.MAXYEAR


def is_written(text: str, date_format: str) -> bool:
    try:
        read_day(text, date_format)
    except ValueError:
        return False
    return True


def count_date_formats(dates: Iterable[str]) -> Counter[str]:
    """Return the formats that read some of the dates, with the number of dates that each reads.

    In dates with points, the day comes first. 12/03/2020 fits two formats, unless another date has a day above 12.

    >>> count_date_formats(["12.03.2020"])
    Counter({'%d.%m.%Y': 1})
    >>> count_date_formats(["12/03/2020", "13/03/2020 10:30", "none"])
    Counter({'%d/%m/%Y': 2, '%m/%d/%Y': 1})
    """
    texts = Counter(re.sub(*TIME, text.strip(), flags=re.IGNORECASE) for text in dates)
    shapes = {_shape(text): text for text in texts}
    formats = dict.fromkeys(date_format for text in shapes.values() for date_format in _possible_formats(text))
    counts = Counter(
        {
            date_format: sum(count for text, count in texts.items() if is_written(text, date_format))
            for date_format in formats
        }
    )
    return Counter({date_format: count for date_format, count in counts.items() if count})


def best_formats(counts: Counter[str]) -> list[str]:
    """Return the formats that fit the most dates; of equivalent formats, such as %B and %b, only the first."""
    most = max(counts.values(), default=0)
    distinct: dict[str, str] = {}
    for date_format, count in counts.items():
        if count == most:
            distinct.setdefault(plain_format(date_format), date_format)
    return list(distinct.values())


def several_formats(
    dates: Sequence[str], formats: Sequence[str], *, name: str, place: Callable[[str], str]
) -> InputError:
    """Return the error for dates that fit two or more formats equally often. place: returns the row of a date."""
    first, second = formats[:2]
    apart = next((date for date in dates if is_written(date, first) != is_written(date, second)), None)
    if apart is not None:
        return InputError(
            f"{name} must have dates in one format; {place(apart)} is {apart!r}, and {first} fits as many dates as "
            f"{second}. Write all dates in one format."
        )
    either = next(date for date in dates if is_written(date, first))
    choices = " or ".join(f"`date_format={date_format!r}`" for date_format in formats)
    return InputError(
        f"{name} may have the day or the month first: {place(either)} is {either!r}, and no date of the column decides."
        f" Name the format: {choices}."
    )


def _tokens(text: str) -> list[str]:
    """Split a date into numbers, words and separators, without time, weekday and ordinal suffix."""
    for pattern, replacement in (TIME, WEEKDAY, ORDINAL):
        text = re.sub(pattern, replacement, text.strip(), flags=re.IGNORECASE)
    return re.findall(r"[0-9]+|[^\W\d_]+|[\W_]+", text)


def _shape(text: str) -> tuple[object, ...]:
    """Return a key of a date's form: lengths of numbers, whether the month is abbreviated, separators."""
    return tuple(
        len(token) if token.isdecimal() else len(token) > 3 if token.lower() in MONTH_NAMES else token
        for token in _tokens(text)
    )


def _possible_formats(text: str) -> Iterator[str]:
    """Yield the formats that the form of a string allows, in the order of ORDERS."""
    tokens = _tokens(text)
    if len(tokens) > 9 or not all(len(token) < 20 for token in tokens):
        return
    written = [*product(*map(_directives, tokens))]
    for order in ORDERS:
        for parts in written:
            date_format = "".join(parts)
            named = "".join(DIRECTIVE.findall(date_format.replace("%%", ""))).replace("B", "b")
            if named == order and date_format[:3] != "%m.":
                yield date_format


def _directives(token: str) -> Sequence[str]:
    """Return the format codes that could produce a token of a date."""
    if token.isdecimal():
        return {1: ("%d", "%m"), 2: ("%d", "%m", "%y"), 4: ("%Y",), 8: ("%Y%m%d",)}.get(len(token), (token,))
    if token.lower() in MONTH_NAMES:
        return ("%B",) if len(token) > 3 else ("%b",)
    return (token.replace("%", "%%"),)
