"""One thread of BLAS: small products get slower with two, and the last digit of a sum depends on how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it, linear algebra runs on one thread.

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
