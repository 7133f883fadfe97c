"""One thread of linear algebra, and what was before afterwards."""

from __future__ import annotations

import scipy.linalg
from threadpoolctl import threadpool_info, threadpool_limits

from howsure.stats.threads import one_thread


def threads() -> set[int]:
    assert scipy.linalg is not None  # its library is among those that are asked
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_every_library_runs_on_one_thread_within_and_as_before_after() -> None:
    with threadpool_limits(2, user_api="blas"):
        with one_thread():
            assert threads() == {1}
        assert threads() == {2}
