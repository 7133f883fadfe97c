"""Requests to write: only those that the page itself makes."""

from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from howsure_events.explorer.access import TOKEN, forgery_reason

OWN = {"host": "localhost:8350", "origin": "http://localhost:8350", "sec-fetch-site": "same-origin", TOKEN: "secret"}
ELSEWHERE, SITE, OLD = (
    "this request comes from elsewhere",
    "a request by another site",
    "opened before howsure was restarted",
)


def judged(changes: dict[str, str | None], *more: tuple[str, str]) -> str | None:
    headers = [(name, value) for name, value in {**OWN, **changes}.items() if value is not None]
    raw = [(name.encode(), value.encode()) for name, value in (*headers, *more)]
    return forgery_reason(Headers(raw=raw), token="secret")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"sec-fetch-site": None},  # an old browser
        {"host": "LOCALHOST:8350"},
        {"host": "news.example.org", "origin": "https://news.example.org"},  # behind a proxy that encrypts
        {"host": "[::1]:8350", "origin": "http://[0:0::1]:8350"},
    ],
)
def test_its_own_requests_pass(changes: dict[str, str | None]) -> None:
    assert judged(changes) is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"origin": None}, ELSEWHERE),
        ({"origin": "null"}, ELSEWHERE),
        ({"origin": "http://evil.example"}, ELSEWHERE),
        ({"origin": "http://localhost:8351"}, ELSEWHERE),
        ({"origin": "http://localhost:8350.evil.example"}, ELSEWHERE),
        ({"origin": "http://localhost:8350@evil.example"}, ELSEWHERE),
        ({"origin": "http://127.0.0.1:8350"}, ELSEWHERE),
        ({"origin": "file://localhost:8350"}, ELSEWHERE),
        ({"origin": "localhost:8350"}, ELSEWHERE),
        ({"origin": ""}, ELSEWHERE),
        ({"host": None}, ELSEWHERE),
        ({"origin": "null", "host": "null"}, ELSEWHERE),
        ({"sec-fetch-site": "cross-site"}, SITE),
        ({"sec-fetch-site": "same-site"}, SITE),
        ({"sec-fetch-site": "none"}, SITE),
        ({TOKEN: None}, OLD),
        ({TOKEN: ""}, OLD),
        ({TOKEN: "Secret"}, OLD),
        ({TOKEN: "secret "}, OLD),
        ({TOKEN: "s\u00e9cret"}, OLD),
    ],
)
def test_all_others_are_refused(changes: dict[str, str | None], why: str) -> None:
    assert why in (judged(changes) or "")


@pytest.mark.parametrize("name", ["origin", "host", TOKEN])
def test_repeated_headers_are_not_trusted(name: str) -> None:
    assert judged({}, (name, OWN[name]))
