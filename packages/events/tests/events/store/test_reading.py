"""How a store is asked: bits, periods, a damaged file, several threads."""

from __future__ import annotations

import datetime
import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.events.made_up_store import TITLES, make_store, packed, store_file

from howsure.errors import HowsureError, InputError
from howsure.inputs.periods import PERIODS, find_period, period_end, period_start
from howsure_events.explorer import queries
from howsure_events.series.actor_comparison import compare_actors
from howsure_events.series.files import doubtful_documents, period_documents
from howsure_events.store.documents import DecidingLink, deciding_links
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import chosen_actors, query_facts, remember_answers
from howsure_events.store.tables import as_bits, as_labels


@settings(max_examples=15)
@given(st.lists(st.lists(st.booleans(), min_size=13, max_size=13), min_size=1, max_size=4))
def test_bits_are_those_packed(rows: list[list[bool]]) -> None:
    blobs = [sum(bit << place for place, bit in enumerate(row)).to_bytes(2, "little") for row in rows]
    assert as_bits(blobs, 13).tolist() == rows
    assert [packed(np.array(row)) for row in rows] == blobs


def test_labels_are_little_endian() -> None:
    assert as_labels(bytes([0, 0, 1, 1, 0, 0, 0, 0]), 2).tolist() == [[0, 257], [0, 0]]


@given(st.dates(datetime.date(1700, 1, 1), datetime.date(2200, 1, 1)), st.sampled_from(PERIODS))
def test_a_period_ends_the_day_before_the_next(date: datetime.date, by: str) -> None:
    period = find_period(date, period=by)
    end = period_end(period)
    assert period_start(period) <= date <= end
    assert find_period(end, period=by) == period
    assert find_period(end + datetime.timedelta(days=1), period=by) != period


@pytest.mark.long
def test_a_query_is_answered_from_memory_only_within_one_question(tmp_path: Path) -> None:
    query = "SELECT count(*) FROM left_out WHERE document < $below"
    path = tmp_path / "a.duckdb"
    with make_store(path, documents=40) as store, remember_answers(store):
        first = query_facts(store, query, below=20)
        first.clear()  # an answer is the asker's own
        assert query_facts(store, query, below=20) == [(2,)]
        assert query_facts(store, query, below=40) == [(5,)]
    with EventStore.open(path, read_only=False) as store, remember_answers(store):
        for left in (5, 4):  # it is open for writing: nothing is remembered
            assert query_facts(store, query, below=40) == [(left,)]
            store.connection.execute("DELETE FROM left_out WHERE document = 7")


@pytest.mark.long
def test_a_damaged_store_is_reported_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    store_file(path, documents=40)
    whole = path.read_bytes()
    messages = []
    for place in range(3 * 4096, len(whole), 4096 * 384):
        path.write_bytes(
            whole[:place] + bytes(255 - byte for byte in whole[place : place + 4096]) + whole[place + 4096 :]
        )
        try:
            with EventStore.open(path) as store:
                queries.overview(store)
                queries.series(store, ["IRQ"])
                doubtful_documents(store)
        except HowsureError as error:
            messages.append(str(error))
    assert any("the store is damaged or truncated: " in message for message in messages)
    assert not any("\n" in message for message in messages)


@pytest.mark.long
def test_threads_get_the_answers_of_one(tmp_path: Path) -> None:
    with make_store(tmp_path / "a.duckdb", documents=12) as store:
        questions = [
            lambda: queries.overview(store),
            lambda: queries.series(store, ["IRQ", "YUG"], period="month"),
            lambda: doubtful_documents(store),
            lambda: queries.document_view(store, 0, sample=3),
        ] * 2
        expected = [json.dumps(question()) for question in questions]
        with ThreadPoolExecutor(4) as pool:
            assert [json.dumps(answer) for answer in pool.map(lambda question: question(), questions)] == expected


def test_a_query_cannot_write(tmp_path: Path) -> None:
    with make_store(tmp_path / "a.duckdb", documents=10) as store, pytest.raises(duckdb.Error, match="read-only"):
        store.connection.execute("DELETE FROM documents")


@pytest.mark.long
def test_actors_by_code_or_by_title(tmp_path: Path) -> None:
    titles = {**TITLES, "A": "Twin", "B": "Twin", "C": "nato"}
    with make_store(tmp_path / "a.duckdb", documents=20, actors=titles) as store:
        assert chosen_actors(store, ["iraq", "IRQ", "usa", "NATO", "Yugoslavia"]) == ("IRQ", "USA", "NATO", "YUG")
        assert compare_actors(store, "iraq", "yugoslavia").titles == {"IRQ": "Iraq", "YUG": "Yugoslavia"}
        assert period_documents(store, "iraq", at="1999") == period_documents(store, "IRQ", at="1999")
        with pytest.raises(InputError, match="twin may be A or B; give the code"):
            chosen_actors(store, ["twin"])
        with pytest.raises(InputError, match=r"Nato may be NATO or C; give the code"):
            chosen_actors(store, ["Nato"])
        with pytest.raises(InputError, match=r"no actor 'Yugoslavja' .* Did you mean YUG \(Yugoslavia\)\?"):
            chosen_actors(store, ["Yugoslavja"])


# The links an event hinges on: against a search over all pairs, and on the paper's example.


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
    near = [
        m for m in range(len(labels[0])) if any(row[m] == row[mention] for row in everywhere for mention in mentions)
    ]
    scores = {}
    for i, j in combinations(near, 2):
        shares = [
            Fraction(
                sum(row[i] == row[j] for row, has_event in zip(labels, event, strict=True) if has_event == side), size
            )
            for side, size in ((True, sum(event)), (False, len(event) - sum(event)))
        ]
        scores[i, j] = abs(shares[0] - shares[1])
    best = max(scores.values(), default=Fraction(0))
    return min((pair for pair in scores if scores[pair] == best), key=lambda p: (p[1] - p[0], p)) if best else None


@given(situations())
def test_the_first_link_separates_best(situation: tuple[np.ndarray, np.ndarray, list[int]]) -> None:
    labels, event, mentions = situation
    links = deciding_links(labels, event, mentions)
    expected = slow_first(labels.tolist(), event.tolist(), mentions) if 0 < event.sum() < SAMPLES else None
    assert ([(link.first, link.second) for link in links[:1]] or [None]) == [expected]


@pytest.mark.long
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


def test_the_nearest_link_of_a_sure_chain_is_reported() -> None:
    """ "He" is surely Mr. Hussein; whether Mr. Hussein is the president decides, and both pairs show it."""
    labels = np.array([[0, 0, 0], [0, 1, 1]] * 50)
    assert deciding_links(labels, labels[:, 2] == 0, [0, 2]) == [DecidingLink(0, 1, 1.0, 0.0, 1.0)]


def test_a_second_link_is_reported_where_the_first_does_not_decide() -> None:
    """ "He" must be the president of Iraq, and the president of the United States another."""
    iraq = np.array([[0, 1, 0], [0, 0, 0], [0, 1, 2], [0, 1, 2]] * 25)
    event = np.array([True, False, False, False] * 25)
    first, second = deciding_links(iraq, event, [0, 2])
    assert (first.first, first.second, second.first, second.second) == (0, 2, 0, 1)
    assert (second.with_event, second.without_event, second.share) == (0.0, 1.0, 0.5)


def test_where_either_of_two_links_suffices_both_are_reported() -> None:
    """Two acting mentions, 1 and 2, each of which may be Iraq's."""
    labels = np.array([[0, 0, 0], [0, 0, 2], [0, 1, 0], [0, 1, 2]] * 25)
    event = (labels[:, 1] == 0) | (labels[:, 2] == 0)
    first, second = deciding_links(labels, event, [0, 1, 2])
    assert (first.first, first.second, second.first, second.second) == (0, 1, 0, 2)
    assert (second.with_event, second.without_event, second.share) == (1.0, 0.0, 0.5)


def test_a_certain_event_depends_on_no_link() -> None:
    labels = np.array([[0, 0], [0, 1]] * 10)
    for event in (np.ones(20, dtype=bool), np.zeros(20, dtype=bool)):
        assert deciding_links(labels, event, [0]) == []
