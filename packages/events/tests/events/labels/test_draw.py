"""Drawn documents: chances as they are said, all strata seen, any first part a sample, further draws that fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.events.damaged_stores import damaged_for_now
from tests.events.labels.labelled_stores import ACTORS, drawn_store, store_to_label
from tests.events.made_up_store import copied

from howsure.errors import InputError
from howsure_events.labels.answers import find_labelling, reading_order, require_labelling
from howsure_events.labels.draw_documents import (
    HIGH,
    LOW,
    NOT_FOUND,
    SILENT,
    WORD,
    build_strata,
    documents_with_words,
    draw_documents,
    further_documents,
    rule_question,
)
from howsure_events.store.event_store import EventStore
from howsure_events.store.tables import LABEL_TABLES


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with store_to_label(tmp_path_factory.mktemp("whole") / "s.duckdb") as store:
        return store.path


@pytest.fixture(scope="module")
def untouched(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    """A store from which nothing is drawn, or all that was is removed."""
    path = copied(whole.read_bytes(), tmp_path_factory.mktemp("untouched") / "s.duckdb")
    with EventStore.open(path, read_only=False) as event_store:
        yield event_store


@pytest.fixture
def store(untouched: EventStore) -> Iterator[EventStore]:
    """The same, to draw from."""
    yield untouched
    with untouched.transaction() as connection:
        for table in LABEL_TABLES:
            connection.execute(f"DELETE FROM {table}")


def test_the_bands_are_what_the_store_holds(untouched: EventStore) -> None:
    store = untouched
    strata = build_strata(store, ACTORS, period="none", n=20)
    best = dict(store.ask("SELECT document, max(probability) FROM events WHERE actor IN ('IRQ', 'NATO') GROUP BY 1"))
    words = {number for (number,) in store.ask("SELECT document FROM sentences WHERE list_contains(words, 'attacked')")}
    assert documents_with_words(store) == words
    for number, score, code in zip(strata.documents.tolist(), strata.score, strata.codes, strict=True):
        p = best.get(number, 0.0)
        band = HIGH if p >= 0.5 else LOW if p > 0 else WORD if number in words else SILENT
        assert (score, strata.names[code]) == (p, band)
    assert set(strata.names) == {HIGH, LOW, WORD, SILENT}
    assert strata.sizes.sum() == len(store.ask("FROM documents"))


@pytest.mark.long
def test_a_rule_without_words_has_fewer_bands(tmp_path: Path) -> None:
    with store_to_label(tmp_path / "s.duckdb", rule={"name": "strike"}) as store:
        assert build_strata(store, ACTORS, period="none", n=20).names == (LOW, HIGH, NOT_FOUND)
        assert draw_documents(store, 20).question == "To which of these does “strike” apply in the text?"


def test_lemmas_and_capitals_count_as_words(untouched: EventStore) -> None:
    others = """
        UPDATE sentences SET lemmas = list_transform(words, lambda w: 'x');
        UPDATE sentences SET words = list_prepend('ATTACKED', words[2:]) WHERE document = 2;
        UPDATE sentences SET lemmas = list_prepend('Attack', lemmas[2:]) WHERE document = 4"""
    with damaged_for_now(untouched, others) as damaged_store:
        assert {2, 4} <= (documents_with_words(damaged_store) or set())


def test_scores_from_elsewhere_make_the_bands(untouched: EventStore) -> None:
    strata = build_strata(
        untouched, ACTORS, period="none", n=40, scores={(0, "NATO"): 0.9, (1, "IRQ"): 0.2, (1, "KWT"): 1.0}
    )
    assert strata.score[:3].tolist() == [0.9, 0.2, 0.0]
    assert strata.names[0].startswith("score (")


def test_periods_get_longer_where_documents_are_few(untouched: EventStore) -> None:
    for n, by in ((20, "none"), (60, "year"), (200, "month"), (1_000, "week")):
        strata = build_strata(untouched, ACTORS, period="week", n=n)
        assert strata.period == by
        assert len(strata.names) * 5 <= n


def test_each_stratum_gets_two(store: EventStore) -> None:
    drawn = draw_documents(store, 45, actors=ACTORS, period="week")
    assert require_labelling(store).draws[0]["strata"] == "none"
    assert all(min(2, size) <= k for size, k in zip(drawn.sizes, drawn.drawn, strict=True))
    assert sum(drawn.drawn) == 45


def test_inclusion_probabilities_are_those_reported(untouched: EventStore) -> None:
    """Over 400 seeds each document is drawn as often as its chance says, and each is the first of its stratum once."""
    strata, none = build_strata(untouched, ACTORS, period="none", n=16), np.empty(0, dtype=np.int64)
    times, first = np.zeros(len(strata.codes)), set[int]()
    for seed in range(400):
        chosen = further_documents(strata, none, 16, np.random.default_rng(seed))
        times[chosen] += 1
        first.update(chosen[np.unique(strata.codes[chosen], return_index=True)[1]].tolist())
    chance = (np.bincount(strata.codes[chosen]) / strata.sizes)[strata.codes]
    z = (times - 400 * chance) / np.sqrt(400 * chance * (1 - chance) + 1e-9)
    assert np.abs(z).max() < 4
    assert 0.6 < np.mean(z**2) < 1.4
    assert first == set(range(len(strata.codes)))


def _drawn(store: EventStore, n: int, seed: int) -> list[tuple[int, float, str]]:
    """A draw, taken back at once."""
    store.connection.execute("DELETE FROM label_draw; DELETE FROM label_strata; DELETE FROM label_sample")
    draw_documents(store, n, actors=ACTORS, period="none", rng=seed)
    return store.ask(
        "SELECT document, inclusion, stratum FROM label_sample JOIN label_strata USING (document) ORDER BY position"
    )


def test_two_of_each_stratum_are_read_first(store: EventStore) -> None:
    drawn = _drawn(store, 24, 0)
    strata = [stratum for _, _, stratum in drawn]
    assert Counter(strata[:8]) == {HIGH: 2, LOW: 2, WORD: 2, SILENT: 2}
    half, whole = Counter(strata[: 8 + 8]), Counter(strata)
    assert all(abs(half[name] - 2 - (whole[name] - 2) / 2) <= 1.5 for name in whole)


def test_further_draws_fit_the_first(store: EventStore) -> None:
    draw_documents(store, 12, actors=ACTORS, period="none")
    before = reading_order(store)
    drawn = draw_documents(store, 18)
    assert reading_order(store)[:12] == before
    assert (sum(drawn.before), sum(drawn.drawn)) == (12, 6)
    size = dict(store.ask("SELECT stratum, count(*) FROM label_strata GROUP BY 1"))
    joined = "label_sample JOIN label_strata USING (document)"
    for stratum, k, low, high in store.ask(
        f"SELECT stratum, count(*), min(inclusion), max(inclusion) FROM {joined} GROUP BY 1"
    ):
        assert low == high == pytest.approx(k / size[stratum], abs=1e-15)
    assert [draw["labels"] for draw in require_labelling(store).draws] == [12, 18]


def test_all_documents_are_a_census(store: EventStore) -> None:
    n = len(store.ask("FROM documents"))
    draw_documents(store, 30, actors=ACTORS)
    draw_documents(store, n)
    assert store.ask("SELECT count(*), min(inclusion), max(inclusion) FROM label_sample") == [(n, 1.0, 1.0)]
    with pytest.raises(InputError, match=f"n must be at most the number of documents in .*, {n}; it is {n + 1}"):
        draw_documents(store, n + 1)


def test_a_seed_repeats_its_draw_and_others_differ(store: EventStore) -> None:
    assert _drawn(store, 20, 3) == _drawn(store, 20, 3) != _drawn(store, 20, 4)


def test_a_simple_draw_has_one_stratum(store: EventStore) -> None:
    drawn = draw_documents(store, 20, actors=ACTORS, design="simple")
    assert (drawn.strata, drawn.drawn) == (("all",), (20,))
    assert store.ask("SELECT DISTINCT inclusion FROM label_sample") == [(20 / sum(drawn.sizes),)]


def test_the_actors_asked_are_the_most_frequent(store: EventStore) -> None:
    frequent = [actor for (actor,) in store.ask("SELECT actor FROM events GROUP BY 1 ORDER BY sum(probability) DESC")]
    drawn = draw_documents(store, 20)
    assert list(drawn.actors) == frequent
    assert drawn.question == rule_question(store.settings["rule"], drawn.actors) == "Which of these attack here?"
    assert drawn.not_stored == len(store.ask("FROM left_out WHERE reason = 'no actor'")) > 0
    assert f"{drawn.not_stored} documents of the input that name no actor were not stored" in str(drawn)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"n": 0}, "n must be a whole number of at least 1, not 0"),
    ({"n": 3}, "a draw of 3 documents is too small: 4 strata need 2 each, 8 in all; set n="),
    ({"n": 500}, "n must be at most the number of documents in "),
    ({"n": 20, "actors": ["XYZ"]}, "no actor 'XYZ' in the store"),
    ({"n": 20, "actors": "IRQ"}, "actors must be a list of codes"),
    ({"n": 20, "actors": []}, "actors must be a list of codes"),
    ({"n": 20, "question": " "}, "question must be a text of 1 to 300 letters"),
    ({"n": 20, "question": "x" * 301}, "question must be a text of 1 to 300 letters"),
    ({"n": 20, "period": "day"}, "no length of period 'day'"),
    ({"n": 20, "design": "importance"}, "no design 'importance'"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_draws_are_refused_and_leave_no_trace(
    options: dict[str, Any], message: str, untouched: EventStore
) -> None:
    with pytest.raises(InputError, match=message):
        draw_documents(untouched, **options)
    assert find_labelling(untouched) is None


OTHERS: tuple[dict[str, Any], ...] = (
    {"actors": ["KWT"]},
    {"question": "Who?"},
    {"period": "month"},
    {"design": "simple"},
)


def test_a_further_draw_keeps_the_settings(tmp_path: Path) -> None:
    with drawn_store(tmp_path / "s.duckdb") as store:
        for options in OTHERS:
            with pytest.raises(InputError, match=f"{next(iter(options))} must be the same as in"):
                draw_documents(store, 25, **options)
        draw_documents(store, 25, actors=["Iraq", "NATO"], question="Which of these attack here?")
        assert len(reading_order(store)) == 25


def test_ten_actors_have_no_keys(tmp_path: Path) -> None:
    titles = {f"A{k}": f"Actor {k}" for k in range(10)}
    store = store_to_label(tmp_path / "s.duckdb", actors=titles)
    with (
        store,
        pytest.raises(
            InputError, match="at most 9 actors can be labelled, because each has a key on the keyboard; there are 10"
        ),
    ):
        draw_documents(store, 20, actors=list(titles))


def test_stores_that_cannot_be_drawn_from(whole: Path, tmp_path: Path) -> None:
    with EventStore.open(whole) as store, pytest.raises(InputError, match="open for reading only"):
        draw_documents(store, 20)
    path = tmp_path / "unfinished.duckdb"
    EventStore.create(path, {"samples": 4, "rule": {"name": "attack"}}).close()
    with EventStore.open(path, read_only=False) as store:
        with pytest.raises(InputError, match="is not finished: run its extract command again"):
            draw_documents(store, 20)
        store.finish()
        with pytest.raises(InputError, match="no actor acts in any document"):
            draw_documents(store, 20)
