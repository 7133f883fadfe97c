"""Unseen words: classes of rare words, and the probabilities that they get."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.sequences.hmm import ENOUGH, EVERY, UnknownWords, classes_of

WORDS = ["the"] * 6 + ["walking", "talking", "baking", "making", "taking", "Rome", "Paris"]
CODES = np.array([0] * 6 + [1] * 4 + [2] * 3)


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=12))
def test_every_word_has_classes_from_special_to_all(word: str) -> None:
    classes = classes_of(word)
    assert classes[-1] == EVERY
    assert len(set(classes)) == len(classes)


def test_rare_words_are_counted_in_classes_that_hold_enough() -> None:
    found = UnknownWords.learnt_from(WORDS, CODES, 3)
    counts = dict(zip(found.classes, found.counts.tolist(), strict=True))
    assert ENOUGH == 5
    assert counts == {EVERY: [0, 4, 3], "x": [0, 4, 1], "x g": [0, 4, 1], "x ng": [0, 4, 1], "x ing": [0, 4, 1]} | {
        "x king": [0, 4, 1]
    }


def test_without_words_that_come_once_the_rarest_ones_count() -> None:
    found = UnknownWords.learnt_from(["a", "a", "b", "b", "b"], np.array([0, 1, 1, 1, 1]), 2)
    assert found.classes == (EVERY,)
    assert found.counts.tolist() == [[1, 1]]


@pytest.mark.parametrize("pseudocount", [0.0, 0.1, 1.0])
def test_the_probabilities_by_hand(pseudocount: float) -> None:
    found = UnknownWords.learnt_from(WORDS, CODES, 3)
    totals, types = np.array([6.0, 4.0, 3.0]), 8
    table = dict(zip(found.classes, found.emissions(pseudocount, totals, types), strict=True))
    for tag, (rare, of_class, total) in enumerate([(0, 0, 6), (4, 4, 4), (3, 1, 3)]):
        wanted = (of_class + pseudocount * 5 / 7) / (total + rare + pseudocount * (types + 1))
        assert table["x ing"][tag] == pytest.approx(wanted)
        assert table[EVERY][tag] == pytest.approx((rare + pseudocount) / (total + rare + pseudocount * (types + 1)))
