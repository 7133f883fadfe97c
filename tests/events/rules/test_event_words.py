"""Words of a rule are found in the same documents by the draw of documents and by the features of the correction."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import duckdb

from howsure.events import example_store
from howsure.events.labels.draw import documents_with_words, event_words
from howsure.events.series.labelled_pairs import pair_features
from howsure.events.store.event_store import EventStore


def test_words_stand_for_lemmas_that_a_parser_did_not_give(tmp_path: Path) -> None:
    with example_store() as example:
        shutil.copy(example.path, tmp_path / "plain.duckdb")
    with duckdb.connect(tmp_path / "plain.duckdb") as connection:
        connection.execute("UPDATE sentences SET lemmas = NULL")
    with EventStore.open(tmp_path / "plain.duckdb") as held:
        settings = {**held.settings, "rule": {"name": "raid", "verbs": ["Attacked"]}}
        store = SimpleNamespace(path=held.path, connection=held.connection, settings=settings)
        rows = held.ask("SELECT document, words FROM sentences")
        expected = {number for number, words in rows if "attacked" in map(str.lower, words)}
        pairs = pair_features(store, ["NORLAND"])
        counted = set(pairs.document[pairs.features["event words"] > 0].tolist())
    assert expected
    assert counted == expected


def test_a_rule_without_words_has_none() -> None:
    with example_store() as held:
        store = SimpleNamespace(path=held.path, connection=held.connection, settings={**held.settings, "rule": {}})
        assert event_words(store) is None
        assert documents_with_words(store) is None
        settings = {**held.settings, "rule": {"forms": ["ATTACKED"]}}
        store = SimpleNamespace(path=held.path, connection=held.connection, settings=settings)
        found = event_words(store)
        assert found is not None
        assert documents_with_words(store) == set(found["document"].tolist()) != set()
