"""Read inputs that the JSON mutator makes for a reader: `python -m tests.fuzz.json_trial NAME FOLDER`.

An undocumented exception is saved once for each source line that raises it, in FOLDER/crashes. An input that takes too
long ends the process, and remains as FOLDER/input/current.
"""

from __future__ import annotations

import faulthandler
import hashlib
import logging
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.json_mutator import mutated
from tests.fuzz.json_readers import JSON_READERS
from tests.fuzz.seeds import SEEDS
from tests.fuzz.trial import Crash, crash_of

SECONDS = 20  # for an input


def seeds_of(name: str, folder: Path) -> list[bytes]:
    """Return the files from which a reader's inputs are made."""
    return SEEDS[name](folder)


def inputs_of(name: str, folder: Path, seed: int) -> Iterator[bytes]:
    """Yield changed files for a reader without end; the same seed gives the same files."""
    rng, seeds = random.Random(f"{name} {seed}"), seeds_of(name, folder)
    while True:
        content = mutated(rng.choice(seeds), JSON_READERS[name].envelope, rng)
        if content is not None:
            yield content


def crash_at(name: str, number: int, content: bytes, folder: Path) -> Crash | None:
    """Return what went wrong with an input, by its number."""
    return crash_of(JSON_READERS[name].of(number), content, folder)


def main(name: str, place: str, seconds: str, seed: str) -> None:
    """Read inputs for some seconds; the last line says how many."""
    logging.disable(logging.CRITICAL)
    folder, known_crashes, number, started = Path(place), set[str](), 0, time.monotonic()
    for subfolder in ("crashes", "input", "seeds"):
        (folder / subfolder).mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(inputs_of(name, folder / "seeds", int(seed)), 1):
        (folder / "input" / "current").write_bytes(content)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        crash = crash_at(name, number, content, folder / "input")
        faulthandler.cancel_dump_traceback_later()
        if crash is not None and crash.where not in known_crashes:
            known_crashes.add(crash.where)
            path = folder / "crashes" / f"json-{hashlib.sha256(crash.where.encode()).hexdigest()[:12]}"
            path.write_bytes(content)
            print(f"CRASH {path} {crash.where}\n{crash.traceback_text}", file=sys.stderr, flush=True)
        if number % 1_000 == 0 or time.monotonic() - started > float(seconds):
            print(f"inputs: {number}", flush=True)
        if time.monotonic() - started > float(seconds):
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
