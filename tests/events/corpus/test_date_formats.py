"""A format of dates that cannot tell the day is refused before any date is read."""

from __future__ import annotations

import re

import pytest

from howsure.errors import InputError
from howsure.events import Fields


@pytest.mark.parametrize("written", ["%d/%m/%Y", "%Y-%m-%d", "%-d. %B %Y", "%b %d, %y", "%Y%j", "%x", "%d.%m.%Y %H:%M"])
def test_formats_that_tell_the_day(written: str) -> None:
    assert Fields(text="body", date="day", date_format=written).date_format == written


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("dd/mm/yyyy", "it is 'dd/mm/yyyy'. Did you mean date_format='%d/%m/%Y'?"),
        ("D.M.YY", "it is 'D.M.YY'. Did you mean date_format='%d.%m.%y'?"),
        ("DD MMM YYYY", "Did you mean date_format='%d %b %Y'?"),
        ("%m/%Y", "must name the year, the month and the day; it is '%m/%Y'. For 31/12/2001 it is '%d/%m/%Y'."),
        ("", "must name the year, the month and the day; it is ''."),
        ("European", "it is 'European'. For 31/12/2001 it is '%d/%m/%Y'."),
        ("%d/%m/%Q", "must be written as in strptime; %Q in '%d/%m/%Q' is none of its signs."),
    ],
)
def test_formats_that_do_not(written: str, said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)):
        Fields(text="body", date="day", date_format=written)
