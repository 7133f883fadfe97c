"""Settings of all tests: one thread, no window, Ctrl-C, no clock, the same hypothesis examples, rounding, and an
unchanged checkout."""

from __future__ import annotations

import atexit
import contextlib
import doctest
import gc
import importlib
import os
import re
import signal
from collections.abc import Generator
from pathlib import Path

# Before numpy is loaded: small matrices on many threads are slow, and a test has no screen.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost"  # a test asks nobody but this machine

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from howsure.lazy_imports import installed
from tests.printed import RoundingChecker

pytest_plugins = ["pytester", "tests.lacking", "tests.browser", "tests.clean_tree"]

doctest.OutputChecker = RoundingChecker  # pytest derives its own from this one, also for the examples in src
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background would ignore Ctrl-C
# No deadline: a busy machine is not an error. Examples that share a folder write what they read.
allowed = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("howsure", deadline=None, derandomize=True, suppress_health_check=allowed, max_examples=25)
settings.register_profile("thorough", settings.get_profile("howsure"), max_examples=100)  # for `make check-slow`
settings.load_profile("howsure")


# No test but a program of `make fuzz`, which installs what it needs; and doors to programs that are not here.
DOORS = {
    "evaluate": "core/src/howsure/evaluate.py",
    "inspect_ai": "core/src/howsure/inspect.py",
    "pydantic_evals": "core/src/howsure/pydantic_evals.py",
    "spacy": "text/src/howsure_text/spacy.py",
}
collect_ignore = [f"packages/{file}" for program, file in DOORS.items() if not installed(program)]
collect_ignore += ["tests/fuzz/reader_fuzz.py"]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Search for doctests only in files that contain some, and for tests with a marker only in files that name it."""
    collectors = yield
    if not collectors or file_path.suffix != ".py":
        return collectors
    text = file_path.read_text(encoding="utf-8")
    needed = re.match(r"(?!not )(\w+)(?!.* or )", parent.config.option.markexpr)  # `long` of `long and not slow`
    if needed and needed[1] not in text:
        return []
    return [collector for collector in collectors if ">>>" in text or not isinstance(collector, DoctestModule)]


# What a collection of all tests imports, in shares of about the same size. In a new checkout nothing is compiled: each
# worker begins with another share, whose compiled modules the others then find.
SHARES = (
    ("scipy.stats", "sklearn.linear_model", "spacy", "howsure_papers", "selenium.webdriver"),
    ("pandas", "polars", "matplotlib.pyplot", "ibis", "dask.dataframe"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """In a worker of a run of all tests, import its share of the libraries."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and set(session.config.args) == set(session.config.getini("testpaths")):
        for name in SHARES[int(worker.removeprefix("gw")) % len(SHARES)]:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


gc.disable()  # while thousands of tests are collected, nothing of them is garbage


def pytest_collection_finish() -> None:
    """Exclude imported and collected objects from garbage collection, because they live until the end."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # libraries count at the end what nobody threw away
