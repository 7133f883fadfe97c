"""Connections: those that never finish a request are ended, and as many as there may be, the page is there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from tests.explorer.serving import serving

from howsure_events.explorer.server import PromptConnection

BEGUN = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
LATE = 60


@contextmanager
def answering(application: Any, *, most: int, seconds: float) -> Iterator[int]:
    """The port of an application behind connections with small limits."""
    kind = type("Limited", (PromptConnection,), {"most": most, "seconds": seconds})
    config = uvicorn.Config(application, http=kind, ws="none", log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(LATE)
            assert not thread.is_alive()


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


def line_to(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=LATE)


def is_ended(line: socket.socket) -> bool:
    """Whether the other side ends a connection, which is waited for."""
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True


def is_ended_by_now(line: socket.socket) -> bool:
    try:
        return is_ended(line)
    except TimeoutError:
        return False


@pytest.mark.parametrize("sent", [b"", b"GET", BEGUN, BEGUN + b"Content-Length: 9\r\n"])
def test_a_request_that_never_ends_is_ended(sent: bytes) -> None:
    with answering(hello, most=9, seconds=0.2) as port, line_to(port) as line:
        line.sendall(sent)
        assert is_ended(line)


def test_bytes_that_trickle_in_do_not_prolong_it() -> None:
    with answering(hello, most=9, seconds=0.2) as port, line_to(port) as line:
        line.sendall(BEGUN)
        line.settimeout(0.01)
        while not is_ended_by_now(line):
            with suppress(ConnectionError):
                line.sendall(b"a: b\r\n")


def test_a_body_that_nobody_reads_does_not_hold_a_connection() -> None:
    with answering(hello, most=9, seconds=0.2) as port, line_to(port) as line:
        line.sendall(BEGUN.replace(b"GET", b"POST") + b"Content-Length: 1000000\r\n\r\n" + b"a" * 100)
        received = b""
        while not received.endswith(b"hello"):
            received += line.recv(100)
        line.sendall(b"a")
        assert is_ended(line)


def test_a_connection_is_used_again() -> None:
    with answering(hello, most=9, seconds=LATE) as port, httpx2.Client() as client:
        assert {client.get(f"http://127.0.0.1:{port}/").text for _ in range(5)} == {"hello"}


def test_beside_many_that_wait_the_page_is_there() -> None:
    """Those that have waited longest make room."""
    with ExitStack() as connections:
        port = connections.enter_context(answering(hello, most=5, seconds=LATE))
        lines = [connections.enter_context(line_to(port)) for _ in range(20)]
        for line in lines[-4:]:
            line.sendall(BEGUN)
        assert httpx2.get(f"http://127.0.0.1:{port}/", timeout=LATE).text == "hello"
        assert all(is_ended(line) for line in lines[:15])
        lines[-1].sendall(b"\r\n")
        assert lines[-1].recv(12) == b"HTTP/1.1 200"


def test_who_is_being_answered_is_not_cut_off() -> None:
    ready = threading.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        import anyio

        await anyio.to_thread.run_sync(ready.wait)
        await hello(scope, receive, send)

    with ExitStack() as connections:
        port = connections.enter_context(answering(slow, most=3, seconds=LATE))
        connections.callback(ready.set)  # before the server ends, whatever happens
        asking = connections.enter_context(line_to(port))
        asking.sendall(BEGUN + b"\r\n")
        others = [connections.enter_context(line_to(port)) for _ in range(10)]
        assert all(is_ended(line) for line in others[:8])
        ready.set()
        assert asking.recv(12) == b"HTTP/1.1 200"


@pytest.mark.long
def test_three_hundred_that_never_finish_do_not_block_the_page(store_path: Path) -> None:
    """More than may wait, and more than the files that a process may have open on some systems."""
    with serving(store_path, files=256) as page, ExitStack() as connections:
        for _ in range(300):
            connections.enter_context(line_to(page.port)).sendall(BEGUN)
        with page.client() as visiting:
            assert visiting.get("/api/overview").status_code == 200
