"""Stores that were edited by hand: every command and every question of the page ends with one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.cli.running import howsure
from tests.events.damaged_stores import (
    ALIKE,
    AT_OPENING,
    ELSEWHERE,
    OF_DOCUMENTS,
    damaged,
    of_document,
    ruined_store,
    whole_store,
)

from howsure.errors import InputError
from howsure_events import EventStore, check_store
from howsure_events.explorer import Tokens, create_app, events_report, queries
from howsure_events.explorer.access import COORDINATOR
from howsure_events.series.files import doubtful_documents
from howsure_events.store.tables import TABLES

QUESTIONS = (
    "overview",
    "series?actors=IRQ&period=year",
    "series?actors=IRQ&period=year&unit=entities",
    "series?actors=IRQ&period=year&interval=samples",
    "point?actor=IRQ&at=1999",
    "document?number=0",
    "document?number=0&sample=39",
    "document?number=99999",
    "compare?first=IRQ&second=NATO&period=year",
    "doubtful",
    "export.csv?actors=IRQ&period=year",
)


OF_CLUSTERINGS = ("samples of later mentions", "a 1-best of later mentions")  # seen in the numbers within them


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_store(tmp_path_factory.mktemp("whole") / "s.duckdb")


def commands(store: Path, folder: Path) -> list[list[str]]:
    """Every command that reads a store to its end."""
    return [
        ["check", str(store)],
        ["series", str(store), "--period", "year"],
        ["series", str(store), "--period", "year", "--unit", "entities", "--interval", "samples", "--format", "json"],
        ["compare", str(store), "IRQ", "NATO", "--period", "year"],
        ["doubtful", str(store)],
        ["series", str(store), "--format", "csv", "--period", "year"],
        ["series", str(store), "--figure", str(folder / "s.svg"), "--period", "year"],
        ["report", str(store), str(folder / "s.html"), "--period", "year", "--samples", "2"],
    ]


def answers_of(store: EventStore) -> dict[str, int]:
    client = TestClient(
        create_app(store, tokens=Tokens({"t": COORDINATOR})),
        base_url="http://localhost",
        cookies={"howsure-80": "t"},
        raise_server_exceptions=False,
    )
    return {question: client.get(f"/api/{question}").status_code for question in QUESTIONS}


def test_a_whole_store_is_whole(whole: Path) -> None:
    done = howsure("events", "check", whole)
    assert (done.code, done.out, done.err) == (0, f"{whole} is intact: 18 documents, 14 tables.\n", "")


@pytest.mark.long
def test_every_command_and_question_is_answered_of_a_whole_store(whole: Path, tmp_path: Path) -> None:
    *others, _ = commands(whole, tmp_path)  # a report takes longest, and tests of its own
    assert [howsure("events", *command).code for command in others] == [0] * 7
    with EventStore.open(whole) as store:
        assert set(answers_of(store).values()) == {200, 400}


APART = [what for what in AT_OPENING if what not in ALIKE]


def turn(what: str) -> list[pytest.MarkDecorator]:
    """Every day some ways to damage a store, in the long suite more, and those like others where it may be slow."""
    return [pytest.mark.slow] if what in ALIKE else [] if what in APART[::9] else [pytest.mark.long]


@pytest.mark.parametrize("what", [pytest.param(what, marks=turn(what)) for what in AT_OPENING])
def test_damage_that_counts_depend_on_is_refused_on_opening(what: str, whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path / "d.duckdb", AT_OPENING[what])
    with pytest.raises(InputError) as refusal:
        EventStore.open(path)
    assert "\n" not in str(refusal.value)


def test_each_table_that_is_gone_is_named(whole: Path, tmp_path: Path) -> None:
    gone = [table for table in TABLES if table != "settings"]
    path = damaged(whole, tmp_path / "d.duckdb", "; ".join(f"DROP TABLE {table}" for table in gone))
    broken_rules = [(damage.table, damage.rule) for damage in check_store(path).damage]
    assert broken_rules == [(table, "it is missing") for table in gone]


@pytest.mark.slow
@pytest.mark.parametrize("what", {**AT_OPENING, **OF_DOCUMENTS})
def test_no_command_ends_in_a_traceback(what: str, whole: Path, tmp_path: Path) -> None:
    """Two commands in turn for a store that is refused on opening, which is the same for all commands."""
    statement = AT_OPENING.get(what) or of_document(OF_DOCUMENTS[what])
    path = damaged(whole, tmp_path / "d.duckdb", statement)
    every = commands(path, tmp_path)
    for command in every[[*AT_OPENING].index(what) % 4 :: 4] if what in AT_OPENING else every:
        done = howsure("events", *command)
        assert done.code == 2 or (done.code == 0 and what in OF_DOCUMENTS), (command, done.err)
        assert (done.code == 0) == (done.err == "")
        assert done.err.count("\n") <= 1, done.err


@pytest.fixture(scope="module")
def ruined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ruined_store(tmp_path_factory.mktemp("ruined") / "s.duckdb")


@pytest.mark.long
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.long)])
def test_damage_of_a_document_is_reported_when_read_and_by_the_check(ruined: Path, step: int) -> None:
    rules = [f"table {damage.table}: {damage.rule} (" for damage in check_store(ruined).damage]
    with EventStore.open(ruined) as store:
        for number, what in [*enumerate(OF_DOCUMENTS)][::step]:
            with pytest.raises(InputError, match="is damaged: ") as refusal:
                queries.document_view(store, number)
            assert "\n" not in str(refusal.value)
            assert what in OF_CLUSTERINGS or any(rule in str(refusal.value) for rule in rules), what


@pytest.mark.parametrize("what", [OF_CLUSTERINGS[0], pytest.param(OF_CLUSTERINGS[1], marks=pytest.mark.long)])
def test_damage_of_clusterings_is_found_by_the_check(what: str, whole: Path, tmp_path: Path) -> None:
    (damage,) = check_store(damaged(whole, tmp_path / "d.duckdb", of_document(OF_DOCUMENTS[what]))).damage
    assert (damage.table, damage.document) == ("clusterings", 0)


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=[] if at == 1 else pytest.mark.long) for at, what in enumerate([*OF_DOCUMENTS][::16])],
)
def test_damage_of_a_document_is_reported_when_all_are_read(what: str, whole: Path, tmp_path: Path) -> None:
    """Here some of it; each with the commands, as is slow."""
    with EventStore.open(damaged(whole, tmp_path / "d.duckdb", of_document(OF_DOCUMENTS[what]))) as store:
        for read_all in (doubtful_documents, events_report):
            with pytest.raises(InputError, match="damaged") as refusal:
                read_all(store)
            assert "\n" not in str(refusal.value)


@pytest.mark.long
@pytest.mark.parametrize("what", ["a mention in no sentence", pytest.param("half a sample", marks=pytest.mark.long)])
def test_the_page_reports_damage_as_an_error(what: str, whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path / "d.duckdb", of_document(OF_DOCUMENTS[what]))
    with EventStore.open(path) as store:
        statuses = answers_of(store)
    assert (statuses["document?number=0"], statuses["document?number=0&sample=39"], statuses["doubtful"]) == (
        400,
        400,
        400,
    )
    assert set(statuses.values()) <= {200, 400}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.long] if at % 3 else []) for at, what in enumerate(ELSEWHERE)]
)
def test_other_damage_is_found_by_the_check(what: str, whole: Path, tmp_path: Path) -> None:
    damages = check_store(damaged(whole, tmp_path / "d.duckdb", ELSEWHERE[what])).damage
    assert any(damage.table in ELSEWHERE[what] for damage in damages)


@pytest.mark.long
def test_the_command_and_the_page_on_other_damage(whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path / "d.duckdb", "; ".join(ELSEWHERE.values()))
    done = howsure("events", "check", path)
    assert (done.code, "the number of samples must be given" in done.out) == (2, True)
    with EventStore.open(path) as store:
        assert set(answers_of(store).values()) <= {200, 400}
