"""`howsure events explore` in a process of its own, as a person starts and ends it."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2


@dataclass(frozen=True)
class ServedPage:
    """A page that is served: the address that opens it, with its token, and the one without."""

    address: str

    @property
    def home(self) -> str:
        return self.address.partition("?")[0]

    @property
    def port(self) -> int:
        return int(self.home.rstrip("/").rpartition(":")[2])

    @contextmanager
    def client(self, address: str | None = None) -> Iterator[httpx2.Client]:
        """One that has opened the page, by its address unless by another one, and keeps the cookie."""
        with httpx2.Client(base_url=self.home, timeout=60) as client:
            assert client.get(address or self.address).status_code == 200
            yield client


@contextmanager
def serving(store: Path, *, files: int | None = None) -> Iterator[ServedPage]:
    """A store's page while it is served; Ctrl-C must end it in silence. files: how many it may have open at first."""
    explore = ["events", "explore", str(store), "--port", "0", "--no-open"]
    command = [sys.executable, "-m", "howsure_cli", *explore]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as server:
        if files is not None:  # before Python is there
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (files, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        try:
            greeting = server.stdout.readline()
            match = re.search(r"http://127\.0\.0\.1:[0-9]+/\?token=[\w-]{32}(?= )", greeting)
            assert match, greeting + server.stderr.read()
            yield ServedPage(match[0])
        finally:
            server.send_signal(signal.SIGINT)
            code, complaint = server.wait(30), server.stderr.read()
        assert (code, complaint) == (0, "")


DATA = re.compile(r'<script type="text/plain" id="data">(.*?)</script>', re.DOTALL)


def data_in(html: str) -> Any:
    """What a page that is one file holds."""
    match = DATA.search(html)
    assert match
    return json.loads(gzip.decompress(base64.b64decode(match[1])))
