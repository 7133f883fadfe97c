"""Parts of an input share its documents: each is in one of them, in whole batches."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.events.corpus import BATCH, Part


@settings(max_examples=25)
@given(st.integers(0, 1_000), st.integers(1, 9))
def test_each_document_is_in_one_part(documents: int, of: int) -> None:
    parts = [Part(number, of) for number in range(1, of + 1)]
    held = [[document for document in range(documents) if part.holds(document)] for part in parts]
    assert sorted(chain(*held)) == list(range(documents))
    assert [part.size(documents) for part in parts] == [len(one) for one in held]
    assert max(map(len, held)) - min(map(len, held)) <= BATCH
    for one in held:
        assert all(
            document in one for first in one[::BATCH] for document in range(first, min(first + BATCH, documents))
        )


def test_as_it_is_asked_for() -> None:
    assert Part.asked("3/64") == Part.asked((3, 64)) == Part(3, 64)
    assert Part.asked(None) == Part.asked("1/1") == Part()
    assert Part().is_all
    assert Part().recipe(7) == {}
    assert str(Part(3, 64)) == "part 3 of 64"


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("3", "part must be its number and how many there are, such as 3/64; it is '3'"),
        ("3/64/2", "such as 3/64; it is '3/64/2'"),
        ("-1/3", "such as 3/64; it is '-1/3'"),
        ((1, 2, 3), r"such as 3/64; it is \(1, 2, 3\)"),
        (3, "such as 3/64; it is 3"),
        ("0/3", "the number of a part must be a whole number from 1 to 3, not 0"),
        ("4/3", "the number of a part must be a whole number from 1 to 3, not 4"),
        ((1.5, 3), "the number of a part must be a whole number from 1 to 3, not 1.5"),
        ("1/513", "the number of parts must be a whole number from 1 to 512, not 513"),
        ("1/0", "the number of parts must be a whole number from 1 to 512, not 0"),
    ],
)
def test_what_is_no_part(part: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        Part.asked(part)
