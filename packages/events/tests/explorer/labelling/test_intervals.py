"""Intervals of totals in the labelling room: those of corrected counts, and the truth lies in them as often as said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.events.labels.labelled_stores import give
from tests.events.made_up_store import store_file

import howsure
from howsure.counts.design_totals import labels_total
from howsure.counts.population import read_units
from howsure_events.labels.answers import reading_order, record_answer, settled_labels
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.labels.totals_so_far import intervals
from howsure_events.store.event_store import EventStore

ACTORS = ("IRQ", "YUG")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    path = tmp_path / "s.duckdb"
    store_file(path, documents=120, samples=10)
    with EventStore.open(path, read_only=False) as opened:
        yield opened


def label(store: EventStore, numbers: list[int]) -> None:
    """Every third document is Iraq's, every seventh Yugoslavia's; one in eleven is unclear."""
    acting = (("IRQ", 3), ("YUG", 7))
    clear = [number for number in numbers if number % 11]
    give(store, "anna", [(document, [code for code, n in acting if document % n == 0]) for document in clear])
    with store.transaction():
        for number in numbers:
            if number % 11 == 0:
                record_answer(store, number, "anna", acting=[], unclear=True, revision=0)


@pytest.mark.long
@pytest.mark.parametrize("design", ["stratified", pytest.param("simple", marks=pytest.mark.long)])
def test_they_are_those_of_corrected_counts(store: EventStore, design: str) -> None:
    """By the method "labels", given the same labels and strata, after each label from the first with an interval."""
    draw_documents(store, 40, actors=ACTORS, period="none", design=design)
    numbers = [number for (number,) in store.ask("SELECT document FROM documents ORDER BY document")]
    progress = intervals(store)
    for left in range(progress["more"], 0, -1):
        assert (progress["more"], progress["actors"]) == (left, [])
        settled_documents = settled_labels(store).documents
        clear = next(document for document in reading_order(store) if document not in settled_documents)
        record_answer(store, clear, "anna", acting=["IRQ"] if left % 3 else [], revision=0)
        progress = intervals(store)
    settled_documents = settled_labels(store).documents
    label(store, [number for number in reading_order(store)[-20:] if number not in settled_documents])
    progress, settled = intervals(store), settled_labels(store)
    assert (progress["more"], progress["population"]) == (0, len(numbers))
    for at, actor in enumerate(ACTORS):
        labels = np.full(len(numbers), np.nan)
        labels[np.searchsorted(numbers, settled.documents)] = settled.labels[:, at]
        strata = [settled.strata[number] for number in numbers]
        counts = howsure.estimate_counts(labels, np.zeros(len(numbers)), strata=strata, method="labels", rng=0)
        assert progress["actors"][at]["code"] == actor
        assert progress["actors"][at]["low"] == pytest.approx(counts.total.low)
        assert progress["actors"][at]["high"] == pytest.approx(counts.total.high)


def test_a_census_has_no_doubt(store: EventStore) -> None:
    n = store.ask("SELECT count(*) FROM documents")[0][0]
    draw_documents(store, n, actors=ACTORS, period="none")
    give(store, "anna", [(number, ["IRQ"] if number % 3 == 0 else []) for number in reading_order(store)])
    true = sum(number % 3 == 0 for number in reading_order(store))
    assert [(actor["low"], actor["high"]) for actor in intervals(store)["actors"]] == [(true, true), (0, 0)]


def test_what_coders_dispute_tells_nothing(store: EventStore) -> None:
    """An actor without an agreed label in a stratum has no interval; the other actor has one."""
    draw_documents(store, 40, actors=ACTORS, period="none")
    for coder, acting in (("anna", ["IRQ"]), ("ben", [])):
        give(store, coder, [(number, acting) for number in reading_order(store)])
    progress = intervals(store)
    assert progress["more"] == 0
    assert [actor["low"] is None for actor in progress["actors"]] == [True, False]


@pytest.mark.long
def test_a_small_stratum_without_clear_answers_is_joined(store: EventStore) -> None:
    """As in the corrected counts: one unclear document of the two that its stratum has read does not silence all."""
    draw_documents(store, 60, actors=ACTORS, period="year")
    of, order = dict(store.ask("SELECT document, stratum FROM label_strata")), reading_order(store)
    unclear = [number for number in order if of[number] == "not found, 1998"]
    assert (len(unclear), sum(name == "not found, 1998" for name in of.values())) == (2, 5)
    for number in order:
        record_answer(store, number, "anna", acting=[], unclear=number in unclear[:1], revision=0)
    assert all(actor["low"] == 0 for actor in intervals(store)["actors"])


def test_intervals_of_the_first_part_of_a_sample_have_their_coverage() -> None:
    """60 of 600 in three strata, read to the half: of 400 draws, at least 92 % of the intervals hold the truth."""
    rng = np.random.default_rng(5)
    strata = np.repeat(["none", "few", "many"], [400, 150, 50])
    truth = rng.random(600) < np.repeat([0.03, 0.3, 0.8], [400, 150, 50])
    covered = []
    for _ in range(400):
        labels = np.full(600, np.nan)
        for name, n in (("none", 15), ("few", 9), ("many", 6)):
            chosen = rng.choice(np.flatnonzero(strata == name), n, replace=False)
            labels[chosen] = truth[chosen]
        units = read_units(labels, np.zeros(600), strata=strata)
        inside = np.ones(len(units.labelled), dtype=np.bool_)
        total = labels_total(units.draw, units.labels, inside, units=600, level=0.95)
        covered.append(total.low <= truth.sum() <= total.high)
    assert np.mean(covered) >= 0.92
