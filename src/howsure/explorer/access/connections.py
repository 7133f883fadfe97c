"""Connections that nobody can hold open for nothing: a request is whole in time, and only so many wait for one."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 128
SECONDS = 10.0  # for the whole of a request


class PromptConnection(H11Protocol):
    """HTTP/1.1; of more than `most` connections, the one that has waited longest for its request is cut off.

    A connection that never finishes its request is cut off after `seconds`, however many bytes trickle in.
    """

    most, seconds = MOST, SECONDS
    waiting_since = 0.0
    limit: asyncio.TimerHandle | None = None

    @property
    def is_answering(self) -> bool:
        """Whether a request is there as a whole, and its answer not yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; make room for it."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > self.most:
            self.loop.call_soon(self.loop.call_soon, self._make_room)  # when what they all have sent has been read

    def data_received(self, data: bytes) -> None:
        """Read on; the first bytes of a next request begin its time, those that follow do not prolong it."""
        super().data_received(data)
        if self.is_answering:
            self._stop_waiting()
        elif self.limit is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def cut_off(self) -> None:
        """End the connection at once, unless its request is being answered."""
        if not self.is_answering:
            self.transport.abort()

    def _make_room(self) -> None:
        """Cut off those that have waited longest for their request."""
        waiting = [one for one in self.connections if isinstance(one, PromptConnection) and not one.is_answering]
        too_many = max(len(self.connections) - self.most, 0)
        for one in sorted(waiting, key=lambda one: one.waiting_since)[:too_many]:
            one.cut_off()

    def _wait(self) -> None:
        self.waiting_since = self.loop.time()
        self.limit = self.loop.call_later(self.seconds, self.cut_off)

    def _stop_waiting(self) -> None:
        if self.limit is not None:
            self.limit.cancel()
            self.limit = None
