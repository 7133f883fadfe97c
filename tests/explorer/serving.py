"""`howsure events explore` in a process of its own, as a person starts and ends it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(store: Path) -> Iterator[str]:
    """The URL of a store's page while it is served; Ctrl-C must end it in silence."""
    explore = ["events", "explore", str(store), "--port", "0", "--no-open"]
    command = [sys.executable, "-m", "howsure.cli", *explore]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        try:
            said = server.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:[0-9]+/", said)
            assert found, said + server.stderr.read()
            yield found[0]
        finally:
            server.send_signal(signal.SIGINT)
            code, complaint = server.wait(30), server.stderr.read()
        assert (code, complaint) == (0, "")
