"""What every test may rely on: one thread, no window, Ctrl-C, no clock, the same examples, real data, rounding."""

from __future__ import annotations

import atexit
import doctest
import gc
import os
import signal
from pathlib import Path

# Before numpy is loaded: small matrices on many threads are slow, and a test has no screen.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost"  # a test asks nobody but this machine

import pytest
from hypothesis import HealthCheck, settings

from tests.printed import RoundingChecker

doctest.OutputChecker = RoundingChecker  # pytest derives its own from this one, also for the examples in src
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background would ignore Ctrl-C
# No clock: a busy machine is no mistake. Examples that share a folder write what they read.
allowed = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("howsure", deadline=None, derandomize=True, suppress_health_check=allowed)
settings.load_profile("howsure")


collect_ignore = ["tests/fuzz/reader_fuzz.py"]  # no test but a program of `make fuzz`, which installs what it needs

gc.disable()  # while thousands of tests are collected, nothing of them is garbage


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the garbage collector need not walk it again and again."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # libraries count at the end what nobody threw away


NO_DATA = "reads real data, and HOWSURE_DATA names no folder"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line what was skipped for want of data, and how to get it."""
    without = [one for one in terminalreporter.stats.get("skipped", []) if NO_DATA in str(one.longrepr)]
    if without:
        get = "`howsure data list` names the sets, `howsure data get NAME --to FOLDER` fetches one"
        terminalreporter.write_line(
            f"skipped: {len(without)} tests and pages of real data. {get}; set HOWSURE_DATA=FOLDER"
        )


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real data sets. Only where there is none does a test that needs it step aside."""
    folder = os.environ.get("HOWSURE_DATA")
    if not folder:
        pytest.skip(NO_DATA)
    return Path(folder)


@pytest.fixture(scope="session")
def pipeline(real_data: Path) -> Path:
    """A small spaCy pipeline, which lies beside the real data."""
    return real_data.parent / "models" / "en_ud_small"
