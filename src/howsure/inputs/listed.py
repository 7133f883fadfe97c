"""Lists that a user gives, one thing a document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from howsure.errors import InputError


def listed(values: object, *, name: str, of: str) -> list[Any]:
    """The values as a list; InputError naming the parameter where they are none, or a text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError(f"{name} must be a list of {of}; it is {values!r:.80}.")
    return list(values)
