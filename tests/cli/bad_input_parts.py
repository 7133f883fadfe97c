"""Wrong inputs of `howsure events` on many machines and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from howsure.events.store.event_store import EventStore
from tests.cli.bad_input import Wrong

EXTRACT = "events extract news.conllu --store news.duckdb"


@cache
def part_of_three() -> dict[str, bytes]:
    """The store of the second of three parts of an input without documents."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part-2.duckdb"
        with EventStore.create(path, {"samples": 5, "part": {"number": 2, "of": 3, "documents": 0}}) as store:
            store.finish()
        return {path.name: path.read_bytes()}


APART = [
    Wrong("a part without its number", f"{EXTRACT} --part 64"),
    Wrong("a part beyond the last", f"{EXTRACT} --part 4/3"),
    Wrong("a part taken for the whole", "events series part-2.duckdb", part_of_three()),
    Wrong("parts of which some are missing", "events merge part-2.duckdb --store news.duckdb", part_of_three()),
    Wrong("parts that a glob does not find", "events merge 'part-*.duckdb' --store all.duckdb"),
]
