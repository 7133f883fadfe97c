"""In a notebook: what opens a database works in a real kernel, with ipywidgets and without it, and prints no bars."""

from __future__ import annotations

import json
import os
import site
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from tests.source import PACKAGES

SECONDS = 600  # after which a kernel counts as stuck

CELLS = {
    "look": "howsure.look('one.csv')",
    "a file": "howsure.calibration_curve('y', 'p', data=howsure.read('one.csv', where='p > 0.1'))",
    "a table of a database": "howsure.calibration_curve('y', 'p', data=howsure.read('one.duckdb', table='pairs'))",
    "an example store": "example_store('news.duckdb')",
    "an open store": "EventStore.open('news.duckdb').ask('SELECT count(*) FROM documents')",
    "a series": "event_series(EventStore.open('news.duckdb'), period='year')",
}
SETUP = """
import importlib.util, duckdb, howsure
from howsure_events import EventStore, event_series, example_store
with open("one.csv", "w") as file:
    file.write("y,p\\n" + "0,0.25\\n1,0.75\\n" * 50)
with duckdb.connect("one.duckdb") as connection:
    connection.execute("CREATE TABLE pairs AS FROM 'one.csv'")
print(importlib.util.find_spec("ipywidgets") is not None)
"""


class Kernel:
    """A kernel of ipykernel in a folder; `run` gives what a cell shows."""

    def __init__(self, manager: KernelManager) -> None:
        self.client = manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=SECONDS)

    def run(self, cell: str) -> list[tuple[str, Any]]:
        """The messages of a cell that a notebook shows, each with its kind."""
        shown: list[tuple[str, Any]] = []

        def record(message: dict[str, Any]) -> None:
            if message["msg_type"] not in ("status", "execute_input"):
                shown.append((message["msg_type"], message["content"]))

        self.client.execute_interactive(cell, output_hook=record, timeout=SECONDS)
        return shown


def packages_without(name: str, folder: Path) -> Path:
    """A folder of links to all installed packages but one, and to those of howsure."""
    folder.mkdir()
    for packages in site.getsitepackages():
        for entry in Path(packages).iterdir():
            if not entry.name.startswith(name) and entry.suffix != ".pth" and not (folder / entry.name).exists():
                (folder / entry.name).symlink_to(entry)
    for package in PACKAGES.values():
        if not (folder / package.name).exists():  # installed so that it can be edited
            (folder / package.name).symlink_to(package)
    return folder


@pytest.fixture(scope="module", params=["with ipywidgets", "without ipywidgets"])
def kernel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    folder = tmp_path_factory.mktemp("notebook")
    without = request.param.startswith("without")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"IPYTHONDIR": str(folder / "ipython"), "JUPYTER_RUNTIME_DIR": str(folder / "runtime")}
    options = []
    if without:
        options = ["-S"]  # Python does not look into its own folder of packages
        environment["PYTHONPATH"] = str(packages_without("ipywidgets", folder / "packages"))
    manager = KernelManager(kernel_name="python3", connection_file=str(folder / "kernel.json"))
    manager.kernel_spec.argv = [sys.executable, *options, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.start_kernel(cwd=str(folder), env=environment)
    try:
        started = Kernel(manager)
        assert started.run(SETUP) == [("stream", {"name": "stdout", "text": f"{not without}\n"})]
        yield started
    finally:
        manager.shutdown_kernel(now=True)


@pytest.mark.long
def test_what_opens_a_database_works_in_a_notebook(kernel: Kernel) -> None:
    for name, cell in CELLS.items():
        shown = kernel.run(cell)
        assert [kind for kind, _ in shown] == ["execute_result"], f"{name}: {json.dumps(shown)[:2000]}"
