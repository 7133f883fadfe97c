"""Who may do what in a labelling room: every address, asked by everybody who could try."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.events.made_up_store import copied

from howsure.errors import InputError
from howsure_events.explorer import Room, Tokens, create_app
from howsure_events.explorer.access import NO_TOKEN, NOT_A_CODERS, OTHER_SITE, TOKEN
from howsure_events.labels.answers import current_answers, current_settlements, reading_order, record_answer
from howsure_events.store.event_store import EventStore

HOME, ELSEWHERE = "http://localhost:8350", "http://localhost:9000"
OWN = {"origin": HOME, "sec-fetch-site": "same-origin", TOKEN: "to write"}
SHARED, NAMED = ("coders", "coordinator"), ("coordinator", "anna", "ben")  # tokens of a room without and with --coders
ANSWER = {"acting": ["IRQ"], "unclear": False, "revision": 0}
UNDO, SETTLE = "/api/label/undo", "/api/label/settle"

# All addresses of a page with a room: what is sent there, and whether coders may ask it, too.
QUESTIONS: dict[str, tuple[dict[str, Any], bool]] = {
    "/": ({}, False),
    "/label": ({}, True),
    "/api/label/start": ({}, True),
    "/api/label/room": ({"coder": "anna"}, True),
    "/api/label/document": ({"coder": "anna", "number": "first"}, True),
    "/api/label/disagreements": ({}, False),
    "/api/label/agreement": ({}, False),
    "/api/label/intervals": ({}, False),
    "/api/label/coders": ({}, False),
    "/api/overview": ({}, False),
    "/api/series": ({"actors": "IRQ", "period": "year"}, False),
    "/api/corrected": ({"period": "year"}, False),
    "/api/corrected-pair": ({"first": "IRQ", "second": "YUG", "period": "year"}, False),
    "/api/point": ({"actor": "IRQ", "at": "1999"}, False),
    "/api/document": ({"number": "first"}, False),
    "/api/compare": ({"first": "IRQ", "second": "YUG", "period": "year"}, False),
    "/api/doubtful": ({}, False),
    "/api/export.csv": ({"actors": "IRQ", "period": "year"}, False),
}
ORDERS: dict[str, tuple[dict[str, Any], bool]] = {
    "/api/label/answer": ({**ANSWER, "coder": "anna", "document": "first"}, True),
    UNDO: ({"coder": "anna"}, True),
    SETTLE: ({**ANSWER, "coder": "chief", "document": "differing"}, False),
}


@pytest.fixture
def store(drawn: Path, tmp_path: Path) -> Iterator[EventStore]:
    """The first document has no answers; two coders differ on the second."""
    path = copied(drawn.read_bytes(), tmp_path / "room.duckdb")
    with EventStore.open(path, read_only=False) as opened:
        number = reading_order(opened)[1]
        record_answer(opened, number, "anna", acting=["IRQ"], revision=0)
        record_answer(opened, number, "ben", acting=[], revision=0)
        yield opened


def browser_of(store: EventStore, room: Room, names: tuple[str, ...], token: str | None) -> TestClient:
    """A browser that holds a token in its cookie, or none. The token of a visitor is what they are called."""
    app = create_app(store, tokens=Tokens(dict(zip(names, room.visitors(), strict=True))), room=room)
    cookies = {} if token is None else {"howsure-8350": token}
    return TestClient(app, base_url=HOME, raise_server_exceptions=False, cookies=cookies)


def filled(store: EventStore, sent: dict[str, Any]) -> dict[str, Any]:
    """What is sent, with the numbers of the documents that it names."""
    numbers = dict(zip(("first", "differing"), reading_order(store), strict=False))
    return {name: numbers.get(value, value) if isinstance(value, str) else value for name, value in sent.items()}


def written(store: EventStore) -> list[tuple[Any, ...]]:
    return store.ask("SELECT * FROM answers ORDER BY entry")


def test_the_table_has_all_addresses(store: EventStore) -> None:
    """An address that somebody adds must say here who may ask it."""
    room = Room(store)
    app = create_app(store, tokens=Tokens(dict(zip(SHARED, room.visitors(), strict=True))), room=room)
    addresses = {(route.path, "POST" in route.methods) for route in app.application.routes}  # type: ignore[attr-defined]
    assert addresses == {*((path, False) for path in QUESTIONS), *((path, True) for path in ORDERS)}


ATTACKS: list[tuple[str, tuple[str, ...], str | None, dict[str, str], str | None]] = [
    # who, the tokens of the room, the token brought, headers, and why everything that is not a coder's is refused
    ("no token", SHARED, None, OWN, NO_TOKEN),
    ("wrong token", SHARED, "coordinatoR", OWN, NO_TOKEN),
    ("beginning of a token", SHARED, "coordinato", OWN, NO_TOKEN),
    ("empty token", SHARED, "", OWN, NO_TOKEN),
    ("both tokens at once", SHARED, "coders,coordinator", OWN, NO_TOKEN),
    ("coder", SHARED, "coders", OWN, NOT_A_CODERS),
    ("coder who names a role", SHARED, "coders", {**OWN, "howsure.visitor": "coordinator"}, NOT_A_CODERS),
    ("coder by a link of their own", NAMED, "anna", OWN, NOT_A_CODERS),
    ("coordinator", SHARED, "coordinator", OWN, None),
    ("another port of this machine", SHARED, "coordinator", {**OWN, "origin": ELSEWHERE}, None),
    ("another site", SHARED, "coordinator", {**OWN, "origin": ELSEWHERE, "sec-fetch-site": "same-site"}, OTHER_SITE),
]


@pytest.mark.parametrize(("who", "names", "token", "headers", "why"), ATTACKS, ids=[attack[0] for attack in ATTACKS])
def test_every_address_is_refused_to_those_whom_it_does_not_serve(
    store: EventStore, who: str, names: tuple[str, ...], token: str | None, headers: dict[str, str], why: str | None
) -> None:
    """With 403 and the reason, before anything is read or written; all others are answered."""
    room = Room(store, token="to write", coders=names[1:] if names == NAMED else ())
    client = browser_of(store, room, names, token)
    for path, (sent, is_a_coders) in QUESTIONS.items():
        answer = client.get(path, params=filled(store, sent), headers=headers)
        is_page = not path.startswith("/api/")
        is_served = why is None or (why == NOT_A_CODERS and is_a_coders) or (why == OTHER_SITE and is_page)
        assert (path, answer.status_code) == (path, 200 if is_served else 403)
        assert is_served or why in answer.text
    for path, (sent, is_a_coders) in ORDERS.items():
        before = written(store)
        answer = client.post(path, json=filled(store, sent), headers=headers)
        is_own = headers["origin"] == HOME
        is_served = is_own and (why is None or (why == NOT_A_CODERS and is_a_coders))
        assert (path, answer.status_code) == (path, 200 if is_served else 403)
        assert (written(store) != before) == is_served, path


def test_another_spelling_of_an_address_opens_nothing(store: EventStore) -> None:
    """A coder guesses at addresses that a careless comparison would let through."""
    client = browser_of(store, Room(store), SHARED, "coders")
    paths = ("/api/label/intervals", "/api/label/disagreements", "/api/overview", "/")
    spellings = ("{}/", "/{}", "/label/..{}", "{}?token=coordinato", "{};a=b", "{}%00", "/label{}")
    for path, spelling, method in itertools.product(paths, spellings, ("GET", "HEAD", "OPTIONS")):
        answer = client.request(method, f"{HOME}{spelling.format(path)}", follow_redirects=False)
        assert (spelling.format(path), answer.status_code) == (spelling.format(path), 403)
        assert "set-cookie" not in answer.headers


def test_a_link_gives_a_cookie_of_its_own(store: EventStore) -> None:
    client = browser_of(store, Room(store), SHARED, None)
    for token, status in (("coders", 403), ("coordinator", 200), ("coders", 403)):
        answer = client.get(f"/label?token={token}")
        assert answer.headers["set-cookie"] == f"howsure-8350={token}; Path=/; HttpOnly; SameSite=Strict"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert client.get("/api/label/intervals").status_code == status
    assert client.get("/api/label/intervals?token=coordinator").status_code == 403, "a link opens a page, and no data"
    assert client.get("/?token=coders").status_code == 403
    assert "set-cookie" not in client.get("/?token=coders").headers


def under(client: TestClient, store: EventStore, name: str) -> set[int]:
    """The statuses of all that can be done under a name."""
    number = reading_order(store)[0]
    shown = client.get("/api/label/document", params={"coder": name, "number": number})
    answer = {**ANSWER, "coder": name, "document": number, "revision": shown.json().get("revision", 0)}
    responses = [
        shown,
        client.get("/api/label/room", params={"coder": name}),
        client.post("/api/label/answer", headers=OWN, json=answer),
        client.post(UNDO, headers=OWN, json={"coder": name}),
    ]
    return {answer.status_code for answer in responses}


@pytest.mark.parametrize(
    ("token", "allowed", "refused"),
    [
        ("anna", ("anna", " ANNA ", "\uff21nna"), ("ben", "carla", "chief", "anna b")),
        ("coordinator", ("chief", "Chief"), ("anna", "BEN", "carla")),
    ],
)
def test_a_link_of_ones_own_answers_under_one_name(
    store: EventStore, token: str, allowed: tuple[str, ...], refused: tuple[str, ...]
) -> None:
    room = Room(store, token="to write", coders=("anna", "ben"), coordinator="chief")
    client = browser_of(store, room, NAMED, token)
    assert client.get("/api/label/start").json()["coder"] == allowed[0]
    for name in allowed:
        assert under(client, store, name) == {200}
    before = written(store)
    assert {row[2] for row in before} == {"anna", "ben", allowed[0]}, "whatever they type"
    for name in refused:
        assert under(client, store, name) == {403}
    assert written(store) == before


def test_a_shared_link_does_not_answer_as_the_coordinator(store: EventStore) -> None:
    room = Room(store, token="to write", coordinator="Chief")
    client = browser_of(store, room, SHARED, "coders")
    assert client.get("/api/label/start").json()["coder"] is None
    assert under(client, store, "chief") == {403}
    assert under(client, store, "carla") == {200}


@pytest.mark.parametrize("names", [("anna", "ben", "Anna"), ("anna", "CHIEF"), ("anna", "anna"), ("anna", " ")])
def test_each_name_is_given_once(store: EventStore, names: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"given twice|must be a name"):
        Room(store, coders=names, coordinator="chief")


def test_only_what_coders_answered_differently_is_settled(store: EventStore) -> None:
    client = browser_of(store, Room(store, token="to write"), SHARED, "coordinator")
    first, differing = reading_order(store)[:2]

    def settled(number: int, revision: int = 0) -> tuple[int, str]:
        order = {**ANSWER, "coder": "chief", "document": number, "revision": revision}
        answer = client.post(SETTLE, headers=OWN, json=order)
        return answer.status_code, answer.json().get("error", "")

    assert settled(first) == (
        400,
        f"document {first} has 0 answers and none that differ, so nothing needs to be settled. Answer it instead.",
    )
    record_answer(store, first, "anna", acting=["IRQ"], revision=0)
    assert settled(first)[0] == 400
    assert settled(differing) == (200, "")
    assert settled(differing, 1) == (200, "")
    assert [(settlement.document, settlement.coder) for settlement in current_settlements(store)] == [
        (differing, "chief")
    ]
    assert {answer.coder for answer in current_answers(store)} == {"anna", "ben"}
