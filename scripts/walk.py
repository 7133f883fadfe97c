"""Which files of howsure a command runs through, in the order in which they are first entered.

    python scripts/walk.py check calibration FILE --target label --prob probability --max-error 0.05

The command is run twice; what is counted is the second time, when all modules are imported. A file counts if one of its
functions is called.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import Counter
from types import FrameType

from howsure.cli import main

MARK = "/howsure/"
READING = ("inputs", "data", "files")
BEFORE_NUMBERS = (*READING, "cli", "check", "show", "errors", "result")


def entered(arguments: list[str]) -> dict[str, set[str]]:
    """The functions called in each file of the package, files in the order of their first call."""
    found: dict[str, set[str]] = {}

    def seen(frame: FrameType, event: str, argument: object) -> None:
        name = frame.f_code.co_filename
        if event == "call" and MARK in name and frame.f_code.co_name != "<module>":
            found.setdefault(name.rpartition(MARK)[2], set()).add(frame.f_code.co_name)

    for profiler in (None, seen):
        with (
            contextlib.suppress(SystemExit),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            sys.setprofile(profiler)
            try:
                main(arguments)
            finally:
                sys.setprofile(None)
    return found


def walk(arguments: list[str]) -> str:
    """The files with the number of their functions that were called, and how many there are by room."""
    found = entered(arguments)
    rooms = Counter(name.split("/")[0].removesuffix(".py") for name in found)
    lines = [f"{len(functions):>4}  {name}" for name, functions in found.items()]
    reading = sum(rooms[room] for room in READING)
    lines.append(f"{len(found)} files, {sum(map(len, found.values()))} functions; {reading} files read and check")
    lines.append(", ".join(f"{room} {count}" for room, count in rooms.most_common()))
    entries = [name.split("/")[0].removesuffix(".py") for name in found]
    before = next((place for place, room in enumerate(entries) if room not in BEFORE_NUMBERS), len(entries))
    lines.append(f"{before} files before the first of a statistical room")
    return "\n".join(lines)


if __name__ == "__main__":
    print(walk(sys.argv[1:]))
