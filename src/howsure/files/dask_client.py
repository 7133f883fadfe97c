"""A Dask cluster by the address of its scheduler: ready within seconds, or it is said what to do."""

from __future__ import annotations

import asyncio
import pickle
import struct
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from howsure import __version__
from howsure.errors import InputError
from howsure.first_use import require

# What answers at the address of a Dask scheduler, asked without Dask's own reader, which unpickles what it is sent.
#
# A message of Dask's is the length of its frames, and the frames; the first is msgpack, and a value that was pickled
# stands in one of the others. So the first is decoded alone, as plain data, and no other is looked at.

SECURE, PLAIN = "tls", "tcp"
LARGEST = 1 << 26  # bytes of a message: a cluster of thousands of workers
LENGTH = struct.Struct("Q")


def asked_identity(scheduler: str, seconds: float) -> dict[str, Any]:
    """What the program at an address says of itself, as plain data.

    Raises InputError if it sends an empty message, or what is no plain data; another exception where no program of
    Dask's takes the connection within some seconds, or answers within as many.
    """
    return asyncio.run(_asked(scheduler, seconds))


async def _asked(scheduler: str, seconds: float) -> dict[str, Any]:
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.security import Security

    scheme, place = parse_address(scheduler)
    if scheme not in (PLAIN, SECURE):
        raise ValueError(f"{scheme} is not spoken")
    host, port = parse_host_port(place)
    secret: Any = Security
    context = secret().get_connection_args("client")["ssl_context"] if scheme == SECURE else None
    if scheme == SECURE and context is None:
        raise ValueError("no certificates are configured")
    reader, writer = await asyncio.wait_for(asyncio.open_connection(host, port, ssl=context), seconds)
    try:
        writer.write(_message(_handshake()))
        await asyncio.wait_for(_answer(reader, scheduler), seconds)  # its handshake
        writer.write(_message({"op": "identity", "reply": True, "close": True}))
        return await asyncio.wait_for(_answer(reader, scheduler), seconds)
    finally:
        writer.close()


def _handshake() -> dict[str, Any]:
    """What each side of a connection tells the other first."""
    return {
        "compression": None,
        "python": tuple(sys.version_info)[:3],
        "pickle-protocol": pickle.HIGHEST_PROTOCOL,  # Dask wants to know it, though nothing is pickled here
    }


def _message(message: dict[str, Any]) -> bytes:
    import msgpack

    frame: bytes = msgpack.packb(message)
    frames = struct.pack("QQ", 1, len(frame)) + frame
    return LENGTH.pack(len(frames)) + frames


async def _answer(reader: asyncio.StreamReader, scheduler: str) -> dict[str, Any]:
    """The plain data of a message."""
    import msgpack

    (size,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
    if size > LARGEST:
        raise ValueError(f"a message of {size} bytes")
    frames = await reader.readexactly(size)
    count = LENGTH.unpack_from(frames)[0] if size >= LENGTH.size else 0
    length = LENGTH.unpack_from(frames, LENGTH.size)[0] if count and size >= 2 * LENGTH.size else 0
    if not length:
        raise InputError(f"what answers at {scheduler!r} sends empty messages, as no scheduler of Dask does.")
    start = LENGTH.size * (1 + count)
    # What a worker measured is keyed by tuples.
    answer = msgpack.unpackb(frames[start : start + length], use_list=False, strict_map_key=False)
    if not isinstance(answer, dict):
        raise ValueError("a message that is no mapping")
    if any(isinstance(value, dict) and "__Pickled__" in value for value in (answer, *answer.values())):
        raise InputError(
            f"what answers at {scheduler!r} sends a pickled object for what it is, as no scheduler of Dask does; "
            "it was not unpickled."
        )
    return answer


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

    kind = _identity_of(scheduler).get("type")
    if kind != SCHEDULER:
        scheduler_kind = (
            f"a {kind}" if isinstance(kind, str) and kind.isidentifier() else "one that does not say what it is"
        )
        raise InputError(
            f"no Dask scheduler answers at {scheduler!r}, but {scheduler_kind}; its address is what `dask "
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


def _identity_of(scheduler: str) -> dict[str, Any]:
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
