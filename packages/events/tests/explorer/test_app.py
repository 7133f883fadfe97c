"""The addresses: what they answer, what they refuse, and the headers of every answer."""

from __future__ import annotations

import csv
import json
import re
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.explorer.serving import ServedPage

from howsure.errors import InputError, MissingExtraError
from howsure_events.commands.page import explore_command
from howsure_events.explorer import Address, Tokens, create_app, queries, serve
from howsure_events.explorer.access import COORDINATOR, HEADERS, LOOPBACK, is_loopback, parse_host
from howsure_events.explorer.queries import QUESTIONS, corrected, corrected_pair
from howsure_events.series.event_series import event_series
from howsure_events.series.files import doubtful_documents, period_documents
from howsure_events.store.event_store import EventStore

HOME = "http://localhost:8350"
TOKEN = "of-this-test"


def visitor(store: Any, **options: Any) -> TestClient:
    """One who brings the token, as a browser does that has opened the page under any of its names."""
    app = create_app(store, tokens=Tokens({TOKEN: COORDINATOR}), **options)
    cookies = {f"howsure-{port}": TOKEN for port in (1, 80, 8350)}
    return TestClient(app, base_url=HOME, raise_server_exceptions=False, cookies=cookies)


@pytest.fixture(scope="module")
def client(store: EventStore) -> TestClient:
    return visitor(store)


ANSWERS: list[tuple[str, Any]] = [
    ("overview", lambda store: queries.overview(store)),
    ("series?actors=IRQ", lambda store: queries.series(store, ["IRQ"])),
    (
        "series?actors=YUG&actors=NATO&period=month&interval=samples&unit=entities&level=0.9",
        lambda store: queries.series(
            store, ["YUG", "NATO"], period="month", interval="samples", unit="entities", level=0.9
        ),
    ),
    ("series?actors=IRQ&actors=Iraq&actors=IRQ", lambda store: queries.series(store, ["IRQ"])),
    ("point?actor=IRQ&at=1999-Q1", lambda store: period_documents(store, "IRQ", at="1999-Q1")),
    ("document?number=0", lambda store: queries.read_document(store, 0, sample="best")),
    ("document?number=3&sample=39", lambda store: queries.read_document(store, 3, sample=39)),
    ("compare?first=NATO&second=YUG&period=year", lambda store: queries.compare(store, "NATO", "YUG", period="year")),
    (
        "corrected?period=year&level=0.9&unit=share",
        lambda store: corrected(store, period="year", level=0.9, unit="share"),
    ),
    ("corrected-pair?first=NATO&second=YUG", lambda store: corrected_pair(store, "NATO", "YUG")),
    ("doubtful", lambda store: doubtful_documents(store)),
    (
        "doubtful?actor=IRQ&low=0.4&high=0.6&limit=3",
        lambda store: doubtful_documents(store, actor="IRQ", low=0.4, high=0.6, limit=3),
    ),
]


@pytest.mark.parametrize(("address", "expected"), ANSWERS, ids=[address for address, _ in ANSWERS])
def test_an_address_answers_what_the_store_says(
    client: TestClient, store: EventStore, address: str, expected: Any
) -> None:
    answer = client.get(f"/api/{address}")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    assert answer.json() == json.loads(json.dumps(expected(store)))


def test_the_table_is_the_export(client: TestClient, store: EventStore) -> None:
    answer = client.get("/api/export.csv?actors=IRQ&actors=USA&period=month")
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="events.csv"'
    assert answer.text == f"{event_series(store, actors=['IRQ', 'USA'], period='month').to_csv()}\n"
    assert {row["actor"] for row in csv.DictReader(answer.text.splitlines())} == {"IRQ", "USA"}


REFUSED = [
    ("series", "actors must be given; it is missing."),
    ("series?actors=IRK", "no actor 'IRK' in the store; it has"),
    ("series?actors=IRQ&period=day", "period must be one of week, month, quarter, year; it is 'day'."),
    ("series?actors=IRQ&interval=wald", "interval must be one of exact, normal, samples; it is 'wald'."),
    ("series?actors=IRQ&unit=shares", "unit must be one of documents, share, entities; it is 'shares'."),
    ("series?actors=IRQ&level=1", "level"),
    ("series?actor=IRQ", "no parameter 'actor' in /api/series; it has actors, period, level, interval, unit."),
    ("series?" + "&".join(["actors=IRQ"] * 7), "actors must be given at most 6 times; it is given 7 times."),
    ("corrected?actors=IRQ", "no parameter 'actors' in /api/corrected; it has period, level, unit."),
    ("point?actor=IRQ&at=1950-Q1", "no period '1950-Q1' in the store"),
    ("point?actor=IRQ&at=../../etc/passwd", "no period '../../etc/passwd' in the store"),
    ("document?number=99999", "the store has no document 99999"),
    ("document?number=1;DROP TABLE documents", "number must be a whole number from 0 to"),
    ("document?number=0&sample=50", "sample must be 'best' or a whole number from 0 to 49; it is 50."),
    ("compare?first=IRQ&second=IRQ", "first and second must be different actors; both are IRQ."),
    ("compare?first=IRQ&second=' OR 1=1 --", 'no actor "\' OR 1=1 --" in the store'),
    ("doubtful?low=0.9&high=0.1", "low and high must satisfy"),
    ("doubtful?limit=100000", "limit must be a whole number from 1 to 1000; it is '100000'."),
    ("overview?period=year", "no parameter 'period' in /api/overview"),
]


@pytest.mark.parametrize(("address", "message"), REFUSED)
def test_a_bad_parameter_is_answered_with_what_is_wrong(client: TestClient, address: str, message: str) -> None:
    answer = client.get(f"/api/{address}")
    assert answer.status_code == 400
    assert message in answer.json()["error"]


NOWHERE = (
    "/api",
    "/api/",
    "/api/tables",
    "/page/index.html",
    "/static/../app.py",
    "/%2e%2e/%2e%2e/etc/passwd",
    "//etc/passwd",
)


@pytest.mark.parametrize("path", NOWHERE)
def test_nothing_else_is_there(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "/api/series" in answer.json()["error"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_it_is_for_reading(client: TestClient, method: str) -> None:
    assert [client.request(method, path).status_code for path in ("/", "/api/overview")] == [405, 405]


@pytest.mark.parametrize("path", ["/", "/api/overview", "/api/series", "/nowhere"])
def test_every_answer_carries_the_headers_of_safety(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers
    assert client.get(path, headers={"host": "evil.example"}).headers["content-security-policy"]


STRANGERS = (
    "evil.example",
    "evil.example:8350",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.1",
    "",
    "[::2]",
    "localhost@evil.example",
    "[localhost]evil.example",
    "[localhost]",
    "[::1]evil.example",
    "127.0.0.1:8911@evil.example",
    "127.0.0.1:8911:80",
    "localhost:http",
    "localhost/evil.example",
    "localhost evil.example",
    "localhost..",
    "[127.0.0.1]",
    "[::1",
    "localhost:123456",
)


@pytest.mark.parametrize("path", ["/", "/api/overview", "/api/document?number=0"])
@pytest.mark.parametrize("host", STRANGERS)
def test_another_host_is_refused(client: TestClient, path: str, host: str) -> None:
    """DNS rebinding: the attacker's name leads here, and is in the Host header."""
    answer = client.get(path, headers={"host": host})
    assert answer.status_code == 421
    assert "This page answers only to 127.0.0.1, ::1, localhost" in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:8350", "[::1]:8350", "localhost.:8350"])
def test_its_own_names_are_answered(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


def test_a_page_for_others_answers_to_its_names_and_to_numbers(store: EventStore) -> None:
    client = visitor(store, names=(*LOOPBACK, "News.example.org"), any_number=True)
    hosts = ("news.example.org:80", "10.1.2.3", "[fe80::1]:8350", "evil.example", "10.1.2.3.evil.example")
    status = {host: client.get("/", headers={"host": host}).status_code for host in hosts}
    assert list(status.values()) == [200, 200, 200, 421, 421]


def test_internal_errors_show_no_details(store: EventStore, client: TestClient) -> None:
    class Broken:
        settings, facts = store.settings, None

        @property
        def connection(self) -> Any:
            raise RuntimeError("a secret path")

    answer = visitor(Broken()).get("/api/overview")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.json()["error"].startswith("this should not have happened (RuntimeError)")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_questions_are_answered_side_by_side(client: TestClient, page: ServedPage) -> None:
    """Twelve at once, by the real server, each as if it were alone."""
    paths = [f"api/{address}" for address, _ in ANSWERS[:6]] * 2
    with ThreadPoolExecutor(12) as threads, page.client() as visiting:
        answers = list(threads.map(lambda path: visiting.get(f"/{path}").json(), paths))
    assert answers == [client.get(f"/{path}").json() for path in paths]


def test_the_first_load_is_small(client: TestClient) -> None:
    addresses = ("/", "/api/overview", "/api/series?actors=IRQ&actors=NATO")
    assert sum(len(client.get(address).content) for address in addresses) < 500_000


def test_every_question_has_a_test() -> None:
    tested = {address.partition("?")[0] for address, _ in ANSWERS} | {"export.csv"}
    assert tested == set(QUESTIONS)


# Serving: the names that are answered to, ports, and what the command says.


def test_names_that_an_address_answers_to() -> None:
    own_names = ("localhost", "127.0.0.1", "::1")
    assert Address().answers_to() == own_names
    assert Address("192.0.2.7", names=["News.example.org"]).answers_to() == (
        *own_names,
        "192.0.2.7",
        "news.example.org",
    )
    assert Address("0.0.0.0").answers_to() == (*own_names, socket.gethostname().lower())


PRIVATE = ("127.0.0.1", "localhost", "::1", "127.8.8.8")
EXPOSED = ("0.0.0.0", "::", "192.0.2.7", "example.org")


@pytest.mark.parametrize(
    ("host", "private"), [*((name, True) for name in PRIVATE), *((name, False) for name in EXPOSED)]
)
def test_what_only_this_machine_reaches(host: str, private: bool) -> None:
    assert is_loopback(host) == Address(host).is_private == private


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("a:1", "a"),
        ("A", "a"),
        ("[::1]", "::1"),
        ("[::1]:80", "::1"),
        ("[0:0::1]", "::1"),
        ("a.:80", "a"),
        ("", None),
        (" b ", "b"),
        ("[a]b", None),
        ("a@b", None),
        ("a:1@b", None),
        ("a b", None),
        ("[fe80::1%eth0]", None),
        ("a\n", None),
        ("ä", None),
    ],
)
def test_the_name_in_a_header(header: str, name: str | None) -> None:
    host_name = parse_host(header)
    assert (host_name and host_name.name) == name


def test_a_port_in_use_is_reported(store: EventStore) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        message = f"the page cannot be served at 127.0.0.1, port {port}: Address already in use. Name another port"
        with pytest.raises(InputError, match=re.escape(message)):
            serve(store, Address(port=port), ready=pytest.fail)


def test_a_host_of_another_machine_is_reported(store: EventStore) -> None:
    with pytest.raises(InputError, match=r"the page cannot be served at 192\.0\.2\.7, port 0"):
        serve(store, Address("192.0.2.7", 0), ready=pytest.fail)


def test_exposing_the_page_is_warned_of(store_path: Path, capsys: Any) -> None:
    with pytest.raises(InputError):
        explore_command([str(store_path), "--host", "192.0.2.7", "--port", "0", "--no-open"], standalone_mode=False)
    assert (
        "other machines can reach the page at 192.0.2.7, and anyone who has its address with the token can read all "
        "documents" in capsys.readouterr().err
    )


def test_a_file_that_is_not_a_store_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        explore_command([str(tmp_path / "s.duckdb"), "--no-open"], standalone_mode=False)


@pytest.mark.parametrize("module", ["starlette", "uvicorn"])
def test_a_missing_extra_is_named(store: EventStore, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)  # what an import finds where nothing is installed
    with pytest.raises(MissingExtraError, match=re.escape('pip install "howsure[events]"')):
        serve(store, Address(port=0), ready=pytest.fail)


def test_the_real_server_guards_its_door(page: ServedPage) -> None:
    with page.client() as visiting:
        answer = visiting.get("/")
        assert answer.status_code == 200
        assert "server" not in answer.headers
        assert visiting.get("/", headers={"host": "evil.example"}).status_code == 421
    with socket.create_connection(("127.0.0.1", page.port)) as line:
        line.sendall(b"GET / HTTP/1.0\r\n\r\n")  # no Host at all
        assert line.recv(1000).split()[1] in (b"421", b"400")
