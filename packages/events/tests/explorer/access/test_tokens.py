"""The token: who brings none, or another, reads nothing; who brings it needs it once."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from tests.explorer.serving import ServedPage

from howsure_events.explorer import Tokens, create_app
from howsure_events.explorer.access import COORDINATOR, HEADERS, new_token
from howsure_events.explorer.queries import QUESTIONS
from howsure_events.store.event_store import EventStore

HOME, TOKEN, ONCE = "http://localhost:8350", "of-this-test", "for-the-browser"
COOKIE = f"howsure-8350={TOKEN}"
REFUSED = "This page opens by the address with its token, which the howsure command printed when it was started"
WITHOUT = (
    "",
    "token=",
    "token=other",
    f"token={TOKEN}x",
    f"token={TOKEN}&token={TOKEN}",
    f"Token={TOKEN}",
    TOKEN,
    "token=ä",
)
COOKIES = (
    "",
    "howsure-8350=",
    "howsure-8350=other",
    f"howsure-80={TOKEN}",
    f"howsure={TOKEN}",
    f'x="{COOKIE}',
    "\x00=;;=",
)


@pytest.fixture
def stranger(store: EventStore) -> TestClient:
    return TestClient(create_app(store, tokens=Tokens({TOKEN: COORDINATOR}, ONCE)), base_url=HOME)


@pytest.mark.parametrize("query", WITHOUT)
def test_without_the_token_nothing_is_revealed(stranger: TestClient, query: str) -> None:
    answer = stranger.get(f"/?{query}")
    assert answer.status_code == 403
    assert answer.text.startswith(REFUSED)
    assert "set-cookie" not in answer.headers
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    for name in (*QUESTIONS, "nowhere"):
        response = stranger.get(f"/api/{name}?{query}")
        assert (response.status_code, response.json()["error"].startswith(REFUSED)) == (403, True)


@pytest.mark.parametrize("cookie", COOKIES)
def test_another_cookie_is_none(stranger: TestClient, cookie: str) -> None:
    assert stranger.get("/api/overview", headers={"cookie": cookie}).status_code == 403


def test_the_address_with_the_token_gives_a_cookie_that_opens_all(stranger: TestClient) -> None:
    answer = stranger.get(f"/?token={TOKEN}")
    assert answer.status_code == 200
    assert answer.headers["set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict"
    assert stranger.get("/api/overview").status_code == 200  # the client keeps the cookie
    assert stranger.get("/").status_code == 200
    assert stranger.get(f"/?token={TOKEN}").status_code == 200


@pytest.mark.parametrize("other", ["a=1", 'seen={"news":1}', "a=b c", "a,b=1", "a@b=1", "alone", "=", "caf\u00e9=1"])
def test_a_cookie_among_others_is_found(stranger: TestClient, other: str) -> None:
    """Ports share the cookies of their host: another program's, whatever it holds, must not lock the user out."""
    cookies = f"{other}; {COOKIE}; howsure-8351=other".encode("latin-1")
    assert stranger.get("/", headers={b"cookie": cookies}).status_code == 200


def test_a_stranger_with_many_parameters_gets_the_usual_refusal(stranger: TestClient) -> None:
    query = "&".join(f"a{n}=1" for n in range(100))
    assert stranger.get(f"/?{query}").status_code == 403
    assert stranger.get(f"/?{query}&token={TOKEN}").status_code == 200


def test_what_a_browser_is_started_with_opens_the_page_once(stranger: TestClient) -> None:
    assert stranger.get(f"/?token={ONCE}").headers["set-cookie"].startswith(COOKIE)
    assert stranger.get("/").status_code == 200
    stranger.cookies.clear()
    assert stranger.get(f"/?token={ONCE}").status_code == 403


def test_the_token_opens_the_page_under_its_names_only(stranger: TestClient) -> None:
    assert stranger.get(f"/?token={TOKEN}", headers={"host": "evil.example"}).status_code == 421


def test_the_token_does_not_open_a_question_by_its_address(stranger: TestClient) -> None:
    """It would be in histories and be passed on; only the page accepts it."""
    assert stranger.get(f"/api/overview?token={TOKEN}").status_code == 403


def test_every_start_has_a_token_of_its_own(page: ServedPage) -> None:
    token = page.address.partition("token=")[2]
    assert len({new_token(), new_token(), token}) == 3
    with page.client() as visiting:
        assert visiting.get("/api/overview").status_code == 200
        assert visiting.cookies[f"howsure-{page.port}"] == token
