"""Not yet."""

from tests.goldens.running import Room

ROOM = Room()
