"""A store whose texts would like to do harm: scripts, broken markup, strange letters, ids that look like addresses."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
from tests.events.made_up_store import (
    TITLES,
    MadeUpDocument,
    MadeUpMention,
    copied,
    hussein_document,
    random_document,
    write_store,
)

from howsure_events.store.check_store import check_store
from howsure_events.store.event_store import EventStore

DOCUMENTS, SAMPLES = 90, 50
ATTACKS = (
    "<script>window.taken = 1; document.title = 'taken'</script>",
    '"><img src=x onerror="window.taken = 2">',
    "</script></style><script>window.taken = 3</script>",
    "</textarea><svg onload=window.taken=4>",
    "{{ 7 * 7 }} ${window.taken = 5} <!-- ]]>",
    "مرحبا \u202eedacsurorht\u202c שלום 🙂‍↔️ \u2028 e\u0301",
)
IDS = ("javascript:window.taken=6", "../../etc/passwd", "data:text/html,<script>window.taken=7</script>")


def hostile_document(number: int, text: str) -> MadeUpDocument:
    """The example of the paper, with a text of harm in its title and in both its mentions."""
    made = hussein_document(number)
    mentions = tuple(
        MadeUpMention((*mention.words, *text.split(" ")), mention.actors, mention.acts) for mention in made.mentions
    )
    return MadeUpDocument(number, made.date, text, mentions, made.antecedents)


def make_hostile_store(path: Path) -> Path:
    """A store of made-up documents; numbers 1 to 6 are hostile, and so are some ids and the title of an actor."""
    return copied(_hostile_file(), path)


@cache
def _hostile_file() -> bytes:
    rng = np.random.default_rng(3)
    attacks = [hostile_document(number, text) for number, text in enumerate(ATTACKS, 1)]
    others = [random_document(number, rng) for number in range(len(ATTACKS) + 1, DOCUMENTS)]
    titles = {**TITLES, "KWT": ATTACKS[1]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "hostile.duckdb")
        write_store(path, [hussein_document(0), *attacks, *others], samples=SAMPLES, actors=titles).close()
        with duckdb.connect(path) as connection:
            for number, name in enumerate(IDS, 1):
                connection.execute("UPDATE documents SET id = ? WHERE document = ?", [name, number])
            connection.execute("UPDATE settings SET value = ? WHERE name = 'parser'", [json.dumps(ATTACKS[2])])
            rule = {"name": "attack", "forms": ["attacked", *ATTACKS]}
            connection.execute("UPDATE settings SET value = ? WHERE name = 'rule'", [json.dumps(rule)])
        assert check_store(path).is_whole
        return path.read_bytes()


def opened(path: Path) -> EventStore:
    return EventStore.open(path)
