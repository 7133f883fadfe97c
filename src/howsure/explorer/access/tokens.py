"""The token of a served page: it stands in the address that opens the page, and in a cookie from then on."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from urllib.parse import parse_qsl

PARAMETER = "token"
BYTES = 24


def new_token() -> str:
    """A text that nobody guesses."""
    return secrets.token_urlsafe(BYTES)


class Tokens:
    """What opens a page: a token that holds as long as the page is served, and one that opens it once.

    The one that holds is for people. The other is for the command that starts a browser, which all users of the
    machine can read in its list of processes.
    """

    def __init__(self, token: str, once: str | None = None) -> None:
        self.token, self._once = token, once

    def opened_by(self, query: str) -> bool:
        """Whether the query of an address holds a token that opens the page."""
        given = [value for name, value in parse_qsl(query) if name == PARAMETER]
        if len(given) != 1:
            return False
        if self._once is not None and _same(given[0], self._once):
            self._once = None
            return True
        return _same(given[0], self.token)

    def cookie(self, port: int) -> str:
        """The cookie that a browser is given; it is named by the port, for all ports of a host share their cookies."""
        return f"{_name(port)}={self.token}; Path=/; HttpOnly; SameSite=Strict"

    def held_in(self, headers: Iterable[str], port: int) -> bool:
        """Whether a browser sends the cookie that it was given."""
        return any(_same(given, self.token) for header in headers for given in _values(header, _name(port)))


def _name(port: int) -> str:
    return f"howsure-{port}"


def _values(header: str, name: str) -> list[str]:
    """The values of a cookie; those of other programs on this host stand beside it, in whatever form they like."""
    pairs = (pair.partition("=") for pair in header.split(";"))
    return [value.strip() for given, _, value in pairs if given.strip() == name]


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())
