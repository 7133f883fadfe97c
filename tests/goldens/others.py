"""Help, data sets, the demo, and other commands."""

from __future__ import annotations

from tests.goldens.running import Room

ROOM = Room(
    """
    --help
    --version
    help input
    help output
    calibratoin pairs.csv
    calibration --hepl
    data list
    data show ark_twitter_pos
    data show ark_twitter_pos --format json
    data show ark_twiter
    demo
    """,
    long=True,
)
