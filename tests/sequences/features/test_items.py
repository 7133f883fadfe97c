"""Items as crfsuite takes them, against crfsuite's own reading of them."""

from __future__ import annotations

import pycrfsuite
import pytest

from howsure.errors import InputError
from howsure.sequences.features import described, weighted

ITEMS = [
    ["a", "b"],
    ["a", "a"],
    {"b", "a"},
    {"title": True, "end": False, "word": "Paris", "length": 0.5, "count": 3},
    {"near": ["in", "the"], "affix": {"first": "P", "last": {"s": 2.0}}},
    [],
    {},
]


@pytest.mark.parametrize("item", ITEMS)
def test_items_are_read_as_crfsuite_reads_them(item: object) -> None:
    (peer,) = pycrfsuite.ItemSequence([item]).items()
    assert dict(weighted(item, place="item")) == peer  # crfsuite shows an attribute that comes twice once


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ("word", "must be a list or a mapping of attributes; it is 'word'"),
        (5, "must be a list or a mapping of attributes; it is 5"),
        ([1], "must name attributes by text; it holds 1"),
        ({1: 2.0}, "must name attributes by text; it holds 1"),
        ({"a": float("nan")}, "must hold finite values; a is nan"),
        ({"a": None}, "must be a list or a mapping of attributes; it is None"),
    ],
)
def test_items_that_are_none(item: object, message: str) -> None:
    with pytest.raises(InputError, match=rf"sentences\[2\]\[0\] {message}"):
        weighted(item, place="sentences[2][0]")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda words: [["a"]], r"each of the 2 words of sentences\[0\]; it returned 1"),
        (lambda words: "ab", r"it returned 2"),
        (lambda words: None, "it returned a NoneType"),
    ],
)
def test_a_function_must_describe_every_word(function, message: str) -> None:
    with pytest.raises(InputError, match=message):
        described([["to", "be"]], function)
