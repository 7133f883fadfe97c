"""Answers that were given are kept; one that many ask for at the same time is computed once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

MOST_BYTES = 64 * 2**20
THREADS = 4  # each question keeps DuckDB and numpy busy: more at once make all of them wait


class Answers:
    """Texts by what was asked; the one that was asked for longest ago makes room. Whatever fails is not kept."""

    def __init__(self, *, most_bytes: int = MOST_BYTES, threads: int = THREADS) -> None:
        self.most_bytes, self.n_bytes = most_bytes, 0
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._underway: dict[Hashable, Future[bytes]] = {}
        self._lock = Lock()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="answer")

    async def get(self, asked: Hashable, compute: Callable[[], bytes], *, keep: Callable[[], bool]) -> bytes:
        """The answer to what is asked, computed in a thread unless it is there or underway; kept if `keep` says so."""
        with self._lock:
            if asked in self._kept:
                self._kept.move_to_end(asked)
                return self._kept[asked]
            future = self._underway.get(asked)
            if future is None:
                future = self._underway[asked] = self._threads.submit(self._computed, asked, compute, keep)
        return await asyncio.shield(asyncio.wrap_future(future))  # who goes away takes no answer from the others

    @property
    def n_underway(self) -> int:
        """How many answers are computed, or wait for it."""
        return len(self._underway)

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _computed(self, asked: Hashable, compute: Callable[[], bytes], keep: Callable[[], bool]) -> bytes:
        try:
            answer = compute()
            if keep():
                self._keep(asked, answer)
            return answer
        finally:
            with self._lock:
                del self._underway[asked]

    def _keep(self, asked: Hashable, answer: bytes) -> None:
        if len(answer) > self.most_bytes:
            return
        with self._lock:
            self._kept[asked] = answer
            self.n_bytes += len(answer)
            while self.n_bytes > self.most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self.n_bytes -= len(oldest)
