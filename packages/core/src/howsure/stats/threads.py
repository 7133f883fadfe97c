"""Run BLAS on one thread: more threads slow down small products, and their number changes the last digits of sums."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

from howsure.lazy_imports import installed


@contextmanager
def one_thread() -> Iterator[None]:
    """Context in which BLAS runs on one thread; without effect if threadpoolctl (extra `cli`) is not installed.

    >>> with one_thread():
    ...     pass
    """
    controller = _controller()
    with nullcontext() if controller is None else controller.limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any | None:
    if not installed("threadpoolctl"):
        return None
    import scipy.linalg  # noqa: F401  # its BLAS must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
