"""The module of zstd: Python's own since 3.14, before that a copy of it."""

from __future__ import annotations

import sys
from typing import Any

from howsure.first_use import require


def zstd() -> Any:
    """The module, loaded on first use."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        require("A file packed by zstd", "cli", "backports.zstd")
        from backports import zstd
    return zstd
