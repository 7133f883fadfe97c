"""The posterior of subtrees against the enumeration of all trees, and a grammar against counts by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from howsure_papers.dependency_grammar import Grammar, Tree, count_events, subtree_posterior, yields

WORDS = 5
TAGS = 3


def every_tree(codes: np.ndarray) -> list[Tree]:
    """All projective trees over a sentence with one root."""
    n = len(codes)
    trees = []
    for heads in product(range(-1, n), repeat=n):
        tree = heads.count(-1) == 1 and ends(heads)
        if tree and all(places == list(range(places[0], places[-1] + 1)) for places in yields(np.array(heads))):
            trees.append((codes, np.array(heads)))
    return trees


def ends(heads: tuple[int, ...]) -> bool:
    """Whether the heads of every word lead to the root."""
    reached = set(range(len(heads)))
    for _ in heads:
        reached = {heads[word] for word in reached if word >= 0}
    return reached <= {-1}


@pytest.mark.parametrize("valence", [True, False])
@pytest.mark.parametrize("codes", [[0], [0, 1], [2, 0, 1, 0, 1], [1, 1, 2, 0]])
def test_the_posterior_is_that_of_all_trees(codes: list[int], valence: bool) -> None:
    rng = np.random.default_rng(len(codes))
    counts = Grammar(rng.random(TAGS), rng.random((2, TAGS, TAGS)), rng.random((2, 2, TAGS, 2)))
    grammar, n = counts.probabilities(valence=valence), len(codes)
    trees = every_tree(np.array(codes))
    assert len(trees) == [1, 2, 7, 30, 143][n - 1]  # Yuret (1998)
    weights = np.array([np.exp(grammar.log_likelihood(count_events([tree], TAGS))) for tree in trees])
    expected = np.zeros((n, n, n))
    for (_, heads), weight in zip(trees, weights, strict=True):
        for head, words in enumerate(yields(heads)):
            expected[head, words[0], words[-1]] += weight / weights.sum()
    posterior = subtree_posterior(grammar, np.array([codes, codes]))
    assert posterior == pytest.approx(np.stack([expected, expected]), abs=1e-12)


@pytest.mark.long
def test_the_grammar_is_a_distribution_over_sentences_with_trees() -> None:
    """The probabilities of all trees over sentences of up to `WORDS` words add up to nearly one, if most stop soon."""
    counts = Grammar(np.array([1.0, 2.0]), np.ones((2, 2, 2)), np.ones((2, 2, 2, 2)) * [9.0, 1.0])
    grammar = counts.probabilities()
    total = sum(
        np.exp(grammar.log_likelihood(count_events([tree], 2)))
        for n in range(1, WORDS + 1)
        for codes in product(range(2), repeat=n)
        for tree in every_tree(np.array(codes))
    )
    assert 0.98 < total < 1.0


def test_counts_are_those_of_the_dependents_on_each_side() -> None:
    codes, heads = np.array([0, 1, 2, 2]), np.array([1, -1, 1, 1])
    counts = count_events([(codes, heads)], TAGS)
    assert counts.root.tolist() == [0, 1, 0]
    assert counts.child[:, 1].tolist() == [[1, 0, 0], [0, 0, 2]]
    assert counts.more[:, 0, 1].tolist() == [[0, 1], [0, 1]]
    assert counts.more[:, 1, 1].tolist() == [[1, 0], [1, 1]]
    assert counts.more[1, 0, 2].tolist() == [2, 0]
