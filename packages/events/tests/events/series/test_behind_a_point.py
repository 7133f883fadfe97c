"""The documents behind a point, the doubtful ones, and a document to read: from the raw tables."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.events.made_up_store import HOSTILE, TITLES, MadeUpDocument, MadeUpMention, hussein_document, make_store
from tests.events.made_up_store import write_store as write
from tests.events.slow_store import Counts, raw_counts, slow_periods

from howsure.errors import InputError
from howsure_events.explorer.queries import document_view
from howsure_events.series.files import doubtful_documents, period_documents
from howsure_events.store.event_store import EventStore

S = 21


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with make_store(tmp_path_factory.mktemp("documents") / "a.duckdb", documents=50, samples=S, hostile=True) as store:
        yield store


@pytest.fixture(scope="module")
def counts(store: EventStore) -> dict[int, Counts]:
    return raw_counts(store)


@pytest.fixture(scope="module")
def best(store: EventStore) -> dict[int, Counts]:
    return raw_counts(store, "best")


def pair_probability(store: EventStore, document: int, first: int, second: int) -> float:
    """P(i ~ j) = Σ_k P(a_j = k) P(k ~ i), from the antecedents, for i < j."""
    if first == second:
        return 1.0
    i, j = sorted((first, second))
    return sum(p * pair_probability(store, document, k, i) for k, p in links_of(store, document).get(j, ()))


@cache
def links_of(store: EventStore, document: int) -> dict[int, list[tuple[int, float]]]:
    """The earlier mentions that each mention of a document may refer to, with the probabilities."""
    query = "SELECT mention, antecedent, probability FROM antecedents WHERE document = ? AND antecedent < mention"
    links: dict[int, list[tuple[int, float]]] = {}
    for mention, antecedent, probability in store.ask(query, [document]):
        links.setdefault(mention, []).append((antecedent, probability))
    return links


@pytest.mark.long
@pytest.mark.parametrize("length", ["quarter", pytest.param("month", marks=pytest.mark.long)])
def test_the_documents_of_a_point(
    store: EventStore, counts: dict[int, Counts], best: dict[int, Counts], length: str
) -> None:
    shown = 0
    for period, documents in slow_periods(store, length).items():
        for actor in TITLES:
            documents_of_point = period_documents(store, actor, at=period)
            expected = {d: sum(s[actor] > 0 for s in counts[d]) / S for d in documents if d in counts}
            acting = {d for d in expected if expected[d] > 0 or best[d][0][actor] > 0}
            assert {row["document"]: row["probability"] for row in documents_of_point} == pytest.approx(
                {d: expected[d] for d in acting}
            )
            assert [row["probability"] for row in documents_of_point] == sorted(
                (expected[d] for d in acting), reverse=True
            )
            for row in documents_of_point:
                assert row["best"] == (best[row["document"]][0][actor] > 0)
                assert row["doubtful"] == (0.2 <= row["probability"] <= 0.8)
                assert row["id"] == f"item-{row['document']}"
            shown += len(documents_of_point)
    assert shown == store.ask("SELECT count(*) FROM events")[0][0]


def test_points_that_do_not_exist(store: EventStore) -> None:
    for actor, period, message in [
        ("IRK", "1999-Q1", "no actor 'IRK'"),
        ("IRQ", "1999-Q9", "no period '1999-Q9' in the store"),
        ("IRQ", "2031-Q1", "no period '2031-Q1'"),
        ("IRQ", "the nineties", "no period 'the nineties'"),
    ]:
        with pytest.raises(InputError, match=message):
            period_documents(store, actor, at=period)
    assert period_documents(store, "IRQ", at="1999-Q3") == []


@pytest.mark.parametrize(("low", "high", "actor"), [(0.2, 0.8, None), (0.45, 0.55, None), (0.2, 0.8, "YUG")])
def test_doubtful_documents(
    store: EventStore, counts: dict[int, Counts], low: float, high: float, actor: str | None
) -> None:
    doubtful_rows = doubtful_documents(store, low=low, high=high, actor=actor, limit=1000)
    expected = {
        (document, code): sum(sample[code] > 0 for sample in samples) / S
        for document, samples in counts.items()
        for code in ([actor] if actor else TITLES)
    }
    doubtful = {key: p for key, p in expected.items() if low <= p <= high}
    assert {(row["document"], row["actor"]): row["probability"] for row in doubtful_rows} == pytest.approx(doubtful)
    distances = [abs(row["probability"] - 0.5) for row in doubtful_rows]
    assert distances == sorted(distances)
    assert len(doubtful_rows) > 1
    for row in doubtful_rows[:20]:
        assert row["links"]
        for link in row["links"]:
            exact = pair_probability(store, row["document"], link["mention"], link["with"])
            assert link["probability"] == pytest.approx(exact, abs=1e-12)


def test_the_paper_s_example(tmp_path: Path) -> None:
    with write(tmp_path / "a.duckdb", [hussein_document(0)], samples=100) as store:
        (row,) = doubtful_documents(store)
    (link,) = row["links"]
    assert (link["mention_text"], link["with_text"]) == ("Mr. Hussein", "President Saddam Hussein of Iraq")
    assert (link["mention"], link["with"], link["probability"]) == (2, 0, 0.5)
    assert (link["with_event"], link["without_event"], link["share"]) == (1.0, 0.0, 1.0)
    assert (row["actor"], row["actor_title"], row["title"]) == ("IRQ", "Iraq", "Fears of an attack")


def test_doubtful_documents_that_cannot_be(store: EventStore) -> None:
    assert len(doubtful_documents(store, limit=3)) == 3
    assert doubtful_documents(store, low=0.5, high=0.5001) == []
    for options, message in [
        ({"low": 0.8, "high": 0.2}, "0 ≤ low ≤ high ≤ 1; they are 0.8 and 0.2"),
        ({"high": 20.0}, "0 ≤ low ≤ high ≤ 1"),
        ({"low": float("nan")}, "0 ≤ low ≤ high ≤ 1"),
        ({"actor": "Irak"}, r"Did you mean IRQ \(Iraq\)\?"),
        ({"limit": 0}, "limit must be a whole number of at least 1"),
    ]:
        with pytest.raises(InputError, match=message):
            doubtful_documents(store, **options)  # type: ignore[arg-type]


def raw_clusterings(store: EventStore, document: int, column: str, n: int) -> list[list[int]]:
    blob = store.ask(f"SELECT {column} FROM clusterings WHERE document = ?", [document])[0][0]
    return [list(row) for row in struct.iter_unpack(f"<{n}H", blob)]


@pytest.mark.parametrize("sample", ["best", S - 1])
def test_a_document_under_one_clustering(store: EventStore, sample: int | Literal["best"]) -> None:
    chosen = sample if isinstance(sample, int) else None
    numbers = [row[0] for row in store.ask("SELECT document FROM clusterings ORDER BY document LIMIT 3")]
    assert chosen is not None or document_view(store, numbers[0], sample="best") == document_view(store, numbers[0])
    for number in numbers:
        view = document_view(store, number, sample=sample)
        assert json.loads(json.dumps(view, allow_nan=False)) == view
        mentions = view["mentions"]
        clusterings = raw_clusterings(store, number, "samples", len(mentions))
        entities = raw_clusterings(store, number, "best", len(mentions))[0] if chosen is None else clusterings[chosen]
        assert [mention["entity"] for mention in mentions] == entities
        assert view["sample"] == ("best" if chosen is None else chosen)
        assert {actor["code"] for actor in view["actors"] if actor["present"]} == acting(mentions)
        check_evidence(store, number, view, entities, clusterings)


def acting(mentions: list[dict[str, Any]]) -> set[str]:
    """The actors of an entity of whom it alone is named and that acts."""
    actors = set()
    for entity in {mention["entity"] for mention in mentions}:
        members = [mention for mention in mentions if mention["entity"] == entity]
        named = {actor for member in members for actor in member["actors"]}
        if len(named) == 1 and any(member["verb"] is not None for member in members):
            actors |= named
    return actors


def check_evidence(
    store: EventStore, number: int, view: dict[str, Any], entities: list[int], clusterings: list[list[int]]
) -> None:
    """Each piece is there just where it makes the event true; probabilities are shares of samples, pairs exact."""
    true = acting(view["mentions"])
    for entry in view["evidence"]:
        together = entities[entry["named"]] == entities[entry["agent"]]
        members = [m for m in view["mentions"] if m["entity"] == entities[entry["agent"]]]
        alone = {actor for m in members for actor in m["actors"]} == {entry["actor"]}
        assert entry["present"] == (together and alone)
        assert entry["actor"] in true or not entry["present"]
        assert entry["pair"] == pytest.approx(
            pair_probability(store, number, entry["named"], entry["agent"]), abs=1e-12
        )
        joined = 0
        for clustering in clusterings:
            members = [
                m for m, label in zip(view["mentions"], clustering, strict=True) if label == clustering[entry["agent"]]
            ]
            alone = {actor for m in members for actor in m["actors"]} == {entry["actor"]}
            joined += clustering[entry["named"]] == clustering[entry["agent"]] and alone
        assert entry["probability"] == pytest.approx(joined / S)


def test_the_text_is_as_it_was(store: EventStore) -> None:
    view = document_view(store, 1)
    text = "".join(
        word + " " * space
        for sentence in view["sentences"]
        for word, space in zip(sentence["words"], sentence["spaces"], strict=True)
    )
    assert HOSTILE in text
    assert view["title"] == HOSTILE
    assert HOSTILE in next(entry["named_text"] for entry in view["evidence"] if entry["named"] == 0)


def test_a_document_that_holds_no_event(tmp_path: Path) -> None:
    made = hussein_document(0)
    nobody = MadeUpDocument(3, made.date, None, (MadeUpMention(("they",)),), made.antecedents[:1, :1])
    with write(tmp_path / "a.duckdb", [made, nobody]) as store:
        view = document_view(store, 3, sample=5)
    assert [mention["entity"] for mention in view["mentions"]] == [None]
    assert (view["actors"], view["evidence"], view["links"], view["title"]) == ([], [], [], None)
