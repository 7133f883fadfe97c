"""Mentions found in trees written by hand, in both schemes of labels."""

from __future__ import annotations

from dataclasses import replace

import pytest

from howsure.coreference.detection import detect_mentions
from howsure.data.documents.document import Document, Sentence
from howsure.errors import InputError
from tests.coreference import parsed as hand


def found(sentence: Sentence) -> list[str]:
    document = hand.document(sentence)
    return [" ".join(document.words_of(mention)) for mention in detect_mentions(document)]


@pytest.mark.parametrize("sentence", [hand.UD, hand.CLEAR], ids=["UD", "CLEAR"])
def test_phrases_names_and_possessives(sentence: Sentence) -> None:
    """Every conjunct by itself, without preposition; the possessor with its mark."""
    assert found(sentence) == ["The old king 's", "The old king 's daughter", "Ann", "her", "her brother", "Paris"]


@pytest.mark.parametrize("sentence", [hand.PREDICATE_UD, hand.PREDICATE_CLEAR], ids=["UD", "CLEAR"])
def test_a_predicate_leaves_its_clause(sentence: Sentence) -> None:
    assert found(sentence) == ["Bonn", "the old capital of Germany", "Germany"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It|PRP|2|expl rains|VBZ|0|root", []),
        ("That|DT|2|nsubj helps|VBZ|0|root", ["That"]),
        ("That|DT|2|det dog|NN|3|nsubj barks|VBZ|0|root", ["That dog"]),
        ("the|DT|2|det poor|JJ|3|nsubj sleep|VBP|0|root", ["the poor"]),
        ("those|DT|0|root who|WP|3|nsubj know|VBP|1|acl:relcl", ["those who know"]),
        ("Dr.|NNP|2|nmod:desc Who|NNP|3|nsubj left|VBD|0|root in|IN|5|case 1963|CD|3|obl", ["Dr. Who", "1963"]),
        ("two|CD|2|nummod dogs|NNS|3|nsubj ran|VBD|0|root here|RB|3|advmod", ["two dogs", "here"]),
        (
            'the|DT|2|det bank|NN|6|nsubj (|-LRB-|4|punct BNP|NNP|2|nmod )|-RRB-|4|punct fell|VBD|0|root',
            ["the bank ( BNP )", "BNP"],
        ),
        ("the|DT|2|det town|NN|5|nsubj ,|,|4|punct Bonn|NNP|2|appos grew|VBD|0|root", ["the town", "Bonn"]),
    ],
)  # fmt: skip
def test_what_is_a_mention(text: str, expected: list[str]) -> None:
    assert found(hand.parsed(text)) == expected


def test_universal_tags_do_as_well() -> None:
    tags = ("DET", "ADJ", "NOUN", "PART", "NOUN", "VERB", "PROPN", "CCONJ", "PRON", "NOUN", "ADP", "PROPN", "PUNCT")
    assert found(replace(hand.UD, tags=None, universal_tags=tags)) == found(hand.UD)


def test_an_empty_document_has_none() -> None:
    assert detect_mentions(Document("empty", ())) == ()


@pytest.mark.parametrize(
    ("without", "message"),
    [
        ({"heads": None}, r"sentence 1 of document example has no dependencies .* parse the document first"),
        ({"tags": None}, r"sentence 1 of document example has neither Penn Treebank nor universal tags"),
    ],
)
def test_a_sentence_must_be_parsed(without: dict[str, None], message: str) -> None:
    with pytest.raises(InputError, match=message):
        detect_mentions(hand.document(replace(hand.UD, **without)))


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ({"heads": (1, 0)}, "the heads of sentence 1 of document example go in a circle; they must form a tree"),
        ({"heads": (0, -1)}, "go in a circle"),
        ({"heads": (5, -1)}, "heads must be positions of words, or -1 for the root; sentence 1 of document example ho"),
        ({"heads": (-2, -1)}, "holds -2"),
        ({"heads": (-1,)}, "sentence 1 of document example has 2 words and 1 heads; give one for each"),
        ({"tags": ("NN",)}, "has 2 words and 1 tags"),
        ({"tags": ("NOUN", "PUNCT")}, "such as NOUN; universal tags are the layer universal_tags"),
        ({"tags": ("PPER", "VVFIN")}, "such as PPER; mentions are found in English only"),
    ],
)
def test_layers_that_do_not_fit_are_refused(layers: dict[str, tuple[object, ...]], message: str) -> None:
    sentence = hand.parsed("dogs|NNS|2|nsubj bark|NN|0|root")
    with pytest.raises(InputError, match=message):
        detect_mentions(hand.document(replace(sentence, **layers)))


def test_universal_tags_stand_in_for_tags_of_another_language() -> None:
    universal = (
        "DET",
        "ADJ",
        "NOUN",
        "PART",
        "NOUN",
        "VERB",
        "PROPN",
        "CCONJ",
        "PRON",
        "NOUN",
        "ADP",
        "PROPN",
        "PUNCT",
    )
    foreign = replace(hand.UD, tags=("X-1",) * 13, universal_tags=universal)
    assert found(foreign) == found(hand.UD)
    punctuation = replace(hand.parsed(".|.|0|root"), universal_tags=("PUNCT",))
    assert detect_mentions(hand.document(punctuation)) == ()


@pytest.mark.parametrize("value", ["file.conllu", hand.UD, [hand.document(hand.UD)]])
def test_only_a_document_has_mentions(value) -> None:
    with pytest.raises(InputError, match="document must be one Document"):
        detect_mentions(value)
