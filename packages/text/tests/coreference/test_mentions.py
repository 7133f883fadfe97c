"""Mentions found in trees written by hand, in both schemes of labels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.coreference import parsed as hand

from howsure.data.documents.document import Document, Mention, Sentence
from howsure_text.coreference import mentions as of
from howsure_text.coreference.detection import detect_mentions
from howsure_text.coreference.mentions import FORMS, mention_columns, quotation_numbers, word_code


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
            "the|DT|2|det bank|NN|6|nsubj (|-LRB-|4|punct BNP|NNP|2|nmod )|-RRB-|4|punct fell|VBD|0|root",
            ["the bank ( BNP )", "BNP"],
        ),
        ("the|DT|2|det town|NN|5|nsubj ,|,|4|punct Bonn|NNP|2|appos grew|VBD|0|root", ["the town", "Bonn"]),
    ],
)
def test_what_is_a_mention(text: str, expected: list[str]) -> None:
    assert found(hand.parsed(text)) == expected


def test_universal_tags_do_as_well() -> None:
    tags = ("DET", "ADJ", "NOUN", "PART", "NOUN", "VERB", "PROPN", "CCONJ", "PRON", "NOUN", "ADP", "PROPN", "PUNCT")
    assert found(replace(hand.UD, tags=None, universal_tags=tags)) == found(hand.UD)


def test_an_empty_document_has_none() -> None:
    assert detect_mentions(Document("empty", ())) == ()


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


# What is known of each mention of the hand-made documents.


STORY = hand.story()
A = mention_columns(STORY, STORY.mentions or ())


def named(codes: dict[str, int], column: list[int]) -> list[str]:
    names = {code: name for name, code in codes.items()}
    return [names[code] for code in column]


def test_forms_and_types() -> None:
    forms = ["proper", "indefinite", "definite", "she", "he", "proper", "she", "definite"]
    assert [FORMS[code] for code in A.form] == forms
    assert A.type.tolist() == [2, 1, 1, 0, 0, 2, 0, 1]


def test_number_gender_and_role() -> None:
    numbers = ["singular", "singular", "singular", "singular", "singular", "singular", "singular", "plural"]
    assert named(of.NUMBERS, A.number.tolist()) == numbers
    genders = ["unknown", "person", "person", "feminine", "masculine", "feminine", "feminine", "person"]
    assert named(of.GENDERS, A.gender.tolist()) == genders
    roles = ["subject", "object", "subject", "object", "subject", "object", "subject", "object"]
    assert named(of.ROLE_CODES, A.role.tolist()) == roles


def test_words_and_positions_count_from_the_start_of_the_document() -> None:
    assert A.head.tolist() == [0, 4, 7, 9, 11, 14, 16, 19]
    assert A.sentence.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert A.head_word[1] == A.head_word[2] == A.head_word[7] == word_code("doctor")  # doctors as well
    assert A.rows[0].names == {word_code("ann"), word_code("bell")}
    assert A.text[1] == A.text[2] != A.text[7]  # articles do not count, endings do
    assert A.governor_word[3] == word_code("greeted")


@pytest.mark.parametrize(
    ("text", "form", "number", "gender", "case"),
    [
        ("himself|PRP|0|root", "he", "singular", "masculine", of.REFLEXIVE),
        ("their|PRP$|0|nmod:poss", "they", "plural", "unknown", of.POSSESSIVE),
        ("these|DT|0|root", "this", "plural", "unknown", of.PLAIN),
        ("nobody|NN|0|root", "one", "unknown", "person", of.PLAIN),
        ("these|DT|2|det cities|NNS|0|root", "demonstrative", "plural", "unknown", of.PLAIN),
        ("my|PRP$|2|nmod:poss wife|NN|0|root", "possessive", "singular", "feminine", of.PLAIN),
        ("three|CD|2|nummod linguists|NNS|0|root", "indefinite", "plural", "person", of.PLAIN),
        ("1984|CD|0|root", "number", "unknown", "neuter", of.PLAIN),
        ("water|NN|0|root", "bare", "singular", "unknown", of.PLAIN),
        ("Ann|NNP|0|root and|CC|3|cc Eve|NNP|1|conj", "proper", "plural", "unknown", of.PLAIN),
        ("go|VB|0|root home|RB|1|advmod", "clause", "unknown", "neuter", of.PLAIN),
    ],
)
def test_one_mention(text: str, form: str, number: str, gender: str, case: int) -> None:
    document = hand.document(hand.parsed(text))
    row = mention_columns(document, [Mention(0, 0, len(document.sentences[0]))]).rows[0]
    assert (FORMS[row.form], row.case) == (form, case)
    assert (row.number, row.gender) == (of.NUMBERS[number], of.GENDERS[gender])


def test_persons_of_a_dialogue() -> None:
    """I is the speaker, you the only addressee, a name who bears it; you to several is nobody known."""
    talk = hand.dialogue()
    adam, eve = word_code("adam"), word_code("eve")
    assert mention_columns(talk, talk.mentions or ()).person.tolist() == [adam, eve, eve, adam, eve, adam, 0]


def test_acronyms_have_the_initials_of_the_name() -> None:
    names = hand.parsed(
        "United|NNP|2|amod Nations|NNP|0|root (|-LRB-|4|punct UN|NNP|2|appos )|-RRB-|4|punct Bonn|NNP|2|list"
    )
    a = mention_columns(hand.document(names), [Mention(0, 0, 2), Mention(0, 3, 4), Mention(0, 4, 5)])
    assert a.initials[0] == a.initials[1] > 0 == a.initials[2]


def test_quotations_are_numbered() -> None:
    words = ("“", "Go", "”", "he", "said", '"', "or", "stay", '"', ".")
    document = Document("quoted", (Sentence(words[:5]), Sentence(words[5:])))
    assert quotation_numbers(document) == [1, 1, 0, 0, 0, 2, 2, 2, 0, 0]
