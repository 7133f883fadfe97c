"""The page on an address of this machine, until it is stopped."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from howsure.errors import InputError, MissingExtraError
from howsure.events.store_reading import Store
from howsure.explorer.app import create_app
from howsure.explorer.security import EVERYWHERE, LOOPBACK, is_loopback


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


def serve(store: Store, address: Address, *, ready: Callable[[str], None]) -> None:
    """Serve the page of a store until Ctrl-C; `ready` is told its URL once it can be asked.

    Raises InputError where it cannot be served, MissingExtraError without the extra `explorer`.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("the page of events", "explorer") from error
    application = create_app(store, names=address.answers_to(), any_number=address.host in EVERYWHERE)
    with _listening(address) as listening:
        port = listening.getsockname()[1]
        config = uvicorn.Config(application, log_level="error", access_log=False, server_header=False, lifespan="off")
        ready(f"http://{_shown(address.host)}:{port}/")
        uvicorn.Server(config).run(sockets=[listening])


def _listening(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((address.host, address.port))
        listening.listen(64)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"the page cannot be served at {address.host}, port {address.port}: {reason}. "
            "Name another --port, or 0 for any that is free."
        ) from error
    return listening


def _shown(host: str) -> str:
    """A host as a URL has it, one that this machine's browser reaches."""
    reached = "127.0.0.1" if host == "0.0.0.0" else "::1" if host == "::" else host
    return f"[{reached}]" if ":" in reached else reached
