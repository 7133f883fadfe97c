"""Hidden Markov models: counts by hand, proper distributions, policies for unknown words, accuracies on record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.sequences.corpora import made_up, tweets, web_text
from tests.sequences.enumeration import Enumeration

from howsure_text.sequences.hmm import ALL_WORDS, MIN_CLASS_WORDS, HMMTagger, UnknownWords, word_classes

SENTENCES = [["dogs", "bark"], ["the", "bark"], ["dogs"], ["the", "dogs", "bark"]]
TAGS = [["N", "V"], ["D", "N"], ["N"], ["D", "N", "V"]]
LABELS = ("D", "N", "V")


@pytest.mark.parametrize("a", [0.0, 0.5, 1.0])
def test_transitions_by_hand(a: float) -> None:
    tagger = HMMTagger(pseudocount_transition=a).fit(SENTENCES, TAGS)
    assert tagger.labels_ == LABELS
    counts = np.array([[0, 2, 0, 0], [0, 0, 2, 2], [0, 0, 0, 2]])  # the last column: the end
    probabilities = np.exp(np.column_stack([tagger.transitions_, tagger.end_]))
    np.testing.assert_allclose(probabilities, (counts + a) / (counts.sum(axis=1, keepdims=True) + 4 * a))
    np.testing.assert_allclose(np.exp(tagger.start_), (np.array([2, 2, 0]) + a) / (4 + 3 * a))


@pytest.mark.parametrize("a", [0.0, 0.5, 1.0])
def test_emissions_by_hand(a: float) -> None:
    counts = {"dogs": [0, 3, 0], "bark": [0, 1, 2], "the": [2, 0, 0]}
    total = np.array([2, 4, 2])
    emissions = {word: (np.array(row) + a) / (total + 3 * a) for word, row in counts.items()}
    error = HMMTagger(pseudocount_emission=a, unknown="error").fit(SENTENCES, TAGS)
    uniform = HMMTagger(pseudocount_emission=a, unknown="uniform").fit(SENTENCES, TAGS)
    for word, row in emissions.items():
        np.testing.assert_allclose(np.exp(error.emissions_[error.words_.index(word)]), row)
        np.testing.assert_allclose(np.exp(uniform.emissions_[uniform.words_.index(word)]), row * 8 / 9)
    np.testing.assert_allclose(np.exp(uniform.emissions_[-1]), 1 / 9)
    one_more = HMMTagger(pseudocount_emission=a, unknown="pseudocount").fit(SENTENCES, TAGS)
    for word, row in counts.items():
        np.testing.assert_allclose(
            np.exp(one_more.emissions_[one_more.words_.index(word)]), (np.array(row) + a) / (total + 4 * a)
        )
    np.testing.assert_allclose(np.exp(one_more.emissions_[-1]), a / (total + 4 * a))


def test_words_have_their_maximum_likelihood_only_if_unknown_words_are_refused() -> None:
    for unknown, is_likelihood in (("error", True), ("pseudocount", True), ("shape", False), ("uniform", False)):
        tagger = HMMTagger(pseudocount_emission=0.0, unknown=unknown).fit([*SENTENCES, ["cat"]], [*TAGS, ["N"]])
        assert np.isclose(np.exp(tagger.emissions_[0, 1]), 3 / 5) == is_likelihood


@pytest.mark.parametrize("unknown", ["shape", "uniform", "pseudocount", "error"])
@pytest.mark.parametrize("a", [0.0, 0.01, 1.0])
def test_the_probabilities_of_what_a_tag_emits_and_what_follows_sum_to_one(unknown: str, a: float) -> None:
    tagger = HMMTagger(pseudocount_transition=a, pseudocount_emission=a, unknown=unknown).fit(*made_up(40))
    of_words = np.exp(tagger.emissions_[: len(tagger.words_)]).sum(axis=0)
    of_unseen = np.exp(tagger.emissions_[len(tagger.words_)])  # the class of all unseen words
    np.testing.assert_allclose(of_words + of_unseen, 1, atol=1e-12)
    following = np.exp(tagger.transitions_).sum(axis=1) + np.exp(tagger.end_)
    np.testing.assert_allclose(following, 1, atol=1e-12)
    assert np.exp(tagger.start_).sum() == pytest.approx(1)


def test_the_posterior_is_that_of_enumeration() -> None:
    words, tags = made_up(40, seed=1)
    tagger = HMMTagger(pseudocount_emission=0.1).fit(words, tags)
    sentence = ["this", "bark", "axolotls", "."]
    posterior = tagger.posterior([sentence, []])
    rows = tagger.emissions_[tagger._rows([sentence])]
    every = Enumeration(rows, tagger.transitions_, tagger.start_, tagger.end_)
    assert posterior.log_z[0] == pytest.approx(every.log_z)
    best = every.sequences[int(np.argmax(every.scores))]
    assert tagger.predict([sentence, []]) == [[tagger.labels_[k] for k in best], []]


def test_an_unknown_word_is_what_it_looks_like() -> None:
    verbs = [["a", f"{stem}ing"] for stem in ("walk", "talk", "bak", "mak", "tak", "sleep")]
    names = [["the", name] for name in ("Rome", "Paris", "London", "Tokyo", "Lima", "Oslo")]
    sentences, tags = verbs + names, [["D", "V"]] * 6 + [["D", "N"]] * 6
    tagger = HMMTagger(pseudocount_emission=0.01).fit(sentences, tags)
    assert tagger.predict([["a", "meowing"], ["the", "Berlin"]]) == [["D", "V"], ["D", "N"]]


def test_an_unknown_word_that_is_refused() -> None:
    tagger = HMMTagger(unknown="error").fit(SENTENCES, TAGS)
    assert tagger.predict([["the", "dogs"]]) == [["D", "N"]]


def test_maximum_likelihood_says_when_nothing_is_possible() -> None:
    tagger = HMMTagger(pseudocount_transition=0, pseudocount_emission=0).fit(SENTENCES, TAGS)
    assert tagger.predict([["the", "dogs"]]) == [["D", "N"]]


@pytest.mark.long
def test_the_accuracies_on_record_are_reached(real_data: Path) -> None:
    """ARK .700 and .746 with a crude policy; 'shape' does much better."""
    train, test = tweets(real_data, "train"), tweets(real_data, "test")
    for pseudocount, least in ((1.0, 0.745), (0.1, 0.82), (0.01, 0.83)):
        assert HMMTagger(pseudocount_emission=pseudocount).fit(*train).score(*test) > least
    crude = HMMTagger(pseudocount_emission=0.1, unknown="uniform").fit(*train)
    assert crude.score(*test, decoding="posterior") > 0.74


@pytest.mark.long
def test_the_accuracy_on_record_of_web_text_is_reached(real_data: Path) -> None:
    """EWT's first 3,000 sentences .786 with a crude policy."""
    tagger = HMMTagger(pseudocount_emission=0.01).fit(*web_text(real_data, "train", 3000))
    assert tagger.score(*web_text(real_data, "test")) > 0.885


# Unseen words: classes of rare words, and the probabilities that they get.


WORDS = ["the"] * 6 + ["walking", "talking", "baking", "making", "taking", "Rome", "Paris"]
CODES = np.array([0] * 6 + [1] * 4 + [2] * 3)


@given(st.text(min_size=1, max_size=12))
def test_every_word_has_classes_from_special_to_all(word: str) -> None:
    classes = word_classes(word)
    assert classes[-1] == ALL_WORDS
    assert len(set(classes)) == len(classes)


def test_rare_words_are_counted_in_classes_that_hold_enough() -> None:
    unknown_words = UnknownWords.learnt_from(WORDS, CODES, 3)
    counts = dict(zip(unknown_words.classes, unknown_words.counts.tolist(), strict=True))
    assert MIN_CLASS_WORDS == 5
    assert counts == {ALL_WORDS: [0, 4, 3], "x": [0, 4, 1], "x g": [0, 4, 1], "x ng": [0, 4, 1], "x ing": [0, 4, 1]} | {
        "x king": [0, 4, 1]
    }


def test_without_words_that_come_once_the_rarest_ones_count() -> None:
    unknown_words = UnknownWords.learnt_from(["a", "a", "b", "b", "b"], np.array([0, 1, 1, 1, 1]), 2)
    assert unknown_words.classes == (ALL_WORDS,)
    assert unknown_words.counts.tolist() == [[1, 1]]


@pytest.mark.parametrize("pseudocount", [0.0, 0.1, 1.0])
def test_the_probabilities_by_hand(pseudocount: float) -> None:
    unknown_words = UnknownWords.learnt_from(WORDS, CODES, 3)
    totals, types = np.array([6.0, 4.0, 3.0]), 8
    table = dict(zip(unknown_words.classes, unknown_words.emissions(pseudocount, totals, types), strict=True))
    for tag, (rare, of_class, total) in enumerate([(0, 0, 6), (4, 4, 4), (3, 1, 3)]):
        expected = (of_class + pseudocount * 5 / 7) / (total + rare + pseudocount * (types + 1))
        assert table["x ing"][tag] == pytest.approx(expected)
        assert table[ALL_WORDS][tag] == pytest.approx((rare + pseudocount) / (total + rare + pseudocount * (types + 1)))
