"""What the page asks: plain values, ready for JSON, with the numbers of the chapter's results."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient
from tests.events.made_up_store import TITLES, hussein_document, make_store, store_file, write_store
from tests.events.slow_store import dates, raw_counts
from tests.explorer.chromium import Browser

from howsure.errors import InputError
from howsure_cli.report.pages import write_report
from howsure_events.explorer import Tokens, create_app, events_report, queries
from howsure_events.explorer.access import COORDINATOR
from howsure_events.explorer.app import Answers
from howsure_events.explorer.queries import (
    MAX_TEXT,
    QUESTIONS,
    Parameter,
    choice_reader,
    fraction,
    number_or_word_reader,
    read_parameters,
    whole_number_reader,
    words,
)
from howsure_events.series.actor_comparison import compare_actors
from howsure_events.series.event_series import event_series
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with make_store(tmp_path_factory.mktemp("queries") / "a.duckdb", samples=21) as store:
        yield store


def test_a_store_in_which_nothing_happens(tmp_path: Path) -> None:
    with write_store(tmp_path / "empty.duckdb", []) as empty:
        overview = queries.overview(empty)
    assert (overview["documents"], overview["actors"]) == (0, [])


def test_the_overview(store: EventStore) -> None:
    overview, counts = queries.overview(store), raw_counts(store)
    assert json.loads(json.dumps(overview)) == overview
    for actor in overview["actors"]:
        acting = [sum(sample[actor["code"]] > 0 for sample in samples) / 21 for samples in counts.values()]
        best = [samples[0][actor["code"]] for samples in raw_counts(store, "best").values()]
        assert actor["expected"] == pytest.approx(sum(acting))
        assert actor["documents"] == sum(p > 0 or b > 0 for p, b in zip(acting, best, strict=True))
        assert actor["title"] == TITLES[actor["code"]]
    assert [actor["expected"] for actor in overview["actors"]] == sorted(
        actor["expected"] for actor in overview["actors"]
    )[::-1]
    days = dates(store)
    assert (overview["documents"], overview["first"], overview["last"]) == (
        len(days),
        str(min(days.values())),
        str(max(days.values())),
    )
    numbers = [number for number in range(1, 60) if number % 7 == 0]
    assert overview["left_out"] == {
        "category": sum(number % 2 == 0 for number in numbers),
        "no actor": sum(number % 2 for number in numbers),
    }
    assert overview["settings"]["samples"] == 21
    assert "actors" not in overview["settings"]


@pytest.mark.parametrize("unit", ["documents", "share", "entities"])
def test_the_series(store: EventStore, unit: str) -> None:
    rows_by_actor = queries.series(store, ["YUG", "IRQ"], period="month", level=0.8, interval="normal", unit=unit)
    series = event_series(store, actors=["YUG", "IRQ"], period="month", level=0.8, interval="normal", unit=unit)
    assert list(rows_by_actor) == ["YUG", "IRQ"]
    for actor, rows in rows_by_actor.items():
        assert [row["mean"] for row in rows] == [
            None if row.mean != row.mean else row.mean for row in series.rows_of(actor)
        ]
        assert [row["documents"] for row in rows] == [row.n_documents for row in series.rows_of(actor)]
        assert all(row["low"] is None or row["low"] <= row["mean"] <= row["high"] for row in rows)
    json.dumps(rows_by_actor, allow_nan=False)


def test_the_others(store: EventStore) -> None:
    compared = queries.compare(store, "YUG", "NATO", period="year")
    expected = compare_actors(store, "YUG", "NATO", period="year").rows
    assert [(row["greater"], row["equal"], row["less"]) for row in compared] == [
        (row.greater, row.equal, row.less) for row in expected
    ]
    assert [row["documents"] for row in compared] == [row.n_documents for row in expected]
    assert queries.document_view(store, 0, sample=2)["sample"] == 2
    with pytest.raises(InputError, match="no actor 'XXX'"):
        queries.series(store, ["XXX"])


# Parameters: what breaks a rule is said with its name, the rule, the value and the choices.


RULES = (
    Parameter("actors", words, most=2),
    Parameter("period", choice_reader(["month", "year"]), "month"),
    Parameter("limit", whole_number_reader(1, 9), 5),
    Parameter("low", fraction, 0.2),
    Parameter("sample", number_or_word_reader("best", high=99), "best"),
)
BAD = [
    ([], "actors must be given; it is missing."),
    ([("actors", " ")], "actors must be a text without control characters, and not empty; it is ' '."),
    ([("actors", "a\x00b")], "actors must be a text without control characters"),
    ([("actors", "a"), ("actors", "b"), ("actors", "c")], "actors must be given at most 2 times; it is given 3 times."),
    ([("actors", "a"), ("period", "day")], "period must be one of month, year; it is 'day'."),
    (
        [("actors", "a"), ("period", "year"), ("period", "year")],
        "period must be given at most 1 times; it is given 2 times.",
    ),
    ([("actors", "a"), ("limit", "10")], "limit must be a whole number from 1 to 9; it is '10'."),
    ([("actors", "a"), ("limit", "-1")], "limit must be a whole number from 1 to 9; it is '-1'."),
    ([("actors", "a"), ("limit", "٣")], "limit must be a whole number from 1 to 9; it is '٣'."),
    ([("actors", "a"), ("low", "nan")], "low must be a number from 0 to 1; it is 'nan'."),
    ([("actors", "a"), ("low", "half")], "low must be a number from 0 to 1; it is 'half'."),
    ([("actors", "a"), ("sample", "worst")], "sample must be 'best' or a whole number from 0; it is 'worst'."),
    ([("actors", "a"), ("sample", "100")], "sample must be a whole number from 0 to 99; it is '100'."),
    ([("actor", "a")], "no parameter 'actor' in /api/x; it has actors, period, limit, low, sample. Did you mean"),
    ([("actors", "a" * (MAX_TEXT + 1))], "actors must have at most 200 characters; it has 201."),
]


@pytest.mark.parametrize(("given_", "message"), BAD)
def test_invalid_parameters_are_reported(given_: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_parameters(given_, RULES, address="/api/x")


def test_omitted_parameters_have_defaults() -> None:
    assert read_parameters([("actors", "IRQ")], RULES, address="/api/x") == {
        "actors": ["IRQ"],
        "period": "month",
        "limit": 5,
        "low": 0.2,
        "sample": "best",
    }


def test_parameters_are_read() -> None:
    given_ = [
        ("sample", "7"),
        ("actors", "B"),
        ("low", "1e-1"),
        ("limit", "9"),
        ("actors", "A & <b>"),
        ("period", "year"),
    ]
    assert read_parameters(given_, RULES, address="/api/x") == {
        "actors": ["B", "A & <b>"],
        "period": "year",
        "limit": 9,
        "low": 0.1,
        "sample": 7,
    }


@given(
    st.sampled_from(sorted(QUESTIONS)),
    st.lists(st.tuples(st.sampled_from(["actors", "period", "number", "sample", "low", "x"]), st.text(max_size=30))),
)
def test_nothing_but_an_input_error_is_raised(name: str, given_: list[tuple[str, str]]) -> None:
    parameters = QUESTIONS[name].parameters
    with contextlib.suppress(InputError):
        assert list(read_parameters(given_, parameters, address=name)) == [parameter.name for parameter in parameters]


# Kept answers: what is asked twice is computed once, what fails is asked again, and memory has a limit.


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


def test_answers_are_kept() -> None:
    answers, question = Answers(), Counted()
    for _ in range(3):
        assert asked(lambda: answers.get("one", question, keep=always)) == b"answer"
    assert question.times == 1


def test_what_may_change_is_computed_again() -> None:
    answers, question = Answers(), Counted()
    for _ in range(3):
        asked(lambda: answers.get("one", question, keep=lambda: False))
    assert question.times == 3


def test_an_error_reaches_all_waiting_requests_and_is_not_kept() -> None:
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
    questions = {name: Counted(name.encode() * 40) for name in "abc"}

    def ask(name: str) -> None:
        assert asked(lambda: answers.get(name, questions[name], keep=always)) == name.encode() * 40

    for name in "abacab":  # c makes b go, then b makes c go, for a was requested meanwhile
        ask(name)
    assert {name: question.times for name, question in questions.items()} == {"a": 1, "b": 2, "c": 1}
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
        app = create_app(store, tokens=Tokens({"t": COORDINATOR}), answers=answers)
        client = TestClient(app, base_url="http://localhost", cookies={"howsure-80": "t"})
        long = people.submit(asked, lambda: answers.get("long", lambda: bytes(go_on.wait(60)), keep=always))
        while not long.running() or answers.n_underway < 1:
            pass
        waiting = people.submit(client.get, "/api/overview")
        while answers.n_underway < 2:
            pass
        answers.close()
        go_on.set()
        response = waiting.result()
    assert (response.status_code, response.json()) == (503, {"error": "the page is being closed."})


def test_answers_of_a_store_that_is_being_written_are_its_newest(tmp_path: Path) -> None:
    """Only a store that is open for reading stays what it is."""
    store_file(tmp_path / "s.duckdb", documents=8)
    with EventStore.open(tmp_path / "s.duckdb", read_only=False) as store:
        client = TestClient(
            create_app(store, tokens=Tokens({"t": COORDINATOR})),
            base_url="http://localhost",
            cookies={"howsure-80": "t"},
        )
        before = client.get("/api/overview").json()["left_out"]
        store.append({"left_out": {"document": [99], "id": ["late"], "reason": ["empty"]}})
        assert client.get("/api/overview").json()["left_out"] == {**before, "empty": 1}


# The list of actors, where there are many: it scrolls down, never to the side.


SIZES = (
    "const e = document.querySelector(arguments[0]);"
    "return [e.scrollWidth, e.clientWidth, e.scrollHeight, e.clientHeight]"
)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with 14 actors, some of long names."""
    folder = tmp_path_factory.mktemp("crowded")
    titles = {f"C{n:02}": f"Confederation of the {'very ' * (n % 9)}United Provinces {n}" for n in range(14)}
    titles["C03"] = "Provinces" * 9
    example = hussein_document(0)
    made = [
        replace(
            example,
            number=n,
            mentions=tuple(replace(mention, actors=(code,) * len(mention.actors)) for mention in example.mentions),
        )
        for n, code in enumerate(titles)
    ]
    with write_store(folder / "crowded.duckdb", made, actors=titles) as store:
        write_report(
            events_report(store, actors=list(titles), period=["year"], documents=1, samples=1), folder / "crowded.html"
        )
    return (folder / "crowded.html").as_uri()


@pytest.mark.long
@pytest.mark.parametrize("width", [1200, 1000, 400])
def test_the_list_of_actors_scrolls_down_only(browser: Browser, crowded: str, width: int) -> None:
    try:
        browser.resize(width, 800)
        browser.open(crowded)
        browser.click("#choices details.actors summary")
        assert len(browser.all("#actors li")) == 14
        wide, visible, high, shown = browser.run(SIZES, "#actors")
        assert wide <= visible
        assert high > shown
        wide, visible, *_ = browser.run(SIZES, "html")
        assert wide <= visible
        tops = browser.run(
            "return [...document.querySelectorAll('#actors li')].map(e => e.getBoundingClientRect().top)"
        )
        assert tops == sorted(tops)
    finally:
        browser.resize(1000, 800)
