"""Access control of the served page: host names, tokens, and the headers of every response."""

from __future__ import annotations

import ipaddress
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import parse_qsl

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")
HEADER = re.compile(
    r"(?:\[(?P<number>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::(?P<port>[0-9]{1,5}))?"
)
HTTP = 80


@dataclass(frozen=True, slots=True)
class Host:
    """A requested host: its name in lower case, or IP address, and its port."""

    name: str
    port: int


def parse_host(header: str) -> Host | None:
    """Parse a Host header; return None if it is invalid (RFC 3986, section 3.2).

    >>> parse_host("LocalHost:8350"), parse_host("[::1]")
    (Host(name='localhost', port=8350), Host(name='::1', port=80))
    >>> parse_host("[localhost]evil.example"), parse_host("127.0.0.1:1@evil")
    (None, None)
    """
    match = HEADER.fullmatch(header.strip(" \t").lower())
    if match is None or (match["number"] and not is_number(match["number"], version=6)):
        return None
    return Host(canonical_host(match["number"] or match["name"]), int(match["port"] or HTTP))


def canonical_host(name: str) -> str:
    """Return a host name in lower case, or an IP address in its canonical notation.

    >>> canonical_host("LocalHost"), canonical_host("0:0:0:0:0:0:0:1")
    ('localhost', '::1')
    """
    return str(ipaddress.ip_address(name)) if is_number(name) else name.lower()


def is_number(name: str, *, version: int | None = None) -> bool:
    """Return whether a host is given as an IP address (version 4, 6 or, if None, either) rather than by name."""
    try:
        return version in (None, ipaddress.ip_address(name).version)
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Return whether a host can be reached only from this machine.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host == "localhost" or (is_number(host) and ipaddress.ip_address(host).is_loopback)


# The link to a served page contains a token, which the browser then keeps as a cookie.

PARAMETER = "token"
BYTES = 24


def new_token() -> str:
    """Return a random string that cannot be guessed."""
    return secrets.token_urlsafe(BYTES)


@dataclass(frozen=True, slots=True)
class Visitor:
    """The person for whom a link was made: the coordinator, who may do everything, or a coder, who may only answer.

    coder: the only name under which this person may answer; None allows any name that has no link of its own.
    """

    is_coordinator: bool = True
    coder: str | None = None


COORDINATOR, ANY_CODER = Visitor(), Visitor(is_coordinator=False)


class Tokens:
    """The access tokens of a page: one per visitor, valid as long as the page is served.

    once: a token that opens the page only once, as the first visitor. It is used in the command that starts a browser,
    because all users of the machine can read this command in the list of processes.
    """

    def __init__(self, visitors: Mapping[str, Visitor], once: str | None = None) -> None:
        self.visitors, self._once = dict(visitors), once

    def exchange_token(self, query: str) -> str | None:
        """Return the permanent token for the token in the query string of a URL; None if that token is invalid."""
        values = [value for name, value in parse_qsl(query) if name == PARAMETER]
        if len(values) != 1:
            return None
        if self._once is not None and _same(values[0], self._once):
            self._once = None
            return next(iter(self.visitors))
        return self._valid(values[0])

    def cookie_token(self, headers: Iterable[str], port: int) -> str | None:
        """Return the token in a browser's cookies; None without a valid token."""
        values = (value for header in headers for value in _cookie_values(header, _name(port)))
        return next((token for value in values if (token := self._valid(value)) is not None), None)

    def _valid(self, candidate: str) -> str | None:
        """Return the stored token that equals a candidate; all tokens are compared, in constant time."""
        return next(iter([token for token in self.visitors if _same(candidate, token)]), None)

    @staticmethod
    def cookie(token: str, port: int) -> str:
        """Return the cookie for a browser. Its name contains the port, since all ports of a host share cookies."""
        return f"{_name(port)}={token}; Path=/; HttpOnly; SameSite=Strict"


def _name(port: int) -> str:
    return f"howsure-{port}"


def _cookie_values(header: str, name: str) -> list[str]:
    """Return the values of a cookie in a header, which may also contain cookies of other programs on this host."""
    pairs = (pair.partition("=") for pair in header.split(";"))
    return [value.strip() for cookie_name, _, value in pairs if cookie_name.strip() == name]


def _same(candidate: str, token: str) -> bool:
    return secrets.compare_digest(candidate.encode("utf-8", "replace"), token.encode())


HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def policy(*, scripts: Collection[str], styles: Collection[str], served: bool) -> str:
    """Return the Content-Security-Policy of the page, which allows only its own scripts and styles, by their hashes.

    A served page may also query its own server, and must not be shown in a frame (a policy inside a file cannot forbid
    frames).
    """
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(scripts)}",
        f"style-src {' '.join(styles)}",
        "img-src data:",  # for the empty icon, and for exporting a figure as a picture
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
    ]
    return "; ".join([*rules, "connect-src 'self'", "frame-ancestors 'none'"] if served else rules)


TOKEN = "x-howsure-writing"  # a header that pages of other sites cannot send without permission
SCHEMES = ("http://", "https://")


class Headers(Protocol):
    """Headers of a request."""

    def getlist(self, key: str) -> list[str]:
        """All values of a header."""


def forgery_reason(headers: Headers, *, token: str) -> str | None:
    """Return why a request to write seems to come from another site; None if it comes from the page itself.

    There are three checks, each of which stops other sites: the Origin header that a browser sends with every POST, its
    Sec-Fetch-Site header, and a token that only the page has.
    """
    origin, host, site = (headers.getlist(name) for name in ("origin", "host", "sec-fetch-site"))
    if (
        len(origin) != 1
        or len(host) != 1
        or origin_host(origin[0]) is None
        or origin_host(origin[0]) != parse_host(host[0])
    ):
        return "only the labelling page itself may write; this request comes from elsewhere, or has no origin."
    if any(relation != "same-origin" for relation in site):
        return "only the labelling page itself may write; the browser reports a request by another site."
    values = headers.getlist(TOKEN)
    if len(values) != 1 or not secrets.compare_digest(values[0].encode("utf-8", "replace"), token.encode()):
        return (
            "this page was opened before howsure was restarted and can no longer write; open the address that was "
            "printed at the restart."
        )
    return None


def origin_host(origin: str) -> Host | None:
    """Return the host of an Origin header; None if the origin is invalid.

    >>> origin_host("http://localhost:8350"), origin_host("null"), origin_host("http://localhost:8350/a")
    (Host(name='localhost', port=8350), None, None)
    """
    scheme = next((name for name in SCHEMES if origin.startswith(name)), None)
    return None if scheme is None else parse_host(origin.removeprefix(scheme))


PAGE, ROOM, QUESTIONS = "/", "/label", "/api/"
MISDIRECTED, FORBIDDEN = 421, 403
VISITOR = "howsure.visitor"  # the key of the scope that names the visitor
NO_TOKEN = (
    "This page opens by the address with its token, which the howsure command printed when it was started; open that "
    "address in this browser."
)
NOT_A_CODERS = (
    "Only the coordinator may do this. The coordinator's link was printed by the howsure command when it was started; "
    "open it in this browser."
)
OTHER_SITE = "Only this page itself may read its data and write; the browser reports a request by another site."
OWN_SITES = ("same-origin", "none")  # values of Sec-Fetch-Site: sent by the page itself, or by the address bar
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
RawHeaders = list[tuple[bytes, bytes]]


class Guard:
    """An ASGI application that forwards only requests with a valid host name and token, and adds security headers.

    coder_paths: the only paths that coders may use. names: the host names under which the application answers. Another
    site could let its own name point to this machine (DNS rebinding) to read the page, but that name would be in the
    Host header. any_number: also answer to any IP address, for a page that is served on all addresses of the machine.
    say: translates an error message.
    """

    def __init__(
        self,
        application: Application,
        *,
        tokens: Tokens,
        names: Collection[str],
        any_number: bool,
        policy: str,
        coder_paths: Collection[str] = (),
        say: Callable[[str], str] = str,
    ) -> None:
        self.application, self.tokens, self.any_number = application, tokens, any_number
        self.coder_paths, self.say = frozenset(coder_paths), say
        self.names = {canonical_host(name) for name in names}
        self.headers = _encoded({**HEADERS, "content-security-policy": policy})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        host = self.requested_host(scope)
        if host is None:
            names = ", ".join(sorted(self.names))
            message = f"This page answers only to {names}; the address asked for another."
            await _refuse(scope, self._with(self.headers, send), MISDIRECTED, self.say(message))
            return
        opening = self._opening(scope)
        token = opening or self.tokens.cookie_token(_header_values(scope, b"cookie"), host.port)
        refusal = self._refusal(scope, token)
        if token is None or refusal is not None:
            await _refuse(scope, self._with(self.headers, send), FORBIDDEN, self.say(refusal or NO_TOKEN))
            return
        cookie = {"set-cookie": self.tokens.cookie(token, host.port)} if opening is not None else {}
        scope[VISITOR] = self.tokens.visitors[token]
        await self.application(scope, receive, self._with([*self.headers, *_encoded(cookie)], send))

    def _refusal(self, scope: Scope, token: str | None) -> str | None:
        """Return the reason to refuse a request to a valid host; None to accept it."""
        if token is None:
            return NO_TOKEN
        if not self.tokens.visitors[token].is_coordinator and scope["path"] not in self.coder_paths:
            return NOT_A_CODERS
        if scope["path"].startswith(QUESTIONS) and not {*_header_values(scope, b"sec-fetch-site")} <= {*OWN_SITES}:
            return OTHER_SITE
        return None

    def requested_host(self, scope: Scope) -> Host | None:
        """Return the requested host; None if the header is missing, repeated, or names an unknown host."""
        headers = _header_values(scope, b"host")
        host = parse_host(headers[0]) if len(headers) == 1 else None
        if host is None or not (host.name in self.names or (self.any_number and is_number(host.name))):
            return None
        return host

    def _opening(self, scope: Scope) -> str | None:
        """Return the permanent token that belongs to the token in the URL of a page; None if there is none."""
        return (
            self.tokens.exchange_token(scope["query_string"].decode("latin-1"))
            if scope["path"] in (PAGE, ROOM)
            else None
        )

    @staticmethod
    def _with(headers: RawHeaders, send: Send) -> Send:
        """Return a `send` function that adds headers to responses."""

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *headers]}
            await send(message)

        return guarded


def _encoded(headers: dict[str, str]) -> RawHeaders:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def _header_values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]


async def _refuse(scope: Scope, send: Send, status: int, message: str) -> None:
    """Send an error message, as JSON to the page's script or as text to a person."""
    is_question = scope["path"].startswith(QUESTIONS)
    body = (json.dumps({"error": message}) if is_question else f"{message}\n").encode()
    kind = "application/json" if is_question else "text/plain; charset=utf-8"
    headers = _encoded({"content-type": kind, "content-length": str(len(body))})
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
