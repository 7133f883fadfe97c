"""A single BLAS thread: two make small products slower, and the number of threads changes the last digit of a sum."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

from howsure.first_use import installed


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which linear algebra runs on one thread, if threadpoolctl (extra `cli`) is installed.

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
