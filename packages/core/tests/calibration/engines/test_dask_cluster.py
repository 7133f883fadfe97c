"""A scheduler of Dask and two worker processes: their sums are those of memory, whichever of them ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dask
import dask.dataframe
import pandas as pd
import pytest
from tests.calibration.engines.pairs import FEW, sample, slots_of_rows

from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.errors import InputError

if TYPE_CHECKING:  # half a second of imports, which only `make test-cluster` needs
    from distributed import LocalCluster

pytestmark = pytest.mark.cluster
PARTS = 8
STARTED: list[LocalCluster] = []
OVER = threading.Event()


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    from distributed import LocalCluster

    # A partition whose worker ends twice is given up.
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as started,
    ):
        yield started


def part_of(number: int, folder: str, deaths: int) -> pd.DataFrame:
    """A partition; the first workers to load the one in the middle are killed, as by a machine short of memory."""
    if number == PARTS // 2:
        for death in range(deaths):
            try:
                os.close(os.open(f"{folder}/death-{death}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
    return sample(FEW)[number::PARTS]


def lazy(folder: Path, deaths: int) -> Any:
    return dask.dataframe.from_map(part_of, range(PARTS), folder=str(folder), deaths=deaths)


def test_a_killed_worker_changes_nothing(cluster: LocalCluster, tmp_path: Path) -> None:
    from distributed import Client

    with Client(cluster):
        by_group = sums_of_frame(lazy(tmp_path, deaths=1), y_true="label", y_prob="prob").checked()
    assert (tmp_path / "death-0").exists()
    assert by_group == {"": slots_of_rows(sample(FEW))}


def test_a_partition_that_kills_its_workers_is_given_up(cluster: LocalCluster, tmp_path: Path) -> None:
    from distributed import Client

    with Client(cluster), pytest.raises(InputError, match="Dask's workers stopped while they added up a partition"):
        sums_of_frame(lazy(tmp_path, deaths=9), y_true="label", y_prob="prob")


def lose(scheduler: Any) -> None:
    for listener in scheduler.listeners:
        listener.stop()
    for line in scheduler.client_comms.values():
        line.abort()


def part_that_ends_the_scheduler(number: int) -> pd.DataFrame:
    """A partition during which the scheduler is lost: nobody listens any more, and the line to the client is cut."""
    STARTED[0].scheduler.loop.add_callback(lose, STARTED[0].scheduler)
    OVER.wait()
    return sample(FEW)[number::PARTS]


def test_a_scheduler_that_ends_is_reported() -> None:
    from distributed import Client, LocalCluster

    apart: dict[str, Any] = {"processes": False, "protocol": "tcp", "dashboard_address": None}
    with LocalCluster(n_workers=1, threads_per_worker=1, **apart) as started:
        STARTED.append(started)
        with Client(started.scheduler_address, timeout=1):
            frame = dask.dataframe.from_map(part_that_ends_the_scheduler, range(2), meta=sample(FEW)[:0])
            with pytest.raises(InputError, match="Dask's scheduler stopped or cancelled the work while partitions"):
                sums_of_frame(frame, y_true="label", y_prob="prob").checked()
            OVER.set()
