"""Which documents are kept."""

from __future__ import annotations

import pytest

from howsure.errors import InputError
from howsure.events.corpus import CATEGORY, EMPTY, NO_ACTOR, NO_DATE, REASONS, Filter, InputDocument
from tests.events import newswire

PAPER = Filter(keep="^Top/News/World", drop="Sports|Opinion", require_actor=True)


def given(category: str | None, *, text: str = "x", date: str | None = "1999-01-02") -> InputDocument:
    return InputDocument(0, "a", date, None, category, text)


@pytest.mark.parametrize(
    ("category", "reason"),
    [
        ("Top/News/World/Europe", None),
        ("Top/News/World/Sports", CATEGORY),
        ("Top/Opinion", CATEGORY),
        ("News/Top/News/World", CATEGORY),
        (None, CATEGORY),
    ],
)
def test_the_filter_of_the_paper(category: str | None, reason: str | None) -> None:
    assert PAPER.reason(given(category)) == reason


def test_without_patterns_every_category_is_kept() -> None:
    assert Filter().reason(given(None)) is None
    assert Filter(drop="Sports").reason(given(None)) is None


def test_no_date_and_no_text() -> None:
    assert Filter().reason(given(None, date=None)) == NO_DATE
    assert Filter().reason(given(None, text=" \n\t")) == EMPTY
    assert Filter().reason_of_words([], newswire.lexicon()) == EMPTY


def test_an_actor_must_be_named() -> None:
    assert PAPER.reason_of_words(["Iraqis", "spoke"], newswire.lexicon()) is None
    assert PAPER.reason_of_words(["They", "spoke"], newswire.lexicon()) == NO_ACTOR
    assert Filter().reason_of_words(["They", "spoke"], newswire.lexicon()) is None
    assert {NO_DATE, CATEGORY, EMPTY, NO_ACTOR} < set(REASONS)


@pytest.mark.parametrize("option", ["keep", "drop"])
def test_a_pattern_that_is_none(option: str) -> None:
    with pytest.raises(InputError, match=rf"{option} must be a regular expression; '\(' is none"):
        Filter(**{option: "("})  # type: ignore[arg-type]
