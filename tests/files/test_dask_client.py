"""A real scheduler is found; whatever else is at an address is told apart from one, in time."""

from __future__ import annotations

import socket
import sys

import pytest
from distributed import LocalCluster

from howsure.errors import InputError, MissingExtraError
from howsure.files import dask_client as module
from howsure.files.dask_client import dask_client

THREAD = {"processes": False, "protocol": "tcp", "dashboard_address": None}


def find(address: str) -> None:
    with dask_client(address):
        pass


def test_a_scheduler_and_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalCluster(n_workers=1, threads_per_worker=1, **THREAD) as cluster:
        with dask_client(cluster.scheduler_address) as client:
            assert client.submit(sum, [1, 2]).result() == 3
        with pytest.raises(InputError, match=r"no Dask scheduler answers at 'tcp://\S+', but a Worker"):
            find(cluster.workers[0].address)
        monkeypatch.setattr(module, "installed_version", lambda: "0.0.1")
        with pytest.raises(InputError, match=r"each worker of Dask needs howsure \S+; tcp://\S+ has 0\.0\.1"):
            find(cluster.scheduler_address)
        cluster.scale(0)
        monkeypatch.setattr(module, "SECONDS", 0.5)
        with pytest.raises(InputError, match=r"has no workers; start some: dask worker tcp://"):
            find(cluster.scheduler_address)


@pytest.mark.parametrize("address", ["nonsense", "localhost:port", "http://localhost:8786", ""])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(InputError, match=f"no Dask scheduler answers at '{address}' within 5 s; its address"):
        find(address)


def test_who_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.05)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(InputError, match=r"no Dask scheduler answers at '127\.0\.0\.1:\d+' within 0\.05 s"):
            find(f"127.0.0.1:{silent.getsockname()[1]}")


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"howsure\[dask\]"):
        find("tcp://127.0.0.1:8786")
