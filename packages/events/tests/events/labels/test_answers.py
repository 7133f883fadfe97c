"""Answers: none is lost, none overwrites another unseen, each can be taken back."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.events.labels.labelled_stores import answer_all, drawn_store, store_to_label
from tests.events.made_up_store import copied
from tests.events.stores import FORKSERVER

from howsure.errors import InputError
from howsure_events.labels.agreement import disagreements
from howsure_events.labels.answers import (
    Conflict,
    answer_revision,
    current_answers,
    reading_order,
    record_answer,
    settle,
    settled_labels,
    undo_answer,
)
from howsure_events.labels.coder_progress import progress
from howsure_events.store.check_store import check_store
from howsure_events.store.event_store import EventStore, StoreError


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with drawn_store(tmp_path_factory.mktemp("whole") / "s.duckdb", 8) as store:
        return store.path


@pytest.fixture
def own_store(whole: Path, tmp_path: Path) -> Iterator[EventStore]:
    """A store to close, to kill, and to open again."""
    with EventStore.open(copied(whole.read_bytes(), tmp_path / "s.duckdb"), read_only=False) as event_store:
        yield event_store


@pytest.fixture(scope="module")
def shared(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    path = copied(whole.read_bytes(), tmp_path_factory.mktemp("shared") / "s.duckdb")
    with EventStore.open(path, read_only=False) as event_store:
        yield event_store


@pytest.fixture
def store(shared: EventStore) -> Iterator[EventStore]:
    """A store without an answer, which stays open."""
    yield shared
    with shared.transaction() as connection:
        connection.execute("DELETE FROM answers")


@pytest.mark.long
def test_an_answer_is_there_again(own_store: EventStore) -> None:
    first = reading_order(own_store)[0]
    assert record_answer(own_store, first, " anna ", acting=["NATO", "IRQ", "NATO"], revision=0) == 1
    assert record_answer(own_store, first, "bob", acting=[], unclear=True, revision=0) == 1
    own_store.close()
    with EventStore.open(own_store.path) as again:
        answers = [
            (answer.document, answer.coder, answer.acting, answer.unclear, answer.revision)
            for answer in current_answers(again)
        ]
    assert answers == [(first, "anna", ("IRQ", "NATO"), False, 1), (first, "bob", (), True, 1)]
    assert check_store(own_store.path).is_whole


def test_two_tabs_do_not_overwrite_each_other(store: EventStore) -> None:
    first = reading_order(store)[0]
    record_answer(store, first, "anna", acting=["IRQ"], revision=0)
    with pytest.raises(Conflict, match=r"by anna, revision 1 of \d\d:\d\d:\d\d UTC; you saw revision 0") as caught:
        record_answer(store, first, "anna", acting=[], revision=0)
    assert (caught.value.answer.acting, caught.value.answer.revision) == (("IRQ",), 1)
    assert record_answer(store, first, "anna", acting=[], revision=1) == 2
    undo_answer(store, "anna")
    with pytest.raises(Conflict):  # what was undone is a revision of its own
        record_answer(store, first, "anna", acting=["NATO"], revision=1)
    assert answer_revision(store, first, "anna") == 3
    assert [answer.acting for answer in current_answers(store)] == [("IRQ",)]


def test_of_many_at_once_one_is_first(store: EventStore) -> None:
    first = reading_order(store)[0]

    def answer(_: int) -> bool:
        try:
            return record_answer(store, first, "anna", acting=["IRQ"], revision=0) == 1
        except Conflict:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(answer, range(24))) == 1
    with ThreadPoolExecutor(8) as threads:
        order = reading_order(store)
        list(threads.map(lambda number: record_answer(store, number, "bob", acting=[], revision=0), order))
    assert progress(store, "bob").answered == len(order)
    assert check_store_open(store) == []


def check_store_open(store: EventStore) -> list[int]:
    """Entries that are there twice."""
    return [entry for (entry,) in store.ask("SELECT entry FROM answers GROUP BY 1 HAVING count(*) > 1")]


@pytest.mark.long
@settings(max_examples=6, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["say", "undo"]), st.integers(0, 2), st.booleans()), max_size=12))
def test_undoing_goes_back_step_by_step(steps: list[tuple[str, int, bool]]) -> None:
    """The answers are those of a model that keeps all former states on a stack."""
    store, order = _shared_store()
    coder = f"coder {len(store.ask('SELECT DISTINCT coder FROM answers'))}"
    states: list[dict[int, bool]] = [{}]
    touched: list[int] = []
    revisions = dict.fromkeys(order[:3], 0)
    for what, at, acts in steps:
        number = order[at]
        if what == "say":
            acting = ["IRQ"] if acts else []
            revisions[number] = record_answer(store, number, coder, acting=acting, revision=revisions[number])
            states.append({**states[-1], number: acts})
            touched.append(number)
        else:
            undone = undo_answer(store, coder)
            assert undone == (touched.pop() if touched else None)
            if undone is not None:
                revisions[undone] += 1
                states.pop()
        positives = {answer.document: bool(answer.acting) for answer in current_answers(store) if answer.coder == coder}
        assert positives == states[-1]


_STORES: list[EventStore] = []


def _shared_store() -> tuple[EventStore, list[int]]:
    """One store for all examples: each has a coder of its own."""
    if not _STORES:
        import tempfile

        _STORES.append(drawn_store(Path(tempfile.mkdtemp()) / "s.duckdb", 8))
    return _STORES[0], reading_order(_STORES[0])


def test_how_far_a_coder_has_come(store: EventStore) -> None:
    order = reading_order(store)
    record_answer(store, order[0], "anna", acting=["IRQ"], revision=0)
    record_answer(store, order[2], "anna", acting=[], unclear=True, revision=0)
    answer_all(store, "bob")
    count = progress(store, "anna")
    assert (count.documents, count.answered, count.with_event, count.unclear) == (8, 2, 1, 1)


def test_what_is_settled_counts(store: EventStore) -> None:
    order = answer_all(store, "anna", {0: ["IRQ"], 1: ["IRQ"], 2: ["NATO"]})
    for at, acting, unclear in [(0, ["IRQ"], False), (1, ["NATO"], False), (2, [], True), (3, [], False)]:
        record_answer(store, order[at], "bob", acting=acting, unclear=unclear, revision=0)
    record_answer(store, order[3], "anna", acting=[], unclear=True, revision=1)
    record_answer(store, order[3], "bob", acting=[], unclear=True, revision=1)
    assert [disagreement.document for disagreement in disagreements(store)] == order[1:3]
    settled = settled_labels(store)
    places = [settled.documents.tolist().index(document) for document in order[:5]]
    unknown = [np.nan, np.nan]
    np.testing.assert_array_equal(settled.labels[places], [[1, 0], unknown, unknown, unknown, [0, 0]])
    assert (settled.unclear, settled.unsettled, settled.coders, settled.drawn) == (1, 2, ("anna", "bob"), 8)
    assert settled.actors == ("IRQ", "NATO")
    assert set(settled.strata) == {number for (number,) in store.ask("SELECT document FROM documents")}
    settle(store, order[1], ["NATO"], coder="carla")
    with pytest.raises(Conflict):
        settle(store, order[1], [], coder="dan")
    settle(store, order[1], ["IRQ", "NATO"], coder="dan", revision=1)
    settled = settled_labels(store)
    assert settled.labels[settled.documents.tolist().index(order[1])].tolist() == [1.0, 1.0]
    assert (settled.unsettled, disagreements(store)[0].settled.coder) == (1, "dan")  # type: ignore[union-attr]


def test_coders_who_agree_by_now_on_something_else_than_was_settled(store: EventStore) -> None:
    first, other = reading_order(store)[:2]
    for number in (first, other):
        record_answer(store, number, "anna", acting=["IRQ"], revision=0)
        record_answer(store, number, "bob", acting=[], revision=0)
        settle(store, number, ["IRQ"], coder="dan")
    record_answer(store, first, "anna", acting=[], revision=1)
    record_answer(store, other, "bob", acting=["IRQ"], revision=1)
    open_disagreements = disagreements(store)
    assert [(case.document, case.settled.acting) for case in open_disagreements] == [(first, ("IRQ",))]  # type: ignore[union-attr]
    assert sorted(answer.coder for answer in open_disagreements[0].answers) == ["anna", "bob"]


def test_a_label_is_known_for_an_actor_on_whom_coders_agree(store: EventStore) -> None:
    first = reading_order(store)[0]
    record_answer(store, first, "anna", acting=["IRQ", "NATO"], revision=0)
    record_answer(store, first, "bob", acting=["IRQ"], revision=0)
    settled = settled_labels(store)
    np.testing.assert_array_equal(settled.labels, [[1.0, np.nan]])


def test_answers_that_tests_give_are_as_readers_give_them(store: EventStore) -> None:
    order = answer_all(store, "anna", {0: ["IRQ"]})
    for at, number in enumerate(order):
        record_answer(store, number, "bob", acting=["IRQ"] if at == 0 else [], revision=0)
    query = "SELECT document, settles, acting, unclear, revision, undoes, coder = ? FROM answers ORDER BY entry"
    anna, bob = (store.ask(query, [coder]) for coder in ("anna", "bob"))
    assert anna[: len(order)] == bob[len(order) :]
    assert store.ask("SELECT entry FROM answers ORDER BY given, entry") == [(at + 1,) for at in range(2 * len(order))]


def test_a_store_without_a_draw_has_no_labels(tmp_path: Path) -> None:
    with store_to_label(tmp_path / "s.duckdb") as store:
        assert settled_labels(store) is None
        for ask in (lambda: progress(store, "anna"), lambda: disagreements(store)):
            with pytest.raises(InputError, match=r"has no labels; draw documents first: howsure events label"):
                ask()


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"document": 99_999}, "document 99999 was not drawn for labelling"),
    ({"coder": " "}, "coder must be a name of 1 to 60 printable letters"),
    ({"coder": "a" * 61}, "coder must be a name"),
    ({"coder": "a\nb"}, "coder must be a name"),
    ({"coder": None}, "coder must be a name"),
    ({"acting": ["KWT"]}, "no actor 'KWT' in the question; it has IRQ, NATO"),
    ({"acting": "IRQ"}, "acting must be a list of codes"),
    ({"acting": ["IRQ"], "unclear": True}, "acting must be empty if unclear is true"),
    ({"revision": -1}, "revision must be a whole number of at least 0, not -1"),
    ({"revision": 4}, "revision must be 0 for document"),
]


def test_wrong_answers_are_refused(store: EventStore) -> None:
    usual = {"document": reading_order(store)[0], "coder": "anna", "acting": [], "revision": 0}
    for changed, message in WRONG:
        with pytest.raises(InputError, match=message):
            record_answer(store, **{**usual, **changed})
    assert current_answers(store) == []


def test_a_store_open_for_reading_takes_no_answer(own_store: EventStore) -> None:
    first = reading_order(own_store)[0]
    own_store.close()
    with EventStore.open(own_store.path) as reading:
        with pytest.raises(InputError, match="open for reading only"):
            record_answer(reading, first, "anna", acting=[], revision=0)
        with pytest.raises(InputError, match="open for reading only"):
            undo_answer(reading, "anna")


@pytest.mark.long
@pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_kill_loses_no_answer_that_was_given(times: int, own_store: EventStore) -> None:
    """A process answers, says so, and is killed while it answers on: what it said is there, and the store is whole."""
    own_store.close()
    path = own_store.path
    for kills in range(1, times + 1):
        reader, writer = os.pipe()
        process = get_context("fork").Process(target=_answer_on, args=(path, writer))
        process.start()
        os.close(writer)
        with os.fdopen(reader, "rb") as output:
            acknowledged = [int(output.readline()) for _ in range(5 * kills)]
            os.kill(process.pid or 0, signal.SIGKILL)
            acknowledged += [int(line) for line in output if line.endswith(b"\n")]
        process.join()
        with EventStore.open(path) as again:  # for reading only, with the files that the killed process left
            (numbers,) = again.ask("SELECT count(*), max(entry) FROM answers")
        assert numbers[0] == numbers[1] >= acknowledged[-1]
        assert check_store(path).is_whole


def _answer_on(path: Path, writer: int) -> None:
    """Change the answers to all documents, again and again; write the number of entries after each."""
    with EventStore.open(path, read_only=False) as store:
        (entries,) = store.ask("SELECT count(*) FROM answers")[0]
        order = reading_order(store)
        while True:
            number = order[entries % len(order)]
            revision = answer_revision(store, number, "anna")
            record_answer(store, number, "anna", acting=["IRQ"] if entries % 2 else [], revision=revision)
            entries += 1
            os.write(writer, f"{entries}\n".encode())


@pytest.mark.long
def test_a_full_disk_loses_no_answer_that_was_given(own_store: EventStore, tmp_path: Path) -> None:
    own_store.close()
    process = FORKSERVER.Process(target=_answer_until_full, args=(own_store.path, tmp_path / "report.json"))
    process.start()
    process.join()
    assert process.exitcode == 0
    n_given, message = json.loads((tmp_path / "report.json").read_text())
    assert n_given > 3
    assert f"{own_store.path} cannot be written: " in message
    assert "Data stored before are kept" in message
    with EventStore.open(own_store.path, read_only=False) as again:
        assert again.ask("SELECT count(*), max(entry) FROM answers") == [(n_given, n_given)]
        first = reading_order(again)[0]
        record_answer(again, first, "bob", acting=["IRQ"], revision=0)
    assert check_store(own_store.path).is_whole


def _answer_until_full(path: Path, report: Path) -> None:
    """Answer until no file may grow; report the number of acknowledged answers, and the error."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = EventStore.open(path, read_only=False)
    order, n_given = reading_order(store), 0
    resource.setrlimit(resource.RLIMIT_FSIZE, (8 << 10, resource.RLIM_INFINITY))
    try:
        while n_given < 10_000:
            number = order[n_given % len(order)]
            record_answer(store, number, "anna", acting=[], revision=n_given // len(order))
            n_given += 1
    except StoreError as error:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        report.write_text(json.dumps([n_given, str(error)]))
