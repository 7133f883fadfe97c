"""From scores to the posterior of a document: exact by enumeration, and mentions that it cannot hold are counted."""

from __future__ import annotations

import re

import numpy as np
import pytest

from howsure.coreference import posterior_from_scores
from howsure.coreference.scored import scored_document
from howsure.data import AntecedentScores, Document, Mention, Sentence
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration

WORDS = ("Ann", "saw", "Eve", ".", "She", "ran", ".")
DOCUMENT = Document("d", (Sentence(WORDS[:4]), Sentence(WORDS[4:])))
LOGITS = [[], [0.4], [1.0, -0.5], [2.0, 0.3, 0.1]]


def scored(*mentions: tuple[int, int]) -> AntecedentScores:
    return AntecedentScores(id="d", words=WORDS, mentions=mentions, scores=LOGITS[: len(mentions)], null=0.0)


def test_it_equals_enumeration() -> None:
    matrix = np.zeros((4, 4))
    for j, row in enumerate(LOGITS):
        matrix[j, : j + 1] = np.exp([*row, 0.0])
    matrix /= matrix.sum(axis=1, keepdims=True)
    posterior = posterior_from_scores(scored((0, 1), (1, 2), (2, 3), (4, 5)), DOCUMENT)
    np.testing.assert_allclose(posterior.pair_probability(), Enumeration(matrix).together(), atol=1e-12)
    assert posterior.mentions == (Mention(0, 0, 1), Mention(0, 1, 2), Mention(0, 2, 3), Mention(1, 0, 1))


def test_misplaced_mentions_are_refused_or_counted() -> None:
    given = scored((0, 1), (2, 3), (3, 5), (4, 5))
    with pytest.raises(InputError, match=re.escape("mention 2 of the scores, '.She' crosses sentences. Leave such")):
        posterior_from_scores(given, DOCUMENT)
    with pytest.warns(UserWarning, match=r"left out 1 mention of the 4 scored in d \('.She' crosses sentences\); oth"):
        posterior = posterior_from_scores(given, DOCUMENT, misplaced="leave-out")
    assert posterior.mentions == (Mention(0, 0, 1), Mention(0, 2, 3), Mention(1, 0, 1))
    found = scored_document(given, DOCUMENT, misplaced="leave-out")
    row = np.exp([2.0, 0.3, 0.1, 0.0])
    assert found.lost == pytest.approx(row[2] / row.sum(), rel=1e-12)
    assert posterior.antecedents.row(2)[1] == pytest.approx(row[:2] / (row.sum() - row[2]), rel=1e-12)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(InputError, match="scores must be AntecedentScores of one document; it is list"):
        posterior_from_scores([1.0])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no way 'drop' in misplaced; it has error, leave-out"):
        posterior_from_scores(scored((0, 1)), misplaced="drop")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the scores of d belong to another text than document e"):
        posterior_from_scores(scored((0, 1)), Document("e", (Sentence(("Bob",)),)))
