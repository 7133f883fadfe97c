"""The page on an address of this machine, until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from howsure.errors import InputError
from howsure.events.store.reading import Store
from howsure.explorer.access.guard import PAGE, ROOM
from howsure.explorer.access.hosts import EVERYWHERE, LOOPBACK, is_loopback
from howsure.explorer.access.tokens import PARAMETER, Tokens, new_token
from howsure.explorer.answers import Answers
from howsure.explorer.app import create_app
from howsure.explorer.labelling.room import Room
from howsure.first_use import require

WAITING = 128  # connections that the system keeps until they are taken
FILES = 1024  # that the process may have open: macOS allows 256, fewer than a burst of connections
GRACE = 2  # seconds for answers that are underway at the end


@dataclass(frozen=True, slots=True)
class Address:
    """Where a page is served: a name or a number of this machine, and a port (0: any that is free).

    `names` are more names by which the page may be reached, as others on the network write them.
    """

    host: str = "127.0.0.1"
    port: int = 8350
    names: Sequence[str] = ()

    @property
    def is_private(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    def answers_to(self) -> tuple[str, ...]:
        """All names that a request may call the page by."""
        own = (socket.gethostname(),) if self.host in EVERYWHERE else (self.host,)
        return tuple(dict.fromkeys(name.lower() for name in (*LOOPBACK, *own, *self.names)))


@dataclass(frozen=True, slots=True)
class Opening:
    """The addresses that open a served page: one for people, and one that a browser is started with, good for once."""

    address: str
    once: str


def serve(store: Store, address: Address, *, ready: Callable[[Opening], None], room: Room | None = None) -> None:
    """Serve the page of a store until Ctrl-C; `ready` is told what opens it once it can be asked.

    With a `room`, a labelling room of the same store, that is what opens.

    Raises InputError where it cannot be served, MissingExtraError without the extra `events`.
    """
    require("The page of events", "events", "starlette", "uvicorn")
    import uvicorn

    from howsure.explorer.access.connections import PromptConnection

    token, once, answers = new_token(), new_token(), Answers()
    everywhere = address.host in EVERYWHERE
    application = create_app(
        store,
        tokens=Tokens(token, once),
        names=address.answers_to(),
        any_number=everywhere,
        answers=answers,
        room=room,
    )
    with _listening(address) as listening:
        home = (
            f"http://{_shown(address.host)}:{listening.getsockname()[1]}{PAGE if room is None else ROOM}?{PARAMETER}="
        )
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
        ready(Opening(home + token, home + once))
        try:
            uvicorn.Server(config).run(sockets=[listening])
        finally:
            answers.close()
            if room is not None:
                room.close()


def _allow_files() -> None:
    """Raise the number of files that this process may have open, where the system says so and lets it."""
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
            f"the page cannot be served at {address.host}, port {address.port}: {reason}. "
            "Name another port, or 0 for any that is free."
        ) from error
    return listening


def _shown(host: str) -> str:
    """A host as a URL has it, one that this machine's browser reaches."""
    reached = "127.0.0.1" if host == "0.0.0.0" else "::1" if host == "::" else host
    return f"[{reached}]" if ":" in reached else reached
