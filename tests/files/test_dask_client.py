"""A real scheduler is found; whatever else is at an address is told apart from one, in time."""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from distributed import LocalCluster
from distributed.protocol import ToPickle, dumps, loads
from distributed.protocol.utils import pack_frames

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
        cluster.sync(cluster.workers[0].heartbeat)  # which tells what the task took
        (worker,) = cluster.scheduler.workers.values()
        assert any(isinstance(key, tuple) for held in worker.metrics.values() if isinstance(held, dict) for key in held)
        find(cluster.scheduler_address)
        with pytest.raises(InputError, match=r"no Dask scheduler answers at 'tcp://\S+', but a Worker"):
            find(cluster.workers[0].address)
        monkeypatch.setattr(module, "installed_version", lambda: "0.0.1")
        with pytest.raises(InputError, match=r"each worker of Dask needs howsure \S+; tcp://\S+ has 0\.0\.1"):
            find(cluster.scheduler_address)
        cluster.scale(0)
        monkeypatch.setattr(module, "SECONDS", 0.5)
        with pytest.raises(InputError, match=r"has no workers; start some: dask worker tcp://"):
            find(cluster.scheduler_address)


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


class Hostile:
    """What makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (str(self.path), "w")


def pickled(path: Path) -> list[bytes]:
    """The frames of a message whose one value was pickled, as Dask sends it."""
    return list(dumps({"type": "Scheduler", "workers": ToPickle(Hostile(path))}))


def pickled_whole(path: Path) -> list[bytes]:
    """The frames of a message that is pickled itself."""
    return list(dumps(ToPickle(Hostile(path))))


def silent(path: Path) -> list[bytes]:
    """An empty message."""
    return []


def empty_frame(path: Path) -> list[bytes]:
    """A message of one frame without a byte."""
    return [b""]


@contextmanager
def answering(frames: list[bytes]) -> Iterator[str]:
    """The address of a program that sends one message again and again, whatever it is asked."""
    packed = pack_frames(frames)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()

        def serve() -> None:
            with suppress(OSError):
                while True:
                    with listening.accept()[0] as one:
                        one.sendall(2 * (struct.pack("Q", len(packed)) + packed))
                        while one.recv(1 << 16):
                            pass

        serving = Thread(target=serve, daemon=True)
        serving.start()
        try:
            yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            serving.join()


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        (pickled, "sends a pickled object for what it is, as no scheduler of Dask does; it was not unpickled"),
        (pickled_whole, "sends a pickled object for what it is"),
        (silent, "sends empty messages, as no scheduler of Dask does"),
        (empty_frame, "sends empty messages"),
    ],
)
def test_what_a_hostile_scheduler_pickles_is_not_run(
    frames: Callable[[Path], list[bytes]], told: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with answering(frames(run)) as address, pytest.raises(InputError, match=told):
        find(address)
    assert not run.exists()


def test_what_would_have_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    loads(pickled(run))
    assert run.exists()
