"""What is known of each mention of the hand-made documents."""

from __future__ import annotations

import pytest

from howsure.coreference import mentions as of
from howsure.coreference.mentions import FORMS, check_mentions, code_of, mention_columns, quotation_numbers
from howsure.data.documents.document import Document, Mention, Sentence
from howsure.errors import InputError
from tests.coreference import parsed as hand

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
    assert A.head_word[1] == A.head_word[2] == A.head_word[7] == code_of("doctor")  # doctors as well
    assert A.rows[0].names == {code_of("ann"), code_of("bell")}
    assert A.text[1] == A.text[2] != A.text[7]  # articles do not count, endings do
    assert A.governor_word[3] == code_of("greeted")


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
    adam, eve = code_of("adam"), code_of("eve")
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


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        ([Mention(1, 0, 2), Mention(0, 0, 2)], r"text order .*; row 1 of document example comes before .* Sort them"),
        (
            [Mention(0, 4, 9)],
            r"inside the sentences of document example; row 0 holds words 4 to 9 of sentence 0, ",
        ),
        ([Mention(9, 0, 1)], r"row 0 holds words 0 to 1 of sentence 9, which has 0 words"),
        ([Mention(0, 2, 2)], r"row 0 holds words 2 to 2"),
    ],
)
def test_mentions_in_disorder(mentions: list[Mention], message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_mentions(STORY, mentions)
