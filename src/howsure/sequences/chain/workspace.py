"""Arrays used again from batch to batch: fresh memory costs more than the arithmetic on it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from howsure.inputs.pairs import Floats

KEPT = 1 << 19  # cells of an array that stays for the next time: 4 MB

_idle = threading.local()


class Workspace:
    """Arrays by name; what one holds is lost when its name is asked for again."""

    def __init__(self) -> None:
        self._held: dict[str, Floats] = {}

    def floats(self, name: str, shape: tuple[int, ...]) -> Floats:
        """An array of this shape, its values undefined."""
        size = int(np.prod(shape))
        held = self._held.get(name)
        if held is None or len(held) < size:
            held = self._held[name] = np.empty(size)
        return held[:size].reshape(shape)

    def shrink(self) -> None:
        """Let go of large arrays."""
        self._held = {name: held for name, held in self._held.items() if len(held) <= KEPT}


@contextmanager
def borrowed_workspace() -> Iterator[Workspace]:
    """The workspace that this thread keeps; another one if that is in use."""
    workspace: Workspace = _idle.__dict__.pop("workspace", None) or Workspace()
    try:
        yield workspace
    finally:
        workspace.shrink()
        _idle.workspace = workspace
