"""Standard input, which users name "-"."""

from __future__ import annotations

import sys
from typing import BinaryIO

from howsure.errors import InputError

STANDARD_INPUT = "-"


def standard_input() -> BinaryIO:
    """Standard input as bytes; InputError if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed, so that - names nothing; name a file.")
    return sys.stdin.buffer
