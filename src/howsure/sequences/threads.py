"""One thread for small matrix products: two threads of a busy machine slow them down up to sixty times."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """A `with` block in which numpy's matrix products use one thread."""
    limiter: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limiter


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
