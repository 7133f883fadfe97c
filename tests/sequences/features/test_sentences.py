"""Sentences and tags at the door."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.sequences.words import check_sentences, check_tags, check_training, coded


def test_anything_that_holds_words_will_do() -> None:
    found = check_sentences((np.array(["a", "b"]), ("c",), iter(["d"]), []))
    assert found == [["a", "b"], ["c"], ["d"], []]
    assert {type(word) for words in found for word in words} == {str}  # numpy's own text is not passed on


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ("How sure?", r"sentences must be a list of sentences.*the text 'How sure\?'"),
        (["How sure?"], r"sentences\[0\] must be a list of words; it is the text 'How sure\?'. Split it first"),
        ([["a"], b"b c"], r"sentences\[1\] must be a list of words; it is a bytes. Split it first"),
        ([["a", 5]], r"sentences\[0\]\[1\] must be text; it is a int"),
        ([["a", None]], r"sentences\[0\]\[1\] must be text; it is None"),
        ([3], r"sentences\[0\] must be a list of words; it is a int"),
        ([{"a": 1}], r"sentences\[0\] must be a list of words; it is a dict"),
        (None, "sentences must be a list of sentences.*it is None"),
    ],
)
def test_sentences_that_are_none(sentences: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_sentences(sentences)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ([["N"]], "tags must be as many lists as sentences; 1, not 2"),
        ([["N"], ["N"]], r"tags\[1\] must hold one tag for each word of its sentence; 1 tag, 2 words"),
        ([["N"], "NV"], r"tags\[1\] must be a list of tags; it is the text 'NV'"),
        ([["N"], ["N", 2]], r"tags\[1\]\[1\] must be text"),
        ("NNV", "tags must be a list of sentences"),
    ],
)
def test_tags_that_do_not_fit(tags: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_tags(tags, [["a"], ["b", "c"]])


def test_nothing_to_learn_from() -> None:
    with pytest.raises(InputError, match="sentences is empty"):
        check_training([])
    with pytest.raises(InputError, match=r"sentences\[1\] has no words; leave it out"):
        check_training([["a"], []])


def test_tags_are_numbered_in_alphabetical_order() -> None:
    labels, codes = coded([["V", "N"], ["A"], ["V"]])
    assert labels == ("A", "N", "V")
    assert codes.tolist() == [2, 1, 0, 2]
