"""Designs of feature families and of items: one score, whichever way it is computed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from howsure.sequences.features import Attributes, Scores, design_of_items, design_of_words, families_of
from tests.sequences.corpora import made_up
from tests.sequences.peer import items_of

WORDS, _ = made_up(12, seed=1)


def random_weights(attributes: Attributes) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {name: rng.normal(size=3) for name in attributes.number}


@pytest.mark.parametrize("features", ["basic", "advanced"])
def test_scores_are_sums_over_attributes(features: str) -> None:
    attributes = Attributes(growing=True)
    design = design_of_words(WORDS, families_of(features), attributes)
    weights = random_weights(attributes)
    scores = design.scores(csr_array(np.array(list(weights.values()))))
    assert len(scores) == len(WORDS)
    for found, words in zip(scores, WORDS, strict=True):
        wanted = [sum(weights[name] for name in item) for item in items_of(words, features)]
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_families_and_items_make_one_design() -> None:
    attributes = Attributes(growing=True)
    of_words = design_of_words(WORDS, families_of("advanced"), attributes)
    of_items = design_of_items([items_of(words, "advanced") for words in WORDS], attributes)
    weights = csr_array(np.random.default_rng(0).normal(size=(len(attributes), 2)))
    for one, other in zip(of_words.scores(weights), of_items.scores(weights), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_what_is_unknown_scores_nothing_and_is_not_learnt() -> None:
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
    design = design_of_words(WORDS, families_of("advanced"), attributes)
    weights = np.random.default_rng(0).normal(size=(len(attributes), 2))
    chosen = np.array([7, 2, 11])
    part, own = design.only(chosen)
    whole, few = design.scores(csr_array(weights)), part.scores(csr_array(weights[own]))
    for place, sentence in enumerate(chosen):
        np.testing.assert_allclose(few[place], whole[int(sentence)], atol=1e-12)
    assert part.n_tokens == sum(len(WORDS[i]) for i in chosen)


def test_scores_are_a_sequence() -> None:
    scores = Scores([np.arange(6.0).reshape(3, 2)], [np.array([2, 0, 1])], np.array([2, 0, 1]))
    assert [one.tolist() for one in scores] == [[[4.0, 5.0], [0.0, 1.0]], [], [[2.0, 3.0]]]
    assert scores[-1].tolist() == [[2.0, 3.0]]
    with pytest.raises(IndexError, match="no sentence 3"):
        scores[3]
