"""What keeps strangers out: which names the page answers to, and the headers of every answer."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def policy(*, scripts: Collection[str], styles: Collection[str], served: bool) -> str:
    """The Content-Security-Policy of the page: its own script and styles by their hashes, and nothing else.

    A served page may ask its own server, and no page may hold it in a frame (a file's policy cannot say that).
    """
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(scripts)}",
        f"style-src {' '.join(styles)}",
        "img-src data:",  # the empty icon
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    return "; ".join([*rules, "connect-src 'self'", "frame-ancestors 'none'"] if served else rules)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host == "localhost" or (_is_number(host) and ipaddress.ip_address(host).is_loopback)


def name_in(header: str) -> str:
    """The name in a Host header, without its port.

    >>> name_in("LocalHost:8350"), name_in("[::1]:8350"), name_in("news.example.org.")
    ('localhost', '::1', 'news.example.org')
    """
    name = header.strip().lower()
    name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
    return name.removesuffix(".")


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


class Guard:
    """An application that answers only to its own names, and puts the headers of safety on every answer.

    A page elsewhere may have its own name lead to this machine (DNS rebinding) and so read what is served here; its
    name is then in the Host header, and not among ours. A number is nobody's name: `any_number` lets those through,
    for a page served on all addresses of the machine.
    """

    def __init__(self, application: Application, *, names: Collection[str], any_number: bool, policy: str) -> None:
        self.application, self.any_number = application, any_number
        self.names = {name.lower() for name in names}
        given = {**HEADERS, "content-security-policy": policy}
        self.headers = [(name.encode(), value.encode()) for name, value in given.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *self.headers]}
            await send(message)

        hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(hosts) == 1 and self.answers_to(hosts[0]):
            await self.application(scope, receive, guarded)
        else:
            await self._refuse(guarded)

    def answers_to(self, header: str) -> bool:
        """Whether the page is served under the name in a Host header."""
        name = name_in(header)
        return name in self.names or (self.any_number and _is_number(name))

    async def _refuse(self, send: Send) -> None:
        body = f"This page answers only to {', '.join(sorted(self.names))}; the address asked for another.\n".encode()
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 421, "headers": headers})
        await send({"type": "http.response.body", "body": body})
