"""In a notebook: what opens a database works in a real kernel, with ipywidgets and without it, and prints no bars."""

from __future__ import annotations

import json
import site
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kernels import Kernel, running_kernel
from tests.source import PACKAGES

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
    options, variables = (), dict[str, str]()
    if without:
        options = ("-S",)  # Python does not look into its own folder of packages
        variables["PYTHONPATH"] = str(packages_without("ipywidgets", folder / "packages"))
    with running_kernel(folder, options=options, variables=variables) as started:
        assert started.run(SETUP) == [("stream", {"name": "stdout", "text": f"{not without}\n"})]
        yield started


@pytest.mark.long
def test_what_opens_a_database_works_in_a_notebook(kernel: Kernel) -> None:
    for name, cell in CELLS.items():
        shown = kernel.run(cell)
        assert [kind for kind, _ in shown] == ["execute_result"], f"{name}: {json.dumps(shown)[:2000]}"
