"""What every test may rely on: one thread, no window, Ctrl-C, the same examples every time, the folder of real data."""

from __future__ import annotations

import os
import signal
from pathlib import Path

# Before numpy is loaded: small matrices on many threads are slow, and a test has no screen.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest
from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background would ignore Ctrl-C
settings.register_profile("howsure", deadline=None, derandomize=True)
settings.load_profile("howsure")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with real data sets. Only where there is none does a test that needs it step aside."""
    folder = os.environ.get("HOWSURE_DATA")
    if not folder:
        pytest.skip("needs real data: set HOWSURE_DATA to the folder that holds it")
    return Path(folder)
