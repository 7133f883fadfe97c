"""Processes that can be ended in whatever state they are."""

from __future__ import annotations

from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any


class Spawning(SpawnContext):
    """Starts processes anew, and remembers them.

    A pool tells its processes once to end; one that is being started just then, or that cannot hear, would be waited
    for without end.
    """

    def __init__(self) -> None:
        self.started: list[BaseProcess] = []

    def Process(self, *args: Any, **options: Any) -> BaseProcess:  # type: ignore[override]
        """A process, not yet running."""
        process = SpawnContext.Process(*args, **options)
        self.started.append(process)
        return process

    def kill(self) -> None:
        """End all processes at once."""
        for process in self.started:
            if process.pid is not None:
                process.kill()
