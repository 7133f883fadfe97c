"""Which documents tell one story: all pairs that a plain loop finds, and no other."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.events.corpus import Fields
from howsure.events.extraction.open_corpus import open_corpus
from howsure.events.store.event_store import EventStore
from howsure.events.stories import passages, same_texts, stories_of
from tests.events import newswire
from tests.events.stores import extract_to

TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=14), max_size=12)


def jaccard(one: list[str], other: list[str]) -> float:
    """The share of the passages of either text that both have, by sets of words."""
    first, second = (
        {tuple(text[at : at + min(5, len(text))]) for at in range(len(text) - min(5, len(text)) + 1)}
        for text in (one, other)
    )
    return len(first & second) / len(first | second) if one and other else 0.0


@settings(max_examples=60)
@given(texts=TEXTS, shared=st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_all_pairs_and_their_chains(texts: list[list[str]], shared: float) -> None:
    group = {number: {number} for number in range(len(texts))}
    for one, other in combinations(range(len(texts)), 2):
        if jaccard(texts[one], texts[other]) >= shared:
            joined = group[one] | group[other]
            for member in joined:
                group[member] = joined
    wanted = {number: min(members) for number, members in group.items() if len(members) > 1}
    assert same_texts({number: passages(text) for number, text in enumerate(texts)}, shared=shared) == wanted


def test_capitals_and_punctuation_do_not_count_but_words_do() -> None:
    text = "NATO planes attacked the bridge at dawn , the army said on Monday ."
    same = "Nato planes attacked the bridge at dawn - the army said on Monday"
    other = "NATO planes attacked the bridge at noon , the army said on Monday ."
    told, again, changed = (passages(one.split()) for one in (text, same, other))
    assert np.array_equal(told, again)
    assert len(np.intersect1d(told, changed)) == 3


def test_a_thousand_reprints_are_one_story() -> None:
    words = [f"w{at}" for at in range(300)]
    reprints = {number: passages([*words, f"page {number % 7}"]) for number in range(1_000)}
    assert set(same_texts(reprints).values()) == {0}


def test_reprints_of_a_corpus(tmp_path: Path) -> None:
    model = newswire.write_model(tmp_path / "model.npz")
    path = newswire.write_corpus(tmp_path / "news.conllu", 24)
    text = path.read_text()
    path.write_text(text + text.replace("newdoc id = ", "newdoc id = again-"))
    extract_to(tmp_path / "news.duckdb", path, model)
    with EventStore.open(tmp_path / "news.duckdb") as store:
        told = stories_of(store)
        events = {document for (document,) in store.ask("SELECT DISTINCT document FROM events")}
        assert told == dict(store.ask("SELECT document, story FROM stories"))
    twins = {document for document in events if {document, (document + 24) % 48} <= events}
    assert twins <= told.keys() <= events
    assert all(told[document] == told[(document + 24) % 48] for document in twins)


def test_a_column_says_what_one_story_is(tmp_path: Path) -> None:
    model = newswire.write_model(tmp_path / "model.npz")
    corpus = open_corpus([newswire.write_corpus(tmp_path / "news.conllu", 40)], fields=Fields(story="desk"))
    extract_to(tmp_path / "news.duckdb", corpus, model)
    with EventStore.open(tmp_path / "news.duckdb") as store:
        desks = dict(store.ask("SELECT document, story FROM documents"))
        events = {document for (document,) in store.ask("SELECT DISTINCT document FROM events")}
        held = dict(store.ask("SELECT document, story FROM stories"))
        assert store.settings["stories"] == {"column": "story"}
    together = defaultdict(list)
    for document in sorted(events):
        together[desks[document]].append(document)
    assert held == {one: members[0] for members in together.values() if len(members) > 1 for one in members}
