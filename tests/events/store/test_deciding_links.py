"""The links an event hinges on: against a search over all pairs, and on the paper's example."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.events.store.documents import DecidingLink, deciding_links

SAMPLES = 20


@st.composite
def situations(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[int]]:
    n = draw(st.integers(1, 5))
    labels = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=n, max_size=n), min_size=SAMPLES, max_size=SAMPLES))
    event = draw(st.lists(st.booleans(), min_size=SAMPLES, max_size=SAMPLES))
    return np.array(labels), np.array(event), draw(st.lists(st.integers(0, n - 1), min_size=1))


def slow_first(
    labels: list[list[int]], event: list[bool], mentions: list[int], everywhere: list[list[int]] | None = None
) -> tuple[int, int] | None:
    """The pair with the largest difference; the nearest, then the first, of equal ones."""
    everywhere = labels if everywhere is None else everywhere
    near = [m for m in range(len(labels[0])) if any(row[m] == row[one] for row in everywhere for one in mentions)]
    scores = {}
    for i, j in combinations(near, 2):
        shares = [
            Fraction(sum(row[i] == row[j] for row, held in zip(labels, event, strict=True) if held == side), size)
            for side, size in ((True, sum(event)), (False, len(event) - sum(event)))
        ]
        scores[i, j] = abs(shares[0] - shares[1])
    best = max(scores.values(), default=Fraction(0))
    return min((pair for pair in scores if scores[pair] == best), key=lambda p: (p[1] - p[0], p)) if best else None


@settings(max_examples=50)
@given(situations())
def test_the_first_link_separates_best(situation: tuple[np.ndarray, np.ndarray, list[int]]) -> None:
    labels, event, mentions = situation
    found = deciding_links(labels, event, mentions)
    expected = slow_first(labels.tolist(), event.tolist(), mentions) if 0 < event.sum() < SAMPLES else None
    assert ([(one.first, one.second) for one in found[:1]] or [None]) == [expected]


@settings(max_examples=50)
@given(situations())
def test_each_further_link_is_the_first_where_those_before_leave_it_open(
    situation: tuple[np.ndarray, np.ndarray, list[int]],
) -> None:
    labels, event, mentions = situation
    kept = np.ones(SAMPLES, dtype=bool)
    for hinge in deciding_links(labels, event, mentions):
        together = labels[:, hinge.first] == labels[:, hinge.second]
        assert hinge.share == kept.mean()
        assert hinge.with_event == together[kept & event].mean()
        assert hinge.without_event == together[kept & ~event].mean()
        near = slow_first(labels[kept].tolist(), event[kept].tolist(), mentions, labels.tolist())
        assert (hinge.first, hinge.second) == near
        sides = [kept & together, kept & ~together]
        rarer = [min(event[side].sum(), (~event[side]).sum()) for side in sides]
        kept = sides[int(rarer[1] > rarer[0])]


def test_the_paper_s_example_hinges_on_the_two_husseins() -> None:
    # leaders, President Saddam Hussein of Iraq, leaders, it, Mr. Hussein
    labels = np.array([[0, 1, 0, 3, 1], [0, 1, 0, 3, 4], [0, 1, 2, 3, 1], [0, 1, 2, 3, 4]] * 25)
    event = np.array([True, False] * 50)
    assert deciding_links(labels, event, [1, 4]) == [DecidingLink(1, 4, 1.0, 0.0, 1.0)]


def test_the_nearest_link_of_a_sure_chain_is_told() -> None:
    """ "He" is surely Mr. Hussein; whether Mr. Hussein is the president decides, and both pairs tell it."""
    labels = np.array([[0, 0, 0], [0, 1, 1]] * 50)
    assert deciding_links(labels, labels[:, 2] == 0, [0, 2]) == [DecidingLink(0, 1, 1.0, 0.0, 1.0)]


def test_a_second_link_is_told_where_the_first_does_not_settle_it() -> None:
    """ "He" must be the president of Iraq, and the president of the United States another."""
    iraq = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 2], [0, 1, 2]] * 25)
    event = np.array([True, False, False, False] * 25)
    first, second = deciding_links(iraq, event, [0, 2])
    assert (first.first, first.second, second.first, second.second) == (0, 2, 0, 1)
    assert (second.with_event, second.without_event, second.share) == (0.0, 1.0, 0.5)


def test_where_either_of_two_links_makes_it_true_both_are_told() -> None:
    """Two acting mentions, 1 and 2, each of which may be Iraq's."""
    labels = np.array([[0, 0, 0], [0, 0, 2], [0, 1, 0], [0, 1, 2]] * 25)
    event = (labels[:, 1] == 0) | (labels[:, 2] == 0)
    first, second = deciding_links(labels, event, [0, 1, 2])
    assert (first.first, first.second, second.first, second.second) == (0, 1, 0, 2)
    assert (second.with_event, second.without_event, second.share) == (1.0, 0.0, 0.5)


def test_what_is_certain_hinges_on_nothing() -> None:
    labels = np.array([[0, 0], [0, 1]] * 10)
    for event in (np.ones(20, dtype=bool), np.zeros(20, dtype=bool)):
        assert deciding_links(labels, event, [0]) == []
