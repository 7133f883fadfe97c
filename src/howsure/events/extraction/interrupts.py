"""Ctrl-C where it does no harm: not inside DuckDB, which would take it for an error, and not in worker processes."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait until the `with` statement is done; a process that ignores it, in the background, still does."""
    if threading.current_thread() is not threading.main_thread():  # only the main one hears of it
        yield
        return
    waiting: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *told: waiting.append(told))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting and before is not signal.SIG_IGN:
        raise KeyboardInterrupt


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes that begin within the `with` statement never hear of Ctrl-C; this one may, after it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
