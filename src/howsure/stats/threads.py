"""A single BLAS thread: two make small products slower, and the number of threads changes the last digit of a sum."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which linear algebra runs on one thread.

    >>> with one_thread():
    ...     pass
    """
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:
    import scipy.linalg  # noqa: F401  # its BLAS must be loaded to be found
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
