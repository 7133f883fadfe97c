"""Print which files of howsure a command uses, in the order in which they are first entered.

    python scripts/walk.py check calibration FILE --target label --prob probability --max-error 0.05
    python scripts/walk.py --tree 4 score FILE

`--tree N` prints instead which function calls which, N calls deep. Repeated calls of a function by the same caller are
one line.

The command is run twice; the second run is recorded, when all modules are imported. A file counts if one of its
functions is called; comprehensions and lambdas count as part of the function that contains them.
"""

from __future__ import annotations

import contextlib
import glob
import io
import os
import sys
from collections import Counter
from collections.abc import Iterator
from types import FrameType

from howsure_cli.command_line import main

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = [os.path.join(folder, "src", "") for folder in glob.glob(os.path.join(ROOT, "packages", "*"))]
READING = ("inputs", "data", "files")
BEFORE_NUMBERS = (*READING, "howsure_cli", "check", "figures", "show", "errors", "lazy_imports", "result")


def file_of_package(path: str) -> str | None:
    """Return the name of a file within its package's source; None for a file of another library."""
    return next((path.removeprefix(source).replace(os.sep, "/") for source in SOURCES if path.startswith(source)), None)


def room_of(name: str) -> str:
    """The room of the statistics that contains a file, or its package.

    >>> room_of("howsure/stats/proportions.py"), room_of("howsure/errors.py"), room_of("howsure_cli/commands/score.py")
    ('stats', 'errors', 'howsure_cli')
    """
    package, room = name.split("/")[:2]
    return room.removesuffix(".py") if package == "howsure" else package


class Call:
    """A function of the package, how often its caller calls it, and its own calls in the order of their first
    occurrence."""

    def __init__(self) -> None:
        self.times = 0
        self.calls: dict[tuple[str, str], Call] = {}


def record_calls(arguments: list[str]) -> Call:
    """Return the calls between functions of the package when the command is run for the second time."""
    stack = [Call()]

    def record(frame: FrameType, event: str, argument: object) -> None:
        name = file_of_package(frame.f_code.co_filename)
        if name is None or frame.f_code.co_name == "<module>":
            return
        if event == "call" and frame.f_code.co_name.startswith("<"):
            stack.append(stack[-1])
        elif event == "call":
            call = stack[-1].calls.setdefault((name, frame.f_code.co_name), Call())
            call.times += 1
            stack.append(call)
        elif event == "return" and len(stack) > 1:
            stack.pop()

    for profiler in (None, record):
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
    return stack[0]


def functions_of_files(call: Call, functions: dict[str, set[str]] | None = None) -> dict[str, set[str]]:
    """Return the functions called in each file, files in the order of their first call."""
    functions = {} if functions is None else functions
    for (name, function), inner in call.calls.items():
        functions.setdefault(name, set()).add(function)
        functions_of_files(inner, functions)
    return functions


def tree(call: Call, depth: int, indent: str = "") -> Iterator[str]:
    """Yield a line for each call down to the given depth, indented below its caller."""
    for (name, function), inner in call.calls.items():
        yield f"{indent}{function}  {name}" + (f"  × {inner.times:,}" if inner.times > 1 else "")
        if depth > 1:
            yield from tree(inner, depth - 1, indent + "  ")


def walk(arguments: list[str]) -> str:
    """Return the files with the number of their functions that are called, and the number of files by folder."""
    functions_by_file = functions_of_files(record_calls(arguments))
    rooms = Counter(room_of(name) for name in functions_by_file)
    lines = ["functions  file", *(f"{len(functions):>9}  {name}" for name, functions in functions_by_file.items())]
    reading = sum(rooms[room] for room in READING)
    functions = sum(map(len, functions_by_file.values()))
    lines.append(f"{len(functions_by_file)} files, {functions} functions; {reading} files read and check")
    lines.append(", ".join(f"{room} {count}" for room, count in rooms.most_common()))
    entries = [room_of(name) for name in functions_by_file]
    before = next((place for place, room in enumerate(entries) if room not in BEFORE_NUMBERS), len(entries))
    lines.append(f"{before} files before the first of a statistical room")
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] in ([], ["-h"], ["--help"]):
        print(__doc__)
    elif sys.argv[1:2] == ["--tree"]:
        print("\n".join(tree(record_calls(sys.argv[3:]), int(sys.argv[2]))))
    else:
        print(walk(sys.argv[1:]))
