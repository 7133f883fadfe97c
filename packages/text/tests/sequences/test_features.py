"""Feature families: what they say of a word, and what names them."""

from __future__ import annotations

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.sequences.corpora import made_up
from tests.sequences.peer import items_of

from howsure_text.sequences.features import (
    FAMILIES,
    Attributes,
    Scores,
    design_of_items,
    design_of_words,
    feature_families,
    feature_offsets,
    shape,
    weighted_attributes,
    word_attributes,
)
from howsure_text.sequences.sentences import check_sentences, encode_tags


@pytest.mark.parametrize(
    ("word", "expected"),
    [("dog", "x"), ("Dog", "Xx"), ("USA", "X"), ("1,234.5", "0,0.0"), ("#tag2", "#x0"), ("...", "."), ("été", "x")],
)
def test_the_shape_of_a_word(word: str, expected: str) -> None:
    assert shape(word) == (expected,)


@given(st.text(min_size=1, max_size=20))
def test_every_family_says_something_short_of_every_word(word: str) -> None:
    for family in FAMILIES.values():
        attributes = family.function(word)
        assert 1 <= len(attributes) <= 4
        assert len(set(attributes)) == len(attributes)


@given(st.text(min_size=5, max_size=20, alphabet="abcdefgh"))
def test_affixes_are_the_ends_of_the_word(word: str) -> None:
    assert FAMILIES["prefixes"].function(word) == (word[:1], word[:2], word[:3], word[:4])
    assert FAMILIES["suffixes"].function(word) == (word[-1:], word[-2:], word[-3:], word[-4:])


def test_sets_of_families() -> None:
    assert feature_families("basic") == ("word",)
    assert feature_families("advanced") == tuple(FAMILIES)
    assert feature_families(["shape", "word"]) == ("shape", "word")
    assert feature_offsets(feature_families("basic")) == (0,)


def test_families_do_not_mix() -> None:
    """No two families use the same attribute for the same word."""
    for offset in (-1, 0, 1):
        attributes = word_attributes("a", feature_families("advanced"), offset)
        assert len(attributes) == len(set(attributes))
    assert word_attributes("Dog", ("neighbours",), 1) == ["neighbours[+1]=dog"]


# Designs of feature families and of items: one score, whichever way it is computed.


WORDS, _ = made_up(12, seed=1)


def random_weights(attributes: Attributes) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {name: rng.normal(size=3) for name in attributes.number}


@pytest.mark.parametrize("features", ["basic", "advanced"])
def test_scores_are_sums_over_attributes(features: str) -> None:
    attributes = Attributes(growing=True)
    design = design_of_words(WORDS, feature_families(features), attributes)
    weights = random_weights(attributes)
    scores = design.scores(csr_array(np.array(list(weights.values()))))
    assert len(scores) == len(WORDS)
    for word_scores, words in zip(scores, WORDS, strict=True):
        expected = [sum(weights[name] for name in item) for item in items_of(words, features)]
        np.testing.assert_allclose(word_scores, expected, atol=1e-12)


def test_families_and_items_make_one_design() -> None:
    attributes = Attributes(growing=True)
    of_words = design_of_words(WORDS, feature_families("advanced"), attributes)
    of_items = design_of_items([items_of(words, "advanced") for words in WORDS], attributes)
    weights = csr_array(np.random.default_rng(0).normal(size=(len(attributes), 2)))
    for scores_of_words, scores_of_items in zip(of_words.scores(weights), of_items.scores(weights), strict=True):
        np.testing.assert_allclose(scores_of_words, scores_of_items, atol=1e-12)


def test_unknown_attributes_score_0_and_are_not_learnt() -> None:
    attributes = Attributes(["word=dog"], growing=False)
    design = design_of_words([["dog", "axolotl"]], ("word",), attributes)
    (scores,) = design.scores(csr_array(np.array([[1.5, -1.0]])))
    assert scores.tolist() == [[1.5, -1.0], [0.0, 0.0]]
    assert list(attributes.number) == ["word=dog"]


def test_values_count_and_repetitions_add_up() -> None:
    attributes = Attributes(growing=True)
    design = design_of_items([[{"a": 0.5, "b": -2.0}, ["a", "a"]]], attributes)
    (scores,) = design.scores(csr_array(np.array([[1.0], [10.0]])))
    assert scores.tolist() == [[-19.5], [2.0]]


def test_a_part_of_a_design_scores_the_same() -> None:
    attributes = Attributes(growing=True)
    design = design_of_words(WORDS, feature_families("advanced"), attributes)
    weights = np.random.default_rng(0).normal(size=(len(attributes), 2))
    chosen = np.array([7, 2, 11])
    part, attributes_of_part = design.select(chosen)
    whole, few = design.scores(csr_array(weights)), part.scores(csr_array(weights[attributes_of_part]))
    for place, sentence in enumerate(chosen):
        np.testing.assert_allclose(few[place], whole[int(sentence)], atol=1e-12)
    assert part.lengths.sum() == sum(len(WORDS[i]) for i in chosen)


def test_scores_are_a_sequence() -> None:
    scores = Scores([np.arange(6.0).reshape(3, 2)], [np.array([2, 0, 1])], np.array([2, 0, 1]))
    assert [score.tolist() for score in scores] == [[[4.0, 5.0], [0.0, 1.0]], [], [[2.0, 3.0]]]
    assert scores[-1].tolist() == [[2.0, 3.0]]


# Items as crfsuite takes them, against crfsuite's own reading of them.


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
    assert dict(weighted_attributes(item, place="item")) == peer  # crfsuite shows an attribute that comes twice once


# Sentences and tags at the door.


def test_anything_that_holds_words_will_do() -> None:
    sentences = check_sentences((np.array(["a", "b"]), ("c",), iter(["d"]), []))
    assert sentences == [["a", "b"], ["c"], ["d"], []]
    assert {type(word) for words in sentences for word in words} == {str}  # numpy's own text is not passed on


def test_tags_are_numbered_in_alphabetical_order() -> None:
    labels, codes = encode_tags([["V", "N"], ["A"], ["V"]])
    assert labels == ("A", "N", "V")
    assert codes.tolist() == [2, 1, 0, 2]
