"""A labelling room: the store that answers go into, whether coders see the model's answer, and the token to write."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from howsure.errors import HowsureError
from howsure.events.store.event_store import EventStore
from howsure.explorer.access.tokens import new_token


class Room:
    """A store open for writing, whose page may write answers into it.

    assisted: whether coders see what the model found in the text. token: what each order to write must bring; it stands
    in the page of the room only.
    """

    def __init__(self, store: EventStore, *, assisted: bool = False, token: str | None = None) -> None:
        self.store, self.assisted, self.token = store, assisted, token or new_token()
        self.n_orders = 0  # carried out so far: what was asked before knows nothing of them
        self._lock, self._is_closed = Lock(), False
        store.connection.execute("SET GLOBAL enable_external_access = false")  # the store, and no other file

    def write(self, act: Callable[..., Any], **ordered: Any) -> Any:
        """Do what is ordered, one order after another.

        Raises HowsureError if the room is closed.
        """
        with self._lock:
            if self._is_closed:
                raise HowsureError("the page is being closed.")
            try:
                return act(self.store, **ordered)
            finally:
                self.n_orders += 1

    def close(self) -> None:
        """Wait until the order that is under way is done; none begins after it."""
        with self._lock:
            self._is_closed = True
