"""Phrases of parses: what is asked of a tree, and what is said of the answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure_papers import subtrees
from howsure_papers.dependency_grammar import count_events
from howsure_papers.reproduction import Reproduction
from howsure_papers.subtrees import HEADS, NOUN, VALENCE, queries, read_trees

TAGS = ["DT", "JJ", "NN", "VBZ"]
TREE = (np.array([0, 1, 2, 3]), np.array([2, 2, 3, -1]))  # the old man sleeps


def test_a_phrase_is_a_word_with_all_that_depends_on_it() -> None:
    grammar = (count_events([TREE], len(TAGS)) + 0.1).probabilities()
    pairs = dict(queries(grammar, TAGS, [TREE, (TREE[0][2:], np.array([1, -1]))]).by_group())
    assert list(pairs) == list(HEADS)
    # of the four words: 1-2, 1-3, 2-3, 2-4, 3-4, which are neither one word nor all; of the two words nothing
    assert {kind: spans.labels.tolist() for kind, spans in pairs.items()} == {
        kind: [0, int(kind in ("any phrase", NOUN)), 0, 0, 0] for kind in HEADS
    }
    any_phrase, noun = pairs["any phrase"].probabilities, pairs[NOUN].probabilities
    assert any_phrase.argmax() == noun.argmax() == 1
    assert np.all(noun <= any_phrase + 1e-12)


def test_words_that_are_not_in_a_row_are_no_phrase() -> None:
    assert subtrees.subtree_indicators(np.array([2, 3, -1, 2])).sum() == 3


@pytest.fixture(scope="module")
def made(real_data: Path) -> Reproduction:
    steps: list[int] = []
    result = subtrees.reproduce_subtrees(data=str(real_data), limit=300, advance=steps.append)
    assert sum(steps) == subtrees.reproduce_subtrees.steps()
    return result


@pytest.mark.long
def test_every_part_has_trees(real_data: Path) -> None:
    tags, parts = read_trees(str(real_data), 50)
    assert len(parts[0]) == 50
    assert all(codes.max() < len(tags) and list(heads).count(-1) == 1 for part in parts for codes, heads in part)


@pytest.mark.long
def test_the_findings_follow_from_the_table(made: Reproduction) -> None:
    check_whole(made)
    rows = [row for row in rows_of(made.tables[0]) if row[0] == VALENCE]
    assert [row[1] for row in rows] == list(HEADS)
    assert [finding.ours for finding in made.findings[:4]] == [row[4] for row in rows]
