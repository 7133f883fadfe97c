"""Write the labels of `howsure demo`: who attacks in each news item, labelled by the authors of howsure.

The labels below are of all 48 items; the script writes those of the 24 items that the demo draws.

    python scripts/make_demo_labels.py packages/cli/src/howsure_cli/demo

Coding rules: a state attacks if its forces attack, even without success. Rebels from a state are not the state. A
report that somebody fears an attack is not a report of an attack. Of two armies, the attacked one is the one whose
opponent protests; of two fleets, `it` is the one named last. If the text does not say who acts, the label is unclear.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from howsure.files.atomic_write import write_atomically
from howsure_events import example_store
from howsure_events.labels.answers import reading_order
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

LABELS, CODER, UNCLEAR = 24, "authors", "unclear"
NORLAND, SUDORIA, VESTMERE, ALLIANCE = ACTORS = ("NORLAND", "SUDORIA", "VESTMERE", "ALLIANCE")
READINGS = {  # by the number of the item; nobody attacks in the others
    5: VESTMERE,
    6: NORLAND,
    8: NORLAND,
    11: UNCLEAR,
    12: NORLAND,
    13: NORLAND,
    15: UNCLEAR,
    16: SUDORIA,
    17: SUDORIA,
    18: NORLAND,
    19: NORLAND,
    20: ALLIANCE,
    21: SUDORIA,
    22: SUDORIA,
    23: UNCLEAR,
    24: SUDORIA,
    25: UNCLEAR,
    26: SUDORIA,
    27: ALLIANCE,
    28: NORLAND,
    29: NORLAND,
    30: NORLAND,
    32: SUDORIA,
    33: SUDORIA,
    34: ALLIANCE,
    35: NORLAND,
    37: VESTMERE,
    42: VESTMERE,
    43: SUDORIA,
    44: SUDORIA,
    46: VESTMERE,
}


def main(folder: Path) -> None:
    """Write labels.csv."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "news.duckdb"
        example_store(path).close()
        with EventStore.open(path, read_only=False) as store:
            draw_documents(store, LABELS)
            names = dict(store.ask("SELECT document, id FROM documents"))
            drawn = sorted(names[document] for document in reading_order(store))
    lines = ["document,actor,label,coder"]
    for name in drawn:
        lines += [f"{name},{actor},{label_of(name, actor)},{CODER}" for actor in ACTORS]
    write_atomically("\n".join([*lines, ""]).encode(), folder / "labels.csv")


def label_of(name: str, actor: str) -> str:
    """Return 1 if the actor attacks in an item, 0 if not, or "unclear"."""
    reading = READINGS.get(int(name.removeprefix("news-")), "")
    return UNCLEAR if reading == UNCLEAR else str(int(reading == actor))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
