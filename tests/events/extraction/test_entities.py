"""The rule on clusterings, against its definition entity by entity, and against exact enumeration of all of them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.data.documents.document import Mention
from howsure.errors import InputError
from howsure.events.extraction.one_document import Facts, entity_counts, evidence_of, mention_facts
from howsure.events.lexicon import Lexicon
from howsure.events.rule import built_in_rule
from tests.events import sentences
from tests.events.sentences import document

Row = tuple[int, ...]


def facts(described: list[set[int]], agents: list[bool], actors: int = 2) -> Facts:
    table = np.array([[a in held for a in range(actors)] for held in described], dtype=np.bool_)
    names = tuple("ABCDE"[:actors])
    return Facts(names, table.reshape(len(described), actors), np.array(agents, dtype=np.bool_), (), ())


def slow_counts(row: Row, held: Facts) -> list[int]:
    """f(c, E; x) as it is defined, entity by entity."""
    counts = [0] * len(held.actors)
    for entity in set(row):
        members = [mention for mention, number in enumerate(row) if number == entity]
        named = {a for mention in members for a in np.flatnonzero(held.described[mention]).tolist()}
        if len(named) == 1 and any(held.agent[mention] for mention in members):
            counts[named.pop()] += 1
    return counts


@st.composite
def situations(draw: st.DrawFn) -> tuple[np.ndarray, Facts]:
    n = draw(st.integers(1, 6))
    rows = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=n, max_size=n), min_size=1, max_size=4))
    described = draw(st.lists(st.sets(st.integers(0, 2), max_size=2), min_size=n, max_size=n))
    agents = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return np.array(rows), facts(described, agents, actors=3)


@settings(max_examples=50)
@given(situations())
def test_counts_are_those_of_the_definition(situation: tuple[np.ndarray, Facts]) -> None:
    clusters, held = situation
    expected = [slow_counts(tuple(row), held) for row in clusters.tolist()]
    assert entity_counts(clusters, held).tolist() == expected


@settings(max_examples=50)
@given(situations())
def test_evidence_is_there_just_where_it_is_true(situation: tuple[np.ndarray, Facts]) -> None:
    clusters, held = situation
    marked = np.zeros((len(clusters), len(held.actors)), dtype=np.bool_)
    for one in evidence_of(clusters, held):
        assert held.agent[one.agent]
        assert held.described[one.description, held.actors.index(one.actor)]
        assert (clusters[one.samples, one.agent] == clusters[one.samples, one.description]).all()
        marked[:, held.actors.index(one.actor)] |= one.samples
    assert (marked == (entity_counts(clusters, held) > 0)).all()


@settings(max_examples=25)
@given(situations(), st.permutations(range(6)))
def test_numbers_of_entities_are_only_names(situation: tuple[np.ndarray, Facts], names: list[int]) -> None:
    clusters, held = situation
    assert (entity_counts(np.array(names)[clusters], held) == entity_counts(clusters, held)).all()


def test_mr_hussein_is_iraqs_half_of_the_time() -> None:
    """Exact enumeration over antecedents: P(event) = P(the mention links to the one that names Iraq)."""
    mentions = [Mention(0, 0, 5), Mention(0, 4, 5), Mention(1, 0, 2), Mention(1, 4, 5)]
    lexicon = Lexicon([("IRQ", "Iraq"), ("KWT", "Kuwait")])
    held = mention_facts(
        document(sentences.PRESIDENT, sentences.HUSSEIN), mentions, lexicon=lexicon, rule=built_in_rule("attack")
    )
    antecedents = [[1.0], [1.0, 0.0], [0.4, 0.5, 0.1], [0.7, 0.0, 0.3, 0.0]]  # of each mention: new, then 0, 1, …
    exact, rows, weights = np.zeros(len(held.actors)), [], []
    for choice in product(*(range(len(one)) for one in antecedents)):
        row: list[int] = []
        for mention, chosen in enumerate(choice):
            row.append(mention if chosen == 0 else row[chosen - 1])
        probability = float(np.prod([one[chosen] for one, chosen in zip(antecedents, choice, strict=True)]))
        exact += probability * (np.array(slow_counts(tuple(row), held)) > 0)
        rows.append(row)
        weights.append(probability)
    by_kernel = np.array(weights) @ (entity_counts(np.array(rows), held) > 0)
    np.testing.assert_allclose(by_kernel, exact, atol=1e-15)
    # "Mr. Hussein" acts: with President Hussein, or with Iraq itself unless Kuwait is in it too
    np.testing.assert_allclose(exact, [0.5 + 0.1 * 0.7, 0.0], atol=1e-15)


def test_a_document_without_agents_or_mentions() -> None:
    assert not entity_counts(np.zeros((3, 2), dtype=int), facts([{0}, {1}], [False, False])).any()
    nothing = Facts((), np.zeros((0, 0), dtype=np.bool_), np.zeros(0, dtype=np.bool_), (), ())
    assert entity_counts(np.zeros((3, 0), dtype=int), nothing).shape == (3, 0)
    assert evidence_of(np.zeros((3, 0), dtype=int), nothing) == []


@pytest.mark.parametrize("clusters", [[[0, 1]], [0, 1, 2], [[0.0, 1.0, 2.0]], [["a", "b", "c"]]])
def test_clusters_are_samples_of_mentions(clusters: list[object]) -> None:
    with pytest.raises(InputError, match=r"whole numbers of shape \(samples, mentions\), here \(any, 3\)"):
        entity_counts(clusters, facts([{0}, {1}, set()], [True, False, False]))
