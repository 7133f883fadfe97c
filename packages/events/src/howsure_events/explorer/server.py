"""A local web server for the page, which closes idle connections."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from uvicorn.protocols.http.h11_impl import H11Protocol

from howsure.errors import InputError
from howsure.lazy_imports import require
from howsure.regression.results import PredictedRegression
from howsure_events.explorer.access import (
    COORDINATOR,
    EVERYWHERE,
    LOOPBACK,
    PAGE,
    PARAMETER,
    ROOM,
    Tokens,
    Visitor,
    is_loopback,
    new_token,
)
from howsure_events.explorer.app import Answers, create_app
from howsure_events.explorer.labelling import Room
from howsure_events.languages import ENGLISH
from howsure_events.store.store_queries import Store

MAX_CONNECTIONS = 128
SECONDS = 10.0  # within which a request must arrive


class PromptConnection(H11Protocol):
    """An HTTP/1.1 connection with limits.

    If there are more than `most` connections, those that have waited longest for a request are closed. A connection
    whose request is not complete after `seconds` is closed too, even if it still sends bytes.
    """

    most, seconds = MAX_CONNECTIONS, SECONDS
    waiting_since = 0.0
    limit: asyncio.TimerHandle | None = None

    @property
    def is_answering(self) -> bool:
        """Whether a complete request was received and its response is not finished."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a request; close other connections if necessary."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self.most:
            self.loop.call_soon(self.loop.call_soon, self._make_room)  # after the data of all connections were read

    def data_received(self, data: bytes) -> None:
        """Continue reading; the first bytes of a request start its time limit, later ones do not extend it."""
        super().data_received(data)
        if self.is_answering:
            self._stop_waiting()
        elif self.limit is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def cut_off(self) -> None:
        """Close the connection at once, unless its request is being answered."""
        if not self.is_answering:
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the connections that have waited longest for their request."""
        waiting = [
            connection
            for connection in self.connections
            if isinstance(connection, PromptConnection) and not connection.is_answering
        ]
        too_many = max(len(self.connections) - self.most, 0)
        for connection in sorted(waiting, key=lambda connection: connection.waiting_since)[:too_many]:
            connection.cut_off()

    def _wait(self) -> None:
        self.waiting_since = self.loop.time()
        self.limit = self.loop.call_later(self.seconds, self.cut_off)

    def _stop_waiting(self) -> None:
        if self.limit is not None:
            self.limit.cancel()
            self.limit = None


WAITING = 128  # connections that the system queues until they are accepted
FILES = 1024  # open files of the process; the 256 of macOS are too few for a burst of connections
GRACE = 2  # seconds to finish responses when the server is stopped


@dataclass(frozen=True, slots=True)
class Address:
    """The address at which a page is served: a host name or IP address of this machine, and a port (0: any free one).

    names: further host names under which others on the network can reach the page.
    """

    host: str = "127.0.0.1"
    port: int = 8350
    names: Sequence[str] = ()

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach the address."""
        return is_loopback(self.host)

    def answers_to(self) -> tuple[str, ...]:
        """Return all host names that requests may use."""
        host_names = (socket.gethostname(),) if self.host in EVERYWHERE else (self.host,)
        return tuple(dict.fromkeys(name.lower() for name in (*LOOPBACK, *host_names, *self.names)))


@dataclass(frozen=True, slots=True)
class Opening:
    """The URLs that open a served page: one for each visitor, and one for this machine's browser.

    once: the URL for the browser, which opens the page only once, as the first visitor of `addresses`.
    """

    addresses: Mapping[Visitor, str]
    once: str


def serve(
    store: Store,
    address: Address,
    *,
    ready: Callable[[Opening], None],
    room: Room | None = None,
    regression: PredictedRegression | None = None,
    language: str = ENGLISH,
) -> None:
    """Serve the page of a store until Ctrl-C. `ready` is called with its URLs when the server is about to answer.

    room: a labelling room of the same store, whose page is opened instead, with a token for each visitor. regression: a
    regression on the store to show. language: the language of the pages.

    Raises InputError if the address cannot be used, MissingExtraError without the extra `events`.
    """
    require("The page of events", "events", "starlette", "uvicorn")
    import uvicorn

    visitors = {new_token(): visitor for visitor in ((COORDINATOR,) if room is None else room.visitors())}
    once, answers = new_token(), Answers()
    everywhere = address.host in EVERYWHERE
    application = create_app(
        store,
        tokens=Tokens(visitors, once),
        names=address.answers_to(),
        any_number=everywhere,
        answers=answers,
        room=room,
        regression=regression,
        language=language,
    )
    with _listening(address) as listening:
        host, port = _url_host(address.host), listening.getsockname()[1]
        home = f"http://{host}:{port}{PAGE if room is None else ROOM}?{PARAMETER}="
        config = uvicorn.Config(
            application,
            http=PromptConnection,
            ws="none",
            log_level="error",
            access_log=False,
            server_header=False,
            lifespan="off",
            backlog=WAITING,
            timeout_graceful_shutdown=GRACE,
        )
        _allow_files()
        ready(Opening({visitor: home + token for token, visitor in visitors.items()}, home + once))
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            answers.close()
            if room is not None:
                room.close()


def _allow_files() -> None:
    """Raise the limit on the open files of this process, if the system allows it."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < FILES and (hard == resource.RLIM_INFINITY or hard > soft):
        most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _listening(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address.host, address.port))
        listening.listen(WAITING)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"the page cannot be served at {address.host}, port {address.port}: {reason}. Name another port, or any "
            "that is free: `port=0`."
        ) from error
    return listening


def _url_host(host: str) -> str:
    """Return a host as written in a URL that this machine's browser can open."""
    reached = "127.0.0.1" if host == "0.0.0.0" else "::1" if host == "::" else host
    return f"[{reached}]" if ":" in reached else reached
