"""Whether a request to write comes from the page itself, and not from another page that the same browser shows."""

from __future__ import annotations

import secrets
from typing import Protocol

from howsure.explorer.access.hosts import Host, host_in

TOKEN = "x-howsure-writing"  # a header that no page elsewhere can send without asking first
SCHEMES = ("http://", "https://")


class Headers(Protocol):
    """Headers of a request."""

    def getlist(self, key: str) -> list[str]:
        """All values of one."""


def forged(headers: Headers, *, token: str) -> str | None:
    """Why a request is not one that the page itself makes; None if it is.

    Three signs, each enough to stop another site: the origin that a browser names with every POST, what it says of the
    two sites' relation, and a token that only the page holds.
    """
    origin, host, site = (headers.getlist(name) for name in ("origin", "host", "sec-fetch-site"))
    if len(origin) != 1 or len(host) != 1 or host_of(origin[0]) is None or host_of(origin[0]) != host_in(host[0]):
        return "only the labelling page itself may write; this request comes from elsewhere, or does not say whence."
    if any(one != "same-origin" for one in site):
        return "only the labelling page itself may write; the browser says that another site asks."
    given = headers.getlist(TOKEN)
    if len(given) != 1 or not secrets.compare_digest(given[0].encode("utf-8", "replace"), token.encode()):
        return (
            "this page was opened before howsure was last started, and may write no more; open the address that was "
            "printed then."
        )
    return None


def host_of(origin: str) -> Host | None:
    """The host of an origin; None for what is none.

    >>> host_of("http://localhost:8350"), host_of("null"), host_of("http://localhost:8350/a")
    (Host(name='localhost', port=8350), None, None)
    """
    scheme = next((one for one in SCHEMES if origin.startswith(one)), None)
    return None if scheme is None else host_in(origin.removeprefix(scheme))
