"""Memory that a request will take, foreseen: a number too large is refused before the work, not after an hour of it."""

from __future__ import annotations

import os

from howsure.errors import InputError

GIGABYTE = 1 << 30


def machine_memory() -> int | None:
    """The bytes of memory that this machine has; None where the system does not say (Windows)."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def check_memory(needed: int, *, name: str, value: int) -> None:
    """Raise InputError where a parameter asks for more memory than the machine has: `needed` bytes.

    >>> check_memory(10**18, name="n", value=10**16)
    Traceback (most recent call last):
    howsure.errors.InputError: n must be small enough for the memory of this machine...
    """
    there = machine_memory()
    if there is not None and needed > there:
        raise InputError(
            f"{name} must be small enough for the memory of this machine ({there / GIGABYTE:,.1f} GB); {value:,} needs "
            f"about {needed / GIGABYTE:,.0f} GB."
        )
