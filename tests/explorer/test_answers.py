"""Kept answers: what is asked twice is computed once, what fails is asked again, and memory has a limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from howsure.events.store.event_store import EventStore
from howsure.explorer import Tokens, create_app
from howsure.explorer.app import Answers
from tests.events.made_up_store import make_store, store_file


def always() -> bool:
    return True


class Counted:
    """Something to compute that notes how often it was."""

    def __init__(self, answer: bytes = b"answer") -> None:
        self.answer, self.times = answer, 0

    def __call__(self) -> bytes:
        self.times += 1
        return self.answer


def asked(how: Callable[[], Awaitable[object]]) -> object:
    async def run() -> object:
        return await how()

    return asyncio.run(run())


def test_what_was_answered_is_kept() -> None:
    answers, one = Answers(), Counted()
    for _ in range(3):
        assert asked(lambda: answers.get("one", one, keep=always)) == b"answer"
    assert one.times == 1


def test_what_may_change_is_computed_again() -> None:
    answers, one = Answers(), Counted()
    for _ in range(3):
        asked(lambda: answers.get("one", one, keep=lambda: False))
    assert one.times == 3


def test_what_fails_is_told_to_all_who_wait_and_is_not_kept() -> None:
    answers, times = Answers(), []

    def fails() -> bytes:
        times.append(1)
        raise ValueError("no")

    async def both() -> list[object]:
        return await asyncio.gather(*(answers.get("one", fails, keep=always) for _ in range(2)), return_exceptions=True)

    assert [str(error) for error in asked(both)] == ["no", "no"]
    with pytest.raises(ValueError, match="no"):
        asked(lambda: answers.get("one", fails, keep=always))
    assert len(times) >= 2


def test_many_who_ask_at_once_wait_for_one_answer() -> None:
    answers, times, go_on = Answers(threads=4), [], threading.Event()

    def slow() -> bytes:
        times.append(1)
        assert go_on.wait(60)
        return b"answer"

    async def many() -> list[bytes]:
        asking = [asyncio.ensure_future(answers.get("one", slow, keep=always)) for _ in range(50)]
        await asyncio.wait(asking, timeout=0)  # all of them have asked
        asking[0].cancel()  # one goes away
        go_on.set()
        return await asyncio.gather(*asking[1:])

    assert asked(many) == [b"answer"] * 49
    assert len(times) == 1


def test_those_asked_for_longest_ago_make_room() -> None:
    answers = Answers(most_bytes=100)
    held = {name: Counted(name.encode() * 40) for name in "abc"}

    def ask(name: str) -> None:
        assert asked(lambda: answers.get(name, held[name], keep=always)) == name.encode() * 40

    for name in "abacab":  # c makes b go, then b makes c go, for a was asked for meanwhile
        ask(name)
    assert {name: one.times for name, one in held.items()} == {"a": 1, "b": 2, "c": 1}
    assert answers.n_bytes == 80
    large = Counted(b"x" * 101)
    for _ in range(2):
        asked(lambda: answers.get("large", large, keep=always))
    assert (large.times, answers.n_bytes) == (2, 80)


def test_after_the_end_nothing_begins() -> None:
    answers = Answers()
    answers.close()
    with pytest.raises(RuntimeError, match="cannot schedule"):
        asked(lambda: answers.get("one", Counted(), keep=always))


def test_questions_that_wait_at_the_end_get_a_sentence(tmp_path: Path) -> None:
    """Not a traceback each on the terminal."""
    answers, go_on = Answers(threads=1), threading.Event()
    with make_store(tmp_path / "s.duckdb", documents=8) as store, ThreadPoolExecutor(2) as people:
        app = create_app(store, tokens=Tokens("t"), answers=answers)
        client = TestClient(app, base_url="http://localhost", cookies={"howsure-80": "t"})
        long = people.submit(asked, lambda: answers.get("long", lambda: bytes(go_on.wait(60)), keep=always))
        while not long.running() or answers.n_underway < 1:
            pass
        waiting = people.submit(client.get, "/api/overview")
        while answers.n_underway < 2:
            pass
        answers.close()
        go_on.set()
        said = waiting.result()
    assert (said.status_code, said.json()) == (503, {"error": "the page is being closed."})


def test_answers_of_a_store_that_is_being_written_are_its_newest(tmp_path: Path) -> None:
    """Only a store that is open for reading stays what it is."""
    store_file(tmp_path / "s.duckdb", documents=8)
    with EventStore.open(tmp_path / "s.duckdb", read_only=False) as store:
        client = TestClient(
            create_app(store, tokens=Tokens("t")), base_url="http://localhost", cookies={"howsure-80": "t"}
        )
        before = client.get("/api/overview").json()["left_out"]
        store.append({"left_out": {"document": [99], "id": ["late"], "reason": ["empty"]}})
        assert client.get("/api/overview").json()["left_out"] == {**before, "empty": 1}
