"""Antecedent scores: what is wrong with them is said when they are made."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from howsure.data import AntecedentScores
from howsure.errors import InputError

WORDS = ["Ann", "saw", "Eve", ".", "She", "ran", "."]
GIVEN: dict[str, Any] = {
    "id": "a", "words": WORDS, "mentions": [(0, 1), (2, 3), (4, 5)], "scores": [[], [1.0], [2.0, 0.5]], "null": 0.0,
}  # fmt: skip


def test_a_triangle_is_a_square_without_later_links() -> None:
    held = AntecedentScores(**GIVEN)
    assert np.array_equal(held.scores, [[-np.inf] * 3, [1.0, -np.inf, -np.inf], [2.0, 0.5, -np.inf]])
    assert repr(held) == "AntecedentScores('a', 3 mentions)"


def test_words_are_one_sentence_or_several() -> None:
    flat = AntecedentScores(**GIVEN).document()
    split = AntecedentScores(**{**GIVEN, "words": [WORDS[:4], WORDS[4:]]}).document()
    assert [len(sentence) for sentence in flat.sentences] == [7]
    assert [sentence.words for sentence in split.sentences] == [tuple(WORDS[:4]), tuple(WORDS[4:])]


def test_a_text_is_cut_at_blanks_and_mentions() -> None:
    text = "Ann's  sister\nran."
    held = AntecedentScores(id="a", text=text, mentions=[(0, 3), (0, 13)], scores=[[], [0]], null=0)
    (sentence,) = held.document().sentences
    assert sentence.words == ("Ann", "'s", "sister", "ran.")
    assert sentence.spaces == (False, True, True, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "id must be the name of a document; it is ''."),
        ({"text": "Ann"}, "give words (a list of words or of sentences) or text, and not both."),
        ({"words": None}, "give words (a list of words or of sentences) or text, and not both."),
        ({"words": None, "text": 3}, "text must be a text; it is 3."),
        ({"words": "Ann saw"}, "words must be a list of words or of sentences"),
        ({"words": ["Ann", ""]}, "words must be a list of words or of sentences; '' is no word."),
        ({"words": [["Ann"], "saw"]}, "words must be a list of words or of sentences, lists of words; they are mixed."),
        ({"mentions": [(0, 1), (2, 2), (4, 5)]}, "row 1 holds [2, 2]. Ends are excluded; where they are included, ad"),
        ({"mentions": [(0, 1), (2, 3), (4, 8)]}, "must lie in the text, which has 7 words; row 2 holds [4, 8]."),
        ({"mentions": [(0, 1), (4, 5), (2, 3)]}, "in text order; row 2, [2, 3], begins before [4, 5]."),
        ({"mentions": [(0, 1), (2, 3), (2, 3)]}, "mentions must be distinct; rows 1 and 2 are both [2, 3]."),
        ({"mentions": [(0, 1), (2, 3), (4, 5.5)]}, "must be pairs of whole numbers, start and end; they are [[0.0,"),
        ({"mentions": [(0, 1), (2,), (4, 5)]}, "must be pairs of whole numbers, start and end"),
        ({"scores": [[], [1.0]]}, "scores must have a row for each of 3 mentions; they have 2."),
        ({"scores": 7}, "scores must have a row for each of 3 mentions; they have 7."),
        ({"scores": [[], [1.0], [2.0]]}, "row 2 holds 1, and 2 are before. Where antecedents are pruned, name those"),
        ({"scores": [[], ["x"], [2.0, 1.0]]}, "scores must be numbers; row 1 is ['x']"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        AntecedentScores(**{**GIVEN, **change})
