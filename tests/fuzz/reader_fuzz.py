"""Fuzz one reader with atheris in this process: `python -m tests.fuzz.reader_fuzz NAME FOLDER libFuzzer-options…`.

An undocumented exception is saved once for each source line that raises it, and the fuzzer continues. If the process
ends (by a signal, or too much memory or time), libFuzzer saves the input. Both are in FOLDER/crashes.
"""

from __future__ import annotations

import hashlib
import random
import sys
from pathlib import Path
from typing import Any

import atheris

atheris.instrument_imports(include=["howsure", "yaml"]).__enter__()  # for good: readers import when they are called

from tests.fuzz.readers import READERS, Reader  # noqa: E402
from tests.fuzz.seeds import SEEDS  # noqa: E402
from tests.fuzz.trial import crash_of  # noqa: E402

WHOLE = 0.25  # of the changes are to the sealed file


def prepared(reader: Reader, folder: Path) -> None:
    """Make folders for the corpus, which begins with the seeds, for crashes, and for the file that is read."""
    for name in ("corpus", "crashes", "seeds", "input"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for at, content in enumerate(SEEDS[reader.name](folder / "seeds")):
        (folder / "corpus" / f"seed-{at}").write_bytes(content)


def trial(reader: Reader, folder: Path) -> Any:
    """Return the function that libFuzzer calls with each input."""
    known_crashes: set[str] = set()

    def one(content: bytes) -> None:
        crash = crash_of(reader, content, folder / "input")
        if crash is None or crash.where in known_crashes:
            return
        known_crashes.add(crash.where)
        path = folder / "crashes" / f"crash-{hashlib.sha256(crash.where.encode()).hexdigest()[:12]}"
        path.write_bytes(content)
        print(f"CRASH {path} {crash.where}\n{crash.traceback_text}", file=sys.stderr, flush=True)

    return one


def mutator(reader: Reader) -> Any:
    """Return a function that changes the parts within the envelope, and sometimes the envelope itself."""

    def change(content: bytes, largest: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < WHOLE:
            return atheris.Mutate(content, largest)
        return reader.envelope.changed(content, lambda part: atheris.Mutate(part, largest), rng.randrange(1 << 16))

    return change


def main(name: str, place: str, *options: str) -> None:
    reader, folder = READERS[name], Path(place)
    prepared(reader, folder)
    arguments = [sys.argv[0], str(folder / "corpus"), f"-artifact_prefix={folder / 'crashes'}/", *options]
    atheris.Setup(arguments, trial(reader, folder), custom_mutator=mutator(reader))
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
