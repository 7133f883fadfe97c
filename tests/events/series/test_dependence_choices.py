"""Stories, days and documents without an actor: what a series of a store takes into account."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.events.corpus import Filter
from howsure.events.series.actor_comparison import compare_actors
from howsure.events.series.event_series import UNITS, event_series
from howsure.events.store.event_store import EventStore
from howsure.explorer import events_report
from tests.events import newswire
from tests.events.made_up_store import hussein_document, write_store
from tests.events.stores import extract_to


@pytest.fixture(scope="module")
def reprinted(tmp_path_factory: pytest.TempPathFactory) -> EventStore:
    """The paper's example six times: documents 0 to 3 tell one story, 4 and 5 another."""
    path = tmp_path_factory.mktemp("reprinted") / "made_up.duckdb"
    write_store(path, [hussein_document(number) for number in range(6)]).close()
    with EventStore.open(path, read_only=False) as store:
        store.append({"stories": {"document": [0, 1, 2, 3, 4, 5], "story": [0, 0, 0, 0, 4, 4]}})
    return EventStore.open(path)


@pytest.mark.parametrize("interval", ["exact", "normal", "samples"])
def test_a_story_is_one_source(reprinted: EventStore, interval: str) -> None:
    together = event_series(reprinted, period="year", interval=interval).rows[0]
    apart = event_series(reprinted, period="year", interval=interval, stories="apart").rows[0]
    assert together.mean == apart.mean
    assert together.variance == pytest.approx((16 + 4) * 0.25, rel=0.2)
    assert apart.variance == pytest.approx(6 * 0.25, rel=0.2)
    assert together.high - together.low > apart.high - apart.low
    if interval == "exact":
        assert (together.low, together.high) == (0.0, 6.0)


def test_entities_and_shares_of_stories(reprinted: EventStore) -> None:
    documents, entities, share = (
        event_series(reprinted, period="year", unit=unit).rows[0] for unit in ("documents", "entities", "share")
    )
    assert (entities.low, entities.high) == (documents.low, documents.high) == (6 * share.low, 6 * share.high)


def test_a_comparison_of_stories(reprinted: EventStore) -> None:
    together = compare_actors(reprinted, "IRQ", "KWT", period="year").rows[0]
    apart = compare_actors(reprinted, "IRQ", "KWT", period="year", stories="apart").rows[0]
    assert together.equal == pytest.approx(0.25, abs=0.12)
    assert apart.equal < 0.03
    assert together.greater_low <= together.greater <= together.greater_high


def test_what_is_assumed_is_said(reprinted: EventStore) -> None:
    series, compared = event_series(reprinted), compare_actors(reprinted, "IRQ", "KWT", stories="apart")
    assert (series.recipe["documents_of_shared_stories"], series.recipe["shared_stories"]) == (6, 2)
    told = " ".join(series.below())
    assert told.startswith("attack: ")
    assert "6 documents with an event tell 2 stories: documents of one story count as one source" in told
    told = " ".join(compared.below())
    assert "6 documents with an event tell 2 stories, but all documents are assumed to be independent" in told
    assert compared.event == "attack"
    begun = series.recipe | {"store": {**series.recipe["store"], "finished": False}}
    assert "The store is not finished: documents are missing." in replace(series, recipe=begun).below()


def test_options_that_there_are_not(reprinted: EventStore) -> None:
    with pytest.raises(InputError, match=r"no way to take stories 'apartt'.*Did you mean apart"):
        event_series(reprinted, stories="apartt")
    with pytest.raises(InputError, match="overdispersion must be"):
        compare_actors(reprinted, "IRQ", "KWT", overdispersion=1.0)
    with pytest.raises(InputError, match="since must be a date"):
        event_series(reprinted, since="soon")
    with pytest.raises(InputError, match="until must not be before since"):
        event_series(reprinted, since="2000-01-01", until="1999-01-01")


def test_leaving_out_documents_without_an_actor_changes_no_series(tmp_path: Path) -> None:
    """Shares were of the documents kept, not of those of the period."""
    model = newswire.write_model(tmp_path / "model.npz")
    corpus = newswire.write_corpus(tmp_path / "news.conllu", 12)
    parts = corpus.read_text().split("# newdoc")
    nowhere = re.compile("|".join(name for _, *names in newswire.ACTORS for name in sorted(names, reverse=True)))
    corpus.write_text(
        "# newdoc".join(nowhere.sub("Ruritanian", part) if at % 3 else part for at, part in enumerate(parts))
    )
    found = []
    for name, filter in (("all", Filter()), ("some", Filter(require_actor=True))):
        extract_to(tmp_path / f"{name}.duckdb", corpus, model, filter=filter)
        with EventStore.open(tmp_path / f"{name}.duckdb") as store:
            series = {unit: event_series(store, period="month", unit=unit).rows for unit in UNITS}
            found.append((series, store.ask("SELECT count(*) FROM left_out")))
    assert found[0][0] == found[1][0]
    assert found[0][1] == [(0,)] != found[1][1]


def dated(path: Path, *days: datetime.date) -> EventStore:
    return write_store(path, [replace(hussein_document(at), date=day) for at, day in enumerate(days)])


NEWS = datetime.date(1999, 2, 3), datetime.date(1999, 7, 8)


@pytest.mark.parametrize("odd", [datetime.date.max, pytest.param(datetime.date.min, marks=pytest.mark.long)])
def test_one_odd_date_does_not_break_a_store(odd: datetime.date, tmp_path: Path) -> None:
    with dated(tmp_path / "odd.duckdb", *NEWS, odd) as store:
        with pytest.raises(
            InputError, match=rf"{odd}.* periods of a week, more than 10,000\. Is a date wrong\?.*\(since and until\)"
        ):
            event_series(store, period="week")
        assert event_series(store, period="year").rows[0].n_documents in (1, 2)
        asked = {"since": "1999-01-01", "until": "1999-12-31"}
        series = event_series(store, period="quarter", **asked)
        assert [row.n_documents for row in series.rows] == [1, 0, 1]
        assert (series.recipe["since"], series.recipe["documents"]) == ("1999-01-01", 2)
        assert len(compare_actors(store, "IRQ", "KWT", period="month", **asked).rows) == 6


@pytest.mark.long
def test_one_odd_date_does_not_break_a_report(tmp_path: Path) -> None:
    with dated(tmp_path / "odd.duckdb", *NEWS, datetime.date(4600, 5, 1)) as store:
        assert "1999" in events_report(store)


def test_days_without_documents(tmp_path: Path) -> None:
    with (
        dated(tmp_path / "news.duckdb", *NEWS) as store,
        pytest.raises(
            InputError, match=r"no document from 2001-01-01 to .* its documents are of 1999-02-03 to 1999-07-08"
        ),
    ):
        event_series(store, since="2001-01-01")
