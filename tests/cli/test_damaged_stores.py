"""Stores that were edited by hand: every command and every question of the page ends with one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from howsure.errors import InputError
from howsure.events import EventStore, check_store
from howsure.explorer import Tokens, create_app, events_report, queries
from tests.cli.running import howsure
from tests.events.damaged_stores import ALIKE, AT_OPENING, ELSEWHERE, OF_DOCUMENTS, damaged, of_document_0, whole_store

QUESTIONS = (
    "overview",
    "series?actors=IRQ&by=year",
    "series?actors=IRQ&by=year&unit=entities",
    "series?actors=IRQ&by=year&interval=samples",
    "point?actor=IRQ&by=year&period=1999",
    "document?number=0",
    "document?number=0&sample=39",
    "document?number=99999",
    "compare?first=IRQ&second=NATO&by=year",
    "doubtful",
    "export.csv?actors=IRQ&by=year",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_store(tmp_path_factory.mktemp("whole") / "s.duckdb")


def commands(store: Path, folder: Path) -> list[list[str]]:
    """Every command that reads a store to its end."""
    return [
        ["check", str(store)],
        ["series", str(store), "--by", "year"],
        ["series", str(store), "--by", "year", "--unit", "entities", "--interval", "samples", "--format", "json"],
        ["compare", str(store), "IRQ", "NATO", "--by", "year"],
        ["doubtful", str(store)],
        ["export", str(store), str(folder / "s.csv"), "--by", "year"],
        ["figure", str(store), str(folder / "s.svg"), "--by", "year"],
        ["report", str(store), str(folder / "s.html"), "--by", "year", "--samples", "2"],
    ]


def answers_of(store: EventStore) -> dict[str, int]:
    client = TestClient(
        create_app(store, tokens=Tokens("t")),
        base_url="http://localhost",
        cookies={"howsure-80": "t"},
        raise_server_exceptions=False,
    )
    return {asked: client.get(f"/api/{asked}").status_code for asked in QUESTIONS}


def test_a_whole_store_is_whole(whole: Path, tmp_path: Path) -> None:
    done = howsure("events", "check", whole)
    assert (done.code, done.out, done.err) == (0, f"{whole} is whole: 18 documents, 14 tables.\n", "")
    assert [howsure("events", *command).code for command in commands(whole, tmp_path)] == [0] * 8
    with EventStore.open(whole) as store:
        assert set(answers_of(store).values()) == {200, 400}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=pytest.mark.slow) if what in ALIKE else what for what in AT_OPENING]
)
def test_damage_that_counts_depend_on_is_told_at_the_door(what: str, whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path / "d.duckdb", AT_OPENING[what])
    with pytest.raises(InputError) as told:
        EventStore.open(path)
    assert "\n" not in str(told.value)


@pytest.mark.slow
@pytest.mark.parametrize("what", {**AT_OPENING, **OF_DOCUMENTS})
def test_no_command_ends_in_a_traceback(what: str, whole: Path, tmp_path: Path) -> None:
    statement = AT_OPENING.get(what) or of_document_0(OF_DOCUMENTS[what])
    path = damaged(whole, tmp_path / "d.duckdb", statement)
    for command in commands(path, tmp_path):
        done = howsure("events", *command)
        assert done.code == 2 or (done.code == 0 and what in OF_DOCUMENTS), (command, done.err)
        assert (done.code == 0) == (done.err == "")
        assert done.err.count("\n") <= 1, done.err


@pytest.mark.parametrize("what", OF_DOCUMENTS)
def test_damage_of_a_document_is_told_when_it_is_read(what: str, whole: Path, tmp_path: Path) -> None:
    """By what reads one document; by what reads all of them, a quarter here and each with the commands, as is slow."""
    path = damaged(whole, tmp_path / "d.duckdb", of_document_0(OF_DOCUMENTS[what]))
    assert not check_store(path).is_whole
    with EventStore.open(path) as store:
        reads = [lambda: queries.document(store, 0), lambda: queries.doubtful(store), lambda: events_report(store)]
        for read in reads if what in [*OF_DOCUMENTS][::4] else reads[:1]:
            with pytest.raises(InputError, match="damaged") as told:
                read()
            assert "\n" not in str(told.value)


@pytest.mark.parametrize("what", ["a mention in no sentence", "half a sample"])
def test_the_page_tells_damage_as_what_is_wrong(what: str, whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path / "d.duckdb", of_document_0(OF_DOCUMENTS[what]))
    with EventStore.open(path) as store:
        found = answers_of(store)
    assert (found["document?number=0"], found["document?number=0&sample=39"], found["doubtful"]) == (400, 400, 400)
    assert set(found.values()) <= {200, 400}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_other_damage_is_found_by_the_check(what: str, whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path / "d.duckdb", ELSEWHERE[what])
    found = check_store(path)
    assert found.to_dict()["whole"] is False
    done = howsure("events", "check", path)
    assert done.code == 2
    assert all(one.rule in done.out for one in found.damage)
    with EventStore.open(path) as store:
        assert set(answers_of(store).values()) <= {200, 400}
