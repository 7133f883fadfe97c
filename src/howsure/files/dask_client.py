"""A Dask cluster by the address of its scheduler: ready within seconds, or it is said what to look for."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from howsure import __version__
from howsure.errors import InputError
from howsure.files.dask_probe import asked_identity
from howsure.first_use import require

SECONDS = 5  # to find a scheduler, and as many to find a worker
SCHEDULER = "Scheduler"


@contextmanager
def dask_client(scheduler: str) -> Iterator[Any]:
    """A `distributed.Client` of the scheduler at an address, whose workers have this version of howsure.

    Raises MissingExtraError without Dask; InputError if no scheduler answers at the address, if it has no worker, or if
    a worker has no howsure or another version.
    """
    require("A Dask cluster", "dask", "distributed")
    import distributed

    kind = _asked(scheduler).get("type")
    if kind != SCHEDULER:
        said = f"a {kind}" if isinstance(kind, str) and kind.isidentifier() else "one that does not say what it is"
        raise InputError(
            f"no Dask scheduler answers at {scheduler!r}, but {said}; its address is what `dask "
            "scheduler` prints, such as 'tcp://host:8786'."
        )
    make: Any = distributed.Client
    with make(scheduler, timeout=SECONDS) as client:
        try:
            client.wait_for_workers(1, timeout=SECONDS)
        except OSError:
            raise InputError(
                f"the scheduler at {scheduler!r} has no workers; start some: dask worker {scheduler}."
            ) from None
        _check_versions(client)
        yield client


def _asked(scheduler: str) -> dict[str, Any]:
    """What answers at an address says of itself: asked first, for a client that finds nobody ends only after a while
    and with remarks of its own."""
    with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own
        try:
            return thread.submit(asked_identity, scheduler, SECONDS).result()
        except InputError:
            raise
        except Exception as error:  # whatever answers there, or does not
            raise InputError(
                f"no Dask scheduler answers at {scheduler!r} within {SECONDS} s; its address is what `dask scheduler` "
                "prints, such as 'tcp://host:8786'."
            ) from error


def _check_versions(client: Any) -> None:
    """Raise InputError if a worker has no howsure, or another version."""
    try:
        versions = client.run(installed_version)
    except (ImportError, AttributeError) as error:
        raise InputError(f"each worker of Dask needs howsure {__version__}; one has none ({error}).") from error
    for address, version in versions.items():
        if version != __version__:
            raise InputError(f"each worker of Dask needs howsure {__version__}; {address} has {version}.")


def installed_version() -> str:
    """The version of howsure where this runs."""
    return __version__
