"""A closed store: every function that takes a store refuses it with the same message."""

from __future__ import annotations

import datetime
import importlib
import inspect
import pkgutil
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import howsure_events
import howsure_events.explorer
from howsure.errors import InputError
from howsure_events import (
    ActorComparison,
    EventSeries,
    EventStore,
    built_in_rule,
    compare_actors,
    compare_rules,
    event_series,
    example_store,
)
from howsure_events.corpus import Part
from howsure_events.explorer import Tokens, create_app, queries
from howsure_events.explorer import labelling as room
from howsure_events.explorer.access import COORDINATOR
from howsure_events.explorer.page_file import events_report
from howsure_events.explorer.queries import document_view
from howsure_events.extraction import merge_stores, recount
from howsure_events.extraction.recount import recount_events
from howsure_events.labels import (
    agreement,
    answers,
    coder_progress,
    coders,
    draw_documents,
    import_labels,
    totals_so_far,
)
from howsure_events.labels.draw_documents import event_words
from howsure_events.labels.totals_so_far import intervals, one_more_hour
from howsure_events.series import extra_features, files
from howsure_events.series.corrected_series import corrected_series
from howsure_events.series.event_series import stored_events
from howsure_events.series.files import (
    AnswersAbout,
    actor_answers,
    actor_documents,
    doubtful_documents,
    period_documents,
)
from howsure_events.series.labelled_pairs import pair_features
from howsure_events.series.raw_counts import dependence_recipe
from howsure_events.series.regress_events import regress_events
from howsure_events.store import integrity, store_queries
from howsure_events.store.documents import stored_document, stored_documents
from howsure_events.stories import find_stories

ONLY_SETTINGS = {  # are read when a store is opened, and stay
    "counted_event",
    "stored_label_scheme",
    "stored_lexicon",
    "number_of_samples",
    "store_recipe",
    "saved_regression",
    "recorded_settings",
    "actor_title",
    "check_complete_input",
}
OTHERWISE = {"create_app", "serve", "build_view"}  # the page answers; of what was read before


@cache
def of_an_open_one() -> tuple[EventSeries, ActorComparison]:
    with example_store() as store:
        return event_series(store), compare_actors(store, "NORLAND", "SUDORIA")


def days_of_years() -> tuple[datetime.date, datetime.date]:
    return datetime.date(2001, 1, 1), datetime.date(2001, 12, 31)


def asking(store: EventStore) -> dict[str, Any]:
    return {"room_": room.Room(store), "visitor": COORDINATOR}


def _import(store: EventStore) -> None:
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("document,actor,label\nnews-01,NORLAND,1\n")
        file.flush()
        import_labels.import_labels(store, file.name, coder="anna", design="simple")


ASKED: dict[str, Callable[[EventStore], Any]] = {
    "acting_actors": store_queries.acting_actors,
    "agreement": agreement.agreement,
    "answers_to": lambda store: queries.answers_to(store, 0),
    "coders": lambda store: room.coders(store, room_=room.Room(store)),
    "hour_ahead": totals_so_far.hour_ahead,
    "openings": lambda store: files.openings(store, [0]),
    "read_document": lambda store: queries.read_document(store, 0),
    "current_answers": answers.current_answers,
    "require_labelling": answers.require_labelling,
    "coder_names": coders.coder_names,
    "run_query": lambda store: store_queries.run_query(store, "SELECT 1", {}).__enter__(),
    "remember_answers": lambda store: store_queries.remember_answers(store).__enter__(),
    "query_facts": lambda store: store_queries.query_facts(store, "SELECT 1"),
    "remembered_answer": lambda store: store_queries.remembered_answer(
        store, ("one",), lambda: store_queries.query_rows(store, "SELECT 1")
    ),
    "period_bounds": lambda store: store_queries.period_bounds(store, "2001"),
    "check_documents": lambda store: integrity.check_documents(store, [0]),
    "check_everything": integrity.check_everything,
    "check_open_part": lambda store: merge_stores.check_open_part(
        store, merge_stores.PartStore(store.path, Part(1, 2), 9, dict(store.settings))
    ),
    "check_opened": integrity.check_opened,
    "chosen_actors": lambda store: store_queries.chosen_actors(store, None),
    "query_columns": lambda store: store_queries.query_columns(store, "SELECT 1"),
    "carry_labels": lambda store: recount.carry_labels(store, store),
    "compare": lambda store: queries.compare(store, "NORLAND", "SUDORIA"),
    "compare_actors": lambda store: compare_actors(store, "NORLAND", "SUDORIA"),
    "compare_rules": lambda store: compare_rules(store, store),
    "dependence_recipe": lambda store: dependence_recipe(store, "together", 0.0),
    "disagreements": agreement.disagreements,
    "draw_documents": lambda store: draw_documents.draw_documents(store, 10),
    "documents_with_words": draw_documents.documents_with_words,
    "event_words": event_words,
    "document": lambda store: room.document(store, 0, coder="anna", **asking(store)),
    "document_view": lambda store: document_view(store, 0),
    "documents_by_period": lambda store: store_queries.documents_by_period(store, "year"),
    "actor_answers": lambda store: actor_answers(store, "NORLAND"),
    "actor_documents": lambda store: actor_documents(
        store, "NORLAND", (datetime.date(2001, 1, 1), datetime.date(2002, 1, 1)), AnswersAbout({}, {})
    ),
    "period_documents": lambda store: period_documents(store, "NORLAND", at="2001"),
    "doubtful_documents": doubtful_documents,
    "iterate_rows": lambda store: list(store_queries.iterate_rows(store, "SELECT 1")),
    "event_series": event_series,
    "incomplete_periods": lambda store: store_queries.incomplete_periods(store, ["2001"], None, None),
    "events_report": events_report,
    "export": queries.export,
    "first_and_last": store_queries.first_and_last,
    "is_for_reading": store_queries.is_for_reading,
    "import_labels": _import,
    "label_table": import_labels.label_table,
    "reading_sheet": import_labels.reading_sheet,
    "find_labelling": answers.find_labelling,
    "overview": queries.overview,
    "documents_for": lambda store: coder_progress.documents_for(store, "anna"),
    "reading_plan_lines": coder_progress.reading_plan_lines,
    "first_coder": coder_progress.first_coder,
    "one_more_hour": one_more_hour,
    "progress": lambda store: coder_progress.progress(store, "anna"),
    "reading_order": answers.reading_order,
    "readings_table": import_labels.readings_table,
    "start": lambda store: room.start(store, **asking(store)),
    "record_answer": lambda store: answers.record_answer(store, 0, "anna", acting=[], revision=0),
    "answer_revision": lambda store: answers.answer_revision(store, 0, "anna"),
    "recount_events": lambda store: recount_events(store, "other.duckdb", rule=built_in_rule("attack-wide")),
    "query_rows": lambda store: store_queries.query_rows(store, "SELECT 1"),
    "schema_damage": lambda store: list(integrity.schema_damage(store)),
    "series": lambda store: queries.series(store, ["NORLAND"]),
    "settle": lambda store: answers.settle(store, 0, [], coder="anna"),
    "settled_labels": answers.settled_labels,
    "current_settlements": answers.current_settlements,
    "build_strata": lambda store: draw_documents.build_strata(store, ["NORLAND"], period="none", n=10),
    "undo_answer": lambda store: answers.undo_answer(store, "anna"),
    "stored_document": lambda store: stored_document(store, 0),
    "stored_documents": lambda store: stored_documents(store, {0}),
    "find_stories": find_stories,
    "table_damage": lambda store: list(integrity.table_damage(store, ["events"])),
}
ASKED |= {
    "answer": lambda store: room.answer(store, 0, "anna", [], False, 0),
    "corrected_or_why": lambda store: files.corrected_or_why(store, unit="documents"),
    "comparison_with_corrections": lambda store: files.comparison_with_corrections(store, of_an_open_one()[1]),
    "corrected": queries.corrected,
    "corrected_pair": lambda store: queries.corrected_pair(store, "NORLAND", "SUDORIA", period="year"),
    "corrected_series": corrected_series,
    "regress_events": regress_events,
    "document_texts": extra_features.document_texts,
    "intervals": intervals,
    "learned_features": lambda store: extra_features.learned_features(store, None, np.empty(0)),  # type: ignore[arg-type]
    "pair_features": pair_features,
    "present": lambda store: room.present(store, 0, "anna"),
    "read_scores": lambda store: extra_features.read_scores(store, "scores.csv"),
    "room": lambda store: room.room(store, "anna", **asking(store)),
    "labelled_series": lambda store: queries.labelled_series(store, period="year", level=0.95, unit="documents"),
    "score_features": lambda store: extra_features.score_features(store, None, {"a": {}}),  # type: ignore[arg-type]
    "series_with_corrections": lambda store: files.series_with_corrections(store, of_an_open_one()[0]),
    "stored_events": lambda store: stored_events(store, ["NORLAND"], "year", "probability", days_of_years()),
    "undo": lambda store: room.undo(store, "anna"),
}
METHODS: dict[str, Callable[[EventStore], Any]] = {
    "append": lambda store: store.append({"stories": {"document": [0], "story": [0]}}),
    "ask": lambda store: store.ask("SELECT 1"),
    "finish": lambda store: store.finish(),
    "next_document": lambda store: store.next_document,
    "transaction": lambda store: store.transaction().__enter__(),
}

NEEDING_NO_FILE = {"check_settings", "close", "differs", "create", "open"}


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> EventStore:
    store = example_store(tmp_path_factory.mktemp("closed") / "news.duckdb")
    store.close()
    return store


def saying(store: EventStore) -> str:
    return re.escape(f"the store {store.path} is closed; open it again with EventStore.open.")


def taking_a_store() -> Iterator[str]:
    """The public functions, of events and of their page, that have a parameter for a store."""
    for info in pkgutil.walk_packages(howsure_events.__path__, "howsure_events."):
        if info.name.startswith("howsure_events.commands"):
            continue
        module = importlib.import_module(info.name)
        for name, function in inspect.getmembers(module, inspect.isfunction):
            kinds = {parameter.annotation for parameter in inspect.signature(function).parameters.values()}
            if function.__module__ == module.__name__ and not name.startswith("_") and kinds & {"Store", "EventStore"}:
                yield name


def test_all_who_take_a_store_are_asked() -> None:
    assert set(taking_a_store()) == {*ASKED, *ONLY_SETTINGS, *OTHERWISE}
    assert {name for name in vars(EventStore) if not name.startswith("_")} == {*METHODS, *NEEDING_NO_FILE}


@pytest.mark.parametrize("ask", [*ASKED.values(), *METHODS.values()], ids=[*ASKED, *METHODS])
def test_a_closed_store_says_so(
    ask: Callable[[EventStore], Any], closed: EventStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(closed.path.parent)
    with pytest.raises(InputError, match=saying(closed)):
        ask(closed)
    assert [path.name for path in closed.path.parent.iterdir()] == ["news.duckdb"]


def test_the_page_of_a_closed_store_says_so(closed: EventStore) -> None:
    app = create_app(closed, tokens=Tokens({"t": COORDINATOR}))
    client = TestClient(app, base_url="http://localhost", cookies={"howsure-80": "t"})
    answer = client.get("/api/overview")
    assert answer.status_code == 400
    assert re.fullmatch(saying(closed), answer.json()["error"])


def test_closing_twice_is_closing() -> None:
    store = example_store()
    store.close()
    store.close()
