"""A progress bar for what takes longer than two seconds: on the terminal's standard error, and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 2.0  # seconds before a bar appears


@contextmanager
def progress(what: str, *, total: int, rate: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told of every step done; with `rate` the bar shows how many a second."""
    if not sys.stderr.isatty():
        yield lambda steps: None
        return
    bar = _Bar(what, total, rate)
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    def __init__(self, what: str, total: int, rate: bool) -> None:
        self.what, self.total, self.rate, self.done = what, total, rate, 0
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
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            ProgressColumn,
            Task,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        class Rate(ProgressColumn):
            """Steps a second."""

            def render(self, task: Task) -> Text:
                return Text("" if task.speed is None else f"{task.speed:,.1f}/s")

        columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()]
        columns += [Rate()] if self.rate else []
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self.task = self.shown.add_task(self.what, total=self.total, completed=self.done)
        self.shown.start()

    def close(self) -> None:
        if self.shown is not None:
            self.shown.stop()
