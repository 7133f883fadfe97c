"""Kernels of ipykernel, in which tests run the cells of notebooks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jupyter_client.manager import KernelManager

SECONDS = 600  # after which a kernel counts as stuck


class Kernel:
    """A kernel; `run` returns the output of a cell."""

    def __init__(self, manager: KernelManager) -> None:
        self.client = manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=SECONDS)

    def run(self, cell: str) -> list[tuple[str, Any]]:
        """Return the messages of a cell that a notebook shows, each with its kind."""
        shown: list[tuple[str, Any]] = []

        def record(message: dict[str, Any]) -> None:
            if message["msg_type"] not in ("status", "execute_input"):
                shown.append((message["msg_type"], message["content"]))

        self.client.execute_interactive(cell, output_hook=record, timeout=SECONDS)
        return shown


@contextmanager
def running_kernel(
    folder: Path, *, options: Sequence[str] = (), variables: Mapping[str, str] | None = None
) -> Iterator[Kernel]:
    """Context with a kernel of this Python in a folder. options: options of Python. variables: environment
    variables."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"IPYTHONDIR": str(folder / "ipython"), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    manager = KernelManager(kernel_name="python3", connection_file=str(folder / "kernel.json"))
    manager.kernel_spec.argv = [sys.executable, *options, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.start_kernel(cwd=str(folder), env=environment | dict(variables or {}))
    try:
        yield Kernel(manager)
    finally:
        manager.shutdown_kernel(now=True)
