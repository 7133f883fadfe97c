"""A labelling room in a process of its own: `python -m tests.explorer.labelling.room_server STORE [--assisted]`."""

from __future__ import annotations

import contextlib
import sys

from howsure.events.store.event_store import EventStore
from howsure.explorer import Address, Room, serve

if __name__ == "__main__":
    with EventStore.open(sys.argv[1], read_only=False) as store, contextlib.suppress(KeyboardInterrupt):
        room = Room(store, assisted="--assisted" in sys.argv)
        serve(store, Address(port=0), ready=lambda opening: print(opening.address, "", flush=True), room=room)
