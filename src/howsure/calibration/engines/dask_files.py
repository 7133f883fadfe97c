"""The sums of Parquet files on storage that all workers of a Dask cluster read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from howsure import __version__
from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.calibration.summary.slots import Slots
from howsure.errors import InputError, MissingExtraError

SECONDS = 5  # to find a scheduler, and a worker


def sums_by_dask(
    paths: str | Sequence[str],
    *,
    scheduler: str,
    y_true: str,
    y_prob: str,
    groups: str | None = None,
    sample_weight: str | None = None,
    pos_label: Any = None,
) -> dict[str, Slots]:
    """The sums of the pairs in Parquet files, by group; without `groups` of all pairs, under "".

    paths: files, or a pattern such as "/data/*.parquet" or "s3://bucket/*.parquet", as this machine and each worker
    see them. scheduler: its address, tcp://host:8786. The workers need howsure of this version; each reads its parts of
    the files, and its sums come back, at most four megabytes of a group.

    Raises MissingExtraError without Dask, InputError if the scheduler does not answer, has no worker, or a file or
    column cannot be read, and of rows for the first fault.
    """
    try:
        import dask.dataframe
        import distributed  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Adding up on a Dask cluster", "dask") from error
    with _connected(scheduler):
        try:
            frame = dask.dataframe.read_parquet(paths)
            if not len(frame.columns):
                raise OSError("no such file")
            found = sums_of_frame(
                frame, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups, pos_label=pos_label
            )
        except InputError:
            raise
        except (OSError, ValueError) as error:  # of Dask, and of pyarrow
            said = str(error).rpartition("Original Message: ")[2].partition("\n")[0].rstrip(".")
            raise InputError(
                f"{paths} cannot be read as Parquet: {said}. Files must lie where this machine and each worker see "
                "them under the same name."
            ) from error
        return found.checked()


@contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
    """A client of a scheduler whose workers have this version of howsure; afterwards it is closed."""
    from distributed import Client

    with ThreadPoolExecutor(1) as apart:  # from a loop of events that may run here
        fault = apart.submit(asyncio.run, _fault_of(scheduler)).result()
    if fault is not None:
        raise InputError(
            f"no Dask scheduler answers at {scheduler!r} within {SECONDS} s; its address is what `dask scheduler` "
            "prints, such as 'tcp://host:8786'."
        ) from fault
    with Client(scheduler) as client:
        try:
            client.wait_for_workers(1, timeout=SECONDS)
        except OSError:
            raise InputError(
                f"the scheduler at {scheduler!r} has no workers; start some: dask worker {scheduler}."
            ) from None
        _check_versions(client)
        yield client


async def _fault_of(scheduler: str) -> Exception | None:
    """Why no scheduler can be reached; a client that cannot would wait when it is closed."""
    from distributed.comm import connect
    from distributed.security import Security

    try:
        comm = await connect(scheduler, timeout=SECONDS, **Security().get_connection_args("client"))
        await comm.close()
    except (OSError, ValueError, TypeError) as error:
        return error
    return None


def _check_versions(client: Any) -> None:
    """Raise InputError if a worker has no howsure, or another version."""
    try:
        versions = client.run(installed_version)
    except (ImportError, AttributeError) as error:
        raise InputError(f"each worker of Dask needs howsure {__version__}; one has none ({error}).") from error
    others = {address: version for address, version in versions.items() if version != __version__}
    for address, version in others.items():
        raise InputError(f"each worker of Dask needs howsure {__version__}; {address} has {version}.")


def installed_version() -> str:
    """The version of howsure where this runs."""
    return __version__
