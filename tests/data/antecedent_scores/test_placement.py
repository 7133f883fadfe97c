"""Mentions are found again in a document that is cut into other words."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.data import AntecedentScores, Document, Mention, Sentence
from howsure.data.antecedent_scores import place_mentions
from howsure.errors import InputError

DOCUMENT = Document("d", (Sentence(("Ann", "'s", "sister", "ran", ".")), Sentence(("She", "did", "n't", "fall", "."))))
TEXT = "Ann's sister ran. She didn't fall."


def scored(mentions: list[tuple[int, int]], **where: object) -> AntecedentScores:
    return AntecedentScores(
        id="d", mentions=mentions, scores=[[0.0] * j for j in range(len(mentions))], null=0, **where
    )  # type: ignore[arg-type]


def test_characters_of_a_text() -> None:
    placed = place_mentions(scored([(0, 5), (0, 12), (18, 21)], text=TEXT), DOCUMENT)
    assert placed.mentions == (Mention(0, 0, 2), Mention(0, 0, 3), Mention(1, 0, 1))
    assert placed.faults == {}


def test_words_cut_otherwise() -> None:
    words = ["Ann's", "sister", "ran.", "She", "didn't", "fall", "."]
    placed = place_mentions(scored([(0, 2), (3, 4), (4, 5)], words=words), DOCUMENT)
    assert placed.mentions == (Mention(0, 0, 3), Mention(1, 0, 1), Mention(1, 1, 3))


def test_what_is_no_mention_of_the_document_is_said() -> None:
    placed = place_mentions(scored([(1, 3), (6, 10), (13, 21), (17, 18)], text=TEXT), DOCUMENT)
    assert placed.mentions == (None,) * 4
    assert list(placed.faults.values()) == [
        "'nn' begins inside a word", "'sist' ends inside a word", "'ran.She' crosses sentences",
        "'' holds nothing but blanks",
    ]  # fmt: skip


def test_blank_words_of_the_document_do_not_matter() -> None:
    document = Document("d", (Sentence(("Ann", " ", "ran", "\n")), Sentence(("She", "fell"))))
    placed = place_mentions(scored([(0, 1), (1, 2), (2, 3)], words=["Ann", "ran", "She", "fell"]), document)
    assert placed.mentions == (Mention(0, 0, 1), Mention(0, 2, 3), Mention(1, 0, 1))


@given(st.data())
def test_a_cut_of_the_same_words_finds_every_mention(data: st.DataObject) -> None:
    letters = data.draw(st.text("ab", min_size=1, max_size=12))
    cuts = (
        data.draw(st.sets(st.integers(1, len(letters)).filter(lambda n: n < len(letters)), max_size=6))
        if len(letters) > 1
        else set()
    )
    ends = [0, *sorted(cuts), len(letters)]
    words = [letters[start:end] for start, end in pairwise(ends)]
    spans = sorted({tuple(sorted(data.draw(st.tuples(st.integers(0, len(words)), st.integers(0, len(words))))))
                    for _ in range(3)} - {(n, n) for n in range(len(words) + 1)})  # fmt: skip
    finer = scored([(ends[start], ends[end]) for start, end in spans], words=list(letters))
    placed = place_mentions(finer, Document("d", (Sentence(tuple(words)),)))
    assert placed.mentions == tuple(Mention(0, start, end) for start, end in spans)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Ann", "brother"], "after 3 characters without blanks, …'Annbrother' in the scores is …"),
        (["Ann"], "after 3 characters without blanks, …'Ann' in the scores is …"),
    ],
)
def test_another_text_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        place_mentions(scored([(0, 1)], words=words), DOCUMENT)
