"""Features of documents and actors, computed again slowly from the tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.events.series.labelled_pairs import pair_features
from howsure.events.store.documents import stored_documents
from howsure.events.store.event_store import EventStore
from tests.events.made_up_store import TITLES, make_store

RULES = {"words": {"name": "attack", "forms": ["attacked", "SPOKE"]}, "function": {"name": "a", "function": "f"}}


@pytest.fixture(scope="module", params=list(RULES))
def store(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[EventStore]:
    path = tmp_path_factory.mktemp("features") / f"{request.param}.duckdb"
    with make_store(path, documents=20, rule=RULES[request.param]) as held:
        yield held


def test_every_value_is_that_of_its_document(store: EventStore) -> None:
    actors = ["USA", "IRQ", "YUG"]
    pairs = pair_features(store, actors)
    numbers = [number for (number,) in store.ask("SELECT document FROM documents ORDER BY document")]
    assert pairs.actors == tuple(actors)
    assert pairs.documents.tolist() == numbers
    assert len(pairs) == len(numbers) * len(actors)
    words = {word.lower() for word in store.settings["rule"].get("forms", [])}
    held = stored_documents(store, numbers)
    for at, (number, code) in enumerate(zip(pairs.document.tolist(), pairs.actor_codes.tolist(), strict=True)):
        document = held[number]
        naming = [one.sentence for one in document.mentions if code in one.actors]
        of_all = sum(len(one.actors) for one in document.mentions)
        found = {(one.sentence, one.verb) for one in document.mentions if one.verb is not None}
        said = sum(word.lower() in words for sentence, _ in document.sentences for word in sentence)
        n_words = said if words else len(found)
        expected = {
            "mentions": math.log1p(len(naming)),
            "share of mentions": len(naming) / of_all if of_all else 0.0,
            "named early": float(any(sentence < 3 for sentence in naming)),
            "event words": math.log1p(n_words),
            "mentions and event words": math.log1p(len(naming)) * math.log1p(n_words),
        }
        assert {name: float(column[at]) for name, column in pairs.features.items()} == pytest.approx(expected)
        p = next((event.probability for event in document.events if event.actor == code), 0.0)
        assert pairs.probability[at] == p
        assert str(pairs.date[at]) == str(document.date)


def test_all_that_act_are_taken_where_none_is_named(store: EventStore) -> None:
    assert set(pair_features(store).actors) <= set(TITLES)
    assert pair_features(store, ["Iraq"]).actors == ("IRQ",)


def test_features_of_an_actor_do_not_depend_on_the_others(store: EventStore) -> None:
    alone, among = pair_features(store, ["IRQ"]), pair_features(store, ["NATO", "IRQ"])
    for name, column in alone.features.items():
        np.testing.assert_array_equal(column, among.features[name][among.actor == 1])


def test_lemmas_count_where_the_rule_gives_lemmas(tmp_path: Path) -> None:
    settings = {"version": 0, "samples": 2, "rule": {"name": "attack", "verbs": ["attack"]}, "actors": {"A": "A"}}
    with EventStore.create(tmp_path / "s.duckdb", settings) as store:
        documents = {"document": [3], "id": ["d"], "date": ["2001-01-01"], "words": [3], "mentions": [0]}
        sentence = {"document": [3], "sentence": [0], "words": [["They", "attacked", "."]], "spaces": [[True] * 3]}
        store.append({"documents": documents, "sentences": {**sentence, "lemmas": [["they", "Attack", "."]]}})
        pairs = pair_features(store, ["A"])
    assert pairs.features["event words"].tolist() == [math.log(2)]
    assert pairs.probability.tolist() == [0.0]


def test_an_unknown_actor_is_refused(store: EventStore) -> None:
    with pytest.raises(InputError, match="no actor 'XYZ'"):
        pair_features(store, ["XYZ"])
