"""Compare what people see with what is stored, or store it: `python -m tests.goldens [--write] [--exact] [ROOM ...]`.

Each change of a stored file gets a line with its reason in CHANGES.md.
"""

from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

from tests.goldens.comparing import EXACT, TOLERANCE, differences
from tests.goldens.coverage import uncovered
from tests.goldens.running import ROOMS, room, run_room, tolerances
from tests.goldens.stored_files import read_stored, write_stored
from tests.lacking import WANTS


def main() -> int:
    """Run the rooms, print what differs; 1 where something does and nothing was written."""
    parser = argparse.ArgumentParser(prog="python -m tests.goldens", description=__doc__)
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=", ".join(ROOMS))
    parser.add_argument("--write", action="store_true", help="store what is seen now, and say which entries changed")
    parser.add_argument("--exact", action="store_true", help=f"numbers agree to {EXACT}, not only to {TOLERANCE}")
    options = parser.parse_args()
    changed = 0
    for name in options.rooms or ROOMS:
        want = room(name).wants
        if want is not None and not WANTS[want].is_there():
            print(f"{name}: {WANTS[want].reason}")
            continue
        before, now = read_stored(name), run_room(name)
        changes = (
            differences(before, now, tolerance=EXACT)
            if options.exact
            else differences(before, now, tolerance=TOLERANCE, declared=tolerances(name))
        )
        changed += len(changes)
        for entry, lines in changes.items() if before else ():
            print(f"\n{name}: {entry}", *(f"    {line}" for line in lines), sep="\n")
        if options.write:  # entries that agree keep their digits
            write_stored(name, {entry: now[entry] if entry in changes else before[entry] for entry in now})
        print(f"{name}: {len(now)} entries, {len(changes)} differ{', written' if options.write and changes else ''}")
    for command in uncovered():
        print(f"no golden: {command}")
    return 1 if changed and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
