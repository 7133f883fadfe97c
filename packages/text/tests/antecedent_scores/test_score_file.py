"""Files of antecedent scores in every layout: what is written is read, and what is wrong is refused."""

from __future__ import annotations

import json
import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howsure.data import Document, Mention, Sentence
from howsure_text.coreference import (
    AntecedentScores,
    CorefPosterior,
    posterior_from_scores,
    read_antecedent_scores,
    write_antecedent_scores,
)
from howsure_text.coreference.antecedent_files import ScoreFile
from howsure_text.coreference.antecedent_scores import place_mentions

M = 5
LINKS = np.where(np.tri(M, k=-1, dtype=bool), np.arange(25.0).reshape(5, 5) % 7 - 3, -np.inf)
LINKS[3, 1] = -np.inf
NULL = np.array([0.0, 0.5, -1.0, 0.25, 2.0])


def several() -> list[AntecedentScores]:
    """The same scores in every layout."""
    document: dict[str, Any] = {"mentions": [(n, n + 1) for n in range(M)], "words": [["a", "b", "c"], ["d", "e"]]}
    listed = [[k for k in range(j) if LINKS[j, k] > -np.inf] for j in range(M)]
    padded = np.full((M, M), -1e9)
    places = np.zeros((M, M), dtype=int)
    for j, ks in enumerate(listed):
        padded[j, : len(ks)], places[j, : len(ks)] = LINKS[j, ks], ks
    square = LINKS.copy()
    np.fill_diagonal(square, NULL)
    return [
        AntecedentScores(id="plain", scores=LINKS, null=NULL, **document),
        AntecedentScores(id="x/first", scores=np.column_stack([NULL, LINKS]), null="first", **document),
        AntecedentScores(id="last", scores=np.column_stack([LINKS, NULL]), null="last", **document),
        AntecedentScores(id="diagonal", scores=square, null="diagonal", **document),
        AntecedentScores(
            id="listed", scores=[LINKS[j, k] for j, k in enumerate(listed)], antecedents=listed, null=NULL, **document
        ),
        AntecedentScores(
            id="padded", scores=np.column_stack([NULL, padded]), antecedents=places, null="first", **document
        ),
        AntecedentScores(
            id="text", scores=LINKS, null=NULL, text="ab c\nd e", mentions=[(0, 1), (1, 2), (3, 4), (5, 6), (7, 8)]
        ),
    ]


LINE: dict[str, Any] = {
    "id": "a",
    "words": ["Ann", "saw", "Eve", "."],
    "mentions": [[0, 1], [2, 3]],
    "scores": [[], [1.5]],
    "null": 0,
}


def test_every_layout_is_written_and_read(tmp_path: Path) -> None:
    write_antecedent_scores(several(), tmp_path / "scores.jsonl")
    documents = read_antecedent_scores(tmp_path / "scores.jsonl")
    expected = CorefPosterior.from_scores(LINKS, null=NULL).pair_probability()
    for original, restored in zip(several(), documents, strict=True):
        assert (original.id, original.text, original.words) == (restored.id, restored.text, restored.words)
        assert np.array_equal(original.mentions, restored.mentions)
        np.testing.assert_allclose(posterior_from_scores(restored).pair_probability(), expected, rtol=1e-12)


def test_a_document_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    write_antecedent_scores(several(), tmp_path / "scores.jsonl")
    file: ScoreFile = pickle.loads(pickle.dumps(ScoreFile(tmp_path / "scores.jsonl")))
    assert file.names == tuple(scores.id for scores in several())
    assert "listed" in file
    assert len(file) == 7
    assert file.read("text").text == "ab c\nd e"
    assert file.digest != ScoreFile(written(tmp_path, [LINE])).digest


def written(folder: Path, lines: list[Any]) -> Path:
    path = folder / "s.jsonl"
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_blank_lines_a_mark_and_whole_numbers_as_ids_are_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({**LINE, "id": 7}).encode() + b"\n\n" + json.dumps(LINE).encode())
    assert [scores.id for scores in read_antecedent_scores(path)] == ["7", "a"]


# Antecedent scores: what is wrong with them is said when they are made.


WORDS = ["Ann", "saw", "Eve", ".", "She", "ran", "."]
GIVEN: dict[str, Any] = {
    "id": "a",
    "words": WORDS,
    "mentions": [(0, 1), (2, 3), (4, 5)],
    "scores": [[], [1.0], [2.0, 0.5]],
    "null": 0.0,
}


def test_a_triangle_is_a_square_without_later_links() -> None:
    scores = AntecedentScores(**GIVEN)
    assert np.array_equal(scores.scores, [[-np.inf] * 3, [1.0, -np.inf, -np.inf], [2.0, 0.5, -np.inf]])
    assert repr(scores) == "AntecedentScores('a', 3 mentions)"


def test_words_are_one_sentence_or_several() -> None:
    flat = AntecedentScores(**GIVEN).document()
    split = AntecedentScores(**{**GIVEN, "words": [WORDS[:4], WORDS[4:]]}).document()
    assert [len(sentence) for sentence in flat.sentences] == [7]
    assert [sentence.words for sentence in split.sentences] == [tuple(WORDS[:4]), tuple(WORDS[4:])]


def test_a_text_is_cut_at_blanks_and_mentions() -> None:
    text = "Ann's  sister\nran."
    scores = AntecedentScores(id="a", text=text, mentions=[(0, 3), (0, 13)], scores=[[], [0]], null=0)
    (sentence,) = scores.document().sentences
    assert sentence.words == ("Ann", "'s", "sister", "ran.")
    assert sentence.spaces == (False, True, True, True)


# Mentions are found again in a document that is cut into other words.


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


def test_an_invalid_mention_is_reported() -> None:
    placed = place_mentions(scored([(1, 3), (6, 10), (13, 21), (17, 18)], text=TEXT), DOCUMENT)
    assert placed.mentions == (None,) * 4
    assert list(placed.faults.values()) == [
        "'nn' begins inside a word",
        "'sist' ends inside a word",
        "'ran.She' crosses sentences",
        "'' contains only blanks",
    ]


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
    spans = sorted(
        {tuple(sorted(data.draw(st.tuples(st.integers(0, len(words)), st.integers(0, len(words)))))) for _ in range(3)}
        - {(n, n) for n in range(len(words) + 1)}
    )
    finer = scored([(ends[start], ends[end]) for start, end in spans], words=list(letters))
    placed = place_mentions(finer, Document("d", (Sentence(tuple(words)),)))
    assert placed.mentions == tuple(Mention(0, start, end) for start, end in spans)
