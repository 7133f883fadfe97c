"""A progress bar for what takes longer than two seconds: on the terminal's standard error, and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 2.0  # seconds before a bar appears


@contextmanager
def progress(what: str, *, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told of every step done."""
    if not sys.stderr.isatty():
        yield lambda steps: None
        return
    bar = _Bar(what, total)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.started = time.monotonic()
        self.shown: Any = None

    def advance(self, steps: int) -> None:
        self.done += steps
        if self.shown is None and time.monotonic() - self.started > PATIENCE:
            self._show()
        if self.shown is not None:
            self.shown.update(self.task, completed=self.done)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.shown.add_task(self.what, total=self.total)
        self.shown.start()

    def close(self) -> None:
        if self.shown is not None:
            self.shown.stop()
