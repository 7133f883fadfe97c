"""Inputs that the JSON mutator makes, read one after another: `inputs_of` a reader, and the crashes among them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.json_mutator import mutated
from tests.fuzz.json_readers import JSON_READERS
from tests.fuzz.seeds import SEEDS
from tests.fuzz.trial import Crash, crash_of


def inputs_of(name: str, folder: Path, seed: int) -> Iterator[bytes]:
    """Changed files for a reader, without end: the same for the same seed."""
    rng = random.Random(f"{name} {seed}")
    seeds = SEEDS[name](folder)
    while True:
        content = mutated(rng.choice(seeds), JSON_READERS[name].envelope, rng)
        if content is not None:
            yield content


def crash_at(name: str, number: int, content: bytes, folder: Path) -> Crash | None:
    """What went wrong with an input, by its number."""
    return crash_of(JSON_READERS[name].of(number), content, folder)
