"""Parameters: what breaks a rule is said with its name, the rule, the value and the choices."""

from __future__ import annotations

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.explorer.queries import (
    LONGEST,
    QUESTIONS,
    Parameter,
    fraction,
    number_or,
    one_of,
    read_parameters,
    whole,
    words,
)

RULES = (
    Parameter("actors", words, most=2),
    Parameter("period", one_of(["month", "year"]), "month"),
    Parameter("limit", whole(1, 9), 5),
    Parameter("low", fraction, 0.2),
    Parameter("sample", number_or("best", high=99), "best"),
)
BAD = [
    ([], "actors must be given; it is missing."),
    ([("actors", " ")], "actors must be a text without control characters, and not empty; it is ' '."),
    ([("actors", "a\x00b")], "actors must be a text without control characters"),
    ([("actors", "a"), ("actors", "b"), ("actors", "c")], "actors must be given at most 2 times; it is given 3 times."),
    ([("actors", "a"), ("period", "day")], "period must be one of month, year; it is 'day'."),
    (
        [("actors", "a"), ("period", "year"), ("period", "year")],
        "period must be given at most 1 times; it is given 2 times.",
    ),
    ([("actors", "a"), ("limit", "10")], "limit must be a whole number from 1 to 9; it is '10'."),
    ([("actors", "a"), ("limit", "-1")], "limit must be a whole number from 1 to 9; it is '-1'."),
    ([("actors", "a"), ("limit", "٣")], "limit must be a whole number from 1 to 9; it is '٣'."),
    ([("actors", "a"), ("low", "nan")], "low must be a number from 0 to 1; it is 'nan'."),
    ([("actors", "a"), ("low", "half")], "low must be a number from 0 to 1; it is 'half'."),
    ([("actors", "a"), ("sample", "worst")], "sample must be 'best' or a whole number from 0; it is 'worst'."),
    ([("actors", "a"), ("sample", "100")], "sample must be a whole number from 0 to 99; it is '100'."),
    ([("actor", "a")], "no parameter 'actor' in /api/x; it has actors, period, limit, low, sample. Did you mean"),
    ([("actors", "a" * (LONGEST + 1))], "actors must have at most 200 characters; it has 201."),
]


@pytest.mark.parametrize(("given_", "message"), BAD)
def test_what_breaks_a_rule_is_told(given_: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_parameters(given_, RULES, address="/api/x")


def test_what_is_not_given_has_its_default() -> None:
    assert read_parameters([("actors", "IRQ")], RULES, address="/api/x") == {
        "actors": ["IRQ"], "period": "month", "limit": 5, "low": 0.2, "sample": "best",
    }  # fmt: skip


def test_what_is_given_is_read() -> None:
    given_ = [
        ("sample", "7"),
        ("actors", "B"),
        ("low", "1e-1"),
        ("limit", "9"),
        ("actors", "A & <b>"),
        ("period", "year"),
    ]
    assert read_parameters(given_, RULES, address="/api/x") == {
        "actors": ["B", "A & <b>"], "period": "year", "limit": 9, "low": 0.1, "sample": 7,
    }  # fmt: skip


@settings(max_examples=25)
@given(
    st.sampled_from(sorted(QUESTIONS)),
    st.lists(st.tuples(st.sampled_from(["actors", "period", "number", "sample", "low", "x"]), st.text(max_size=30))),
)
def test_nothing_but_an_input_error_is_raised(name: str, given_: list[tuple[str, str]]) -> None:
    parameters = QUESTIONS[name].parameters
    with contextlib.suppress(InputError):
        assert list(read_parameters(given_, parameters, address=name)) == [one.name for one in parameters]
