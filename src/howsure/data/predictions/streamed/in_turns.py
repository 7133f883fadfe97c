"""Work on a stream by several threads, with results that do not depend on which of them was quicker."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import cycle
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD = 2  # items that wait for each worker


def in_turns(items: Iterable[Item], workers: Sequence[Callable[[Item], Result]]) -> Iterator[Result]:
    """The results of the items, in order; each worker has a thread of its own and gets every k-th item.

    An error of a worker is raised in the place of its result, and ends the work.
    """
    pools = [ThreadPoolExecutor(1) for _ in workers]
    waiting: deque[Future[Result]] = deque()
    try:
        for item, (pool, work) in zip(items, cycle(list(zip(pools, workers, strict=True))), strict=False):
            waiting.append(pool.submit(work, item))
            if len(waiting) > AHEAD * len(workers):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)
