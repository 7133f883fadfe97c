"""The addresses of the labelling room: what they answer, what they write, and what they refuse."""

from __future__ import annotations

import json
import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from starlette.testclient import TestClient
from tests.events.labels.labelled_stores import give
from tests.events.made_up_store import copied
from tests.explorer.hostile_store import ATTACKS
from tests.explorer.labelling.rooms import ACTORS

from howsure_events.explorer import Room, Tokens, create_app, labelling
from howsure_events.explorer.access import ANY_CODER, COORDINATOR, HEADERS, TOKEN
from howsure_events.explorer.labelling import MAX_BODY, ORDERS, questions_of
from howsure_events.explorer.queries import QUESTIONS
from howsure_events.labels.agreement import agreement
from howsure_events.labels.answers import current_answers, reading_order
from howsure_events.store.event_store import EventStore

HOME = "http://localhost:8350"
OWN = {"origin": HOME, "sec-fetch-site": "same-origin", TOKEN: "to write", "content-type": "application/json"}
SAID = {"coder": "anna", "acting": ["IRQ"], "unclear": False, "revision": 0}


@pytest.fixture(scope="module")
def shared(drawn: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    path = copied(drawn.read_bytes(), tmp_path_factory.mktemp("shared") / "room.duckdb")
    with EventStore.open(path, read_only=False) as opened:
        yield opened


@pytest.fixture
def store(shared: EventStore) -> Iterator[EventStore]:
    """A store in which nobody has answered yet."""
    yield shared
    with shared.transaction() as connection:
        connection.execute("DELETE FROM answers")


def visitor(store: EventStore, room: Room | None, *, cookie: str = "coordinator") -> TestClient:
    """A browser that brings a token, which is what its visitor is called."""
    app = create_app(store, tokens=Tokens({"coordinator": COORDINATOR, "coder": ANY_CODER}), room=room)
    return TestClient(app, base_url=HOME, raise_server_exceptions=False, cookies={"howsure-8350": cookie})


@pytest.fixture
def room(store: EventStore) -> Room:
    return Room(store, token="to write")


@pytest.fixture
def client(store: EventStore, room: Room) -> TestClient:
    return visitor(store, room)


@pytest.fixture(scope="module")
def refusing(drawn: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, EventStore]]:
    """A room of which everything asked here must be refused, so that all these tests find it as it was."""
    path = shutil.copy(drawn, tmp_path_factory.mktemp("refusing") / "room.duckdb")
    with EventStore.open(path, read_only=False) as opened:
        yield visitor(opened, Room(opened, token="to write")), opened


@pytest.fixture(scope="module")
def answered(refusing: tuple[TestClient, EventStore]) -> dict[str, Any]:
    """An answer that the room holds."""
    client, store = refusing
    answer = {**SAID, "coder": "first", "document": reading_order(store)[0]}
    assert order(client, "answer", json=answer).status_code == 200
    return answer


def order(client: TestClient, name: str, changes: dict[str, Any] | None = None, **more: Any) -> Any:
    """The answer to an order of the page itself, some of its headers changed."""
    headers = {name: value for name, value in {**OWN, **(changes or {})}.items() if value is not None}
    return client.post(f"/api/label/{name}", headers=headers, **more)


def present(store: EventStore) -> dict[tuple[int, str], Any]:
    return {
        (answer.document, answer.coder): "unclear" if answer.unclear else list(answer.acting)
        for answer in current_answers(store)
    }


@pytest.mark.long
def test_an_answer_is_stored_changed_and_taken_back(client: TestClient, store: EventStore) -> None:
    first, second = reading_order(store)[:2]
    content = client.get("/api/label/room?coder=anna").json()
    assert content["documents"] == reading_order(store)
    assert [actor["code"] for actor in content["actors"]] == list(ACTORS)
    assert (content["question"], content["answered"]) == ("Which of these attack here?", [])
    answer = order(client, "answer", json={**SAID, "document": first})
    assert answer.status_code == 200
    content = answer.json()
    assert (content["revision"], content["progress"]["answered"], content["progress"]["open"]) == (1, 1, True)
    order(client, "answer", json={**SAID, "document": second, "acting": [], "unclear": True})
    order(client, "answer", json={**SAID, "document": first, "acting": ["KWT", "IRQ"], "revision": 1})
    assert present(store) == {(first, "anna"): ["IRQ", "KWT"], (second, "anna"): "unclear"}
    undone = order(client, "undo", json={"coder": "anna"}).json()
    assert (undone["document"], undone["answer"]) == (first, {"acting": ["IRQ"], "unclear": False})
    undone = order(client, "undo", json={"coder": "anna"}).json()
    assert (undone["document"], undone["answer"], undone["revision"]) == (second, None, 2)
    again = order(client, "answer", json={**SAID, "document": second, "revision": 2})
    assert (again.status_code, again.json()["revision"]) == (200, 3)


def test_a_conflict_tells_what_is_there(client: TestClient, store: EventStore) -> None:
    number = reading_order(store)[0]
    order(client, "answer", json={**SAID, "document": number})
    answer = order(client, "answer", json={**SAID, "document": number, "acting": []})
    assert answer.status_code == 409
    assert answer.json()["answer"] == {"acting": ["IRQ"], "unclear": False}
    assert answer.json()["revision"] == 1
    assert present(store) == {(number, "anna"): ["IRQ"]}
    order(client, "answer", json={**SAID, "document": number, "coder": "ben", "acting": []})
    assert client.get("/api/label/disagreements").json()[0]["answer"] is None
    settled = {**SAID, "document": number, "coder": "judge"}
    assert order(client, "settle", json=settled).json()["revision"] == 1
    answer = order(client, "settle", json={**settled, "coder": "other judge", "acting": []})
    assert (answer.status_code, answer.json()["revision"]) == (409, 1)
    assert answer.json()["answer"] == {"acting": ["IRQ"], "unclear": False}
    content = client.get("/api/label/disagreements").json()
    assert [(answer["coder"], answer["acting"]) for answer in content[0]["answers"]] == [("anna", ["IRQ"]), ("ben", [])]
    assert (content[0]["answer"], content[0]["revision"]) == ({"acting": ["IRQ"], "unclear": False}, 1)


REFUSED = [
    ({"acting": ["USA"]}, "no actor 'USA'"),
    ({"acting": "IRQ"}, "acting must be a list of at most 1,000 codes"),
    ({"acting": [1]}, "acting must be a list"),
    ({"unclear": True}, "acting must be empty if unclear is true"),
    ({"unclear": 0}, "unclear must be true or false; it is 0."),
    ({"revision": -1}, "revision must be a whole number from 0; it is -1."),
    ({"revision": True}, "revision must be a whole number from 0; it is true."),
    ({"document": "1"}, 'document must be a whole number from 0; it is "1".'),
    ({"document": 10**30}, "document must be a whole number from 0"),
    ({"document": 1.5}, "document must be a whole number from 0"),
    ({"coder": " "}, 'coder must be a text that is not empty; it is " ".'),
    ({"coder": "a" * 61}, "coder must be a name of 1 to 60 printable letters"),
    ({"coder": "a\nb"}, "coder must be a name"),
    ({"coder": None}, "coder must be a text"),
    ({"colour": "red"}, "no field 'colour' in /api/label/answer; it has"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED)
def test_a_bad_field_is_answered_with_what_is_wrong(
    refusing: tuple[TestClient, EventStore], changes: dict[str, Any], message: str
) -> None:
    client, store = refusing
    before = present(store)
    answer = order(client, "answer", json={**SAID, "document": reading_order(store)[0], **changes})
    assert answer.status_code == 400
    assert message in answer.json()["error"]
    assert present(store) == before


BODIES = [b"", b"{", b"[]", b"null", b'"a"', b"\xff", b"[" * 60_000, b'{"document": 1}']


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
@pytest.mark.parametrize("name", sorted(ORDERS))
def test_a_bad_body_is_answered_with_what_is_wrong(
    refusing: tuple[TestClient, EventStore], name: str, body: bytes
) -> None:
    answer = order(refusing[0], name, content=body)
    assert answer.status_code == 400
    assert "must be" in answer.json()["error"] or "no field" in answer.json()["error"]


def test_a_document_that_was_not_drawn_is_neither_shown_nor_answered(client: TestClient, store: EventStore) -> None:
    other = next(number for number in range(100) if number not in reading_order(store))
    answer = order(client, "answer", json={**SAID, "document": other})
    assert (answer.status_code, "was not drawn" in answer.json()["error"]) == (400, True)
    answer = client.get(f"/api/label/document?coder=anna&number={other}")
    assert (answer.status_code, "was not" in answer.json()["error"]) == (400, True)


FORGED: list[tuple[dict[str, str | None], int]] = [
    ({"origin": None}, 403),
    ({"origin": "http://evil.example"}, 403),
    ({"origin": "http://localhost:1"}, 403),
    ({"sec-fetch-site": "same-site"}, 403),
    ({TOKEN: None}, 403),
    ({TOKEN: "to read"}, 403),
    ({"host": "evil.example"}, 421),
    ({"content-type": "text/plain"}, 415),
    ({"content-type": "application/x-www-form-urlencoded"}, 415),
    ({"content-type": "text/plain; application/json"}, 415),
]


@pytest.mark.parametrize(("changes", "status"), FORGED)
@pytest.mark.parametrize("name", sorted(ORDERS))
def test_a_forged_order_is_refused(
    refusing: tuple[TestClient, EventStore],
    answered: dict[str, Any],
    name: str,
    changes: dict[str, str | None],
    status: int,
) -> None:
    client, store = refusing
    content = json.dumps({**answered, "acting": [], "revision": 1} if name != "undo" else {"coder": "first"})
    before = present(store)
    assert before
    assert order(client, name, changes, content=content).status_code == status
    assert present(store) == before


def test_who_has_not_opened_the_page_may_do_nothing(store: EventStore, room: Room) -> None:
    stranger = visitor(store, room, cookie="guessed")
    assert order(stranger, "undo", json={"coder": "anna"}).status_code == 403
    assert stranger.get("/label").status_code == 403
    assert "to write" not in stranger.get("/label").text


def test_the_size_of_a_body_has_a_limit(client: TestClient) -> None:
    fits = json.dumps({"coder": "a" * (MAX_BODY - 13)}).encode()
    assert len(fits) == MAX_BODY
    assert order(client, "undo", content=fits).status_code == 400
    assert order(client, "undo", content=fits + b" ").status_code == 413


def test_a_body_that_never_arrives_is_not_waited_for(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling, "SECONDS", 0.0)
    answer = order(client, "undo", json={"coder": "anna"})
    assert (answer.status_code, answer.json()["error"]) == (408, "the body must arrive within 0 seconds.")


def test_only_orders_write_and_only_in_a_room(client: TestClient, store: EventStore) -> None:
    for path in ("/", "/label", "/api/overview", "/api/label/room", "/api/label/document"):
        assert client.post(path, headers=OWN, json={}).status_code == 405
    for name in ORDERS:
        assert client.get(f"/api/label/{name}").status_code == 405
        assert client.put(f"/api/label/{name}", headers=OWN, json={}).status_code == 405
    explored = visitor(store, None)
    assert explored.get("/label").status_code == 404
    assert explored.get("/api/label/room?coder=anna").status_code == 404
    assert order(explored, "answer", json={}).status_code == 404
    assert client.get("/api/overview").status_code == 200, "the rest of the page is there too"


def test_every_answer_carries_the_headers_of_safety(client: TestClient) -> None:
    for answer in (client.get("/label"), order(client, "answer", {TOKEN: None}), order(client, "undo", json={})):
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert "access-control-allow-origin" not in answer.headers


@pytest.fixture
def writable_store(room_store: Path) -> Iterator[EventStore]:
    """A store that may be spoilt."""
    with EventStore.open(room_store, read_only=False) as opened:
        yield opened


@pytest.mark.long
def test_a_full_disk_is_reported_and_the_answers_stay(writable_store: EventStore) -> None:
    """No file may grow from here on, as on a full disk; what fits no more is not taken for stored."""
    store, client = writable_store, visitor(writable_store, Room(writable_store, token="to write"))
    order_of_reading, stored = reading_order(store), {}
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    wal = store.path.with_name(f"{store.path.name}.wal")
    assert order(client, "answer", json={**SAID, "document": order_of_reading[0]}).status_code == 200
    stored[order_of_reading[0], "anna"] = ["IRQ"]
    resource.setrlimit(resource.RLIMIT_FSIZE, (wal.stat().st_size, limits[1]))
    try:
        answer = order(client, "answer", json={**SAID, "document": order_of_reading[1]})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert answer.status_code == 503
    assert "cannot be written" in answer.json()["error"]
    copy = shutil.copytree(store.path.parent, store.path.parent.with_name("after a kill"))
    with EventStore.open(copy / store.path.name, read_only=False) as again:
        assert present(again) == stored


def test_a_state_from_before_an_answer_is_stale(store: EventStore, room: Room) -> None:
    """A request after the answer does not receive it, even if it is still being computed."""
    question = questions_of(room, QUESTIONS)["label/intervals"]
    before = question.state()
    room.write(COORDINATOR, ORDERS["answer"].act, **{**SAID, "document": reading_order(store)[0]})
    assert question.state() != before
    assert QUESTIONS["overview"].state() == QUESTIONS["overview"].state()


def test_a_room_that_is_closed_writes_no_more(client: TestClient, store: EventStore, room: Room) -> None:
    room.close()
    answer = order(client, "answer", json={**SAID, "document": reading_order(store)[0]})
    assert (answer.status_code, answer.json()["error"]) == (503, "the page is being closed.")
    assert present(store) == {}


def test_the_words_are_shown_without_what_the_model_found(store: EventStore, room: Room, client: TestClient) -> None:
    number = reading_order(store)[0]
    content = client.get(f"/api/label/document?coder=anna&number={number}").json()
    assert content["view"] is None
    assert content["sentences"]
    assisted = visitor(store, Room(store, assisted=True))
    view = assisted.get(f"/api/label/document?coder=anna&number={number}&sample=3").json()["view"]
    assert (view["document"], view["sample"]) == (number, 3)
    assert view["sentences"] == content["sentences"]


def test_how_far_coders_agree(client: TestClient, store: EventStore) -> None:
    assert client.get("/api/label/agreement").json()["documents"] == 0
    numbers = reading_order(store)[:10]
    give(store, "anna", [(number, ["IRQ"] if at % 2 else []) for at, number in enumerate(numbers)])
    give(store, "ben", [(number, ["IRQ"] if at % 2 and at > 3 else []) for at, number in enumerate(numbers[:-1])])
    order(client, "answer", json={**SAID, "document": numbers[-1], "coder": "ben", "acting": ["IRQ"]})
    total = agreement(store).total
    content = client.get("/api/label/agreement").json()
    assert content == {name: getattr(total, name) for name in ("documents", "alpha", "low", "high", "why")}
    assert (content["documents"], total.differing) == (10, 2)


def test_the_store_is_the_only_file_that_a_query_reads(client: TestClient, store: EventStore) -> None:
    with pytest.raises(duckdb.PermissionException):
        store.ask("SELECT * FROM read_text('/etc/hostname')")


@pytest.mark.parametrize(
    ("table", "damage", "damaged"),
    [
        ("sentences", "spaces = [true]", True),
        pytest.param("sentences", "words = NULL", True, marks=pytest.mark.long),
        ("mentions", "head = 1000", False),
    ],
)
def test_a_damaged_text_is_refused(room_store: Path, table: str, damage: str, damaged: bool) -> None:
    """What is not read cannot mislead: without the model's answer, its tables are not looked at."""
    with duckdb.connect(room_store) as connection:
        connection.execute("ALTER TABLE sentences ALTER COLUMN words DROP NOT NULL")
        number = connection.execute("SELECT document FROM label_sample ORDER BY position").fetchone()[0]
        connection.execute(f"UPDATE {table} SET {damage} WHERE document = {number}")
    with EventStore.open(room_store, read_only=False, checked=False) as store:
        answer = visitor(store, Room(store)).get(f"/api/label/document?coder=anna&number={number}")
        assert (answer.status_code == 400, "is damaged" in answer.text) == (damaged, damaged)
        assisted = visitor(store, Room(store, assisted=True)).get(f"/api/label/document?coder=anna&number={number}")
        assert "is damaged" in assisted.text


def test_titles_of_actors_are_answered(client: TestClient) -> None:
    actors = client.get("/api/label/room?coder=anna").json()["actors"]
    assert [actor["title"] for actor in actors] == ["Iraq", "Yugoslavia", ATTACKS[1]]
