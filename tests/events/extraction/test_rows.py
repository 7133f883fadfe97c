"""What is stored is what was extracted, bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from howsure.coreference.antecedent_model import AntecedentModel
from howsure.events.corpus import InputDocument
from howsure.events.extraction.one_document import COLUMNS, Extraction, Rows, document_seed, extract
from howsure.events.store.event_store import EventStore
from howsure.events.store.tables import EVENT_TABLES
from tests.events import newswire

SAMPLES = 21
NUMBERS = (0, 1, 4, 8, 12)


@pytest.fixture(scope="module")
def extractions(tmp_path_factory: pytest.TempPathFactory) -> list[Extraction]:
    model = AntecedentModel.load(newswire.write_model(tmp_path_factory.mktemp("model") / "model.npz"))
    texts = [newswire.story(number) for number in NUMBERS]
    lexicon, rule = newswire.lexicon(), newswire.rule()
    return [
        extract(text, model=model, lexicon=lexicon, rule=rule, samples=SAMPLES, rng=document_seed(0, text.name))
        for text in texts
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, extractions: list[Extraction]) -> EventStore:
    rows = Rows()
    for number, one in zip(NUMBERS, extractions, strict=True):
        rows.add(InputDocument(number, f"id {number}", "1990-01-02", None, "desk", ""), one)
    rows.leave_out(InputDocument(2, "id 2", None, None, None, ""), "no date")
    path = tmp_path_factory.mktemp("store") / "news.duckdb"
    with EventStore.create(path, {}) as held:
        held.append(rows.tables())
    return EventStore.open(path)


def test_columns_are_those_of_the_schema(store: EventStore) -> None:
    for name, columns in COLUMNS.items():
        held = [row[0] for row in store.ask("SELECT column_name FROM duckdb_columns() WHERE table_name = ?", [name])]
        assert list(columns) == held
    assert set(COLUMNS) | {"settings", "stories"} == set(EVENT_TABLES)


def test_documents_sentences_and_mentions(store: EventStore, extractions: list[Extraction]) -> None:
    for number, one in zip(NUMBERS, extractions, strict=True):
        row = store.ask("SELECT id, category, words, mentions FROM documents WHERE document = ?", [number])
        words = sum(map(len, one.document.sentences))
        assert row == [(f"id {number}", "desk", words, len(one.mentions))]
        sentences = store.ask("SELECT words FROM sentences WHERE document = ? ORDER BY sentence", [number])
        assert [tuple(words) for (words,) in sentences] == [sentence.words for sentence in one.document.sentences]
        mentions = store.ask(
            "SELECT sentence, start, stop, head, actors, verb FROM mentions WHERE document = ? ORDER BY mention",
            [number],
        )
        acts = {act.mention: act.verb for act in one.facts.acts}
        for at, (mention, head) in enumerate(zip(one.mentions, one.heads, strict=True)):
            named = sorted({held.actor for held in one.facts.descriptions if held.mention == at})
            assert mentions[at] == (mention.sentence, mention.start, mention.end, head, named, acts.get(at))
    assert store.ask("FROM left_out") == [(2, "id 2", None, "no date")]


def test_samples_events_and_evidence(store: EventStore, extractions: list[Extraction]) -> None:
    seen = 0
    for number, one in zip(NUMBERS, extractions, strict=True):
        held = one.sampled
        links = store.ask("SELECT mention, antecedent, probability FROM antecedents WHERE document = ?", [number])
        if held is None:
            assert not links
            assert not store.ask("FROM events WHERE document = ?", [number])
            continue
        seen += 1
        matrix = np.zeros((len(one.mentions), len(one.mentions)))
        for mention, antecedent, probability in links:
            matrix[mention, antecedent] = probability
        assert matrix.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
        assert np.array_equal(matrix.diagonal(), held.antecedents.new)
        ((samples, best),) = store.ask("SELECT samples, best FROM clusterings WHERE document = ?", [number])
        assert np.array_equal(np.frombuffer(samples, "<u2").reshape(SAMPLES, -1), held.clusterings)
        assert np.array_equal(np.frombuffer(best, "<u2"), held.best)
        events = store.ask("FROM events WHERE document = ?", [number])
        for _, actor, probability, sampled, entities, in_best, best_entities in events:
            place = one.facts.actors.index(actor)
            counts = held.entities[:, place]
            assert np.array_equal(unpacked(sampled), counts > 0)
            assert np.array_equal(np.frombuffer(entities, np.uint8), counts)
            assert (probability, in_best) == ((counts > 0).mean(), held.best_entities[place] > 0)
            assert best_entities == held.best_entities[place]
        stored = {row[1] for row in events}
        assert stored == {
            a for at, a in enumerate(one.facts.actors) if held.entities[:, at].any() or held.best_entities[at]
        }
        for (_, actor, named, agent, probability, sampled), evidence in zip(
            store.ask("FROM evidence WHERE document = ?", [number]), held.evidence, strict=True
        ):
            assert (actor, named, agent) == (evidence.actor, evidence.description, evidence.agent)
            assert np.array_equal(unpacked(sampled), evidence.samples)
            assert probability == evidence.samples.mean()
    assert seen >= 2


def unpacked(blob: bytes) -> np.ndarray:
    return np.unpackbits(np.frombuffer(blob, np.uint8), count=SAMPLES, bitorder="little").astype(bool)


def test_nothing_is_nothing(tmp_path: Path) -> None:
    with EventStore.create(tmp_path / "empty.duckdb", {}) as held:
        held.append(Rows().tables())
        assert held.next_document == 0
