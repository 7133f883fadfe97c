"""Who is let in: those who ask for the page by one of its names, and bring its token."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from typing import Any

from howsure.explorer.access.headers import HEADERS
from howsure.explorer.access.hosts import Host, host_in, is_number, spelled
from howsure.explorer.access.tokens import Tokens

PAGE, ROOM, QUESTIONS = "/", "/label", "/api/"
MISDIRECTED, FORBIDDEN = 421, 403
NO_TOKEN = (
    "This page opens by the address with its token, which the howsure command printed when it was started; open that "
    "address in this browser."
)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]


class Guard:
    """An application that answers only to its own names and to those who bring its token, with headers of safety.

    A page elsewhere may have its own name lead to this machine (DNS rebinding) and so read what is served here; its
    name is then in the Host header, and not among ours. A number is nobody's name: `any_number` lets those through,
    for a page served on all addresses of the machine.
    """

    def __init__(
        self, application: Application, *, tokens: Tokens, names: Collection[str], any_number: bool, policy: str
    ) -> None:
        self.application, self.tokens, self.any_number = application, tokens, any_number
        self.names = {spelled(name) for name in names}
        self.headers = _encoded({**HEADERS, "content-security-policy": policy})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        host = self.asked_host(scope)
        if host is None:
            names = ", ".join(sorted(self.names))
            told = f"This page answers only to {names}; the address asked for another."
            await _refuse(scope, self._with(self.headers, send), MISDIRECTED, told)
        elif self._is_opened(scope):
            cookie = _encoded({"set-cookie": self.tokens.cookie(host.port)})
            await self.application(scope, receive, self._with([*self.headers, *cookie], send))
        elif self.tokens.held_in(_values(scope, b"cookie"), host.port):
            await self.application(scope, receive, self._with(self.headers, send))
        else:
            await _refuse(scope, self._with(self.headers, send), FORBIDDEN, NO_TOKEN)

    def asked_host(self, scope: Scope) -> Host | None:
        """The host that a request asks for; None if it names none, several, or one that is not ours."""
        headers = _values(scope, b"host")
        host = host_in(headers[0]) if len(headers) == 1 else None
        if host is None or not (host.name in self.names or (self.any_number and is_number(host.name))):
            return None
        return host

    def _is_opened(self, scope: Scope) -> bool:
        return scope["path"] in (PAGE, ROOM) and self.tokens.opened_by(scope["query_string"].decode("latin-1"))

    @staticmethod
    def _with(headers: Headers, send: Send) -> Send:
        """Send an answer with more headers."""

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *headers]}
            await send(message)

        return guarded


def _encoded(headers: dict[str, str]) -> Headers:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for one, value in scope["headers"] if one == name]


async def _refuse(scope: Scope, send: Send, status: int, told: str) -> None:
    """Tell a person in words, and the page's script as it expects it."""
    is_question = scope["path"].startswith(QUESTIONS)
    body = (json.dumps({"error": told}) if is_question else f"{told}\n").encode()
    kind = "application/json" if is_question else "text/plain; charset=utf-8"
    headers = _encoded({"content-type": kind, "content-length": str(len(body))})
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
