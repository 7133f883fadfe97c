"""Names of hosts, and what a Host header may hold: a name or a number, and perhaps a port, and nothing else."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

LOOPBACK = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("0.0.0.0", "::")
HEADER = re.compile(
    r"(?:\[(?P<number>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?)(?::(?P<port>[0-9]{1,5}))?"
)
HTTP = 80


@dataclass(frozen=True, slots=True)
class Host:
    """The name by which a page is asked for, in small letters, and the port."""

    name: str
    port: int


def host_in(header: str) -> Host | None:
    """The name and the port in a Host header; None for a text that is no such header (RFC 3986, section 3.2).

    >>> host_in("LocalHost:8350"), host_in("[::1]"), host_in("[localhost]evil.example"), host_in("127.0.0.1:1@evil")
    (Host(name='localhost', port=8350), Host(name='::1', port=80), None, None)
    """
    found = HEADER.fullmatch(header.strip(" \t").lower())
    if found is None or (found["number"] and not is_number(found["number"], version=6)):
        return None
    return Host(spelled(found["number"] or found["name"]), int(found["port"] or HTTP))


def spelled(name: str) -> str:
    """A name or a number as it is compared: in small letters, a number in its usual form.

    >>> spelled("LocalHost"), spelled("0:0:0:0:0:0:0:1")
    ('localhost', '::1')
    """
    return str(ipaddress.ip_address(name)) if is_number(name) else name.lower()


def is_number(name: str, *, version: int | None = None) -> bool:
    """Whether a host is named by a number (of IP version 4, 6, or either) rather than by a name."""
    try:
        return version in (None, ipaddress.ip_address(name).version)
    except ValueError:
        return False


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    return host == "localhost" or (is_number(host) and ipaddress.ip_address(host).is_loopback)
