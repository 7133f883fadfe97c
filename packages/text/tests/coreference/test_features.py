"""Each family of features on pairs whose answer is known, and laws that hold for all."""

from __future__ import annotations

import numpy as np
import pytest
from tests.coreference import parsed as hand

from howsure.data.documents.document import Document, Mention
from howsure_text.coreference import features
from howsure_text.coreference.features import (
    NEW_FAMILIES,
    PAIR_FAMILIES,
    Candidates,
    Family,
    bucket,
    hashed,
    in_common,
    nearer,
)
from howsure_text.coreference.mentions import GENDERS, NUMBERS, ROLE_CODES, mention_columns

ANN, A_DOCTOR, THE_DOCTOR, HER, HE, BELL, SHE, DOCTORS = range(8)


def candidates(document: Document) -> Candidates:
    return Candidates(mention_columns(document, document.mentions or ()))


STORY, TALK = candidates(hand.story()), candidates(hand.dialogue())


@pytest.mark.parametrize("family", PAIR_FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("pairs", [STORY, TALK], ids=["story", "dialogue"])
def test_codes_of_pairs_fit_the_family(family: Family, pairs: Candidates) -> None:
    codes = family.codes(pairs)
    assert codes.shape == (len(pairs), len(pairs))
    assert codes[pairs.earlier].min() >= 0
    assert codes[pairs.earlier].max() < family.size <= 1 << 16


@pytest.mark.parametrize("family", NEW_FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("pairs", [STORY, TALK], ids=["story", "dialogue"])
def test_codes_of_mentions_fit_the_family(family: Family, pairs: Candidates) -> None:
    codes = family.codes(pairs)
    assert codes.shape == (len(pairs),)
    assert codes.min() >= 0
    assert codes.max() < family.size <= 1 << 16


@pytest.mark.parametrize("family", PAIR_FAMILIES, ids=lambda family: family.name)
def test_what_comes_later_changes_nothing(family: Family) -> None:
    """The features of a pair look at the text up to its second mention: a law of the model, not of the data."""
    story = hand.story()
    short = Document("short", story.sentences, (story.mentions or ())[:5])
    earlier = np.tri(5, k=-1, dtype=bool)
    np.testing.assert_array_equal(family.codes(candidates(short))[earlier], family.codes(STORY)[:5, :5][earlier])


def test_distance() -> None:
    assert features.mentions_between(STORY)[BELL, ANN] == 4  # five mentions back
    assert features.sentences_between(STORY)[SHE].tolist()[:7] == [3, 3, 2, 2, 1, 1, 0]
    assert features.place_in_document(STORY)[SHE, [ANN, HER, BELL]].tolist() == [0, 1, 1]


def test_match() -> None:
    level = features.match_level(STORY)
    assert level[THE_DOCTOR, A_DOCTOR] == 5  # all words but the article
    assert level[DOCTORS, A_DOCTOR] == 4  # the head, and no word more
    assert level[BELL, ANN] == 1  # a word in common: Mrs. and Ann are not
    assert level[HER, ANN] == level[HE, A_DOCTOR] == 0  # pronouns match nothing
    assert features.match(STORY)[THE_DOCTOR, A_DOCTOR] // 6 == 5
    assert features.containment(STORY)[DOCTORS, A_DOCTOR] == 7
    assert features.containment(STORY)[THE_DOCTOR, ANN] == 0
    assert features.names(STORY)[BELL, [ANN, A_DOCTOR]].tolist() == [4, 0]
    assert features.nearest_match(STORY)[DOCTORS, [A_DOCTOR, THE_DOCTOR, HE]].tolist() == [2, 1, 0]
    assert features.head_mentions_before(STORY)[DOCTORS, [A_DOCTOR, THE_DOCTOR]].tolist() == [4, 5]


@pytest.mark.parametrize(
    ("first", "second", "family", "code"),
    [
        ("the|DT|3|det red|JJ|3|amod car|NN|0|root", "the|DT|2|det car|NN|0|root", features.modifiers, 2),
        ("the|DT|2|det car|NN|0|root", "the|DT|3|det red|JJ|3|amod car|NN|0|root", features.modifiers, 3),
        ("red|JJ|2|amod cars|NNS|0|root", "red|JJ|2|amod cars|NNS|0|root", features.modifiers, 4),
        ("red|JJ|2|amod cars|NNS|0|root", "blue|JJ|2|amod cars|NNS|0|root", features.modifiers, 8),
        ("red|JJ|2|amod cars|NNS|0|root", "red|JJ|2|amod bikes|NNS|0|root", features.modifiers, 0),
        ("two|CD|2|nummod cars|NNS|0|root", "two|CD|2|nummod dogs|NNS|0|root", features.numerals, 1),
        ("two|CD|2|nummod cars|NNS|0|root", "six|CD|2|nummod cars|NNS|0|root", features.numerals, 2),
        ("two|CD|2|nummod cars|NNS|0|root", "cars|NNS|0|root", features.numerals, 0),
        ("World|NNP|2|compound Bank|NNP|0|root", "WB|NNP|0|root", features.acronym, 1),
        ("World|NNP|2|compound Bank|NNP|0|root", "UN|NNP|0|root", features.acronym, 0),
        ("Ann|NNP|0|root Bell|NNP|1|flat", "Bell|NNP|0|root", features.names, 2),
        ("Ann|NNP|0|root Bell|NNP|1|flat", "Ann|NNP|0|root Bell|NNP|1|flat", features.names, 5),
        ("Ann|NNP|0|root Bell|NNP|1|flat", "Eve|NNP|0|root", features.names, 1),
    ],
)
def test_words_of_two_phrases(first: str, second: str, family: object, code: int) -> None:
    antecedent, anaphor = hand.parsed(first), hand.parsed(second)
    whole = hand.document(antecedent, anaphor, mentions=[(0, 0, len(antecedent), 1), (1, 0, len(anaphor), 1)])
    assert family(candidates(whole))[1, 0] == code  # type: ignore[operator]


def test_agreement() -> None:
    assert features.number(STORY)[DOCTORS, ANN] == NUMBERS["plural"] * 3 + NUMBERS["singular"]
    assert features.gender(STORY)[HE, HER] == GENDERS["masculine"] * 5 + GENDERS["feminine"]
    possible = features.agree(STORY)
    assert possible[HE].tolist()[:4] == [True, True, True, False]  # not her
    assert not possible[DOCTORS, :7].any()  # all are singular
    assert features.rank(STORY)[HE, :4].tolist() == [3, 2, 1, 0]
    assert features.same_form_rank(STORY)[SHE, [HER, HE]].tolist() == [1, 0]


def test_syntax() -> None:
    assert features.roles(STORY)[HE, A_DOCTOR] == ROLE_CODES["subject"] * len(ROLE_CODES) + ROLE_CODES["object"]
    assert features.antecedent_role(STORY)[HE, THE_DOCTOR] == ROLE_CODES["subject"] * 4 + 1
    assert features.parallel(STORY)[SHE, HE] == 1 + 4  # both subjects, a sentence apart
    assert features.lengths(STORY)[BELL, HER] == 4
    assert features.path(STORY)[HER, THE_DOCTOR] // 3 == 9  # subject and object of one verb


@pytest.mark.parametrize(
    ("text", "antecedent", "mention", "path", "nesting"),
    [
        ("the|DT|2|det town|NN|5|nsubj ,|,|4|punct Bonn|NNP|2|appos grew|VBD|0|root", (0, 2), (3, 4), 1, 0),
        ("Ann|NNP|0|root and|CC|3|cc Eve|NNP|1|conj", (0, 1), (2, 3), 2, 0),
        ("Ann|NNP|2|nsubj lost|VBD|0|root her|PRP$|4|nmod:poss keys|NNS|2|obj", (0, 1), (2, 3), 11, 0),
        ("Bonn|NNP|4|nsubj is|VBZ|4|cop a|DT|4|det town|NN|0|root", (0, 1), (2, 4), 5, 0),
        ("Bonn|NNP|2|nsubj is|VBZ|0|ROOT a|DT|4|det town|NN|2|attr", (0, 1), (2, 4), 5, 0),
        ("the|DT|2|det end|NN|0|root of|IN|4|case time|NN|2|nmod", (0, 4), (3, 4), 4, 4),
        ("her|PRP$|2|nmod:poss keys|NNS|0|root", (0, 1), (0, 2), 6, 8),
    ],
)
def test_paths_and_nesting(
    text: str, antecedent: tuple[int, int], mention: tuple[int, int], path: int, nesting: int
) -> None:
    whole = hand.document(hand.parsed(text), mentions=[(0, *antecedent, 1), (0, *mention, 1)])
    pairs = candidates(whole)
    assert features.path(pairs)[1, 0] // 3 == path
    assert features.nesting(pairs)[1, 0] == nesting


def test_a_reflexive_differs_from_a_pronoun() -> None:
    sentences = [hand.parsed(f"Ann|NNP|2|nsubj saw|VBD|0|root {word}|PRP|2|obj") for word in ("her", "herself")]
    codes = [
        features.path(candidates(hand.document(sentence, mentions=[(0, 0, 1, 1), (0, 2, 3, 1)])))[1, 0]
        for sentence in sentences
    ]
    assert codes[1] - codes[0] == 2


def test_discourse() -> None:
    assert features.speakers(STORY).max() == 0
    assert features.speakers(TALK)[2, :2].tolist() == [2, 2]
    assert features.speakers(TALK)[4, 0] == 1
    assert features.persons(TALK)[2, :2].tolist() == [2, 1]  # Eve's I is Adam's you
    assert features.persons(TALK)[6, :6].tolist() == [4] * 6  # you to several
    quoted = hand.document(
        hand.parsed("“|``|2|punct I|PRP|0|root ”|''|2|punct he|PRP|2|dep “|``|6|punct me|PRP|2|dep"),
        mentions=[(0, 1, 2, 1), (0, 3, 4, 1), (0, 5, 6, 1)],
    )
    assert features.quotations(candidates(quoted))[2, :2].tolist() == [2, 3]


def test_words() -> None:
    same = features.heads(STORY)
    assert same[THE_DOCTOR, A_DOCTOR] == same[DOCTORS, A_DOCTOR] > 0 == same[HE, A_DOCTOR]
    pronoun = features.head_and_pronoun(STORY)
    assert pronoun[HE, A_DOCTOR] == pronoun[HE, THE_DOCTOR] > 0 == pronoun[THE_DOCTOR, A_DOCTOR]
    assert pronoun[SHE, A_DOCTOR] != pronoun[HE, A_DOCTOR]
    assert features.ending_and_pronoun(STORY)[HE, A_DOCTOR] > 0


def test_novelty() -> None:
    assert features.order(STORY).tolist() == [0, 1, 2, 2, 3, 3, 3, 3]
    assert features.best_match(STORY).tolist() == [0, 0, 16, 0, 0, 3, 0, 14]
    assert features.candidates_near(STORY).tolist() == [0, 1, 2, 2, 2, 3, 2, 0]
    assert features.same_form_before(STORY)[[HER, SHE]].tolist() == [0, 3]
    assert features.same_form_before(TALK).tolist()[:3] == [2, 2, 1]
    assert features.length(STORY).tolist() == [1, 1, 1, 0, 0, 1, 0, 1]
    assert features.number_and_gender(STORY)[HE] == NUMBERS["singular"] * 5 + GENDERS["masculine"]
    assert features.head(STORY)[A_DOCTOR] == features.head(STORY)[DOCTORS]
    assert features.role(STORY)[HE] == ROLE_CODES["subject"] * 2


def test_buckets_codes_and_ranks_against_the_obvious() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 60, (9, 9))
    ends = (0, 2, 5, 40)
    slow = [[sum(value > end for end in ends) for value in row] for row in values.tolist()]
    assert bucket(values, ends=ends).tolist() == slow
    chosen = values > 30
    assert nearer(chosen).tolist() == [[int(row[k + 1 :].sum()) for k in range(9)] for row in chosen]
    spread = np.bincount(hashed(np.arange(100_000), np.full(100_000, 7), size=64), minlength=64)
    assert spread.min() > 1_300
    assert spread.max() < 1_830


def test_an_empty_document_has_no_pairs() -> None:
    nothing = Candidates(mention_columns(Document("empty", ()), ()))
    for family in PAIR_FAMILIES:
        assert family.codes(nothing).shape == (0, 0)
    assert [family.codes(nothing).shape for family in NEW_FAMILIES] == [(0,)] * len(NEW_FAMILIES)


def test_duplicate_spans_are_allowed() -> None:
    sentence = hand.parsed("Ann|NNP|0|root")
    pairs = Candidates(mention_columns(hand.document(sentence), [Mention(0, 0, 1), Mention(0, 0, 1)]))
    assert features.nesting(pairs)[1, 0] >= 11  # the same head


def test_words_in_common_are_the_sizes_of_the_intersections() -> None:
    rng = np.random.default_rng(0)
    sets = [frozenset(rng.integers(0, 40, size).tolist()) for size in rng.integers(0, 9, 60)]
    expected = [[len(words & others) for others in sets] for words in sets]
    assert np.array_equal(in_common(sets), expected)
    assert in_common([frozenset()]).tolist() == [[0]]
