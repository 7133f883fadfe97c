"""Serving: the names that are answered to, ports, and what the command says."""

from __future__ import annotations

import re
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from howsure.cli.events.page import explore_command
from howsure.errors import InputError, MissingExtraError
from howsure.events.store.event_store import EventStore
from howsure.explorer import Address, serve
from howsure.explorer.access import host_in, is_loopback
from tests.explorer.serving import ServedPage


def test_names_that_an_address_answers_to() -> None:
    own = ("localhost", "127.0.0.1", "::1")
    assert Address().answers_to() == own
    assert Address("192.0.2.7", names=["News.example.org"]).answers_to() == (*own, "192.0.2.7", "news.example.org")
    assert Address("0.0.0.0").answers_to() == (*own, socket.gethostname().lower())


PRIVATE = ("127.0.0.1", "localhost", "::1", "127.8.8.8")
EXPOSED = ("0.0.0.0", "::", "192.0.2.7", "example.org")


@pytest.mark.parametrize(("host", "private"), [*((one, True) for one in PRIVATE), *((one, False) for one in EXPOSED)])
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
    found = host_in(header)
    assert (found and found.name) == name


def test_a_port_that_is_taken_is_told(store: EventStore) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = (
            f"the page cannot be served at 127.0.0.1, port {port}: Address already in use. Name another port, or 0"
        )
        with pytest.raises(InputError, match=re.escape(message)):
            serve(store, Address(port=port), ready=pytest.fail)


def test_a_host_that_is_not_this_machine_is_told(store: EventStore) -> None:
    with pytest.raises(InputError, match=r"the page cannot be served at 192\.0\.2\.7, port 0"):
        serve(store, Address("192.0.2.7", 0), ready=pytest.fail)


def test_exposing_the_page_is_warned_of(store_path: Path, capsys: Any) -> None:
    with pytest.raises(InputError):
        explore_command([str(store_path), "--host", "192.0.2.7", "--port", "0", "--no-open"], standalone_mode=False)
    assert (
        "other machines can reach the page at 192.0.2.7, and anyone who has its address with the token can read all "
        "documents" in capsys.readouterr().err
    )


def test_a_file_that_is_no_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no store"):
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
